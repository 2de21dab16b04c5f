/** Brings what is new at the source into a pull mirror. */
import { englishOf, Invalid, Problem, type Actor, type Database, type Locks, type Logger } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import {
  isZeroOid,
  remoteFailureOf,
  remoteProblem,
  type GitReader,
  type GitRemotes,
  type GitRepository,
  type GitStore,
  type RefUpdate,
  type RemoteAddress,
  type RemoteCredentials,
  type RemoteFetched,
  type RemoteProgress,
} from '@mortise/git/api';
import { removeOrphans, type Repositories, type Repository, type RepositoryQuota } from '@mortise/repositories/api';
import { PullMirrorRow } from '../models/pull-mirror.js';
import type { RunTrigger } from '../models/mirror-run.js';
import { branchFilter, isBranch } from './branch-filter.js';
import type { CredentialCipher } from './credentials.js';
import type { FailureNotice } from './failure-notice.js';
import type { LfsTransfer } from './lfs-transfer.js';
import { wikiAddress } from './mirror-address.js';
import { failuresBeforeNotice, nextRun } from './backoff.js';
import { PresenceWatch } from './presence.js';
import { cutError, type RunLog } from './runs.js';
import { t } from '../texts/index.js';

interface PullSyncDeps {
  readonly database: Database;
  readonly locks: Locks;
  readonly log: Logger;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly repositoryQuota: RepositoryQuota;
  readonly remotes: GitRemotes;
  readonly store: GitStore;
  readonly reader: GitReader;
  readonly lfs: LfsTransfer;
  readonly credentials: CredentialCipher;
  readonly runs: RunLog;
  readonly notice: FailureNotice;
}

/** What a fetch needs to know of a mirror. */
export interface PullSource {
  readonly address: RemoteAddress;
  readonly credentials: RemoteCredentials;
  readonly branches: string;
  readonly prune: boolean;
  readonly lfs: boolean;
  readonly wiki: boolean;
}

interface FetchOptions {
  readonly signal: AbortSignal;
  /** Throws where the repository follows no more; called once more in the transaction in which references move. */
  check?(): Promise<void>;
  onProgress?(progress: RemoteProgress): void;
}

type FetchedCode = RemoteFetched & { readonly lfsObjects: number };

export class PullSync {
  constructor(private readonly deps: PullSyncDeps) {}

  /** Never rejects because of the source: what went wrong stands in the row and in the log of runs. */
  async run(repositoryId: number, startedBy: RunTrigger, signal: AbortSignal): Promise<void> {
    const work = async (lock: { signal: AbortSignal }) => {
      const { database, repositories, accounts, runs } = this.deps;
      const row = await database.query(PullMirrorRow).findOne('repository_id', repositoryId);
      const repository = row && (await repositories.byId(repositoryId));
      const owner = repository && (await accounts.byId(repository.ownerId));
      if (!row || !repository || !owner) return;
      const runId = await runs.begin(repositoryId, null, startedBy);
      const either = AbortSignal.any([signal, lock.signal]);
      const watch = new PresenceWatch(async () => Boolean(await database.query(PullMirrorRow).findById(row.id)));
      try {
        const ending = AbortSignal.any([either, watch.signal]);
        const outcome = await this.#attempt(row, repository, accounts.actorOf(owner, 'mirrors'), ending);
        // another process goes on with it
        if (either.aborted) {
          await runs.interrupt(runId);
          throw new Problem('unavailable', 'The run was interrupted.');
        }
        await this.#finish(row, repository, runId, outcome);
      } finally {
        watch.end();
        await removeOrphans(repositoryId, this.deps);
      }
    };
    await this.deps.locks.hold(`mirrors.pull.${repositoryId}`, work, { waitMs: 5000 });
  }

  /** Everything from the source: code, LFS objects before references lead to them, and the wiki. */
  async fetchAll(repositoryId: number, source: PullSource, actor: Actor, options: FetchOptions) {
    const code = await this.#fetchCode(repositoryId, source, actor, options);
    if (source.wiki) await this.#fetchWiki(repositoryId, source, actor, options);
    return code;
  }

  sourceOf(row: PullMirrorRow): PullSource {
    const { remotes, credentials } = this.deps;
    const { branches, prune, lfs, wiki } = row;
    return {
      address: remotes.parse(row.remote_url),
      credentials: credentials.decrypt(row.credentials),
      branches,
      prune,
      lfs,
      wiki,
    };
  }

  async #attempt(row: PullMirrorRow, repository: Repository, actor: Actor, signal: AbortSignal) {
    let fetched: FetchedCode | undefined;
    try {
      const options = { signal, check: () => this.#check(row.id) };
      const source = this.sourceOf(row);
      fetched = await this.#fetchCode(row.repository_id, source, actor, options);
      await this.#followHead(repository, fetched);
      if (source.wiki) await this.#fetchWiki(row.repository_id, source, actor, options);
      return { fetched };
    } catch (error) {
      if (!Problem.is(error))
        this.deps.log.error('could not synchronize a pull mirror', {
          event: 'mirror.pull',
          repositoryId: repository.id,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
      // what has come before stays in the log, whatever became of the rest
      return { fetched, error: Problem.is(error) ? error.message : 'An error of this server; see its log.' };
    }
  }

  /** It may have become a repository of its own, or be gone, while objects came. */
  async #check(rowId: number): Promise<void> {
    const { database } = this.deps;
    const present = await database.write(() =>
      database.query(PullMirrorRow).findById(rowId).patch({ last_run_at: Date.now() }),
    );
    if (!present) throw Invalid(t.later('error.noMirror'));
  }

  async #fetchCode(
    repositoryId: number,
    source: PullSource,
    pusher: Actor,
    options: FetchOptions,
  ): Promise<FetchedCode> {
    const { signal, onProgress, check } = options;
    const isWanted = branchFilter(source.branches);
    let branchCount = 0;
    let lfsObjects = 0;
    const { address, credentials } = source;
    await this.deps.repositoryQuota.check(repositoryId, 'size:repos', 0);
    const fetched = await this.deps.remotes.fetch(repositoryId, address, {
      pusher,
      credentials,
      signal,
      onProgress,
      target: (ref) => {
        if (isBranch(ref)) branchCount++;
        return isWanted(ref) ? ref : undefined;
      },
      // a source that shows nothing at all is one that broke
      prunes: (ref) => source.prune && branchCount > 0 && /^refs\/(?:heads|tags)\//.test(ref),
      ...(check && { within: check }),
      beforeMove: async (updates) => {
        await check?.();
        if (source.lfs)
          lfsObjects = await this.deps.lfs.fetch(repositoryId, tipsOf(updates), { address, credentials, signal });
      },
    });
    if (!branchCount && source.prune && (await this.deps.reader.open(repositoryId).branches()).length)
      throw remoteProblem('notFound', t.later('error.sourceEmpty'));
    return { ...fetched, lfsObjects };
  }

  /** A source without a wiki, or whose wiki is closed to us, has none. */
  async #fetchWiki(
    repositoryId: number,
    source: PullSource,
    pusher: Actor,
    { signal, check }: FetchOptions,
  ): Promise<void> {
    const { remotes, repositoryQuota, store } = this.deps;
    const address = remotes.parse(wikiAddress(source.address.url));
    const { credentials } = source;
    try {
      const { head, refs } = await remotes.list(address, { credentials, signal });
      if (!refs.some(({ ref }) => isBranch(ref))) return;
      await check?.();
      await repositoryQuota.check(repositoryId, 'size:wiki', 0);
      await store.create(repositoryId, { ...(head && { defaultBranch: head }) }, 'wiki');
      await remotes.fetch(repositoryId, address, {
        kind: 'wiki',
        pusher,
        credentials,
        signal,
        target: (ref) => (isBranch(ref) ? ref : undefined),
        prunes: (ref) => source.prune && isBranch(ref),
        ...(check && { within: check, beforeMove: check }),
      });
    } catch (error) {
      if (!['notFound', 'authentication'].includes(remoteFailureOf(error) ?? '')) throw error;
    }
  }

  /** Where the default branch has gone, that of the source takes its place, or one that is here. */
  async #followHead(repository: Repository, { head }: RemoteFetched): Promise<void> {
    const { reader, repositories, store } = this.deps;
    const defaultBranch = await branchHere(reader.open(repository.id), [repository.defaultBranch, head]);
    if (defaultBranch === undefined || defaultBranch === repository.defaultBranch) return;
    await store.setHead(repository.id, defaultBranch);
    await repositories.setDerived(repository.id, { defaultBranch });
  }

  async #finish(
    row: PullMirrorRow,
    repository: Repository,
    runId: number,
    { fetched, error = '' }: { fetched: FetchedCode | undefined; error?: string },
  ): Promise<void> {
    const { database, repositories, runs, notice } = this.deps;
    const now = Date.now();
    const failures = error ? row.failures + 1 : 0;
    const isPresent = await database.write(async () => {
      // the interval may have changed meanwhile
      const present = await database.query(PullMirrorRow).findById(row.id);
      const { updates = [], leftOut = [], lfsObjects } = fetched ?? {};
      const refused = leftOut.map(({ ref, reason }) => ({ ref, reason: englishOf(reason) }));
      await runs.end(runId, { updates, refused, lfsObjects }, error);
      if (!present) return false;
      await database
        .query(PullMirrorRow)
        .findById(row.id)
        .patch({
          failures,
          last_error: cutError(error),
          last_run_at: now,
          next_run_at: nextRun(now, Number(present.interval), failures, false),
          ...(!error && { last_success_at: now }),
        });
      if (!error) await repositories.setMirror(row.repository_id, { syncedAt: now });
      return true;
    });
    if (isPresent && failures === failuresBeforeNotice)
      await notice.send(repository, row.remote_url, Number(row.last_success_at) || Number(row.created_at));
  }
}

/** The first of these branches that is here, else any; undefined where there are none. */
export async function branchHere(
  git: GitRepository,
  wanted: readonly (string | undefined)[],
): Promise<string | undefined> {
  for (const name of wanted) if (name !== undefined && (await git.branch(name))) return name;
  return (await git.branches())[0]?.name;
}

const tipsOf = (updates: readonly RefUpdate[]): string[] =>
  updates.map((update) => update.new).filter((oid) => !isZeroOid(oid));
