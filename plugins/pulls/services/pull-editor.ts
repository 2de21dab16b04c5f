import {
  Conflict,
  Invalid,
  NotFound,
  refuseDuplicate,
  type Actor,
  type Database,
  type Events,
  type Locks,
} from '@mortise/plugin-sdk';
import type { GitReader, Ref } from '@mortise/git/api';
import type { Issue, Timeline } from '@mortise/issues/api';
import { pullChanged, type PullRequest } from '../api.js';
import { PullRow, openKeyOf, toPull } from '../models/pull.js';
import type { DifferenceFinder } from './difference.js';
import { mergeLock } from './pull-merger.js';
import { rowOf } from './pull-syncer.js';
import { t } from '../texts/index.js';

/** Changes what only pull requests have. Asks for no rights. */
export class PullEditor {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly locks: Locks;
      readonly gitReader: GitReader;
      readonly timeline: Timeline;
      readonly differences: DifferenceFinder;
    },
  ) {}

  async allowMaintainerEdit(pull: PullRequest, isAllowed: boolean): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      await database.query(PullRow).findById(pull.issueId).patch({ allow_maintainer_edit: isAllowed });
    });
  }

  /** What {@link retarget} would refuse, for edits that change more: those are refused as a whole. */
  async checkTarget(pull: PullRequest, branch: string): Promise<void> {
    if (branch === pull.baseBranch) return;
    await this.#baseOf(pull, branch);
    const row = await this.deps.database
      .query(PullRow)
      .findOne({ open_key: openKeyOf({ ...pull, baseBranch: branch }) });
    if (row) throw Conflict(t.later('error.exists'));
  }

  /** NotFound for a branch that is not there, Conflict where there is a pull request between the two already. */
  async retarget(issue: Issue, pull: PullRequest, branch: string, actor: Pick<Actor, 'id'>): Promise<void> {
    if (branch === pull.baseBranch) return;
    // not while it is merged
    await this.deps.locks.hold(mergeLock(pull), () => this.#retarget(issue, pull, branch, actor));
  }

  async #baseOf(pull: PullRequest, branch: string): Promise<Ref> {
    const base = await this.deps.gitReader.open(pull.repositoryId).branch(branch);
    if (!base) throw NotFound('branch');
    if (!pull.isOpen) throw Invalid(t.later('error.retargetClosed'));
    if (pull.flow === 'branch' && pull.headRepositoryId === pull.repositoryId && pull.headBranch === branch)
      throw Invalid(t.later('error.sameBranch'));
    return base;
  }

  async #retarget(issue: Issue, pull: PullRequest, branch: string, actor: Pick<Actor, 'id'>): Promise<void> {
    const { database, events, timeline, differences } = this.deps;
    const base = await this.#baseOf(pull, branch);
    const { paths: _paths, ...facts } = await differences.difference(pull.repositoryId, base.oid, pull.headOid);
    const merging = await differences.mergeability(pull.repositoryId, base.oid, pull.headOid);
    await refuseDuplicate(Conflict(t.later('error.exists')), () =>
      database.write(async () => {
        const row = await database.query(PullRow).findById(pull.issueId);
        if (!row?.is_open || row.base_branch !== pull.baseBranch || row.head_oid !== pull.headOid)
          throw Conflict(t.later('error.retargeted'));
        await database
          .query(PullRow)
          .findById(pull.issueId)
          .patch({
            ...rowOf({ ...facts, ...merging }),
            base_branch: branch,
            base_oid: base.oid,
            open_key: openKeyOf({ ...toPull(row), baseBranch: branch }),
          });
        await timeline.record({
          issue,
          kind: 'change_target_branch',
          actorId: actor.id,
          data: { oldRef: pull.baseBranch, newRef: branch },
        });
        await events.emit(pullChanged, {
          repositoryId: pull.repositoryId,
          issueId: pull.issueId,
          index: pull.index,
          action: 'retargeted',
          actorId: actor.id,
          at: Date.now(),
          from: pull.baseBranch,
        });
      }),
    );
  }
}
