/** Brings repositories of a server that is taken over; see the contract. */
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ambiguousNameProblem,
  isRefName,
  type GitReader,
  type GitTakeover,
  type RefUpdate,
  type RepositoryKind,
} from '../api.js';
import type { SourceRepository } from '../contract/folders.js';
import type { RemoteRef } from '../contract/remotes.js';
import { alternatesIn, isFolder } from './alternates.js';
import { headIn, refsIn, textIn } from './git-folders.js';
import { linkObjects } from './link-objects.js';
import type { RefMoves } from './ref-moves.js';

import { objectFormatOf, type FolderStore } from './store.js';

/** In our folder: what was brought last. Written after all else, so a pass that was killed is seen to be incomplete. */
const broughtFile = 'takeover-refs';
/** Folders of objects that borrow from others which borrow in turn. */
const maxBorrowing = 5;
const maxDifferences = 20;

export class RepositoryTakeover implements GitTakeover {
  constructor(
    private readonly deps: { readonly store: FolderStore; readonly reader: GitReader; readonly moves: RefMoves },
  ) {}

  async take(folder: string, repositoryId: number, options: SourceRepository = {}) {
    if (!(await isFolder(join(folder, 'objects')))) return 'missing';
    const { kind = 'code' } = options;
    const { store } = this.deps;
    // before the objects: what is pushed in between comes with the next pass
    const refs = (await refsIn(folder)).filter(({ ref }) => isTaken(ref));
    const head = options.defaultBranch || headIn(await textIn(folder, 'HEAD', 4096));
    const text = textOf(head, refs);
    const target = store.path(repositoryId, kind);
    if (!(await store.exists(repositoryId, kind))) {
      await this.#make(folder, repositoryId, kind, { head, refs, text });
      return 'changed';
    }
    const before = await readFile(join(target, broughtFile), 'utf8').catch(() => '');
    if (before === text) return 'unchanged';
    await store.writing(repositoryId, kind, async () => {
      await linkAllObjects(folder, join(target, 'objects'));
      const there = await this.deps.reader.open(repositoryId, kind).refs();
      const updates = changesOf(refsOf(before), refs, there);
      if (updates.length > 0) await this.deps.moves.move(target, updates);
      if (headOf(before) !== head) await store.writeHead(repositoryId, head, kind);
      await writeFile(join(target, broughtFile), text);
    });
    return 'changed';
  }

  async differences(folder: string, repositoryId: number, kind: RepositoryKind = 'code') {
    if (!(await isFolder(join(folder, 'objects')))) return [];
    if (!(await this.deps.store.exists(repositoryId, kind))) return [`the ${kind} repository is missing`];
    const oids = (refs: readonly RemoteRef[]) =>
      new Map(refs.filter(({ ref }) => isTaken(ref)).map(({ ref, oid }) => [ref, oid]));
    const there = oids(await refsIn(folder));
    const here = oids(await this.deps.reader.open(repositoryId, kind).refs());
    return [...new Set([...there.keys(), ...here.keys()])]
      .filter((ref) => there.get(ref) !== here.get(ref))
      .slice(0, maxDifferences)
      .map((ref) => `${ref} of ${kind}: ${there.get(ref) ?? 'none'} there, ${here.get(ref) ?? 'none'} here`);
  }

  hasTaken(repositoryId: number, kind: RepositoryKind = 'code'): Promise<boolean> {
    return access(join(this.deps.store.path(repositoryId, kind), broughtFile)).then(
      () => true,
      () => false,
    );
  }

  #make(
    folder: string,
    id: number,
    kind: RepositoryKind,
    { head, refs, text }: { readonly head: string; readonly refs: readonly RemoteRef[]; readonly text: string },
  ): Promise<void> {
    const { store } = this.deps;
    return store.place(id, kind, undefined, async (temporary) => {
      const objectFormat = await objectFormatOf(folder);
      const copy = await store.skeleton({ defaultBranch: head, objectFormat }, temporary);
      try {
        await linkAllObjects(folder, join(copy, 'objects'));
        await writeFile(join(copy, 'packed-refs'), refs.map(({ ref, oid }) => `${oid} ${ref}\n`).join(''));
        await writeFile(join(copy, broughtFile), text);
        return copy;
      } catch (error) {
        await store.discard(copy);
        throw error;
      }
    });
  }
}

/** Ours, among them former heads of pull requests, and those of clones mean nothing to anybody else. */
const isTaken = (ref: string): boolean =>
  !/^refs\/(?:mortise|remotes|pull\/\d+\/versions)\//.test(ref) && isRefName(ref) && !ambiguousNameProblem(ref);

const textOf = (head: string, refs: readonly RemoteRef[]): string =>
  [`HEAD ${head}`, ...refs.map(({ ref, oid }) => `${oid} ${ref}`).sort(), ''].join('\n');

const headOf = (text: string): string => /^HEAD (.*)$/m.exec(text)?.[1] ?? '';

const refsOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/^([0-9a-f]{40,64}) (.+)$/gm)].map(([, oid = '', ref = '']) => [ref, oid]));

/** What has moved there since it was brought: references that moved here alone stay. */
function changesOf(
  before: ReadonlyMap<string, string>,
  refs: readonly RemoteRef[],
  there: readonly RemoteRef[],
): RefUpdate[] {
  const here = new Map(there.map(({ ref, oid }) => [ref, oid]));
  const now = new Set(refs.map(({ ref }) => ref));
  const moved = refs
    .filter(({ ref, oid }) => before.get(ref) !== oid && here.get(ref) !== oid)
    .map(({ ref, oid }) => ({ ref, old: here.get(ref) ?? '0'.repeat(oid.length), new: oid }));
  const gone = [...before.keys()]
    .filter((ref) => !now.has(ref) && here.has(ref))
    .map((ref) => ({ ref, old: here.get(ref)!, new: '0'.repeat(here.get(ref)!.length) }));
  return [...gone, ...moved];
}

/** With those that the folder borrows: ours borrows from none. */
async function linkAllObjects(folder: string, target: string, depth = 0): Promise<void> {
  for (const borrowed of await alternatesIn(folder))
    if (depth < maxBorrowing && (await isFolder(borrowed))) {
      await linkObjects(borrowed, target);
      await linkAllObjects(join(borrowed, '..'), target, depth + 1);
    }
  await linkObjects(join(folder, 'objects'), target);
}
