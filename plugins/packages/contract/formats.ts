import type { Readable } from 'node:stream';
import type { VNode } from 'preact';
import {
  definePoint,
  type Actor,
  type FormFields,
  type FormFile,
  type HttpMethod,
  type Keyed,
  type Problem,
  type Reply,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { PackageAccessMode } from './access.js';
import type { PackageIndexKind } from './indexes.js';
import type { Package, PackageDetails, PackageVersion } from './store.js';
import type { PackageTakeover } from './takeover.js';

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
  /** What follows the root in the address, undecoded, with a leading slash. */
  readonly path: string;
  readonly signal: AbortSignal;
}

/**
 * One route of a registry, below {@link PackageFormat.root}. The kernel knows each of them: the documents list them under
 * the tag of the format, metrics count them apart, and the authorization test walks them.
 */
export interface PackageRoute {
  readonly method: HttpMethod;
  /** Operation id in the documents; default: format, method and path in words, `npmGetPkg`. */
  readonly id?: string;
  /** What it is good for, in a line of the documents. */
  readonly summary?: string;
  /**
   * `/{name}/{version}`; `{path+}` takes one or more whole segments, `{path*}` also none; text may stand around a
   * parameter (`/@{scope}/{name}`, `/{version}.info`), and after one of several segments (`/{group+}.repo`). One that begins
   * with a point stands beside the root: `.repo` is `…/rpm.repo`. Routes are tried in order. HEAD is answered for every GET.
   */
  readonly path: string;
  /**
   * Mode that is needed on the owner's packages. `none`: reading, and no scope of tokens (ping, sign-in); `open`: nothing, also
   * where the owner is hidden, for what clients ask before they sign in and what tells nothing of the owner.
   */
  readonly needs: 'read' | 'write' | 'none' | 'open';
  /**
   * `none` (default for GET): unread; `json` and `buffer`: at most `maxBytes` (default 2 MiB); `stream`: as it comes;
   * `form`: fields and files of a form, see {@link PackageForm}.
   */
  readonly body?: 'none' | 'json' | 'buffer' | 'stream' | 'form';
  readonly maxBytes?: number;
  /** Fields of a `form` that are files also where the client gives them no file name. */
  readonly fileFields?: readonly string[];
  /** A plain value is sent as JSON with 200; undefined is an empty 200. */
  handler(request: PackageRequest): Promise<unknown> | unknown;
}

/** What each kind of body is for the handler. */
interface PackageBodies {
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
  /** All that are not hidden, the newest first; their `metadata` is empty. */
  readonly versions: readonly PackageVersion[];
  /** Address of the format's root for this owner. */
  readonly baseUrl: string;
  readonly host: string;
  /** Reader of the page. */
  readonly actor: Actor;
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
  /** Where the routes lie, with `{owner}` as a segment, for protocols whose clients know no other: `/v2/{owner}`. */
  readonly root?: string;
  readonly routes: readonly PackageRoute[];
  /** Header in which its clients send a token by itself, without a word before it: `authorization`. Not with a `root`. */
  readonly keyHeader?: string;
  /**
   * Lower-case prefixes of names whose packages need no other permission than reading the owner's packages. The API, pages and
   * lists show others only to who has a part in the owner ({@link PackageAccess.hasPart}); routes of the format see to it
   * themselves. Default: all are open.
   */
  readonly openNames?: readonly string[];
  /** Shape of refusals other than 401; default `text/plain` with the message. */
  error?(problem: Problem): Reply;
  /**
   * The same with who is refused, and for 401 too, with a challenge of its own (`www-authenticate`), also where credentials
   * are wrong or the owner is not there; undefined: as `error` has it, and 401 as plain text with `Basic`.
   */
  refusal?(problem: Problem, actor: Actor): Reply | undefined;
  /** Stored index files, such as signed ones. Indexes rendered from rows on request need none. */
  readonly index?: PackageIndexKind;
  /**
   * In the deleting transaction, after the rows went: rebuild indexes, move tags. Only SQL. The `metadata` of what remains is
   * empty.
   */
  deleted?(package_: Package, remaining: readonly PackageVersion[]): Promise<void>;
  /**
   * Ids of versions that no clean-up rule removes, for others need them. Asked where a rule would remove some, also in the
   * removing transaction. Only SQL.
   */
  inUse?(package_: Package): Promise<ReadonlySet<number>>;
  /**
   * Before a person deletes a version, or without one the whole package, by the API or a page; in that transaction: throws
   * where it must stay. Only SQL. Routes of the format see to it themselves.
   */
  checkDeletion?(package_: Package, version?: PackageVersion): Promise<void>;
  /** After commit of any change of an owner's packages of this format: rebuild what lies in files. */
  changed?(owner: Account, package_: Package): Promise<void>;
  /** The component that says how to set up the client and install this version. */
  readonly instructions?: (view: PackageView) => VNode;
  /** The component with description, dependencies … of this version. */
  readonly about?: (view: PackageView) => VNode | null;
  /** The readme of this version, with the name of its file, by which it is rendered (`README.md`). */
  readme?(view: PackageView): { readonly fileName: string; readonly text: string } | undefined;
  /** Names that lead to versions, such as `latest` → `1.2.0`; the page of a package shows the version of `latest`. */
  tags?(package_: Package): Promise<Readonly<Record<string, string>>>;
  /** Read only when another server is taken over: `async () => (await import('./takeover/npm.js')).npmTakeover`. */
  takeover?(): Promise<PackageTakeover>;
  /** Of each package, by its id, the version that the registry calls the latest; lists show the newest of the others. */
  latest?(packages: readonly Package[]): Promise<ReadonlyMap<number, PackageVersion>>;
}
export const packageFormats = definePoint.keyed<PackageFormat>('packages.formats');
