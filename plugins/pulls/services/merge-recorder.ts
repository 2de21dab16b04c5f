import type { Database, Events } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Issues, Timeline } from '@mortise/issues/api';
import type { Repositories } from '@mortise/repositories/api';
import { pullChanged } from '../api.js';
import { PullRow } from '../models/pull.js';
import type { MergedFact } from './pull-merger.js';

/** Writes down that a pull request is merged: once, in the transaction of the references that did it. */
export class MergeRecorder {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly issues: Issues;
      readonly timeline: Timeline;
    },
  ) {}

  async record(fact: MergedFact, mergeCommit: string, at = Date.now()): Promise<void> {
    const { database, events, accounts, repositories, issues, timeline } = this.deps;
    await database.write(async () => {
      const merged = await database.query(PullRow).findById(fact.issueId).where('is_merged', false).patch({
        is_merged: true,
        is_open: false,
        open_key: null,
        merged_at: at,
        merger_id: fact.mergerId,
        merge_commit: mergeCommit,
        merge_style: fact.style,
        deletes_branch: fact.deletesBranch,
      });
      if (!merged) return;
      const issue = await issues.byId(fact.issueId);
      const repository = issue && (await repositories.byId(issue.repositoryId));
      const merger = await accounts.byId(fact.mergerId);
      if (!issue || !repository || !merger) return;
      await issues.edit(
        repository,
        issue,
        { isClosed: true, closing: { kind: 'merge_pull', data: { commit: mergeCommit }, isConsequence: true } },
        accounts.actorOf(merger, ''),
      );
      // somebody closed it at the same moment
      if (issue.isClosed)
        await timeline.record({ issue, kind: 'merge_pull', actorId: merger.id, data: { commit: mergeCommit } });
      await events.emit(pullChanged, {
        repositoryId: repository.id,
        issueId: issue.id,
        index: issue.index,
        action: 'merged',
        actorId: fact.mergerId,
        at,
      });
    });
  }
}
