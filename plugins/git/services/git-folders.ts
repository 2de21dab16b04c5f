/** Writes repositories into folders outside of the store, and reads them from there; see the contract. */
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Invalid, Problem } from '@mortise/plugin-sdk';
import { isOid, isRefName, ambiguousNameProblem, type GitFolders, type GitReader, type RemoteAddress } from '../api.js';
import type { FolderOptions } from '../contract/folders.js';
import type { RemoteOptions, RemoteRef, RemoteRefs } from '../contract/remotes.js';
import { remoteConfiguration, withConfiguration } from './environment.js';
import { failureOf } from './failure.js';
import type { GitRunner } from './git-runner.js';
import { urlPlace, type RemoteSession } from './remote-session.js';
import { firstLine } from './stderr-excerpt.js';
import { configurationText, objectFormatOf, type FolderStore } from './store.js';
import { t } from '../texts/index.js';

interface FoldersDeps {
  readonly runner: GitRunner;
  readonly store: FolderStore;
  readonly reader: GitReader;
  /** Work with another server, in a session that ends with it. */
  readonly session: <T>(
    address: RemoteAddress,
    options: RemoteOptions,
    work: (session: RemoteSession) => Promise<T>,
  ) => Promise<T>;
}

const maxRefs = 200_000;
const maxPackedRefs = 64 * 1024 * 1024;
const maxRefDepth = 30;
/** More loose objects lie in no folder that anybody has packed once. */
const maxLooseObjects = 2_000_000;
const isBranchOrTag = (ref: string): boolean => /^refs\/(?:heads|tags)\/./.test(ref);
const sameName = (ref: string): string | undefined => (isBranchOrTag(ref) ? ref : undefined);

export class Folders implements GitFolders {
  constructor(private readonly deps: FoldersDeps) {}

  async write(repositoryId: number, folder: string, options: FolderOptions = {}): Promise<RemoteRefs> {
    const { kind = 'code', accepts = isBranchOrTag } = options;
    const { store, reader } = this.deps;
    const source = store.path(repositoryId, kind);
    const head = await store.head(repositoryId, kind);
    const refs = (await reader.open(repositoryId, kind).refs()).filter(({ ref }) => accepts(ref));
    await makeBare(folder, { head, format: await objectFormatOf(source) });
    await this.#fetch(source, folder, refs);
    return { head, refs };
  }

  download(
    address: RemoteAddress,
    folder: string,
    { target = sameName, ...options }: Parameters<GitFolders['download']>[2] = {},
  ): Promise<RemoteRefs> {
    return this.deps.session(address, options, async (session) => {
      const listed = await session.list();
      const wanted = listed.refs.flatMap(({ ref, oid }) => {
        const name = target(ref);
        return name && isRefName(ref) && isRefName(name) ? [{ ref: name, oid, from: ref }] : [];
      });
      await makeBare(folder, { head: listed.head ?? 'main', format: formatOf(wanted) });
      const args = ['fetch', '--progress', '--no-tags', '--no-write-fetch-head', '--stdin', '--end-of-options'];
      const input = wanted.map(({ from, ref }) => `+${from}:${ref}\n`).join('');
      if (wanted.length) await session.git(folder, [...args, urlPlace], { input });
      return { ...listed, refs: wanted.map(({ ref, oid }) => ({ ref, oid })) };
    });
  }

  async read(folder: string, repositoryId: number, options: FolderOptions = {}): Promise<RemoteRefs> {
    const { kind = 'code', accepts = isBranchOrTag } = options;
    const { store } = this.deps;
    const all = await refsIn(folder);
    const refs = all.filter(({ ref }) => accepts(ref) && isRefName(ref) && !ambiguousNameProblem(ref));
    const head = headIn(await textIn(folder, 'HEAD', 4096));
    const format = formatOf(refs);
    const copy = await store.skeleton({ objectFormat: format });
    try {
      await copyObjects(folder, copy);
      await writeFile(join(copy, 'packed-refs'), refs.map(({ ref, oid }) => `${oid} ${ref}\n`).join(''));
      await store.create(repositoryId, { defaultBranch: head, objectFormat: format }, kind);
      await store.writing(repositoryId, kind, () => this.#fetch(copy, store.path(repositoryId, kind), refs));
    } catch (error) {
      const failure = failureOf(error);
      if (!failure) throw error;
      throw Invalid(t.later('error.folder', { reason: firstLine(failure.message) }));
    } finally {
      await store.discard(copy);
    }
    return { head, refs };
  }

  /** From a folder of ours; what comes is checked. */
  async #fetch(from: string, to: string, refs: readonly RemoteRef[]): Promise<void> {
    if (refs.length === 0) return;
    const { runner } = this.deps;
    await runner.run(['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--stdin', '--end-of-options', from], {
      cwd: to,
      input: specsOf(refs),
      environment: withConfiguration(runner.environment, [...remoteConfiguration, ['protocol.file.allow', 'always']]),
      timeoutMs: runner.limits.cloneMs,
    });
  }
}

const specsOf = (refs: readonly RemoteRef[]): string => refs.map(({ ref }) => `+${ref}:${ref}\n`).join('');

const formatOf = (refs: readonly RemoteRef[]) => (refs.some(({ oid }) => oid.length === 64) ? 'sha256' : 'sha1');

async function makeBare(
  folder: string,
  { head, format }: { readonly head: string; readonly format: 'sha1' | 'sha256' },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length) throw Invalid(t.later('error.folderTaken'));
  for (const part of ['objects/pack', 'objects/info', 'refs/heads', 'refs/tags'])
    await mkdir(join(folder, part), { recursive: true });
  await writeFile(join(folder, 'HEAD'), `ref: refs/heads/${head || 'main'}\n`);
  await writeFile(join(folder, 'config'), configurationText(format));
}

/** The branch that HEAD names. */
export function headIn(text: string): string {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(text)?.[1]?.trim() ?? '';
  return isRefName(`refs/heads/${branch}`) ? branch : 'main';
}

/** The text of a file of the folder itself; empty where there is none, and for what is no plain file. */
export async function textIn(folder: string, name: string, max: number): Promise<string> {
  const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (!file) return '';
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return '';
    if (stat.size > max) throw new Problem('invalid', t.later('error.folder', { reason: `${name} is too large` }));
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** References of a folder, packed ones and loose ones, which count more. */
export async function refsIn(folder: string): Promise<RemoteRef[]> {
  const oidByRef = new Map<string, string>();
  for (const line of (await textIn(folder, 'packed-refs', maxPackedRefs)).split('\n')) {
    const [oid = '', ref = ''] = line.trim().split(' ');
    if (isOid(oid) && ref.startsWith('refs/')) oidByRef.set(ref, oid);
    checkCount(oidByRef.size, maxRefs, 'references');
  }
  await walk(folder, 'refs', 0, async (ref) => {
    const oid = (await textIn(folder, ref, 4096)).trim();
    if (isOid(oid)) oidByRef.set(ref, oid);
    checkCount(oidByRef.size, maxRefs, 'references');
  });
  return [...oidByRef].map(([ref, oid]) => ({ ref, oid }));
}

/** All plain files below; links are not followed. */
async function walk(folder: string, path: string, depth: number, visit: (path: string) => Promise<void>) {
  if (depth > maxRefDepth || !(await isFolder(join(folder, path)))) return;
  for (const entry of await readdir(join(folder, path), { withFileTypes: true })) {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) await walk(folder, below, depth + 1, visit);
    else if (entry.isFile()) await visit(below);
  }
}

/** Packs with their indexes, and loose objects. */
async function copyObjects(from: string, to: string): Promise<void> {
  if (!(await isFolder(from)) || !(await isFolder(join(from, 'objects'))))
    throw Invalid(t.later('error.folder', { reason: 'there are no objects' }));
  let count = 0;
  for (const { name } of await readdir(join(from, 'objects'), { withFileTypes: true })) {
    const isPacks = name === 'pack';
    if (!isPacks && !/^[0-9a-f]{2}$/.test(name)) continue;
    const folder = join(from, 'objects', name);
    if (!(await isFolder(folder))) continue;
    const wanted = isPacks ? /^pack-[0-9a-f]{40,64}\.(?:pack|idx)$/ : /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/;
    await mkdir(join(to, 'objects', name), { recursive: true });
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isFile() || !wanted.test(entry.name)) continue;
      checkCount(++count, maxLooseObjects, 'objects');
      await copyFile(join(folder, entry.name), join(to, 'objects', name, entry.name), constants.COPYFILE_FICLONE);
    }
  }
}

function checkCount(count: number, max: number, what: string): void {
  if (count > max) throw Invalid(t.later('error.folder', { reason: `there are more than ${max} ${what}` }));
}

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
