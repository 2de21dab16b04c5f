import { Problem, definePoint, type Keyed, type Logger, type Text } from '@mortise/plugin-sdk';
import type { Readable } from 'node:stream';
import type {
  SourceComment,
  SourceIssue,
  SourceLabel,
  SourceMilestone,
  SourceProject,
  SourcePullRequest,
  SourceRelease,
  SourceRepository,
  SourceReview,
} from './records.js';

/** What can be brought along beside the code, as the bodies of the REST surface name it. */
export const importKinds = ['lfs', 'wiki', 'labels', 'milestones', 'releases', 'issues', 'pull_requests'] as const;
export type ImportKind = (typeof importKinds)[number];

/** A field of the form beside the address; also a field of the body of `POST /repos/migrate`. */
export interface SourceField {
  /** `auth_token`, `auth_username`, `auth_password`, `aws_access_key_id`, … */
  readonly name: string;
  readonly label: Text;
  readonly help?: Text;
  /**
   * A `password` is stored encrypted until the import is done, or 7 days after it failed or was cancelled, and is shown to
   * nobody. So is what the API sends without a field of the source. Default `text`.
   */
  readonly type?: 'text' | 'password';
  readonly required?: boolean;
}

/** What somebody wants to import, as a source gets it. */
export interface SourceOptions {
  /** `https://git.example/ada/abacus.git`: http, https, git or ssh, checked, without user name and password. */
  readonly address: string;
  /** By the name of the field: what was filled in, and credentials that stood in the address. */
  readonly values: Readonly<Record<string, string>>;
  readonly kinds: ReadonlySet<ImportKind>;
}

/** A piece of what a source gives. */
export interface SourcePage<T> {
  /** Few enough to be held in memory; those that came before (the source moved) are passed over. */
  readonly items: readonly T[];
  /** Where the next page begins, to be given as `after`; at most 500 characters. Absent: this was the last. */
  readonly next?: string;
  /** How many there are in all, for the progress; nobody relies on it. */
  readonly total?: number;
  /** What is left out of the page, and why: a sentence for each, shown with the step. */
  readonly leftOut?: readonly string[];
}
/** Pages from a position on; the first page without one. Ends after the page that has no `next`. */
export type SourcePages<T> = AsyncIterable<SourcePage<T>>;

/** What comments and reviews are asked for. */
export interface SourceSubject {
  readonly number: number;
  readonly isPull: boolean;
}

/**
 * One repository of a source. Each method asks the source when its pages are read, and not before. A method that is left
 * out, or that throws {@link notOffered}, is shown to the importer as "this source has none".
 */
export interface SourceReader {
  repository(): Promise<SourceRepository>;
  milestones?(after?: string): SourcePages<SourceMilestone>;
  labels?(after?: string): SourcePages<SourceLabel>;
  releases?(after?: string): SourcePages<SourceRelease>;
  /** Oldest first, without pull requests. */
  issues?(after?: string): SourcePages<SourceIssue>;
  /** Oldest first. */
  pullRequests?(after?: string): SourcePages<SourcePullRequest>;
  /** Comments of all issues and pull requests; those of others are passed over. One of the two. */
  comments?(after?: string): SourcePages<SourceComment>;
  /** Comments of one, where the source cannot give those of all at once. */
  commentsOf?(subject: SourceSubject, after?: string): SourcePages<SourceComment>;
  reviewsOf?(pull: SourceSubject, after?: string): SourcePages<SourceReview>;
  /** Boards of the repository, oldest first; they come with issues or pull requests. Few on one page: each may be large. */
  projects?(after?: string): SourcePages<SourceProject>;
}

/** A repository in the list of an owner. */
export interface ListedRepository {
  /** `owner/name` */
  readonly fullName: string;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  readonly isFork: boolean;
  /** To be given as the address of an import. */
  readonly address: string;
}

/** An answer of the source's API. */
export interface SourceAnswer<T> {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly data: T;
}

export interface SourceRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses beside 2xx that are answers: they do not throw. */
  readonly okStatuses?: readonly number[];
  /** Makes it a POST. */
  readonly body?: string;
  /** Further headers, made anew right before each attempt: signatures that hold for some minutes. */
  sign?(): Promise<Readonly<Record<string, string>>>;
  /** Does an answer that is no success ask to come back later, though neither its status nor its headers say so? */
  isLimit?(status: number, body: string): boolean;
}

/**
 * Requests to the source: each connection's resolved address is checked, also after a redirect, and headers with secrets
 * stay with the host that they were meant for. Paced by `Retry-After` and `X-RateLimit-*`; what fails for a moment is
 * tried again (`[migrations]` `MAX_ATTEMPTS`, `RETRY_BACKOFF`). Bounded in size and time. Throws {@link SourceFailure}.
 */
export interface SourceClient {
  /** An answer in JSON, at most 32 MiB. */
  json<T = unknown>(url: string, request?: SourceRequest): Promise<SourceAnswer<T>>;
  /** An answer in another language than JSON, at most 32 MiB. */
  text(url: string, request?: SourceRequest): Promise<SourceAnswer<string>>;
  /** GET of something large. */
  read<T>(url: string, take: (content: Readable) => Promise<T>, request?: SourceRequest): Promise<T>;
  /** The same as `fetch`, for client libraries that take one. */
  readonly fetch: typeof globalThis.fetch;
}

/** What a source must say again in the same way when an import goes on, such as how it numbers. A few short texts. */
export interface SourceMemory {
  get(key: string): string | undefined;
  set(key: string, value: string): Promise<void>;
}

/** What a source works with. */
export interface SourceTools {
  readonly client: SourceClient;
  /** Of this import; lists of repositories remember nothing. */
  readonly memory: SourceMemory;
  readonly log: Logger;
  /** Aborted when the import is cancelled or another process has it. */
  readonly signal: AbortSignal;
}

/** Extension point: a kind of service that repositories are imported from. One source is one small file. */
export interface MigrationSource extends Keyed {
  /** Value of `service` in the API: `gitea`, `github`, … */
  readonly key: string;
  readonly label: Text;
  /** What it is, in one sentence below its name. */
  readonly description: Text;
  /** Octicon name. */
  readonly icon?: string;
  readonly order?: number;
  readonly addressPlaceholder?: string;
  readonly fields: readonly SourceField[];
  /** What it can give beside the code. */
  readonly kinds: readonly ImportKind[];
  /** Throws `Invalid` for options that cannot be. Asks nobody. */
  check?(options: SourceOptions): void;
  /** Makes the reader; asks the source whether the repository is there and may be read. Throws {@link SourceFailure}. */
  connect(options: SourceOptions, tools: SourceTools): Promise<SourceReader>;
  /** The repositories of the owner that the address names (`https://git.example/ada`), for importing many at once. */
  listRepositories?(options: SourceOptions, tools: SourceTools, after?: string): SourcePages<ListedRepository>;
}
export const migrationSources = definePoint.keyed<MigrationSource>('migrations.sources');

/** Why a source gave nothing. */
export type SourceFailureReason =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  /** It asks us to come back later than an import can wait. */
  | 'limited'
  /** No connection, no answer in time, or an error of its own. */
  | 'unreachable'
  | 'tooLarge'
  /** What came is not what it documents. */
  | 'invalidData'
  /** It has nothing of the kind. */
  | 'notOffered';

/** What a source did wrong; the message is shown to the importer and holds no credentials. */
export class SourceFailure extends Problem {
  constructor(
    readonly reason: SourceFailureReason,
    message: string,
    /** Of `limited`: when it may be asked again, in milliseconds since 1970 UTC. */
    readonly until?: number,
  ) {
    super('invalid', message);
  }

  static override is(value: unknown): value is SourceFailure {
    return Problem.is(value) && 'reason' in value;
  }
}

/** Throw it where the source has nothing of the kind, such as an older version without the endpoint. */
export const notOffered = (what: string): SourceFailure => new SourceFailure('notOffered', what);
