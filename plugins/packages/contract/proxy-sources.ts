import type { Readable } from 'node:stream';
import { defineService, downloadPolicy, Joi, type Actor, type Reply } from '@mortise/plugin-sdk';

/** Settings `[package-<format>]` of a format that proxies a public registry. */
interface ProxySettings {
  UPSTREAM: string;
  UPSTREAM_USERNAME: string;
  UPSTREAM_PASSWORD: string;
  UPSTREAM_OWN_NAMES: string;
}

/** With the key of formats whose clients exchange credentials for tokens: the host that sees them besides the registry's own. */
export interface TokenProxySettings extends ProxySettings {
  UPSTREAM_SIGN_IN_HOST?: string;
}

/** `[package-<format>]`; `example`: the public registry of the format, `ownNames`: patterns as they look in it. */
export const proxySettings = (example: string, ownNames: string) =>
  Joi.object<ProxySettings, true>({
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

/** Placeholder in cached documents for the address of the format's root, which differs for each owner. */
export const proxyBase = '{mortise-upstream-base}';

/** Bytes; a longer document is read in a thread, since it would hold the event loop. */
export const longDocumentBytes = 512 * 1024;

/** For what others wrote and the site's own origin shows: nothing in it may run. */
export const withDownloadFence = (answer: Reply, policy: string = downloadPolicy): Reply =>
  answer.header('content-security-policy', policy).header('x-content-type-options', 'nosniff');

/** An HTML page, such as that of a sign-in or a proxy, in place of the requested document. */
export const isWebPage = ({ 'content-type': type = '' }: Readonly<Record<string, string>>): boolean =>
  /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type);

/** Response of a proxy source. */
export interface ProxyResponse {
  readonly body: Buffer;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What is cached of a response. */
export interface ProxyContent {
  readonly body: Buffer | string;
  /** Media type; default that of the answer. */
  readonly type?: string;
  /** Properties that the format needs without reading the body: JSON, for instance the checksums of files. */
  readonly properties?: unknown;
}

export interface ProxyDocumentRequest {
  /** Requests of different actors are served in turn. */
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
  /** Checks the response and returns what is cached; what it throws is a failure of the source. Default: the response. */
  read?(answer: ProxyResponse): ProxyContent | Promise<ProxyContent>;
}

export interface ProxyDocument {
  readonly body: Buffer;
  readonly type: string;
  /** Entity tag of the body. */
  readonly tag: string;
  readonly properties: unknown;
}

export interface ProxyChecksum {
  readonly algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512';
  /** In small letters. */
  readonly hex: string;
}

export interface ProxyFileRequest {
  /** Below the address of the upstream, or an address of any host that the upstream named. */
  readonly path: string;
  /** All must be right. None: the format knows none, the content never changes, and no page passes for it. */
  readonly checksums: readonly ProxyChecksum[];
  /** Bytes that it must begin with. */
  readonly prefix?: Buffer;
  /** Name to save it under; null: none is told. */
  readonly name: string | null;
  /** Default `application/octet-stream`. */
  readonly type?: string;
  readonly scope?: string;
}

/** The proxied registry of a format. Its failures are 502 and 504; missing content is `undefined` or 404. */
export interface ProxySource {
  /** Without a slash at the end. */
  readonly address: string;
  /** Only signed-in users are served. */
  readonly needsSignIn: boolean;
  /**
   * Before anything is asked: throws 401 for visitors who are not signed in, and 404 for names that are the site's own by
   * setting. That no package here has the name is seen to by the format. Names in segments: `@acme/tool`, `com/acme/tool`.
   */
  admit(actor: Actor, name: string): void;
  /** A document that changes: cached, requested again when it is no longer fresh, and served stale while the source fails. */
  document(request: ProxyDocumentRequest): Promise<ProxyDocument | undefined>;
  /** The body for an owner, with {@link proxyBase} replaced, and its entity tag. */
  page(document: ProxyDocument, baseUrl: string): { readonly text: Buffer; readonly tag: string };
  /** The same for documents of any length: long ones are sent in pieces, and 503 where too many are being sent. */
  content(document: ProxyDocument, baseUrl: string): { readonly content: Buffer | Readable; readonly tag: string };
  /**
   * A file: sent while it is fetched and checked, and cached; aborted where a checksum is wrong, and cancelled where
   * all clients have gone.
   */
  file(
    request: {
      readonly method: string;
      readonly headers: Readonly<Record<string, string | undefined>>;
      readonly actor: Actor;
      readonly signal: AbortSignal;
    },
    file: ProxyFileRequest,
  ): Promise<Reply>;
}

export interface ProxySources {
  /** Undefined: the format has no upstream, and does as if there were no such thing. */
  open(format: string, settings: Readonly<TokenProxySettings>): ProxySource | undefined;
}
export const proxySources = defineService<ProxySources>('packages.proxySources');
