import type { Readable } from 'node:stream';
import { defineService, type Actor, type Reply } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { RandomAccess } from './archives.js';

// ---------------------------------------------------------------- records (times are milliseconds since 1970 UTC)

export interface Package {
  readonly id: number;
  readonly ownerId: number;
  /** 0: linked to no repository. */
  readonly repositoryId: number;
  /** Key of the format. */
  readonly type: string;
  readonly name: string;
  readonly lowerName: string;
  /** Holds index files of a format; never listed nor counted. */
  readonly isInternal: boolean;
}

export interface PackageVersion {
  readonly id: number;
  readonly packageId: number;
  readonly creatorId: number;
  readonly version: string;
  readonly lowerVersion: string;
  /** What the format keeps about the version; JSON. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly isInternal: boolean;
  readonly downloadCount: number;
  readonly createdAt: number;
}

/** A file with the digests of its content. */
export interface PackageFile {
  readonly id: number;
  readonly versionId: number;
  /** The same for all files with the same content. */
  readonly blobId: number;
  readonly name: string;
  readonly lowerName: string;
  /** Lets a version hold the same file name several times, for instance `stable|main`. */
  readonly compositeKey: string;
  /** Downloads of this file count. */
  readonly isLead: boolean;
  readonly createdAt: number;
  readonly size: number;
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
}

/** Values may repeat under a name. */
export type Properties = Readonly<Record<string, string | readonly string[]>>;

/** A version with what belongs to it. */
export interface PackageDetails {
  readonly package: Package;
  readonly version: PackageVersion;
  readonly files: readonly PackageFile[];
}

/** Content that was received and stored, but belongs to no version yet. Forgotten ones are swept. */
export interface ReceivedBlob {
  readonly id: number;
  readonly size: number;
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
}

/** Where files lie, for formats with indexes of parts. */
export interface FilesUnder {
  readonly ownerId: number;
  readonly type: string;
  readonly compositeKeys: readonly string[];
  /** Only files of this name; without case. */
  readonly name?: string;
  /** Only files of these packages. */
  readonly packageIds?: readonly number[];
  /** Property of the files to read with them, see {@link PlacedFile.value}. */
  readonly property?: string;
}

/** A file with what it belongs to. */
export interface PlacedFile {
  readonly package: Package;
  readonly version: PackageVersion;
  readonly file: PackageFile;
  /** The values of the property that was asked for, joined: long ones are stored in pieces, see {@link inPieces}. */
  readonly value: string;
}

const pieceLength = 16_000;

/** A long text as values of a property, which hold 64 KiB each. */
export function inPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)!.length) {
    const piece = text.slice(at, at + pieceLength);
    // both halves of a sign stay together
    pieces.push(piece.length > 1 && /[\ud800-\udbff]$/.test(piece) ? piece.slice(0, -1) : piece);
  }
  return pieces;
}

// ---------------------------------------------------------------- the store

export interface NewFile {
  readonly name: string;
  readonly blob: ReceivedBlob;
  readonly compositeKey?: string;
  /** Default true. */
  readonly isLead?: boolean;
  readonly properties?: Properties;
}

export interface PublishRequest {
  readonly owner: Account;
  readonly actor: Actor;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly files: readonly NewFile[];
  readonly versionProperties?: Properties;
  /** The version is there already: `conflict` (default, 409), `join`: the files are added, `replace`: it has these alone. */
  readonly onVersion?: 'conflict' | 'join' | 'replace';
  /** The version holds such a file already: `conflict` (default, 409) or `replace`. */
  readonly onFile?: 'conflict' | 'replace';
  /** Link a package that is not linked yet. */
  readonly repositoryId?: number;
  /** `version`: the version alone, of a package that others see. */
  readonly isInternal?: boolean | 'version';
  /** More writes in the same transaction (only SQL); throwing undoes all. */
  within?(details: PackageDetails): Promise<void>;
}

/** What a format changes in the answer of {@link PackageStore.download}. */
export interface DownloadOptions {
  /** Default `application/octet-stream`. */
  readonly type?: string;
  /** Name to save it under; default that of the file, null: none is told. */
  readonly name?: string | null;
  /** Strong entity tag without quotes; default the SHA-256. */
  readonly tag?: string;
  /** The owner's object store may not be sent to: the client follows no redirects. */
  readonly noRedirect?: boolean;
}

export interface VersionSearch {
  readonly ownerId?: number;
  readonly type?: string;
  /** Part of the package's name, without case. */
  readonly text?: string;
  readonly repositoryId?: number;
  readonly packageId?: number;
  /** Only the newest version of each package. */
  readonly latest?: boolean;
  /** Without packages that their formats do not leave open to every reader. */
  readonly open?: boolean;
  /** Read also what the format keeps about the versions; else it is empty. */
  readonly metadata?: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** Packages of a format that have versions to be seen, owner after owner, by name within each. */
export interface PackageNames {
  readonly type: string;
  /** In the order that is wanted; a hundred at most. */
  readonly ownerIds: readonly number[];
  /** Only names behind this one. */
  readonly after?: string;
  readonly limit: number;
}

export interface PackageStore {
  /** Case-insensitive. */
  find(ownerId: number, type: string, name: string): Promise<Package | undefined>;
  /** Those of up to 500 names that there are, likewise; one statement. */
  findAll(ownerId: number, type: string, names: readonly string[]): Promise<Package[]>;
  byIds(ids: readonly number[]): Promise<Map<number, Package>>;
  findVersion(packageId: number, version: string): Promise<PackageVersion | undefined>;
  versionById(id: number): Promise<PackageVersion | undefined>;
  /** Many at once, by their ids. */
  versionsByIds(ids: readonly number[]): Promise<Map<number, PackageVersion>>;
  /** Ids of those who have packages of a format. */
  owners(type: string): Promise<number[]>;
  named(names: PackageNames): Promise<Package[]>;
  /** Packages of a format, of any owner, that have a version of that name, hidden ones too. */
  withVersion(type: string, version: string): Promise<Package[]>;
  /** All versions, newest first. */
  versions(packageId: number): Promise<PackageVersion[]>;
  /** The same without what the format keeps about them, which is long: their `metadata` is empty. */
  bareVersions(packageId: number): Promise<PackageVersion[]>;
  /** Names alone, of many packages: for sorting. */
  versionNames(
    packageIds: readonly number[],
  ): Promise<Map<number, { readonly id: number; readonly version: string }[]>>;
  latest(packageId: number): Promise<PackageVersion | undefined>;
  /** Newest first. */
  search(search: VersionSearch): Promise<{ items: { package: Package; version: PackageVersion }[]; total: number }>;
  /** Files of versions by version id, ordered by name. */
  files(versionIds: readonly number[]): Promise<Map<number, PackageFile[]>>;
  /** Files of any version of a package that have one of these keys, the newest first. */
  filesByKey(packageId: number, ...compositeKeys: readonly string[]): Promise<PackageFile[]>;
  findFile(versionId: number, name: string, compositeKey?: string): Promise<PackageFile | undefined>;
  /** Files with these composite keys, by name of the package, then in the order of their coming. */
  filesUnder(search: FilesUnder): Promise<PlacedFile[]>;
  /** Is there any such file? */
  hasUnder(search: Omit<FilesUnder, 'property'>): Promise<boolean>;
  /** Ids of the packages that have such files, by name. */
  packagesUnder(search: Omit<FilesUnder, 'property'>): Promise<number[]>;
  /** One name or several; `undefined`: all. Keyed by the id of what they belong to. */
  properties(
    of: 'package' | 'version' | 'file',
    ids: readonly number[],
    names?: string | readonly string[],
  ): Promise<Map<number, { name: string; value: string }[]>>;
  /** Of each package, by its id, the version that has a property of that value; one statement however many. */
  versionsWith(packageIds: readonly number[], name: string, value: string): Promise<Map<number, PackageVersion>>;
  /** Replaces all values of one name; in the caller's transaction or its own. */
  setProperty(of: 'package' | 'version' | 'file', id: number, name: string, values: readonly string[]): Promise<void>;
  /**
   * In the caller's transaction, before its first question: until its end no other change of the package goes on, and what
   * it reads is as the one before left it. False: the package is gone.
   */
  lock(package_: Package): Promise<boolean>;
  setMetadata(versionId: number, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  /** Bytes that the actor may upload as one file of the format; -1: any number. */
  sizeLimit(type: string, actor: Actor): number;
  /**
   * Bytes that the actor may add to the owner's packages, beside what they have and what waits in hidden versions;
   * undefined: any number.
   */
  room(ownerId: number, actor: Actor): Promise<number | undefined>;
  /**
   * Stores content before anything refers to it: refuses over the format's size limit (Forbidden) while it reads.
   * Not inside a transaction.
   */
  receive(type: string, content: Readable | Buffer, actor: Actor, declaredSize?: number): Promise<ReceivedBlob>;
  /** One transaction: package, version, files, properties, quotas, events. Emits {@link packageCreated} for a new version. */
  publish(request: PublishRequest): Promise<PackageDetails>;
  deleteVersion(package_: Package, version: PackageVersion, actor: Actor): Promise<void>;
  /** Several versions of one package in one transaction. */
  deleteVersions(package_: Package, versions: readonly PackageVersion[], actor: Actor): Promise<void>;
  deletePackage(package_: Package, actor: Actor): Promise<void>;
  /** The last file takes its version with it. */
  deleteFile(package_: Package, version: PackageVersion, file: PackageFile, actor: Actor): Promise<void>;
  /** Several files of one version in one transaction. */
  deleteFiles(package_: Package, version: PackageVersion, files: readonly PackageFile[], actor: Actor): Promise<void>;
  /** The one answer to downloads: all headers, ranges, conditions and HEAD; counts when the file is a lead (GET). */
  download(
    file: PackageFile,
    request: { method: string; headers: Readonly<Record<string, string | undefined>> },
    options?: DownloadOptions,
  ): Promise<Reply>;
  /** Content of a file, or of what was just received; `end` is inclusive. */
  open(file: Pick<PackageFile, 'sha256'>, range?: { start: number; end?: number }): Promise<Readable>;
  /** The same, from anywhere: for {@link zipEntries}. */
  random(file: Pick<PackageFile, 'sha256' | 'size'>): RandomAccess;
  link(package_: Package, repositoryId: number): Promise<void>;
  unlink(package_: Package): Promise<void>;
  /** `/{owner}/-/packages/{type}/{name}/{version}` with the site's address. */
  htmlUrl(owner: Account, package_: Package, version?: PackageVersion): string;
}
export const packageStore = defineService<PackageStore>('packages.store');
