/** Which references a fetch moves, and how what came gets into the repository. */
import { copyFile, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { NotFound, type Text } from '@mortise/plugin-sdk';
import { isRefName, ambiguousNameProblem, zeroOid, type RefUpdate } from '../api.js';
import { t } from '../texts/index.js';

type Listed = readonly { readonly ref: string; readonly oid: string }[];

export interface FetchPlan {
  readonly updates: readonly RefUpdate[];
  /** Their reference for each of ours that moves. */
  readonly sources: ReadonlyMap<string, string>;
  readonly leftOut: readonly { readonly ref: string; readonly reason: Text }[];
}

const sameName = (ref: string): string | undefined => (/^refs\/(?:heads|tags)\/./.test(ref) ? ref : undefined);

export function planFetch(
  theirs: Listed,
  ours: Listed,
  {
    target = sameName,
    prunes = () => false,
  }: { target?(ref: string): string | undefined; prunes?(ref: string): boolean },
): FetchPlan {
  const here = new Map(ours.map(({ ref, oid }) => [ref, oid]));
  const wanted = new Map<string, { source: string; oid: string }>();
  const leftOut: { ref: string; reason: Text }[] = [];
  for (const { ref, oid } of theirs) {
    const own = target(ref);
    if (own === undefined) continue;
    const reason = refusal(ref, own, here.has(own));
    if (reason) leftOut.push({ ref, reason });
    else wanted.set(own, { source: ref, oid });
  }
  const moved = [...wanted].filter(([ref, { oid }]) => here.get(ref) !== oid);
  return {
    updates: [
      ...moved.map(([ref, { oid }]) => ({ ref, old: here.get(ref) ?? zeroOid, new: oid })),
      ...ours
        .filter(({ ref }) => !wanted.has(ref) && prunes(ref))
        .map(({ ref, oid }) => ({ ref, old: oid, new: zeroOid })),
    ],
    sources: new Map(moved.map(([ref, { source }]) => [ref, source])),
    leftOut,
  };
}

/** A part of a name is a file, as is its lock: file systems take 255 bytes. */
const hasLongPart = (ref: string): boolean => ref.split('/').some((part) => Buffer.byteLength(part) > 250);

/** Names that git or people would read as something else do not come in. */
function refusal(theirs: string, ours: string, exists: boolean): Text | undefined {
  for (const ref of [theirs, ours])
    if (!ref.startsWith('refs/') || !isRefName(ref) || hasLongPart(ref))
      return t.later('error.refName', { ref: ref.slice(0, 100) });
  return exists ? undefined : ambiguousNameProblem(ours);
}

/** Moves packs into a repository: first what is looked up, last what makes git see it. NotFound where it was deleted. */
export async function takeObjects(from: string, to: string): Promise<void> {
  const [source, target] = [join(from, 'objects', 'pack'), join(to, 'objects', 'pack')];
  await mkdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw NotFound('repository');
    if (error.code !== 'EEXIST') throw error;
  });
  const names = (await readdir(source)).filter((name) => /^pack-[0-9a-f]+\.(?:pack|rev|idx)$/.test(name));
  for (const ending of ['.pack', '.rev', '.idx'])
    for (const name of names.filter((one) => one.endsWith(ending)))
      await moveFile(join(source, name), join(target, name));
}

/** The repository may have been moved to another disk meanwhile. */
async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(from, `${to}.tmp`);
    await rename(`${to}.tmp`, to);
  }
}
