import type { Database } from '@mortise/plugin-sdk';
import { isZeroOid, type RefsUpdated } from '@mortise/git/api';
import { RenamedBranchRow } from '../models/renamed-branch.js';

const heads = 'refs/heads/';
const maxRenames = 20;

/** Names that branches had before. */
export class RenamedBranches {
  constructor(private readonly deps: { readonly database: Database }) {}

  /** What the branch is called now that had this name; renames after renames are followed. */
  async newName(repositoryId: number, name: string): Promise<string | undefined> {
    let newName: string | undefined;
    for (let count = 0; count < maxRenames; count++) {
      const row = await this.deps.database
        .query(RenamedBranchRow)
        .where({ repository_id: repositoryId, name: newName ?? name })
        .orderBy('id', 'desc')
        .first();
      if (!row || row.new_name === name) break;
      newName = row.new_name;
    }
    return newName;
  }

  /** Joins the caller's transaction. */
  async record(repositoryId: number, name: string, newName: string): Promise<void> {
    const { database } = this.deps;
    await database.query(RenamedBranchRow).delete().where({ repository_id: repositoryId, name });
    const row = { repository_id: repositoryId, name, new_name: newName, renamed_at: Date.now() };
    await database.query(RenamedBranchRow).insert(row);
  }

  /** A name that a branch has again leads nowhere else. In the transaction of the change. */
  async forgetTaken({ repositoryId, updates }: RefsUpdated): Promise<void> {
    const names = updates
      .filter(({ ref, old, new: now }) => ref.startsWith(heads) && isZeroOid(old) && !isZeroOid(now))
      .map(({ ref }) => ref.slice(heads.length));
    for (let start = 0; start < names.length; start += 500)
      await this.deps.database
        .query(RenamedBranchRow)
        .delete()
        .where('repository_id', repositoryId)
        .whereIn('name', names.slice(start, start + 500));
  }

  async forget(repositoryId: number): Promise<void> {
    await this.deps.database.query(RenamedBranchRow).delete().where('repository_id', repositoryId);
  }
}
