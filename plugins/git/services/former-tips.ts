/**
 * What references named before they were deleted or forced elsewhere. Pushes, webhooks and deleted branches name these
 * commits, so they stay readable by their whole ids for a while although no reference leads to them.
 */
import type { Database } from '@mortise/plugin-sdk';
import { isZeroOid, type GitRepository, type RefUpdate, type RepositoryKind } from '../api.js';
import { FormerTip } from '../models/former-tip.js';

export const maxAgeMs = 90 * 24 * 3600 * 1000;
/** Of pushes that move more the histories are not compared: all that was there is noted. */
const maxCompared = 20;

export class FormerTips {
  constructor(private readonly database: Database) {}

  async has(repositoryId: number, kind: RepositoryKind, oid: string): Promise<boolean> {
    const since = Date.now() - maxAgeMs;
    const row = await this.database
      .query(FormerTip)
      .where({ repository_id: repositoryId, kind, oid })
      .where('replaced_at', '>', since)
      .first();
    return row !== undefined;
  }

  async list(repositoryId: number, kind: RepositoryKind): Promise<string[]> {
    const rows = await this.database
      .query(FormerTip)
      .where({ repository_id: repositoryId, kind })
      .where('replaced_at', '>', Date.now() - maxAgeMs);
    return rows.map(({ oid }) => oid);
  }

  /** What the updates leave behind. Reads git, so it is asked before the transaction. */
  async leftBehind(repository: GitRepository, updates: readonly RefUpdate[]): Promise<string[]> {
    const left = new Set<string>();
    for (const [at, { old, new: next }] of updates.entries()) {
      if (isZeroOid(old) || old === next) continue;
      if (isZeroOid(next) || at >= maxCompared || !(await this.leadsOn(repository, old, next))) left.add(old);
    }
    return [...left];
  }

  /** Inside the transaction of the change. */
  async record(repositoryId: number, kind: RepositoryKind, oids: readonly string[], at: number): Promise<void> {
    for (const oid of oids)
      await this.database.query(FormerTip).insert({ repository_id: repositoryId, kind, oid, replaced_at: at });
  }

  async forgetOld(): Promise<void> {
    await this.database.write(async () => {
      await this.database
        .query(FormerTip)
        .delete()
        .where('replaced_at', '<', Date.now() - maxAgeMs);
    });
  }

  private async leadsOn(repository: GitRepository, old: string, next: string): Promise<boolean> {
    try {
      // most changes add one commit, which needs no walk
      if ((await repository.commit(next)).parents.includes(old)) return true;
      return await repository.isAncestor(old, next);
    } catch {
      return false; // no commits, or damaged ones
    }
  }
}
