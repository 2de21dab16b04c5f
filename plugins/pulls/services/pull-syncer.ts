import type { Database, Events, Locks } from '@mortise/plugin-sdk';
import { isZeroOid, type GitReader, type GitStore } from '@mortise/git/api';
import type { Issues, Timeline } from '@mortise/issues/api';
import type { Repositories, RepositoryQuota } from '@mortise/repositories/api';
import { pullChanged, type PullRequest } from '../api.js';
import { PullRow } from '../models/pull.js';
import { PullVersionRow } from '../models/pull-version.js';
import type { BranchPushers } from './branch-pushers.js';
import type { DifferenceFinder } from './difference.js';
import { unitOption } from './pull-merger.js';
import { pushEntry } from './push-entry.js';
import type { PullReader } from './pull-reader.js';
import { headFact, type PullRefs } from './pull-refs.js';

/** What moved a head. */
interface HeadMove {
  readonly oid: string;
  /** Account; 0 or less: nobody who is known. */
  readonly pusherId: number;
  readonly at: number;
}

const maxListed = 250;

/** Brings pull requests up to where their heads and bases are. Whatever is done twice is done once. */
export class PullSyncer {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly locks: Locks;
      readonly store: GitStore;
      readonly gitReader: GitReader;
      readonly issues: Issues;
      readonly repositories: Repositories;
      readonly repositoryQuota: RepositoryQuota;
      readonly timeline: Timeline;
      readonly reader: PullReader;
      readonly differences: DifferenceFinder;
      readonly refs: PullRefs;
      readonly pushers: BranchPushers;
    },
  ) {}

  /** The tip of the head; undefined where there is no branch any more. */
  async tip(pull: PullRequest): Promise<string | undefined> {
    if (pull.flow === 'agit') return pull.headOid;
    if (!pull.headRepositoryId) return undefined;
    return (await this.deps.gitReader.open(pull.headRepositoryId).branch(pull.headBranch))?.oid;
  }

  /** Its head is another commit now. Gives the pull request as it is then. */
  async head(issueId: number, move: HeadMove): Promise<PullRequest | undefined> {
    const { locks, reader } = this.deps;
    return locks.hold(`pulls.head:${issueId}`, async () => {
      const before = await reader.fresh(issueId);
      if (!before || before.isMerged || before.headOid === move.oid) {
        // a kill may have come between the row and the reference
        if (before && !before.isMerged) await this.deps.refs.keep(before);
        return before;
      }
      await this.#move(before, move);
      return reader.fresh(issueId);
    });
  }

  /** Whether it merges, as base and head are now; what it changes, where the base moved on. */
  async check(issueId: number): Promise<void> {
    const { database, gitReader, reader, differences } = this.deps;
    for (let tries = 0; tries < 3; tries++) {
      let pull = await reader.fresh(issueId);
      if (!pull?.isOpen) return;
      // it may have moved while the pull request was closed
      const tip = await this.tip(pull);
      if (tip && tip !== pull.headOid) pull = await this.head(issueId, { oid: tip, pusherId: 0, at: Date.now() });
      if (!pull?.isOpen) return;
      const base = await gitReader.open(pull.repositoryId).branch(pull.baseBranch);
      const merging = base
        ? await differences.mergeability(pull.repositoryId, base.oid, pull.headOid)
        : { mergeState: 'broken' as const, conflicts: [] };
      // what will be taken as merged by hand still shows what it brought
      const isTaken = base !== undefined && (await this.#willBeTaken(pull, base.oid));
      const differs = base && !isTaken ? await this.#differs(pull.repositoryId, base.oid, pull.headOid) : {};
      const seen = pull;
      await database.write(async () => {
        const checked = await database
          .query(PullRow)
          .findById(issueId)
          .where({ head_oid: seen.headOid, base_branch: seen.baseBranch, is_open: true })
          .patch({ ...rowOf({ ...differs, ...merging }), ...(base && !isTaken && { base_oid: base.oid }) });
        if (checked)
          await this.deps.events.emit(pullChanged, {
            repositoryId: seen.repositoryId,
            issueId,
            index: seen.index,
            action: 'checked',
            actorId: 0,
            at: Date.now(),
          });
      });
      const now = await gitReader.open(pull.repositoryId).branch(pull.baseBranch);
      if (now?.oid === base?.oid) return;
    }
  }

  /** Its head has come to the base, where the repository wants to detect that. */
  async #willBeTaken({ repositoryId, headOid }: PullRequest, base: string): Promise<boolean> {
    const repository = await this.deps.repositories.byId(repositoryId);
    if (!repository || unitOption(repository, 'autodetect_manual_merge') !== true) return false;
    return this.deps.gitReader.open(repositoryId).isAncestor(headOid, base);
  }

  async #move(before: PullRequest, { oid, at, ...move }: HeadMove): Promise<void> {
    const { database, events, store, gitReader, issues, timeline, differences, refs } = this.deps;
    const { repositoryId, issueId, index } = before;
    // of two pushes that are followed at once the later one is seen, by whichever event comes first
    const pusherId = (await this.deps.pushers.pusherOf(before, oid)) || move.pusherId;
    if (before.headRepositoryId && before.headRepositoryId !== repositoryId) {
      await this.deps.repositoryQuota.check(repositoryId, 'size:repos', 0);
      await store.fetchObjects(before.headRepositoryId, repositoryId, [oid]);
    }
    const git = gitReader.open(repositoryId);
    const base = (await git.branch(before.baseBranch))?.oid ?? before.baseOid;
    const facts = {
      ...(await this.#differs(repositoryId, base, oid)),
      ...(await differences.mergeability(repositoryId, base, oid)),
    };
    const isForced = !isZeroOid(before.headOid) && !(await git.isAncestor(before.headOid, oid));
    const commits = isForced ? [before.headOid, oid] : await this.#between(repositoryId, before.headOid, oid, base);
    const version = before.version + 1;
    const keeps = () =>
      database.write(async () => {
        const moved = await database
          .query(PullRow)
          .findById(issueId)
          .where({ head_oid: before.headOid, version: before.version, is_merged: false })
          .patch({ head_oid: oid, base_oid: base, version, ...rowOf(facts) });
        const issue = moved ? await issues.byId(issueId) : undefined;
        if (!issue) return;
        await database.query(PullVersionRow).insert({
          issue_id: issueId,
          number: version,
          head_oid: oid,
          merge_base: facts.mergeBase,
          pusher_id: Math.max(0, pusherId),
          is_forced: isForced,
          created_at: at,
        });
        if (commits.length)
          await timeline.record({ ...pushEntry(issue, pusherId, { commits, isForced, version }), at });
        await events.emit(pullChanged, {
          repositoryId,
          issueId,
          index,
          action: 'synchronized',
          actorId: pusherId,
          at,
          before: before.headOid,
          after: oid,
          isForced,
        });
      });
    await refs.keep({ repositoryId, index, headOid: oid, version }, keeps, headFact.with({ issueId, pusherId, at }));
  }

  async #differs(repositoryId: number, base: string, head: string) {
    const { paths: _paths, ...facts } = await this.deps.differences.difference(repositoryId, base, head);
    return facts;
  }

  /** Oldest first, without what came from the base. */
  async #between(repositoryId: number, from: string, to: string, base: string): Promise<string[]> {
    const { commits } = await this.deps.gitReader
      .open(repositoryId)
      .log({ from: [to], not: [from, base], limit: maxListed, total: false });
    return commits.map(({ oid }) => oid).reverse();
  }
}

type Facts = Awaited<ReturnType<DifferenceFinder['mergeability']>> &
  Partial<Omit<Awaited<ReturnType<DifferenceFinder['difference']>>, 'paths'>>;

export const rowOf = (facts: Facts): Partial<PullRow> => ({
  merge_state: facts.mergeState,
  conflicts: [...facts.conflicts],
  ...(facts.mergeBase !== undefined && { merge_base: facts.mergeBase }),
  ...(facts.commitCount !== undefined && { commit_count: facts.commitCount }),
  ...(facts.changedFiles !== undefined && { changed_files: facts.changedFiles }),
  ...(facts.additions !== undefined && { additions: facts.additions }),
  ...(facts.deletions !== undefined && { deletions: facts.deletions }),
});
