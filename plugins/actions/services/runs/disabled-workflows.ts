import { isUniqueViolation, type Cache, type Database, type QueryCache } from '@mortise/plugin-sdk';
import { DisabledWorkflowRow } from '../../models/disabled-workflow.js';

/** Which workflows are switched off. */
export class DisabledWorkflows {
  readonly #off: QueryCache<ReadonlySet<string>>;

  constructor(private readonly deps: { readonly database: Database; readonly cache: Pick<Cache, 'query'> }) {
    this.#off = deps.cache.query('actions.disabledWorkflows');
  }

  /** `sourceId`: 0 for the repository's own. */
  key(sourceId: number, workflowId: string): string {
    return `${sourceId} ${workflowId}`;
  }

  /** Those of a repository, by {@link key}. */
  of(repositoryId: number): Promise<ReadonlySet<string>> {
    return this.#off.load(String(repositoryId), async () => {
      const rows = await this.deps.database.query(DisabledWorkflowRow).where('repository_id', repositoryId);
      return new Set(rows.map((row) => this.key(row.source_repo_id, row.workflow_id)));
    });
  }

  /** All are on again. */
  async forget(repositoryId: number): Promise<void> {
    await this.deps.database.query(DisabledWorkflowRow).delete().where('repository_id', repositoryId);
  }

  async set(repositoryId: number, sourceId: number, workflowId: string, isOff: boolean): Promise<void> {
    const { database } = this.deps;
    const row = { repository_id: repositoryId, source_repo_id: sourceId, workflow_id: workflowId };
    try {
      await database.write(async () => {
        if (!isOff) await database.query(DisabledWorkflowRow).delete().where(row);
        else if (!(await database.query(DisabledWorkflowRow).findOne(row)))
          await database.query(DisabledWorkflowRow).insert(row);
      });
    } catch (error) {
      // somebody else did the same
      if (!isUniqueViolation(error)) throw error;
    }
  }
}
