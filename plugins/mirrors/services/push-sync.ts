/** Sends what is new here to push mirrors. */
import { createHash } from 'node:crypto';
import { englishOf, Problem, type Database, type Locks, type Logger } from '@mortise/plugin-sdk';
import {
  isOid,
  isZeroOid,
  remoteFailureOf,
  type GitReader,
  type GitRemotes,
  type GitStore,
  type RemotePush,
  type RemotePushed,
} from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import { PushMirrorRow } from '../models/push-mirror.js';
import type { RunTrigger } from '../models/mirror-run.js';
import { branchFilter, isBranch } from './branch-filter.js';
import { syncLoopFilter } from './sync-loop.js';
import type { CredentialCipher } from './credentials.js';
import type { FailureNotice } from './failure-notice.js';
import type { LfsTransfer } from './lfs-transfer.js';
import { wikiAddress } from './mirror-address.js';
import { failuresBeforeNotice, nextRun } from './backoff.js';
import { PresenceWatch } from './presence.js';
import { runLimits } from './run-limits.js';
import { cutError, type RunLog } from './runs.js';
import { t } from '../texts/index.js';

export interface PushSyncDeps {
  readonly database: Database;
  readonly locks: Locks;
  readonly log: Logger;
  readonly repositories: Repositories;
  readonly remotes: GitRemotes;
  readonly store: GitStore;
  readonly reader: GitReader;
  readonly lfs: LfsTransfer;
  readonly credentials: CredentialCipher;
  readonly runs: RunLog;
  readonly notice: FailureNotice;
}

type Pushed = RemotePushed & {
  readonly lfsObjects: number;
  /** Changes that would go back and forth. */
  readonly leftOut: number;
};

const interrupted = () => new Problem('unavailable', 'The run was interrupted.');

/** When it is looked whether the two sides are still different. */
const lookAgainMs = 60_000;

export class PushSync {
  constructor(private readonly deps: PushSyncDeps) {}

  /** Gives what went wrong; empty: nothing. Never rejects because of the other server. */
  async run(pushMirrorId: number, startedBy: RunTrigger, signal: AbortSignal): Promise<string> {
    const { database, locks } = this.deps;
    const find = () => database.query(PushMirrorRow).findById(pushMirrorId);
    const mirror = await find();
    if (!mirror) return '';
    const work = async (lock: { signal: AbortSignal }) => {
      if (signal.aborted) throw interrupted();
      const row = await find();
      const repository = row && (await this.deps.repositories.byId(row.repository_id));
      if (!row || !repository) return '';
      const runId = await this.deps.runs.begin(repository.id, row.id, startedBy);
      const either = AbortSignal.any([signal, lock.signal]);
      const watch = new PresenceWatch(async () => Boolean(await find()));
      try {
        const outcome = await this.#attempt(row, repository, startedBy, AbortSignal.any([either, watch.signal]));
        // another process goes on with it, or a job
        if (either.aborted) {
          await this.deps.runs.interrupt(runId);
          throw interrupted();
        }
        await this.#finish(row, repository, runId, outcome);
        return outcome.error;
      } finally {
        watch.end();
      }
    };
    // another mirror to the address may run as long as this one
    return locks.hold(lockOf(mirror), work, { waitMs: runLimits.timeoutMs });
  }

  async #attempt(row: PushMirrorRow, repository: Repository, startedBy: RunTrigger, signal: AbortSignal) {
    let pushed: Pushed | undefined;
    try {
      pushed = await this.#pushCode(row, repository, startedBy, signal);
      await this.#pushWiki(row, repository, signal);
      const [first] = pushed.refused;
      const refusal = first && { ref: first.ref, reason: first.reason, count: pushed.refused.length };
      return { pushed, error: refusal ? englishOf(t.later('error.refused', refusal)) : '' };
    } catch (error) {
      if (!Problem.is(error))
        this.deps.log.error('could not synchronize a push mirror', {
          event: 'mirror.push',
          repositoryId: repository.id,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
      // what has gone before stays in the log, whatever became of the rest
      return { pushed, error: Problem.is(error) ? error.message : 'An error of this server; see its log.' };
    }
  }

  async #pushCode(
    row: PushMirrorRow,
    repository: Repository,
    startedBy: RunTrigger,
    signal: AbortSignal,
  ): Promise<Pushed> {
    const { remotes, lfs } = this.deps;
    const pair = { repositoryId: repository.id, pushMirrorId: row.id };
    const isEndless = startedBy === 'commit' ? await syncLoopFilter(this.deps, pair) : undefined;
    let leftOut = 0;
    const address = remotes.parse(row.remote_url);
    const credentials = this.#credentials(row);
    let lfsObjects = 0;
    const pushed = await remotes.push(repository.id, address, {
      credentials,
      signal,
      ...pushFilter(branchFilter(row.branches)),
      async leavesOut(change) {
        const isLeftOut = (await isEndless?.(change)) ?? false;
        if (isLeftOut) leftOut++;
        return isLeftOut;
      },
      beforePush: async (changes) => {
        if (!row.lfs) return;
        const tips = changes.map((change) => change.new).filter((oid) => !isZeroOid(oid));
        const not = await this.#known(
          repository.id,
          changes.map((change) => change.old),
        );
        lfsObjects = await lfs.push(repository.id, { tips, not }, { address, credentials, signal });
      },
    });
    return { ...pushed, lfsObjects, leftOut };
  }

  /** The other server has them, and so have we. */
  async #known(repositoryId: number, oids: readonly string[]): Promise<string[]> {
    const git = this.deps.reader.open(repositoryId);
    const known: string[] = [];
    for (const oid of oids) if (isOid(oid) && !isZeroOid(oid) && (await git.info(oid))) known.push(oid);
    return known;
  }

  /** Where the other server has a place for it. */
  async #pushWiki(row: PushMirrorRow, { id }: Repository, signal: AbortSignal): Promise<void> {
    const { remotes, store } = this.deps;
    if (row.branches || !(await store.exists(id, 'wiki'))) return;
    const address = remotes.parse(wikiAddress(row.remote_url));
    try {
      const credentials = this.#credentials(row);
      await remotes.push(id, address, { kind: 'wiki', credentials, signal, ...pushFilter(isBranch) });
    } catch (error) {
      if (!['notFound', 'authentication'].includes(remoteFailureOf(error) ?? '')) throw error;
    }
  }

  #credentials(row: PushMirrorRow) {
    const credentials = this.deps.credentials.decrypt(row.credentials);
    return row.known_hosts ? { ...credentials, knownHosts: row.known_hosts } : credentials;
  }

  async #finish(
    row: PushMirrorRow,
    repository: Repository,
    runId: number,
    { pushed, error }: { pushed: Pushed | undefined; error: string },
  ): Promise<void> {
    const { database, runs, notice } = this.deps;
    const now = Date.now();
    const failures = error ? row.failures + 1 : 0;
    const isPresent = await database.write(async () => {
      const { sync_on_commit: retries, interval } = row;
      const changed = await database
        .query(PushMirrorRow)
        .findById(row.id)
        .patch({
          failures,
          last_error: cutError(error),
          last_run_at: now,
          next_run_at: pushed?.leftOut ? now + lookAgainMs : nextRun(now, Number(interval), failures, retries),
          ...(!error && { last_success_at: now }),
          ...(pushed?.knownHosts && { known_hosts: pushed.knownHosts }),
        });
      if (!changed) return false;
      const { updates = [], refused = [], lfsObjects = 0 } = pushed ?? {};
      await runs.end(runId, { updates, refused, lfsObjects }, error);
      return true;
    });
    if (isPresent && failures === failuresBeforeNotice)
      await notice.send(repository, row.remote_url, Number(row.last_success_at) || Number(row.created_at));
  }
}

/** Two mirrors to the same address, however it is written, take turns: each would be in the way of the other's references. */
const lockOf = ({ repository_id: id, remote_url: url }: PushMirrorRow): string =>
  `mirrors.push.${id}.${createHash('sha256')
    .update(url.toLowerCase().replace(/(?:\.git)?\/*$/, ''))
    .digest('hex')
    .slice(0, 32)}`;

/** Which references the other side gets and loses; a repository without any branch, such as a new one, deletes nothing. */
function pushFilter(isWanted: (ref: string) => boolean): Required<Pick<RemotePush, 'accepts' | 'prunes'>> {
  let hasBranch = false;
  return {
    accepts(ref) {
      hasBranch ||= isWanted(ref) && isBranch(ref);
      return isWanted(ref);
    },
    prunes: (ref) => hasBranch && isWanted(ref),
  };
}
