import { Problem, type Actor, type Database } from '@mortise/plugin-sdk';
import {
  remoteFailureOf,
  type GitRemotes,
  type GitStore,
  type RemoteCredentials,
  type RepositoryKind,
} from '@mortise/git/api';
import type { LfsObjects } from '@mortise/lfs/api';
import type { Repositories, Repository, RepositoryCreator, RepositoryQuota } from '@mortise/repositories/api';
import { SourceFailure } from '../contract/source.js';
import type { SourceRepository } from '../contract/records.js';
import type { StepProgress } from '../contract/importer.js';
import type { LfsDownload } from './lfs-download.js';
import type { ProgressStore, StoredStep } from './progress-store.js';

export interface CodeImportDeps {
  readonly database: Database;
  readonly remotes: GitRemotes;
  readonly store: GitStore;
  readonly repositories: Repositories;
  readonly repositoryQuota: RepositoryQuota;
  readonly creator: RepositoryCreator;
  readonly progress: ProgressStore;
  /** Undefined where there is no LFS. */
  readonly lfs: () => LfsObjects | undefined;
}

export interface CodeImportOptions {
  readonly repository: Repository;
  readonly source: SourceRepository;
  /** What signs in at an address that the source gives. */
  readonly credentialsAt: (address: string) => RemoteCredentials;
  readonly actor: Actor;
  readonly signal: AbortSignal;
  /** The heads of pull requests come too. */
  readonly hasPulls: boolean;
  /** Undefined: objects of LFS stay where they are. */
  readonly lfs: LfsDownload | undefined;
  check(): Promise<void>;
  notify(): Promise<void>;
}

const notifyEveryMs = 1000;

/** Brings commits, branches and tags, and the same of the wiki. Idempotent. */
export class CodeImport {
  constructor(private readonly deps: CodeImportDeps) {}

  async code(options: CodeImportOptions): Promise<void> {
    const { repository, source } = options;
    await this.#step('code', options, async (note) => {
      const fetched = await this.#fetch('code', source.cloneUrl, options, targetOf(source, options.hasPulls));
      if (options.lfs?.missing) note(`LFS objects that the source has not: ${options.lfs.missing}`);
      for (const { ref } of fetched.leftOut) note(`${ref} was left out.`);
      const branches = new Set(fetched.refs.map(({ ref }) => ref));
      const sourceBranch = [source.defaultBranch, fetched.head ?? ''].find(
        (one) => one && branches.has(`refs/heads/${one}`),
      );
      const { creator, store, repositories } = this.deps;
      const branch = sourceBranch ?? repository.defaultBranch;
      await store.setHead(repository.id, branch);
      await repositories.setDerived(repository.id, {
        ...(await creator.derive(repository.id, branch)),
        defaultBranch: branch,
      });
    });
  }

  async wiki(options: CodeImportOptions): Promise<void> {
    const { repository, source } = options;
    const { store } = this.deps;
    await this.#step('wiki', options, async () => {
      if (!source.wikiUrl) throw new SourceFailure('notOffered', 'The source has none.');
      if (!(await store.exists(repository.id, 'wiki'))) await store.create(repository.id, {}, 'wiki');
      try {
        const { head } = await this.#fetch('wiki', source.wikiUrl, options, (ref) =>
          ref.startsWith('refs/heads/') ? ref : undefined,
        );
        if (head) await store.setHead(repository.id, head, 'wiki');
      } catch (error) {
        if (remoteFailureOf(error) !== 'notFound' && remoteFailureOf(error) !== 'authentication') throw error;
        // a wiki that is switched on may have no page yet
        await store.delete(repository.id, 'wiki');
        throw new SourceFailure('notOffered', 'The source has none.');
      }
    });
  }

  async #fetch(
    kind: RepositoryKind,
    address: string,
    options: CodeImportOptions,
    target: (ref: string) => string | undefined,
  ) {
    const { repository, actor, signal } = options;
    const { remotes, repositoryQuota } = this.deps;
    await repositoryQuota.check(repository.id, kind === 'code' ? 'size:repos' : 'size:wiki', 0);
    const step = kind === 'code' ? 'code' : 'wiki';
    let toldAt = 0;
    let saving: Promise<void> | undefined;
    const save = async (done: number, total: number) => {
      await this.#save(options, { step, state: 'running', done, total, note: '', position: undefined });
      await options.notify();
    };
    const lfs = kind === 'code' ? options.lfs : undefined;
    const fetching = remotes.fetch(repository.id, remotes.parse(address), {
      kind,
      pusher: actor,
      credentials: options.credentialsAt(address),
      signal,
      target,
      onProgress({ done, total }) {
        if (saving || Date.now() - toldAt < notifyEveryMs) return;
        toldAt = Date.now();
        // a number for those who watch: what fails here is seen by the next check
        saving = save(done, total)
          .catch(() => undefined)
          .finally(() => (saving = undefined));
      },
      ...(lfs && {
        beforeMove: async (updates) => lfs.bring(repository.id, updates, signal),
      }),
      within: () => options.check(),
    });
    try {
      return await fetching;
    } finally {
      // the state that follows is the last that is written
      await saving;
    }
  }

  /** Not by a run that another one has taken the place of. */
  async #save({ repository, check }: CodeImportOptions, step: StoredStep): Promise<void> {
    const { database, progress } = this.deps;
    await database.write(async () => {
      await check();
      await progress.save(repository.id, step);
    });
  }

  /** Runs what is not done yet. */
  async #step(
    step: 'code' | 'wiki',
    options: CodeImportOptions,
    work: (note: (text: string) => void) => Promise<void>,
  ): Promise<void> {
    const { progress } = this.deps;
    const { repository, notify } = options;
    const stored = await progress.step(repository.id, step);
    if (stored.state === 'done' || stored.state === 'skipped') return;
    const notes: string[] = [];
    const save = async (state: StepProgress['state'], note: string) => {
      const { done, total } = await progress.step(repository.id, step);
      await this.#save(options, { step, state, done, total: Math.max(done, total), note, position: undefined });
      await notify();
    };
    await save('running', '');
    try {
      await work((text) => notes.push(text));
    } catch (error) {
      if (!SourceFailure.is(error) || error.reason !== 'notOffered') throw failureOf(error);
      return save('skipped', error.message);
    }
    return save('done', notes.slice(0, 20).join('\n'));
  }
}

/** Branches and tags by their names, and heads of pull requests by ours. */
export function targetOf(
  { pullRef, pullOffset = 0 }: SourceRepository,
  hasPulls: boolean,
): (ref: string) => string | undefined {
  const [before = '', after = ''] = (pullRef ?? '').split('{number}');
  return (ref) => {
    if (ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/')) return ref;
    if (!hasPulls || !pullRef || !ref.startsWith(before) || !ref.endsWith(after)) return undefined;
    const number = ref.slice(before.length, ref.length - after.length);
    return /^[1-9]\d{0,8}$/.test(number) ? `refs/pull/${Number(number) + pullOffset}/head` : undefined;
  };
}

const reasons = {
  authentication: 'unauthorized',
  forbidden: 'forbidden',
  notFound: 'notFound',
  unreachable: 'unreachable',
  timeout: 'unreachable',
  tooLarge: 'tooLarge',
} as const;

/** What git said, as what a source did. */
function failureOf(error: unknown): unknown {
  const failure = remoteFailureOf(error);
  if (!failure || failure === 'aborted' || !Problem.is(error)) return error;
  const reason = Object.hasOwn(reasons, failure) ? reasons[failure as keyof typeof reasons] : 'invalidData';
  return new SourceFailure(reason, error.message);
}
