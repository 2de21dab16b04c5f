import type { Readable } from 'node:stream';
import { defineService, downloadPolicy, Joi, type Actor, type Reply } from '@mortise/plugin-sdk';

/** Keys of `[package-<format>]` of a format that passes on what is not here. */
export interface UpstreamSettings {
  UPSTREAM: string;
  UPSTREAM_USERNAME: string;
  UPSTREAM_PASSWORD: string;
  UPSTREAM_OWN_NAMES: string;
}

/** With the key of formats whose clients exchange credentials for tokens: the host that sees them besides the registry's own. */
export interface TokenUpstreamSettings extends UpstreamSettings {
  UPSTREAM_SIGN_IN_HOST?: string;
}

/** `[package-<format>]`; `example`: the public registry of the format, `ownNames`: patterns as they look in it. */
export const upstreamSettings = (example: string, ownNames: string) =>
  Joi.object<UpstreamSettings, true>({
    UPSTREAM: Joi.string()
      .uri({ scheme: ['http', 'https'] })
      .allow('')
      .default('')
      .description(
        `Registry that is asked for what is not here, and whose answers are kept, such as ${example}; empty: none.`,
      ),
    UPSTREAM_USERNAME: Joi.string().allow('').default('').description('Name at the upstream; empty: nobody.'),
    UPSTREAM_PASSWORD: Joi.string()
      .allow('')
      .default('')
      .description('Password or token at the upstream. What it opens is open to everybody who is signed in here.')
      .meta({ secret: true }),
    UPSTREAM_OWN_NAMES: Joi.string()
      .allow('')
      .default('')
      .description(
        `Names that the upstream is never asked for, besides those that exist here: patterns with commas, such as ${ownNames}.`,
      ),
  });

/** Stands in kept documents for the address of the format's root, which is another one for each owner. */
export const upstreamBase = '{mortise-upstream-base}';

/** Bytes; a longer document is read in a thread, since it would hold the event loop. */
export const longDocument = 512 * 1024;

/** For what others wrote and the site's own origin shows: nothing in it may run. */
export const fenced = (answer: Reply, policy: string = downloadPolicy): Reply =>
  answer.header('content-security-policy', policy).header('x-content-type-options', 'nosniff');

/** A page for people, such as that of a sign-in or a proxy, in place of what was asked for. */
export const isWebPage = ({ 'content-type': type = '' }: Readonly<Record<string, string>>): boolean =>
  /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type);

/** What an upstream answered. */
export interface UpstreamAnswer {
  readonly body: Buffer;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What is kept of an answer. */
export interface UpstreamContent {
  readonly body: Buffer | string;
  /** Media type; default that of the answer. */
  readonly type?: string;
  /** What the format wants to know again without reading the body: JSON, for instance the checksums of files. */
  readonly facts?: unknown;
}

export interface UpstreamDocumentRequest {
  /** Whoever asks: people take turns. */
  readonly actor: Actor;
  /** Below the address of the upstream, with a leading slash. */
  readonly path: string;
  readonly accept?: string;
  /** Bytes; default 4 MiB. */
  readonly maxBytes?: number;
  /** What a token is asked for where the upstream wants one: `repository:library/alpine:pull`. */
  readonly scope?: string;
  /** It never changes, and is never asked for again. */
  readonly isFinal?: boolean;
  /** Checks the answer and makes what is kept of it; what it throws is a failure of the upstream. Default: the answer. */
  read?(answer: UpstreamAnswer): UpstreamContent | Promise<UpstreamContent>;
}

export interface UpstreamDocument {
  readonly body: Buffer;
  readonly type: string;
  /** Entity tag of the body. */
  readonly tag: string;
  readonly facts: unknown;
}

export interface UpstreamChecksum {
  readonly algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512';
  /** In small letters. */
  readonly hex: string;
}

export interface UpstreamFileRequest {
  /** Below the address of the upstream, or an address of any host that the upstream named. */
  readonly path: string;
  /** All must be right. None: the format knows none, the content never changes, and no page passes for it. */
  readonly checksums: readonly UpstreamChecksum[];
  /** What it must begin with. */
  readonly begins?: Buffer;
  /** Name to save it under; null: none is told. */
  readonly name: string | null;
  /** Default `application/octet-stream`. */
  readonly type?: string;
  readonly scope?: string;
}

/** The registry behind a format. Its failures are 502 and 504; what it does not have is `undefined` or 404. */
export interface Upstream {
  /** Without a slash at the end. */
  readonly address: string;
  /** Only people who are signed in are served. */
  readonly needsSignIn: boolean;
  /**
   * Before anything is asked: throws 401 for visitors who are not signed in, and 404 for names that are the site's own by
   * setting. That no package here has the name is seen to by the format. Names in segments: `@acme/tool`, `com/acme/tool`.
   */
  admit(actor: Actor, name: string): void;
  /** A document that changes: kept, asked for again when it is no longer fresh, and served old while nobody answers. */
  document(request: UpstreamDocumentRequest): Promise<UpstreamDocument | undefined>;
  /** The body for an owner, with {@link upstreamBase} replaced, and its entity tag. */
  page(document: UpstreamDocument, baseUrl: string): { readonly text: Buffer; readonly tag: string };
  /** The same for documents of any length: long ones are sent in pieces, and 503 where too many are being sent. */
  content(document: UpstreamDocument, baseUrl: string): { readonly content: Buffer | Readable; readonly tag: string };
  /**
   * A file: sent while it is fetched and checked, and kept; never ended or kept where a checksum is wrong, and given up where
   * all clients have gone.
   */
  file(
    request: {
      readonly method: string;
      readonly headers: Readonly<Record<string, string | undefined>>;
      readonly actor: Actor;
      readonly signal: AbortSignal;
    },
    file: UpstreamFileRequest,
  ): Promise<Reply>;
}

export interface Upstreams {
  /** Undefined: the format has no upstream, and does as if there were no such thing. */
  open(format: string, settings: Readonly<TokenUpstreamSettings>): Upstream | undefined;
}
export const upstreams = defineService<Upstreams>('packages.upstreams');
