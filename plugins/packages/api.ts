/**
 * The contract of `packages`: the shared store of packages, versions and files, and the extension point
 * {@link packageFormats} with which a registry protocol is added as one folder.
 */
import type { Readable } from 'node:stream';
import type { VNode } from 'preact';
import {
  Joi,
  defineEvent,
  defineJob,
  definePoint,
  defineService,
  type Actor,
  type FormFields,
  type FormFile,
  type HttpMethod,
  type Keyed,
  type Problem,
  type Reply,
} from '@mortise/plugin-sdk';
import { userSchema, type Account, type ApiUser } from '@mortise/accounts/api';
import { repositorySchema, type ApiRepository } from '@mortise/repositories/api';

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
  readonly packageProperties?: Properties;
  readonly versionProperties?: Properties;
  /** The version is there already: `conflict` (default, 409) or `join`: the files are added to it. */
  readonly onVersion?: 'conflict' | 'join';
  /** The version holds such a file already: `conflict` (default, 409) or `replace`. */
  readonly onFile?: 'conflict' | 'replace';
  /** Link a package that is not linked yet. */
  readonly repositoryId?: number;
  readonly isInternal?: boolean;
  /** More writes in the same transaction (only SQL); throwing undoes all. */
  within?(details: PackageDetails): Promise<void>;
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
  readonly limit: number;
  readonly offset: number;
}

export interface PackageStore {
  /** Case-insensitive. */
  find(ownerId: number, type: string, name: string): Promise<Package | undefined>;
  byIds(ids: readonly number[]): Promise<Map<number, Package>>;
  findVersion(packageId: number, version: string): Promise<PackageVersion | undefined>;
  /** All versions, newest first. */
  versions(packageId: number): Promise<PackageVersion[]>;
  latest(packageId: number): Promise<PackageVersion | undefined>;
  /** Newest first. */
  search(search: VersionSearch): Promise<{ items: { package: Package; version: PackageVersion }[]; total: number }>;
  /** Files of versions by version id, ordered by name. */
  files(versionIds: readonly number[]): Promise<Map<number, PackageFile[]>>;
  findFile(versionId: number, name: string, compositeKey?: string): Promise<PackageFile | undefined>;
  /** `undefined`: all names. Keyed by the id of what they belong to. */
  properties(
    of: 'package' | 'version' | 'file',
    ids: readonly number[],
    name?: string,
  ): Promise<Map<number, { name: string; value: string }[]>>;
  /** Of each package, by its id, the version that has a property of that value; one statement however many. */
  versionsWith(packageIds: readonly number[], name: string, value: string): Promise<Map<number, PackageVersion>>;
  /** Replaces all values of one name; in the caller's transaction or its own. */
  setProperty(of: 'package' | 'version' | 'file', id: number, name: string, values: readonly string[]): Promise<void>;
  setMetadata(versionId: number, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Stores content before anything refers to it: refuses over the format's size limit (Forbidden) while it reads.
   * Not inside a transaction.
   */
  receive(type: string, content: Readable | Buffer, actor: Actor, declaredSize?: number): Promise<ReceivedBlob>;
  /** One transaction: package, version, files, properties, quotas, events. Emits {@link packageCreated} for a new version. */
  publish(request: PublishRequest): Promise<PackageDetails>;
  deleteVersion(package_: Package, version: PackageVersion, actor: Actor): Promise<void>;
  deletePackage(package_: Package, actor: Actor): Promise<void>;
  /** The last file takes its version with it. */
  deleteFile(package_: Package, version: PackageVersion, file: PackageFile, actor: Actor): Promise<void>;
  /** The answer of a download with all headers, ranges and conditions; counts when the file is a lead (GET). */
  download(
    file: PackageFile,
    request: { method: string; headers: Readonly<Record<string, string | undefined>> },
  ): Promise<Reply>;
  open(file: PackageFile, range?: { start: number; end?: number }): Promise<Readable>;
  link(package_: Package, repositoryId: number): Promise<void>;
  unlink(package_: Package): Promise<void>;
  /** `/{owner}/-/packages/{type}/{name}/{version}` with the site's address. */
  htmlUrl(owner: Account, package_: Package, version?: PackageVersion): string;
}
export const packageStore = defineService<PackageStore>('packages.store');

/** What an actor may do with an owner's packages. */
export type PackageAccessMode = 'none' | 'read' | 'write' | 'owner';
export interface PackageAccess {
  mode(actor: Actor, owner: Account): Promise<PackageAccessMode>;
}
export const packageAccess = defineService<PackageAccess>('packages.access');

/** Extension point: raises an actor's mode on owners of other kinds (members and teams of organizations). */
export interface PackageAccessSource extends Keyed {
  mode(actor: Actor, owner: Account): Promise<PackageAccessMode | undefined>;
}
export const packageAccessSources = definePoint.keyed<PackageAccessSource>('packages.accessSources');

// ---------------------------------------------------------------- formats

/** A form on its way: nothing of it is read before the handler asks, and no file is held in memory. */
export interface PackageForm {
  /** Reads it to its end. `onFile` gets one file after the other, with the fields before it; gives all fields. */
  read(onFile?: (file: FormFile, fields: FormFields) => Promise<void>): Promise<FormFields>;
}

/** What the handler of a registry route gets: the owner is found, access is checked, the body has been read. */
export interface PackageRequest<B = unknown> {
  readonly method: string;
  readonly owner: Account;
  readonly actor: Actor;
  readonly mode: PackageAccessMode;
  /** Decoded after matching: `%2f` stays inside one. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * By `body` of the route: parsed JSON, a Buffer, a Readable (the file of a form, or the raw bytes) or a
   * {@link PackageForm}.
   */
  readonly body: B;
  /** Bytes that the client announced; undefined when it did not. */
  readonly contentLength?: number;
  /** Address of the format's root for this owner: `https://host/api/packages/alice/npm`. */
  readonly baseUrl: string;
  readonly signal: AbortSignal;
}

/** One route of a registry, below `/api/packages/{owner}/{format}`. */
export interface PackageRoute {
  readonly method: HttpMethod;
  /**
   * `/{name}/{version}`; `{path+}` takes one or more whole segments, `{path*}` also none; text may stand around a
   * parameter (`/@{scope}/{name}`, `/{version}.info`). Routes are tried in order. HEAD is answered for every GET.
   */
  readonly path: string;
  /** Mode that is needed on the owner's packages. `none`: the route does not care (ping, sign-in). */
  readonly needs: 'read' | 'write' | 'none';
  /**
   * `none` (default for GET): unread; `json` and `buffer`: at most `maxBytes` (default 2 MiB); `stream`: as it comes;
   * `form`: fields and files of a form, see {@link PackageForm}.
   */
  readonly body?: 'none' | 'json' | 'buffer' | 'stream' | 'form';
  readonly maxBytes?: number;
  /** A plain value is sent as JSON with 200; undefined is an empty 200. */
  handler(request: PackageRequest): Promise<unknown> | unknown;
}

/** What each kind of body is for the handler. */
export interface PackageBodies {
  readonly none: undefined;
  readonly json: unknown;
  readonly buffer: Buffer;
  readonly stream: Readable;
  readonly form: PackageForm;
}

/** Checks the type of the body where a route is written: `body: 'stream'` gives the handler a Readable. */
export function definePackageRoute<const B extends keyof PackageBodies = 'none'>(
  route: Omit<PackageRoute, 'body' | 'handler'> & {
    readonly body?: B;
    handler(request: PackageRequest<PackageBodies[B]>): Promise<unknown> | unknown;
  },
): PackageRoute {
  return route as PackageRoute;
}

/** What the page of a version shows of the format. */
export interface PackageView extends PackageDetails {
  readonly owner: Account;
  readonly versions: readonly PackageVersion[];
  /** Address of the format's root for this owner. */
  readonly baseUrl: string;
  readonly host: string;
  /** Who looks at the page, and the token of its forms. */
  readonly actor: Actor;
  readonly csrf: string;
}

/** Extension point: a registry protocol. One folder, no edit elsewhere. */
export interface PackageFormat extends Keyed {
  /** Path segment, value of `type` and name in the setting `LIMIT_SIZE_<KEY>`: `npm`. */
  readonly key: string;
  /** A proper name: the same in all languages. */
  readonly label: string;
  /** Octicon name; default `package`. */
  readonly icon?: string;
  readonly order?: number;
  readonly routes: readonly PackageRoute[];
  /** Shape of refusals; default `text/plain` with the message. 401 is always plain text. */
  error?(problem: Problem): Reply;
  /** In the deleting transaction, after the rows went: rebuild indexes, move tags. Only SQL. */
  deleted?(package_: Package, remaining: readonly PackageVersion[]): Promise<void>;
  /** After commit of any change of an owner's packages of this format: rebuild what lies in files. */
  changed?(owner: Account, package_: Package): Promise<void>;
  /** How to set up the client and install this version. Texts are made in the components of what it returns. */
  instructions?(view: PackageView): VNode | Promise<VNode>;
  /** Description, dependencies … of this version; texts as above. */
  about?(view: PackageView): VNode | null | Promise<VNode | null>;
  /** The readme of this version, with the name of its file, by which it is rendered (`README.md`). */
  readme?(view: PackageView): { readonly fileName: string; readonly text: string } | undefined;
  /** Names that lead to versions, such as `latest` → `1.2.0`; the page of a package shows the version of `latest`. */
  tags?(package_: Package): Promise<Readonly<Record<string, string>>>;
  /** Of each package, by its id, the version that the registry calls the latest; lists show the newest of the others. */
  latest?(packages: readonly Package[]): Promise<ReadonlyMap<number, PackageVersion>>;
}
export const packageFormats = definePoint.keyed<PackageFormat>('packages.formats');

// ---------------------------------------------------------------- events and jobs

export interface PackageEvent {
  readonly ownerId: number;
  readonly packageId: number;
  readonly versionId: number;
  readonly repositoryId: number;
  readonly actorId: number;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly creatorId: number;
  readonly createdAt: number;
}
/** A version was published. */
export const packageCreated = defineEvent<PackageEvent>('packages.created');
/** A version was deleted. */
export const packageDeleted = defineEvent<PackageEvent>('packages.deleted');

/** Removes packages without versions, and blobs without files. */
export const cleanUpPackages = defineJob<Record<string, never>>('packages.cleanUp');

// ---------------------------------------------------------------- REST models

export interface ApiPackage {
  id: number;
  owner: ApiUser;
  repository: ApiRepository | null;
  creator: ApiUser;
  type: string;
  name: string;
  version: string;
  html_url: string;
  created_at: string;
}

export const packageSchema = Joi.object<ApiPackage>({
  id: Joi.number().integer().required(),
  owner: userSchema.required(),
  repository: repositorySchema.allow(null).required(),
  creator: userSchema.required(),
  type: Joi.string().required(),
  name: Joi.string().required(),
  version: Joi.string().required(),
  html_url: Joi.string().required(),
  created_at: Joi.string().isoDate().required(),
}).label('Package');

export const packageFileSchema: Joi.ObjectSchema<object> = Joi.object({
  id: Joi.number().integer().required(),
  size: Joi.number().integer().required(),
  name: Joi.string().required(),
  md5: Joi.string().required(),
  sha1: Joi.string().required(),
  sha256: Joi.string().required(),
  sha512: Joi.string().required(),
}).label('PackageFile');
