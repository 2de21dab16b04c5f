import type { Database } from '@mortise/plugin-sdk';
import { isZeroOid, type RefsUpdated } from '@mortise/git/api';
import { DeletedBranchRow } from '../models/deleted-branch.js';

const maxAgeMs = 90 * 86_400_000;
const heads = 'refs/heads/';

/** Branches that were deleted. Git keeps their commits until it tidies up; the list forgets them after 90 days. */
export class DeletedBranches {
  constructor(private readonly deps: { readonly database: Database }) {}

  list(repositoryId: number): Promise<DeletedBranchRow[]> {
    return Promise.resolve(
      this.deps.database
        .query(DeletedBranchRow)
        .where('repository_id', repositoryId)
        .where('deleted_at', '>', Date.now() - maxAgeMs)
        .orderBy('deleted_at', 'desc')
        .limit(50),
    );
  }

  /** Of every branch that can still be restored. */
  async commits(repositoryId: number): Promise<string[]> {
    const rows = await this.deps.database
      .query(DeletedBranchRow)
      .where('repository_id', repositoryId)
      .where('deleted_at', '>', Date.now() - maxAgeMs);
    return rows.map(({ oid }) => oid);
  }

  async byId(repositoryId: number, id: number): Promise<DeletedBranchRow | undefined> {
    return this.deps.database.query(DeletedBranchRow).findOne({ repository_id: repositoryId, id });
  }

  /** Follows a change of references, in its transaction: notes what went away, forgets what is there again. */
  async record({ repositoryId, updates, pusherId, at }: RefsUpdated): Promise<void> {
    const branches = updates
      .filter(({ ref }) => ref.startsWith(heads))
      .map((update) => ({ ...update, name: update.ref.slice(heads.length) }))
      .filter(({ name }) => name.length <= 255);
    if (branches.length === 0) return;
    const gone = branches.filter((one) => isZeroOid(one.new));
    // A branch that takes the place of a deleted one cannot be restored over; a move of an existing one changes nothing.
    const names = branches.filter((one) => isZeroOid(one.new) || isZeroOid(one.old)).map(({ name }) => name);
    const { database } = this.deps;
    await database
      .query(DeletedBranchRow)
      .delete()
      .where('repository_id', repositoryId)
      .where('deleted_at', '<', at - maxAgeMs);
    for (let start = 0; start < names.length; start += 500)
      await database
        .query(DeletedBranchRow)
        .delete()
        .where('repository_id', repositoryId)
        .whereIn('name', names.slice(start, start + 500));
    for (const { name, old } of gone.slice(0, 200))
      await database
        .query(DeletedBranchRow)
        .insert({ repository_id: repositoryId, name, oid: old, deleted_by: pusherId, deleted_at: at });
  }

  async renamed(repositoryId: number, name: string): Promise<void> {
    await this.deps.database.query(DeletedBranchRow).delete().where({ repository_id: repositoryId, name });
  }

  async forget(repositoryId: number): Promise<void> {
    await this.deps.database.query(DeletedBranchRow).delete().where('repository_id', repositoryId);
  }
}
