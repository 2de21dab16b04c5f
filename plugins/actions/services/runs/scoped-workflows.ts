import { compileGlob, Invalid, NotFound, type QueryCache, type Text } from '@mortise/plugin-sdk';
import type { Repository, RepositoryBasics } from '@mortise/repositories/api';
import { ScopedSourceRow, type ScopedConfig } from '../../models/scoped-source.js';
import { t } from '../../texts/index.js';
import type { RunDeps } from './run-deps.js';
import type { WorkflowFile, WorkflowFiles } from './workflow-files.js';

/** Most sources of one owner: each push reads all of them. */
const maxSources = 50;
/** Patterns of one workflow. */
const maxPatterns = 50;

/** A repository whose scoped workflows run in another, with those workflows. */
interface ScopedFiles {
  readonly repositoryId: number;
  /** Tip of its default branch. */
  readonly commit: string;
  readonly files: readonly WorkflowFile[];
}

/** A workflow of a source that is required, with the contexts that it must have posted. */
export interface RequiredWorkflow {
  readonly sourceId: number;
  readonly workflowId: string;
  readonly patterns: readonly string[];
}

/** Scoped workflows: of a source for all repositories of an owner, or of the site. */
export class ScopedWorkflows {
  constructor(
    private readonly deps: RunDeps & {
      readonly files: WorkflowFiles;
      /** Rows by owner: each push and each page of a pull request asks for them. */
      readonly known: QueryCache<readonly ScopedSourceRow[]>;
    },
  ) {}

  /** Of one level: 0 is the site. */
  list(ownerId: number): Promise<ScopedSourceRow[]> {
    return Promise.resolve(this.deps.database.query(ScopedSourceRow).where('owner_id', ownerId).orderBy('id'));
  }

  /** Rows that concern a repository, those of the site first. */
  rowsFor({ ownerId }: Pick<Repository, 'ownerId'>): Promise<readonly ScopedSourceRow[]> {
    const { database, known } = this.deps;
    return known.load(String(ownerId), async () =>
      database.query(ScopedSourceRow).whereIn('owner_id', [0, ownerId]).orderBy(['owner_id', 'id']),
    );
  }

  async sourcesFor(repository: RepositoryBasics): Promise<ScopedFiles[]> {
    if (this.deps.settings.SCOPED_WORKFLOW_DIRS.length === 0) return [];
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
    const { repositories, gitReader, settings, files } = this.deps;
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

  /** What must have run and passed before anything is merged into a protected branch. */
  async required(repository: Repository): Promise<readonly RequiredWorkflow[]> {
    const rows = await this.rowsFor(repository);
    return rows.flatMap(({ source_repo_id: sourceId, workflow_configs: configs }) =>
      Object.entries(configs).flatMap(([workflowId, { required, patterns }]) =>
        required ? [{ sourceId, workflowId, patterns }] : [],
      ),
    );
  }

  /** A source for an owner; it must be one of their own repositories, but for the site. */
  async add(ownerId: number, repository: Repository): Promise<void> {
    if (ownerId !== 0 && repository.ownerId !== ownerId) throw NotFound('repository');
    const { database, repositories } = this.deps;
    await database.write(async () => {
      await repositories.hold(repository.id);
      const sources = await database.query(ScopedSourceRow).where('owner_id', ownerId).select('source_repo_id');
      if (sources.some((row) => row.source_repo_id === repository.id)) return;
      if (sources.length >= maxSources) throw Invalid(t.later('scoped.tooMany', { max: maxSources }));
      const row = { owner_id: ownerId, source_repo_id: repository.id };
      await database.query(ScopedSourceRow).insert({ ...row, workflow_configs: {}, created_at: Date.now() });
    });
  }

  async remove(ownerId: number, repositoryId: number): Promise<void> {
    const { database } = this.deps;
    const where = { owner_id: ownerId, source_repo_id: repositoryId };
    if (!(await database.write(() => database.query(ScopedSourceRow).delete().where(where)))) throw NotFound('source');
  }

  /**
   * Changes what is required of workflows of a source; undefined: nothing is any more, others stay as they are. Invalid
   * (422) for a workflow that is required without a pattern, and for patterns that are broken or too many.
   */
  async configure(
    ownerId: number,
    repositoryId: number,
    changes: ReadonlyMap<string, ScopedConfig | undefined>,
  ): Promise<void> {
    for (const [id, config] of changes) if (config) checkConfig(id, config);
    const { database, repositories } = this.deps;
    const where = { owner_id: ownerId, source_repo_id: repositoryId };
    await database.write(async () => {
      await repositories.hold(repositoryId);
      const row = await database.query(ScopedSourceRow).findOne(where);
      if (!row) throw NotFound('source');
      const next = new Map<string, ScopedConfig | undefined>(Object.entries(row.workflow_configs));
      for (const [id, config] of changes) next.set(id, config);
      const remaining = Object.fromEntries([...next].filter(([, config]) => config)) as Record<string, ScopedConfig>;
      await database.query(ScopedSourceRow).where(where).patch({ workflow_configs: remaining });
    });
  }
}

function checkConfig(id: string, { required, patterns }: ScopedConfig): void {
  const refuse = (text: Text) => Invalid(text, { inputs: { [`required_patterns[${id}]`]: text } });
  if (required && patterns.length === 0) throw refuse(t.later('scoped.noPattern', { name: id }));
  if (patterns.length > maxPatterns) throw refuse(t.later('scoped.tooManyPatterns', { max: maxPatterns }));
  const broken = patterns.find((pattern) => pattern.length > 255 || !compileGlob(pattern, { acrossSlashes: true }));
  if (broken !== undefined) throw refuse(t.later('scoped.badPattern', { pattern: broken.slice(0, 255) }));
}
