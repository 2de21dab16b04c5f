/**
 * Moves repositories from one storage to another while they are read and pushed to (decision 0063):
 * copy while it is used → pause writes → copy the rest → replace the link → end the pause → wait for readers → remove.
 * A kill before the link is replaced leaves a copy that nobody uses, one after it leaves the former folder: both are
 * found and removed. Where the repository was itself in the folder of the site, there are two steps in place of one, and
 * the first look at the pause that was left takes the second.
 */
import { renameSync, symlinkSync } from 'node:fs';
import { access, lstat, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotFound, Problem, syncFolder, type Locks, type Logger } from '@mortise/plugin-sdk';
import type { RepositoryKind } from '../api.js';
import { RepositoryCopy } from './copy-repository.js';
import { hasProcesses } from './process-owner.js';
import { isNetworked, type RefFingerprints } from './ref-fingerprints.js';
import { linkAt, repositoryFolderName, type GitStorage } from './storages.js';
import type { FolderStore } from './store.js';
import { maxPausedMs, type WritePauses } from './write-pauses.js';
import type { GitRunner } from './git-runner.js';

interface MoveDeps {
  readonly store: FolderStore;
  readonly runner: GitRunner;
  readonly pauses: WritePauses;
  readonly fingerprints: RefFingerprints;
  readonly locks: Locks;
  readonly log: Logger;
  /** Completes changes of references that were interrupted. */
  repair(id: number, kind: RepositoryKind): Promise<void>;
}

interface Move {
  readonly id: number;
  readonly kind: RepositoryKind;
  /** The name of the repository in the folder of the site. */
  readonly folder: string;
  readonly to: GitStorage;
  /** Where it will lie there. */
  readonly place: string;
  /** Where it is copied to until it is whole. */
  readonly draft: string;
  readonly copy: RepositoryCopy;
  /** Another process may have the lock by now. */
  readonly signal: AbortSignal;
}

/** With fewer changed files than that the rest is copied in the pause. */
const fewFiles = 50;
const maxPasses = 10;
const maxPauses = 5;
/** Clients of a network file system may hold what a link said for some seconds, and nothing is written until they know. */
const networkedSettleMs = 5000;
/** Readers are waited for so long; then the nightly sweep removes the former folder. */
const maxReadersMs = 30_000;
const pollMs = 200;
/** So long writes stay paused where the database cannot be told of a move. */
const maxUntoldMs = 300_000;
/** In a folder that nothing leads to any more: since when. */
const formerFile = 'mortise-former';
/** A name for the link before it takes the place of another: `17.git.next`. */
const nextEnding = '.next';

export class RepositoryMove {
  constructor(private readonly deps: MoveDeps) {}

  /** False: it lies there already. Unavailable where somebody writes without end. */
  async move(id: number, kind: RepositoryKind, to: GitStorage): Promise<boolean> {
    const { store, locks } = this.deps;
    return locks.hold(`git.move:${id}:${kind}`, async ({ signal }) => {
      const folder = store.path(id, kind);
      await this.deps.pauses.finishExpired(id, kind);
      if (!(await store.exists(id, kind))) throw NotFound('repository');
      if (store.storages.storageNameOf(folder) === to.name) return false;
      if (!store.storages.isMounted(to)) throw new Problem('unavailable', `The storage ${to.name} is not mounted.`);
      await this.#moveTo(id, kind, to, signal);
      return true;
    });
  }

  async #moveTo(id: number, kind: RepositoryKind, to: GitStorage, signal: AbortSignal): Promise<void> {
    const { store, log } = this.deps;
    const { storages } = store;
    const folder = store.path(id, kind);
    const place = storages.newPlace(folder, to);
    const draft = join(storages.temporaryOf(to), basename(place));
    const copy = new RepositoryCopy(folder, draft);
    try {
      for (let pass = 0; pass < maxPasses; pass++)
        if ((await copy.update(() => signal.throwIfAborted())) <= fewFiles) break;
      const former = await this.#switch({ id, kind, folder, place, draft, to, copy, signal });
      log.info('moved a repository to another storage', {
        event: 'git.moved',
        repositoryId: id,
        kind,
        storage: to.name,
      });
      await this.#removeWhenUnread(former).catch((error: unknown) =>
        log.warn('could not remove the former folder of a moved repository yet', {
          event: 'git.moved.former',
          repositoryId: id,
          kind,
          error: String(error),
        }),
      );
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      // it may have come to its place without a link that leads there
      const own = storages.linkTarget(to, place);
      if (linkAt(folder) !== own && linkAt(`${folder}${nextEnding}`) !== own)
        await rm(place, { recursive: true, force: true });
      throw error;
    }
  }

  /** Gives the former folder. */
  async #switch(move: Move): Promise<string> {
    const { pauses, repair } = this.deps;
    const { id, kind, copy, signal } = move;
    for (let attempt = 0; attempt < maxPauses; attempt++) {
      await repair(id, kind);
      let isLate = false;
      const former = await pauses.whilePaused(id, kind, async () => {
        const until = Date.now() + maxPausedMs;
        await copy
          .update(() => {
            signal.throwIfAborted();
            isLate = Date.now() > until;
            if (isLate) throw new Error('too much has changed');
          })
          .catch((error: unknown) => {
            if (!isLate) throw error;
          });
        if (isLate) return undefined;
        await this.#checkCopy(move.folder, move.draft);
        return this.#replace(move, until);
      });
      if (former !== undefined) return former;
      await copy.update(() => signal.throwIfAborted());
    }
    throw new Problem('unavailable', 'The repository is being written to all the time. Try again later.');
  }

  /** Names of references and what they lead to, as git itself reads them, and the default branch. */
  async #checkCopy(from: string, to: string): Promise<void> {
    const head = (folder: string) => readFile(join(folder, 'HEAD'), 'utf8');
    if ((await head(from)) !== (await head(to))) throw new Error('the copy of the repository has another HEAD');
    const refs = (cwd: string) => this.deps.runner.text(['for-each-ref', '--format=%(objectname) %(refname)'], { cwd });
    if ((await refs(from)) !== (await refs(to))) throw new Error('the copy of the repository has other references');
  }

  /** Gives the former folder; undefined: it took too long, and nothing was done. */
  async #replace({ id, kind, folder, place, draft, to, signal }: Move, until: number): Promise<string | undefined> {
    const { store, pauses } = this.deps;
    const { storages } = store;
    if (!(await store.exists(id, kind))) throw NotFound('repository');
    await mkdir(dirname(place), { recursive: true });
    await rename(draft, place);
    await syncFolder(dirname(place));
    const link = linkAt(folder);
    const former =
      link === undefined
        ? storages.newPlace(folder, store.storages.list[0] as GitStorage)
        : join(dirname(folder), link);
    const next = `${folder}${nextEnding}`;
    await rm(next, { force: true });
    signal.throwIfAborted();
    // nothing comes between this look and the new link
    if (!(await pauses.isQuiet(id, kind)) || Date.now() > until) {
      await rename(place, draft);
      return undefined;
    }
    symlinkSync(storages.linkTarget(to, place), next);
    if (link === undefined) renameSync(folder, former);
    renameSync(next, folder);
    await syncFolder(dirname(folder));
    store.onRelease(folder);
    try {
      await this.#publish(folder);
    } finally {
      if (isNetworked(store.root)) await sleep(networkedSettleMs);
    }
    return former;
  }

  /** Other nodes must learn of the place before they write again, so the pause lasts until the database is told. */
  async #publish(folder: string): Promise<void> {
    for (const until = Date.now() + maxUntoldMs; ; await sleep(pollMs)) {
      try {
        return await this.deps.fingerprints.moved(folder);
      } catch (error) {
        if (Date.now() > until) throw error;
      }
    }
  }

  async #removeWhenUnread(former: string): Promise<void> {
    await markFormer(former);
    // other machines may read in it, and this one knows nothing of them
    if (isNetworked(former)) return;
    for (const until = Date.now() + maxReadersMs; Date.now() < until; await sleep(pollMs))
      if ((await hasProcesses(former)) === false) return rm(former, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Carries a move to its end that was killed between its two steps; a link that was not needed any more goes. */
export async function finishMove(folder: string): Promise<void> {
  const next = `${folder}${nextEnding}`;
  if (linkAt(next) === undefined) return;
  const isThere = await lstat(folder).then(
    () => true,
    () => false,
  );
  if (isThere) await rm(next, { force: true });
  else await rename(next, folder).catch(() => undefined); // another process was faster
}

/** A folder that no name of the site leads to. */
interface UnusedFolder {
  readonly folder: string;
  readonly storage: string;
  /** What its name was, in the folder of the site. */
  readonly name: string;
  /** The repository lies elsewhere; otherwise nothing is left but this. */
  readonly isFormer: boolean;
}

/** Younger ones may be on their way to their place. */
const youngMs = 3_600_000;

export async function* unusedFolders(store: FolderStore): AsyncGenerator<UnusedFolder> {
  if (store.storages.isSingle) return;
  const used = await linksOf(join(store.root, '.temporary'), join(store.root, '.set-aside'));
  for (const storage of store.storages.list) {
    for (const bucket of await readdir(storage.root).catch(() => [] as string[])) {
      if (!/^[0-9a-f]{3}$/.test(bucket)) continue;
      for (const placed of await readdir(join(storage.root, bucket)).catch(() => [] as string[])) {
        const name = repositoryFolderName(placed);
        if (name === undefined) continue;
        const path = join(store.root, bucket, name);
        const folder = join(storage.root, bucket, placed);
        const own = store.storages.linkTarget(storage, folder);
        if (linkAt(path) === own || linkAt(`${path}${nextEnding}`) === own || used.has(own)) continue;
        const isFormer = await access(join(path, 'HEAD')).then(
          () => true,
          () => false,
        );
        yield { folder, storage: storage.name, name: `${bucket}/${name}`, isFormer };
      }
    }
  }
}

/** Removes what moves have left, once nobody can read in it any more. */
export async function removeFormer(store: FolderStore, { readMs }: { readonly readMs: number }): Promise<number> {
  let removed = 0;
  for await (const { folder, isFormer } of unusedFolders(store)) {
    if (!isFormer) continue;
    const since = await ageOf(join(folder, formerFile));
    if (since === undefined) await markFormer(folder);
    else if (since > readMs && (await hasProcesses(folder)) !== true) {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      removed++;
    }
  }
  return removed;
}

/** Gives a folder back the name that it had; false where it may be on its way, or the name was taken. */
export async function restoreName(store: FolderStore, { folder, storage, name }: UnusedFolder): Promise<boolean> {
  if (((await ageOf(folder)) ?? 0) < youngMs) return false;
  const { storages } = store;
  return storages.link(join(store.root, name), storages.find(storage) ?? (storages.list[0] as GitStorage), folder);
}

async function markFormer(folder: string): Promise<void> {
  await writeFile(join(folder, formerFile), '', { flag: 'a' });
  const now = new Date();
  await utimes(join(folder, formerFile), now, now);
}

/** Milliseconds since it was changed; undefined: it is not there. */
const ageOf = (path: string): Promise<number | undefined> =>
  lstat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => undefined,
  );

/** What the links in these folders say. */
async function linksOf(...folders: readonly string[]): Promise<ReadonlySet<string>> {
  const links = new Set<string>();
  for (const folder of folders)
    for (const name of await readdir(folder).catch(() => [] as string[])) {
      const link = linkAt(join(folder, name));
      if (link !== undefined) links.add(link);
    }
  return links;
}
