import { Problem, type Actor, type Database, type Locks } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { zeroOid, type GitReader, type RefUpdates } from '@mortise/git/api';
import type { Issues, Timeline } from '@mortise/issues/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { PullRequest } from '../api.js';
import { PullRow } from '../models/pull.js';
import type { PullReader } from './pull-reader.js';

/** Removes the branches of merged pull requests where that was asked for. */
export class BranchCleaner {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly locks: Locks;
      readonly accounts: Accounts;
      readonly gitReader: GitReader;
      readonly refUpdates: RefUpdates;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly issues: Issues;
      readonly timeline: Timeline;
      readonly reader: PullReader;
    },
  ) {}

  /** Once; what may not be deleted stays. */
  async clean(issueId: number): Promise<void> {
    await this.deps.locks.hold(`pulls.branch:${issueId}`, () => this.#clean(issueId));
  }

  async #clean(issueId: number): Promise<void> {
    const { database, accounts, reader } = this.deps;
    const row = await database.query(PullRow).findById(issueId);
    const pull = await reader.fresh(issueId);
    if (!row?.deletes_branch || !pull?.isMerged) return;
    const merger = await accounts.byId(pull.mergerId);
    try {
      if (merger) await this.delete(pull, accounts.actorOf(merger, ''));
    } catch (error) {
      if (!Problem.is(error)) throw error;
    }
    await database.write(async () => {
      await database.query(PullRow).findById(issueId).patch({ deletes_branch: false });
    });
  }

  /** Deletes the head branch; nothing happens where it may not be, or is still needed. */
  async delete(pull: PullRequest, actor: Actor): Promise<boolean> {
    const { gitReader, refUpdates, repositories, repositoryAccess, issues, timeline, reader } = this.deps;
    if (pull.flow === 'agit') return false;
    const [head, issue] = await Promise.all([repositories.byId(pull.headRepositoryId), issues.byId(pull.issueId)]);
    if (!head || !issue || head.isArchived || head.defaultBranch === pull.headBranch) return false;
    if (!(await repositoryAccess.context(actor, head)).may('write', 'code')) return false;
    const branch = await gitReader.open(head.id).branch(pull.headBranch);
    // somebody went on with it
    if (branch?.oid !== pull.headOid || (await reader.openFrom(head.id, pull.headBranch)).length) return false;
    await refUpdates.apply({
      repositoryId: head.id,
      updates: [{ ref: branch.ref, old: branch.oid, new: zeroOid }],
      pusher: actor,
      source: 'merge',
      within: async () => {
        await timeline.record({
          issue,
          kind: 'delete_branch',
          actorId: actor.id,
          data: { oldRef: pull.headBranch },
        });
      },
    });
    return true;
  }
}
