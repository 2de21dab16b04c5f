/** Folders of repositories. Paths are made from ids, so renames move nothing (architecture, 5). */
import { randomUUID } from 'node:crypto';
import { access, lstat, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { NotFound, Problem, type Finding } from '@mortise/plugin-sdk';
import type { ExternalContent, GitStore, RepositoryKind } from '../api.js';
import type { CloneOptions, CommitTransfer, CreateOptions, FetchOptions } from '../contract/store.js';
import type { ObjectFormat } from '../contract/names.js';
import { failureOf, type GitFailure } from './failure.js';
import { withConfiguration } from './environment.js';
import type { GitRunner } from './git-runner.js';
import { linkObjects } from './link-objects.js';
import { firstLine, withoutPaths } from './stderr-excerpt.js';
import { createFingerprint, type RefFingerprints } from './ref-fingerprints.js';
import { defaultStorage, hasRepository, removeRepository, type GitStorage, type Storages } from './storages.js';
import type { WritePauses } from './write-pauses.js';
import { t } from '../texts/index.js';

const staleMs = 24 * 3600 * 1000;

/** The folder within the root that the repository lies in. */
export const bucketOf = (id: number): string => (id % 1024).toString(16).padStart(3, '0');

export class FolderStore implements GitStore {
  readonly temporary: string;
  /** Called when a folder goes away or is replaced. */
  onRelease: (folder: string) => void = () => undefined;
  /** Are folders that are deleted to be put aside only? */
  keepsDeleted: () => Promise<boolean> = () => Promise.resolve(false);
  /** What plugins keep outside git for commits. */
  externalContents: () => readonly ExternalContent[] = () => [];

  /** The folder of the site, which has a name for each repository. */
  readonly root: string;

  constructor(
    readonly storages: Storages,
    private readonly runner: GitRunner,
    private readonly fingerprints: RefFingerprints,
    private readonly pauses: WritePauses,
  ) {
    this.root = storages.root;
    this.temporary = join(this.root, '.temporary');
  }

  path(id: number, kind: RepositoryKind = 'code'): string {
    if (!Number.isSafeInteger(id) || id < 1) throw NotFound('repository');
    return join(this.root, bucketOf(id), kind === 'wiki' ? `${id}.wiki.git` : `${id}.git`);
  }

  async exists(id: number, kind: RepositoryKind = 'code'): Promise<boolean> {
    return hasRepository(this.path(id, kind));
  }

  async create(id: number, options: CreateOptions = {}, kind: RepositoryKind = 'code'): Promise<void> {
    if (await this.exists(id, kind)) return;
    // one that a killed move has left without a name is there all the same
    await this.pauses.waitForEnd(id, kind);
    await this.place(id, kind, undefined, (temporary) => this.skeleton(options, temporary));
  }

  async copy(from: number, to: number, options: { branch?: string; kind?: RepositoryKind } = {}): Promise<void> {
    const kind = options.kind ?? 'code';
    const source = this.path(from, kind);
    if (!(await this.exists(from, kind))) return this.create(to, {}, kind);
    const format = await objectFormatOf(source);
    const head = (await this.head(from, kind)) || 'main';
    const specs = options.branch
      ? [`+refs/heads/${options.branch}:refs/heads/${options.branch}`]
      : ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
    // beside its source, where that takes new ones: hard links cost no room
    await this.place(to, kind, this.storages.storageNameOf(source), async (temporary) => {
      const folder = await this.skeleton({ defaultBranch: options.branch ?? head, objectFormat: format }, temporary);
      // all branches: objects come as hard links, and the fetch finds nothing left to copy
      if (!options.branch) await linkObjects(join(source, 'objects'), join(folder, 'objects'));
      const args = ['fetch', '-q', '--no-write-fetch-head', '--no-tags', '--end-of-options', source, ...specs];
      await this.runner.run(args, {
        cwd: folder,
        environment: withConfiguration(this.runner.environment, [
          ['protocol.file.allow', 'always'],
          ['fetch.unpackLimit', '1'],
        ]),
        timeoutMs: this.runner.limits.cloneMs,
      });
      return folder;
    });
  }

  async cloneFrom(id: number, address: string, options: CloneOptions = {}): Promise<void> {
    const kind = options.kind ?? 'code';
    const allowed = options.local ? ['file'] : ['http', 'https', 'git'];
    if (!options.local && !/^(https?|git):\/\//.test(address))
      throw new Problem('invalid', t.later('error.cloneScheme'));
    const { source, credentials } = options.local ? { source: address } : remoteOf(address, options);
    const { timeoutMs = this.runner.limits.cloneMs, signal } = options;
    await this.place(id, kind, undefined, async (temporary) => {
      const folder = join(temporary, randomUUID());
      await mkdir(temporary, { recursive: true });
      try {
        await this.runner
          .porcelain(temporary, { protocols: allowed, credentials, timeoutMs, signal })
          .clone(source, folder, ['-q', '--bare', '--no-hardlinks', ...(options.mirror ? ['--mirror'] : [])]);
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        const failure = failureOf(error);
        if (failure) throw new Problem('invalid', t.later('error.clone', { reason: failureReason(failure) }));
        throw error;
      }
      const format = await objectFormatOf(folder);
      await writeFile(join(folder, 'config'), configurationText(format)); // no address with a password stays behind
      await rm(join(folder, 'FETCH_HEAD'), { force: true });
      return folder;
    });
  }

  async fetchObjects(from: number, to: number, oids: readonly string[], options: FetchOptions = {}): Promise<void> {
    if (from === to || !oids.length) return;
    const { kind = 'code', ...range } = options;
    const args = [
      'fetch',
      '-q',
      '--no-tags',
      '--no-write-fetch-head',
      '--end-of-options',
      this.path(from, kind),
      ...oids,
    ];
    await this.writing(to, kind, () =>
      this.runner.run(args, {
        cwd: this.path(to, kind),
        environment: withConfiguration(this.runner.environment, [['protocol.file.allow', 'always']]),
        timeoutMs: this.runner.limits.writeMs,
      }),
    );
    if (kind === 'code') await this.shareExternalContent({ from, to, commits: oids, ...range });
  }

  async shareExternalContent(transfer: CommitTransfer): Promise<void> {
    if (transfer.from === transfer.to) return;
    for (const external of this.externalContents()) await external.share(transfer);
  }

  async delete(id: number, kind: RepositoryKind = 'code'): Promise<void> {
    const folder = this.path(id, kind);
    await mkdir(this.temporary, { recursive: true });
    const aside = join(this.temporary, `deleted-${id}-${kind}-${randomUUID()}`);
    try {
      await this.pauses.writing(id, kind, () => rename(folder, aside));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    this.onRelease(folder);
    // a back-up may still need it, or its disk is away; the sweeper takes it afterwards
    if (await this.keepsDeleted()) return;
    await removeRepository(aside);
  }

  /** Writes to the folder of a repository that are no change of references: a move of the repository waits for their end. */
  async writing<T>(id: number, kind: RepositoryKind, work: () => Promise<T>): Promise<T> {
    if (!this.storages.isSingle) await this.exists(id, kind); // throws where its disk is away
    return this.pauses.writing(id, kind, work);
  }

  async head(id: number, kind: RepositoryKind = 'code'): Promise<string> {
    return readHead(this.path(id, kind));
  }

  async setHead(id: number, branch: string, kind: RepositoryKind = 'code'): Promise<void> {
    await this.create(id, { defaultBranch: branch }, kind);
    if ((await this.head(id, kind)) !== branch) await this.writing(id, kind, () => this.writeHead(id, branch, kind));
  }

  /** {@link setHead} of a repository that is there, for those who have said in the journal that they write. */
  async writeHead(id: number, branch: string, kind: RepositoryKind): Promise<void> {
    const folder = this.path(id, kind);
    if ((await readHead(folder)) === branch) return;
    await this.fingerprints.changing(folder);
    const temporary = join(folder, `HEAD.${randomUUID()}.tmp`);
    await writeFile(temporary, `ref: refs/heads/${branch}\n`);
    await rename(temporary, join(folder, 'HEAD'));
    await this.fingerprints.changed(folder);
  }

  async size(id: number, kind: RepositoryKind = 'code'): Promise<number> {
    return folderSize(this.path(id, kind));
  }

  async *folders(): AsyncGenerator<{ id: number; kind: RepositoryKind; changedAt: number }> {
    for await (const { id, kind } of everyFolder(this)) {
      const stats = await stat(this.path(id, kind)).catch(() => undefined);
      if (stats) yield { id, kind, changedAt: stats.mtimeMs };
    }
  }

  async setAside(id: number, kind: RepositoryKind = 'code'): Promise<string> {
    const folder = this.path(id, kind);
    const aside = join(
      this.root,
      '.set-aside',
      `${new Date().toISOString().replace(/[:.]/g, '-')}-${basename(folder)}`,
    );
    await mkdir(dirname(aside), { recursive: true, mode: 0o700 });
    await this.pauses.writing(id, kind, () => rename(folder, aside));
    this.onRelease(folder);
    return aside;
  }

  /** Takes away what a kill left in the temporary folders; younger things may belong to another process. */
  async sweep(): Promise<number> {
    let removed = 0;
    const keeping = await this.keepsDeleted();
    for (const storage of this.storages.list) {
      const temporary = this.storages.temporaryOf(storage);
      for (const name of await readdir(temporary).catch(() => [] as string[])) {
        const path = join(temporary, name);
        const age =
          Date.now() -
          (await lstat(path).then(
            (s) => s.mtimeMs,
            () => Date.now(),
          ));
        if (name.startsWith('deleted-') ? keeping : age < staleMs) continue;
        if (await removeRepository(path).catch(() => false)) removed++;
      }
    }
    return removed;
  }

  /** An empty repository under a temporary name, made of plain files. */
  async skeleton(options: CreateOptions, temporary: string = this.temporary): Promise<string> {
    const folder = join(temporary, randomUUID());
    await mkdir(join(folder, 'objects', 'pack'), { recursive: true });
    await Promise.all([
      mkdir(join(folder, 'objects', 'info'), { recursive: true }),
      mkdir(join(folder, 'refs', 'heads'), { recursive: true }),
      mkdir(join(folder, 'refs', 'tags'), { recursive: true }),
      mkdir(join(folder, 'info'), { recursive: true }),
      writeFile(join(folder, 'HEAD'), `ref: refs/heads/${options.defaultBranch || 'main'}\n`),
      writeFile(join(folder, 'config'), configurationText(options.objectFormat ?? 'sha1')),
    ]);
    return folder;
  }

  /** An empty repository under a temporary name that sees the objects of another one, on the disk of that. */
  async borrowing(lender: string, format: ObjectFormat): Promise<string> {
    const folder = await this.skeleton({ objectFormat: format }, this.storages.temporaryBeside(lender));
    await writeFile(join(folder, 'objects', 'info', 'alternates'), `${join(lender, 'objects')}\n`);
    return folder;
  }

  /** Removes what {@link skeleton} or {@link borrowing} has made. */
  async discard(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /**
   * Gives a new repository its place: on the storage of that name, where it takes new ones, else on one by weight. `make`
   * makes its folder in a temporary one of that storage. Another process may make the repository meanwhile: then it stays.
   */
  async place(
    id: number,
    kind: RepositoryKind,
    preferred: string | undefined,
    make: (temporary: string) => Promise<string>,
  ): Promise<void> {
    const storage = this.storages.choose(preferred);
    const folder = await make(this.storages.temporaryOf(storage));
    const target = this.path(id, kind);
    createFingerprint(folder);
    if (await this.moveIntoPlace(folder, target, storage)) await this.fingerprints.placed(target);
    else await this.discard(folder);
  }

  /** An empty folder for a repository that is about to be restored, by the name that it has in the folder of the site. */
  async makeFolder(path: string): Promise<string> {
    const storage = this.storages.choose();
    if (storage.name === defaultStorage || (await isThere(path))) return path;
    const place = this.storages.newPlace(path, storage);
    await mkdir(place, { recursive: true });
    await mkdir(dirname(path), { recursive: true });
    await this.storages.link(path, storage, place);
    return path;
  }

  private async moveIntoPlace(folder: string, target: string, storage: GitStorage): Promise<boolean> {
    await mkdir(dirname(target), { recursive: true });
    if (storage.name !== defaultStorage) return this.linkIntoPlace(folder, target, storage);
    try {
      await rename(folder, target);
      return true;
    } catch (error) {
      // made by another process meanwhile: a folder, or a link to one
      if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) {
        await this.discard(folder);
        throw error;
      }
      return false;
    }
  }

  private async linkIntoPlace(folder: string, target: string, storage: GitStorage): Promise<boolean> {
    const place = this.storages.newPlace(target, storage);
    await mkdir(dirname(place), { recursive: true });
    await rename(folder, place);
    if (await this.storages.link(target, storage, place)) return true;
    await this.discard(place);
    return false;
  }
}

export function configurationText(format: ObjectFormat): string {
  const version = format === 'sha256' ? 1 : 0;
  return `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n${version ? '[extensions]\n\tobjectformat = sha256\n' : ''}`;
}

export async function objectFormatOf(folder: string): Promise<ObjectFormat> {
  const text = await readFile(join(folder, 'config'), 'utf8').catch(() => '');
  return /objectformat\s*=\s*sha256/i.test(text) ? 'sha256' : 'sha1';
}

export async function readHead(folder: string): Promise<string> {
  const text = await readFile(join(folder, 'HEAD'), 'utf8').catch(() => '');
  return /^ref: refs\/heads\/(.+)$/m.exec(text)?.[1]?.trim() ?? '';
}

async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory()
        ? folderSize(path)
        : stat(path).then(
            (found) => found.size,
            () => 0,
          );
    }),
  );
  return sizes.reduce((total, size) => total + size, 0);
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The address without what signs in, which goes another way. */
function remoteOf(address: string, { username, password }: CloneOptions) {
  const url = new URL(address);
  const words = {
    username: username ?? decodeURIComponent(url.username),
    password: password ?? decodeURIComponent(url.password),
  };
  url.username = '';
  url.password = '';
  return { source: url.href, ...(words.username || words.password ? { credentials: words } : {}) };
}

/** The line in which git says what was wrong. */
const failureReason = ({ stderr }: GitFailure): string =>
  firstLine(stderr.split('\n').find((line) => /^(?:fatal|error|remote): /.test(line)) ?? stderr);

export const folderName = ({ id, kind }: { id: number; kind: RepositoryKind }): string =>
  `repository ${id}${kind === 'wiki' ? ' (wiki)' : ''}`;

/** One folder that cannot be looked at, for instance since it is a file, ends no look at the others. */
export const ignoredFolders = (folder: { id: number; kind: RepositoryKind }, error: unknown): Finding => ({
  level: 'error',
  text: `${folderName(folder)} could not be looked at: ${withoutPaths((error as Error).message)}`,
});

/** Every repository on the disk, also those that no row knows. */
export async function* everyFolder(store: FolderStore): AsyncGenerator<{ id: number; kind: RepositoryKind }> {
  for (const bucket of await readdir(store.root).catch(() => [])) {
    if (!/^[0-9a-f]{3}$/.test(bucket)) continue;
    for (const name of await readdir(join(store.root, bucket)).catch(() => [])) {
      const [, id, wiki] = /^(\d+)(\.wiki)?\.git$/.exec(name) ?? [];
      if (id) yield { id: Number(id), kind: wiki ? 'wiki' : 'code' };
    }
  }
}
