import { Problem, systemActor, type Actor, type Database, type Locks } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { ProtectionRule } from '@mortise/branch-protection/api';
import type { CommitStatus, CommitStatuses } from '@mortise/commit-status/api';
import { zeroOid, type GitReader, type RefUpdates } from '@mortise/git/api';
import type { PullContext, Pulls } from '@mortise/pulls/api';
import type { Repositories } from '@mortise/repositories/api';
import { queueContext, queueOption, type DequeueReason } from '../contract/merge-queue.js';
import { MergeGroupRefRow } from '../models/merge-group-ref.js';
import { EntryRow, mergeOptionsOf } from '../models/entry.js';
import type { QueueSettings } from '../settings.js';
import { blockersOfQueue, queueKey, type QueueService } from './queue-service.js';

/** Each round merges one or throws one out; a run that needs more leaves the rest to the next job. */
const maxRounds = 100;
const minute = 60_000;
/** Below it lie the branches of candidates. */
export const mergeGroupPrefix = 'refs/heads/merge-queue/';

interface RunnerDeps {
  readonly database: Database;
  readonly locks: Locks;
  readonly accounts: Accounts;
  readonly gitReader: GitReader;
  readonly refUpdates: RefUpdates;
  readonly pulls: Pulls;
  readonly repositories: Repositories;
  readonly statuses: CommitStatuses;
  readonly queue: QueueService;
  readonly settings: QueueSettings;
}

interface QueueTurn {
  readonly row: EntryRow;
  readonly context: PullContext;
  readonly actor: Actor;
}

/** Takes a queue as far as it goes: makes candidates, merges what passed, throws out what did not. */
export class QueueRunner {
  constructor(private readonly deps: RunnerDeps) {}

  /** One process at a time for each branch. Reads everything anew, so it does not matter where it was left. */
  async run(repositoryId: number, branch: string, signal: AbortSignal): Promise<void> {
    const { locks, queue } = this.deps;
    await locks.hold(queueKey(repositoryId, branch), async () => {
      let goesOn = true;
      for (let round = 0; goesOn && round < maxRounds && !signal.aborted; round++)
        goesOn = await this.#round(repositoryId, branch);
      await this.#sweep(repositoryId, branch);
      // at once: a job for later may wait already, for the end of a time limit
      if (goesOn) await queue.enqueue(repositoryId, branch);
    });
  }

  /** True: something has changed, and another round is needed. */
  async #round(repositoryId: number, branch: string): Promise<boolean> {
    const { database, gitReader, queue, repositories } = this.deps;
    await database.syncVersions();
    const rows = await queue.rows(repositoryId, branch);
    const [first] = rows;
    if (!first || !(await repositories.byId(repositoryId))) return false;
    const rule = await queue.ruleFor(repositoryId, branch);
    // its checks are those of the rule: without one nothing may pass by the queue
    if (!rule) {
      await queue.leave(first, 'removed', 0);
      return true;
    }
    let onto = (await gitReader.open(repositoryId).branch(branch))?.oid;
    for (const row of rows.slice(0, this.#option(rule, queueOption.groupSize, this.deps.settings.GROUP_SIZE))) {
      const turn = onto === undefined ? 'refused' : await this.#turn(row);
      if (typeof turn === 'string' || onto === undefined) {
        await queue.leave(row, typeof turn === 'string' ? turn : 'refused', 0);
        return true;
      }
      const made = await this.#createMergeGroup(turn, onto, row.id === first.id);
      if (made === 'gone') return true;
      // those behind it are tested without it
      if (made === 'waits') continue;
      if (row.id === first.id) {
        const done = await this.#decide({ ...turn, row: made }, rule, onto);
        if (done) return true;
      }
      onto = made.candidate_oid;
    }
    return false;
  }

  /** What is needed to merge it, or why it leaves. */
  async #turn(row: EntryRow): Promise<QueueTurn | DequeueReason> {
    const { accounts, pulls } = this.deps;
    const account = await accounts.byId(row.user_id);
    if (!account || accounts.refusal(account)) return 'refused';
    const actor = accounts.actorOf(account, '');
    const context = await pulls.contextOf(row.issue_id, actor);
    if (!context || context.repository.isArchived) return 'refused';
    if (!context.pull.isOpen) return context.pull.isMerged ? 'merged' : 'closed';
    if (context.pull.headOid !== row.head_oid || context.pull.baseBranch !== row.base_branch) return 'moved';
    return { row, context, actor };
  }

  /**
   * Its commit on everything before it, made where that is another one now. What does not merge has left where it is the
   * first; others wait, since what is before them may still be thrown out.
   */
  async #createMergeGroup(
    { row, context, actor }: QueueTurn,
    onto: string,
    isFirst: boolean,
  ): Promise<EntryRow | 'gone' | 'waits'> {
    const { database, gitReader, pulls, queue, refUpdates } = this.deps;
    const isKnown = row.candidate_onto === onto;
    if (isKnown && row.candidate_oid) return row;
    if (isKnown && !isFirst) return 'waits';
    const ref = `${mergeGroupPrefix}${row.base_branch}/pr-${context.pull.index}-${onto.slice(0, 12)}`;
    try {
      const oid = await pulls.build(context, mergeOptionsOf(row), actor, onto);
      const where = { repository_id: row.repository_id, base_branch: row.base_branch, ref };
      const isOurs = (await database.query(MergeGroupRefRow).where(where).first()) !== undefined;
      // recorded first: an interrupted process leaves no unknown branch
      if (!isOurs) await database.write(() => database.query(MergeGroupRefRow).insert(where));
      const old = isOurs ? await gitReader.open(row.repository_id).ref(ref) : undefined;
      const note = async () => {
        const patch = { candidate_ref: ref, candidate_oid: oid, candidate_onto: onto, tested_at: Date.now() };
        if (await database.query(EntryRow).findById(row.id).patch(patch))
          await queue.postStatus(row, 'pending', 'Tested with everything before it in the merge queue');
      };
      if (old?.oid === oid) await database.write(note);
      else
        await refUpdates.apply({
          repositoryId: row.repository_id,
          updates: [{ ref, old: old?.oid ?? zeroOid, new: oid }],
          pusher: actor,
          source: 'internal',
          skipChecks: true,
          within: note,
        });
      return (await database.query(EntryRow).findById(row.id)) ?? 'gone';
    } catch (error) {
      if (!Problem.is(error) || error.code === 'unavailable') throw error;
      if (isFirst) {
        await queue.leave(row, error.code === 'conflict' ? 'conflicts' : 'refused', 0);
        return 'gone';
      }
      await database.write(async () => {
        const patch = { candidate_ref: '', candidate_oid: '', candidate_onto: onto, tested_at: 0 };
        if (await database.query(EntryRow).findById(row.id).patch(patch))
          await queue.postStatus(row, 'pending', 'Waiting: does not merge with what is before it in the merge queue');
      });
      return 'waits';
    }
  }

  /** The first of a queue is merged, leaves, or waits (false). */
  async #decide(turn: QueueTurn, rule: ProtectionRule | undefined, onto: string): Promise<boolean> {
    const { queue, settings } = this.deps;
    const { row } = turn;
    const states = await this.states(rule, row.repository_id, [row.candidate_oid]);
    const state = states.get(row.candidate_oid);
    if (state === 'success') return this.#land(turn, onto);
    if (state === 'failure') {
      await queue.leave(row, 'checks', 0);
      return true;
    }
    const minutes = this.#option(rule, queueOption.timeoutMinutes, settings.CHECK_TIMEOUT_MINUTES);
    const until = Number(row.tested_at) + minutes * minute;
    if (Date.now() >= until) {
      await queue.leave(row, 'timeout', 0);
      return true;
    }
    await queue.enqueue(row.repository_id, row.base_branch, until + 1);
    return false;
  }

  /** What the required checks of the rule say of candidates. */
  async states(rule: ProtectionRule | undefined, repositoryId: number, oids: readonly string[]) {
    const isAsked = rule?.enableStatusCheck === true && oids.length > 0;
    const given = isAsked ? await this.deps.statuses.latest(repositoryId, oids) : new Map<string, CommitStatus[]>();
    // of a fast-forward the candidate is the head, which has the status of the queue
    const stateOf = (oid: string) =>
      isAsked
        ? rule.checkState((given.get(oid) ?? []).filter(({ context }) => context !== queueContext)).state
        : ('success' as const);
    return new Map(oids.map((oid) => [oid, stateOf(oid)]));
  }

  /** The base branch gets exactly what was tested. */
  async #land({ row, context, actor }: QueueTurn, onto: string): Promise<boolean> {
    const { gitReader, pulls, queue } = this.deps;
    try {
      await pulls.merge(
        context,
        { ...mergeOptionsOf(row), prepared: { onto, commit: row.candidate_oid }, allowedBlockers: blockersOfQueue },
        actor,
      );
    } catch (error) {
      if (!Problem.is(error) || error.code === 'unavailable') throw error;
      const base = await gitReader.open(row.repository_id).branch(row.base_branch);
      // somebody else moved it: another candidate is made
      if (error.code !== 'conflict' || base?.oid === onto) await queue.leave(row, 'refused', 0);
    }
    return true;
  }

  /** Removes branches of candidates that are needed no more. */
  async #sweep(repositoryId: number, branch: string): Promise<void> {
    const { database, gitReader, queue, refUpdates, repositories } = this.deps;
    if (!(await repositories.byId(repositoryId))) return;
    const used = new Set((await queue.rows(repositoryId, branch)).map((row) => row.candidate_ref));
    const noted = await database
      .query(MergeGroupRefRow)
      .where({ repository_id: repositoryId, base_branch: branch })
      .limit(5000);
    const git = gitReader.open(repositoryId);
    for (const { id, ref } of noted.filter((one) => !used.has(one.ref))) {
      const current = await git.ref(ref);
      const forget = async () => void (await database.query(MergeGroupRefRow).deleteById(id));
      if (!current) {
        await database.write(forget);
        continue;
      }
      await refUpdates.apply({
        repositoryId,
        updates: [{ ref, old: current.oid, new: zeroOid }],
        pusher: systemActor('merge-queue'),
        source: 'internal',
        skipChecks: true,
        within: forget,
      });
    }
  }

  #option(rule: ProtectionRule | undefined, key: string, fallback: number): number {
    const value = rule?.options[key];
    return typeof value === 'number' && value > 0 ? value : fallback;
  }
}
