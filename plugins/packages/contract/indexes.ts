import type { Readable } from 'node:stream';
import { defineService } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Package, PackageFile, ReceivedBlob } from './store.js';

/** One file of a part of an index. */
export interface IndexFile {
  /** One that begins with a dot is stored, but never served. */
  readonly name: string;
  /** The bytes, or the blob that {@link IndexBuild.keep} stored. */
  readonly content: Buffer | ReceivedBlob;
}

export interface IndexBuild {
  readonly owner: Account;
  /** The parts that have changed, each once. */
  readonly parts: readonly string[];
  /** Ids of the packages with files that came or went, by part; a part that is not here is made of all of its packages. */
  readonly changed: ReadonlyMap<string, readonly number[]>;
  /** The files that are served at the moment, by part. */
  readonly current: ReadonlyMap<string, readonly PackageFile[]>;
  /** Stores what becomes a file of the index, as it streams. */
  keep(content: Buffer | Readable): Promise<ReceivedBlob>;
}

/**
 * An index that a format keeps in files. What has changed is noted in the transaction that changes it; the files of all
 * parts that depend on it are made before the client is answered and change places in one transaction. A process that is
 * interrupted in between leaves its mark, and a job or the next reader of the index rebuilds it.
 */
export interface PackageIndexKind {
  /** Parts that these files belong to, which were added or removed; at most 200 characters each. Called in the transaction. */
  partsOf(files: readonly PackageFile[], package_: Package): readonly string[];
  /**
   * Makes parts anew from what is in the store. The answer may hold further parts that follow from them; a part without
   * files goes, one that is not named stays as it is. One build at a time runs for an owner and format.
   */
  build(request: IndexBuild): Promise<Readonly<Record<string, readonly IndexFile[]>>>;
}

export interface PackageIndexes {
  /** The file of a part as it is served now. */
  find(ownerId: number, type: string, part: string, name: string): Promise<PackageFile | undefined>;
  /** By digest, also of the files that were replaced in the last quarter of an hour. */
  byDigest(
    ownerId: number,
    type: string,
    algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512',
    digest: string,
  ): Promise<PackageFile | undefined>;
  /** Files by part. */
  current(ownerId: number, type: string): Promise<Map<string, PackageFile[]>>;
  /**
   * Notes that parts have changed for a reason that {@link PackageIndexKind.partsOf} cannot see; in a transaction. Without
   * the package that has changed, they are made of all of their packages.
   */
  mark(ownerId: number, type: string, parts: readonly string[], packageId?: number): Promise<void>;
}
export const packageIndexes = defineService<PackageIndexes>('packages.indexes');

/**
 * Makes the parts that have changed, where packages for all architectures stand in the part of each: `includes` tells
 * whether a part also has what lies in a changed one, and `files` makes one part, of the packages with these ids or of all.
 */
export async function buildWithIncluded(
  { parts, current, changed }: IndexBuild,
  includes: (part: string, changedPart: string) => boolean,
  files: (part: string, packageIds: readonly number[] | undefined) => Promise<readonly IndexFile[]>,
): Promise<Record<string, readonly IndexFile[]>> {
  const causesOf = new Map<string, string[]>(parts.map((part) => [part, [part]]));
  for (const changedPart of parts)
    for (const part of current.keys())
      if (part !== changedPart && includes(part, changedPart))
        causesOf.set(part, [...(causesOf.get(part) ?? []), changedPart]);
  const made: Record<string, readonly IndexFile[]> = {};
  for (const [part, causes] of causesOf) {
    const areIdsKnown = causes.every((cause) => changed.has(cause));
    const ids = new Set(causes.flatMap((cause) => changed.get(cause) ?? []));
    made[part] = await files(part, areIdsKnown ? [...ids] : undefined);
  }
  return made;
}
