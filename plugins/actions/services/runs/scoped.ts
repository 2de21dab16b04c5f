import { BadRequest, NotFound } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { ScopedSourceRow, type ScopedConfig } from '../../models/rest.js';
import type { RunParts } from './parts.js';
import type { WorkflowFile, WorkflowFiles } from './workflows.js';

/** A repository whose scoped workflows run in another, with those workflows. */
export interface ScopedFiles {
  readonly repositoryId: number;
  /** Tip of its default branch. */
  readonly commit: string;
  readonly files: readonly WorkflowFile[];
}

/** Scoped workflows: of a source for all repositories of an owner, or of the site. */
export class Scoped {
  constructor(private readonly parts: RunParts & { readonly files: WorkflowFiles }) {}

  /** Of one level: 0 is the site. */
  list(ownerId: number): Promise<ScopedSourceRow[]> {
    return Promise.resolve(this.parts.database.query(ScopedSourceRow).where('owner_id', ownerId).orderBy('id'));
  }

  /** Rows that concern a repository, those of the site first. */
  rowsFor({ ownerId }: Pick<Repository, 'ownerId'>): Promise<ScopedSourceRow[]> {
    return Promise.resolve(
      this.parts.database.query(ScopedSourceRow).whereIn('owner_id', [0, ownerId]).orderBy(['owner_id', 'id']),
    );
  }

  async sourcesFor(repository: Repository): Promise<ScopedFiles[]> {
    if (this.parts.settings.SCOPED_WORKFLOW_DIRS.length === 0) return [];
    const rows = await this.rowsFor(repository);
    const found: ScopedFiles[] = [];
    for (const id of new Set(rows.map((row) => row.source_repo_id))) {
      const files = await this.filesOf(id);
      if (files) found.push(files);
    }
    return found;
  }

  /** What a source has on its default branch; undefined: nothing. */
  async filesOf(sourceId: number): Promise<ScopedFiles | undefined> {
    const { repositories, gitReader, settings, files } = this.parts;
    const source = await repositories.byId(sourceId);
    const head = source && (await gitReader.open(source.id).branch(source.defaultBranch));
    if (!head) return undefined;
    const list = await files.list(sourceId, head.oid, settings.SCOPED_WORKFLOW_DIRS);
    return list.length > 0 ? { repositoryId: sourceId, commit: head.oid, files: list } : undefined;
  }

  async isRequired(repository: Repository, sourceId: number, workflowId: string): Promise<boolean> {
    const rows = await this.rowsFor(repository);
    return rows.some((row) => row.source_repo_id === sourceId && row.workflow_configs[workflowId]?.required);
  }

  /** Contexts that must be there and have passed before anything is merged into a protected branch. */
  async requiredPatterns(repository: Repository): Promise<readonly string[]> {
    const rows = await this.rowsFor(repository);
    return rows.flatMap((row) =>
      Object.values(row.workflow_configs).flatMap(({ required, patterns }) => (required ? patterns : [])),
    );
  }

  /** A source for an owner; it must be one of their own repositories, but for the site. */
  async add(ownerId: number, repository: Repository): Promise<void> {
    if (ownerId !== 0 && repository.ownerId !== ownerId) throw NotFound('repository');
    const { database } = this.parts;
    await database.write(async () => {
      const where = { owner_id: ownerId, source_repo_id: repository.id };
      if (await database.query(ScopedSourceRow).findOne(where)) return;
      await database.query(ScopedSourceRow).insert({ ...where, workflow_configs: {}, created_at: Date.now() });
    });
  }

  async remove(ownerId: number, repositoryId: number): Promise<void> {
    const { database } = this.parts;
    const where = { owner_id: ownerId, source_repo_id: repositoryId };
    if (!(await database.write(() => database.query(ScopedSourceRow).delete().where(where)))) throw NotFound('source');
  }

  /** What is required of a source. Bad request (400) for a workflow that is required without a pattern. */
  async configure(
    ownerId: number,
    repositoryId: number,
    configs: Readonly<Record<string, ScopedConfig>>,
  ): Promise<void> {
    for (const [id, { required, patterns }] of Object.entries(configs))
      if (required && patterns.length === 0) throw BadRequest(`${id}: a required workflow needs a pattern of statuses`);
    const { database } = this.parts;
    const where = { owner_id: ownerId, source_repo_id: repositoryId };
    const changed = await database.write(() =>
      database.query(ScopedSourceRow).where(where).patch({ workflow_configs: configs }),
    );
    if (!changed) throw NotFound('source');
  }
}
