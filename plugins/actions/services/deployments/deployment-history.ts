import { pageOf, type Database } from '@mortise/plugin-sdk';
import { statusNumbers } from '../../contract/states.js';
import { DeploymentRow } from '../../models/deployment.js';
import { EnvironmentRow } from '../../models/environment.js';

/** What was deployed, and where to. */
export class DeploymentHistory {
  constructor(private readonly deps: { readonly database: Database }) {}

  /** Newest first; `environmentId` absent: to all environments of the repository. */
  async list(
    of: { readonly repositoryId: number; readonly environmentId?: number },
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly rows: DeploymentRow[]; readonly total: number }> {
    const { repositoryId, environmentId } = of;
    const where = environmentId === undefined ? { repository_id: repositoryId } : { environment_id: environmentId };
    return pageOf(this.deps.database.query(DeploymentRow).where(where).orderBy('id', 'desc'), page);
  }

  /** The last that succeeded, by environment. */
  async current(environmentIds: readonly number[]): Promise<ReadonlyMap<number, DeploymentRow>> {
    if (environmentIds.length === 0) return new Map();
    const { database } = this.deps;
    const newest = database
      .query(DeploymentRow)
      .max('id')
      .whereIn('environment_id', [...environmentIds])
      .where('status', statusNumbers.success)
      .groupBy('environment_id');
    const rows = await database.query(DeploymentRow).whereIn('id', newest);
    return new Map(rows.map((row) => [row.environment_id, row]));
  }

  async environments(rows: readonly DeploymentRow[]): Promise<ReadonlyMap<number, EnvironmentRow>> {
    const ids = [...new Set(rows.map((row) => row.environment_id))];
    const found = ids.length > 0 ? await this.deps.database.query(EnvironmentRow).findByIds(ids) : [];
    return new Map(found.map((one) => [one.id, one]));
  }
}
