import type { Text } from './language.js';

/** Categories of token scopes (spec, Authentication 7); plugins add others through the point `core.tokenCategories`. */
export const tokenCategories = [
  'activitypub',
  'admin',
  'issue',
  'misc',
  'notification',
  'organization',
  'package',
  'repository',
  'user',
] as const;
export type TokenCategory = (typeof tokenCategories)[number] | (string & {});

/** A category of token scopes that a plugin brings along. Its key is the word of the scope, `[a-z][a-z0-9_]*`. */
export interface AddedTokenCategory {
  readonly key: string;
  readonly label: Text;
  /** What tokens with it are good for, in a sentence. */
  readonly note: Text;
}

/** `write` includes `read`, `delete` includes `write`. */
export type TokenLevel = 'none' | 'read' | 'write' | 'delete';

/** Who acts: one shape for every way of signing in. */
export interface Actor {
  /** `task`: a job of Actions, with the rights of that job alone; `system`: the site itself, see {@link systemActor}. */
  readonly kind: 'anonymous' | 'user' | 'deploy-key' | 'task' | 'system';
  /** User id; 0 for anonymous, deploy keys and the site, -2 for a task. */
  readonly id: number;
  readonly name: string;
  readonly isAdmin: boolean;
  /** A restricted user sees only what it was expressly given. */
  readonly isRestricted: boolean;
  /** Key of the auth method that made this actor (`basic`, `token`, `session`, …); empty for anonymous. */
  readonly method: string;
  /** Scopes of the credential by category; undefined: not limited (password, session). */
  readonly scopes?: Readonly<Partial<Record<TokenCategory, TokenLevel>>>;
  /** The credential reaches only public repositories and owners (spec, Authentication 8). */
  readonly publicOnly: boolean;
  /** Id of the access token, deploy key, task or session behind this actor. */
  readonly credentialId?: number;
  /** When that credential ends, in milliseconds since 1970 UTC: what is made with it must not outlive it. Undefined: it does not. */
  readonly credentialExpiresAt?: number;
  /** The user whose credentials were used when an administrator acts for another (sudo). */
  readonly sudoBy?: number;
  /** What the credential brings with it beyond scopes; made and read through {@link defineGrant}. */
  readonly grants?: Grants;
}

/** Grants of an actor by the ids of their kinds. */
type Grants = Readonly<Record<string, unknown>>;

/** A kind of grant: something that a credential brings with it, such as the repository of a deploy key. */
export interface GrantKind<T> {
  readonly id: string;
  /** For {@link Actor.grants}; several are spread into one object. */
  make(value: T): Grants;
  of(actor: Pick<Actor, 'grants'>): T | undefined;
}

/** `id`: `plugin.camelCase`. The value is plain data. */
export function defineGrant<T>(id: string): GrantKind<T> {
  return Object.freeze({
    id,
    make: (value: T) => ({ [id]: value }),
    of: ({ grants }: Pick<Actor, 'grants'>) => grants?.[id] as T | undefined,
  });
}

export const anonymous: Actor = Object.freeze({
  kind: 'anonymous',
  id: 0,
  name: '',
  isAdmin: false,
  isRestricted: false,
  method: '',
  publicOnly: false,
});

/** Work that nobody signed in for, done as the site sees things. */
export const systemActor = (name: string): Actor =>
  Object.freeze({ ...anonymous, kind: 'system', name, isAdmin: true });

const rank: Record<TokenLevel, number> = { none: 0, read: 1, write: 2, delete: 3 };

/** Does the actor's credential hold the category at that level? Credentials without scopes hold everything. */
export function holdsScope(actor: Actor, category: TokenCategory, level: TokenLevel): boolean {
  if (!actor.scopes) return true;
  return rank[actor.scopes[category] ?? 'none'] >= rank[level];
}

/** The connection that a request came over. Where a proxy stands before Mortise, that is the proxy's. */
export interface AuthConnection {
  /** Address of the other end, whatever headers say. */
  readonly peerAddress: string;
  readonly peerPort: number;
  /** The other end is in `[security] REVERSE_PROXY_TRUSTED_PROXIES`: what its headers say may be believed. */
  readonly isTrustedProxy: boolean;
  /** TLS up to Mortise itself. */
  readonly isEncrypted: boolean;
  /** The same for all requests of the connection: a key for what a method remembers of it (`WeakMap`). */
  readonly key: object;
  /** Certificate of the client in PEM, where TLS asked for one. */
  readonly clientCertificate: string | undefined;
}

/** What an auth method sees of a request. Header names are lower case. */
export interface AuthRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** Address of the client, as trusted proxies tell it. */
  readonly remoteAddress: string;
  readonly connection: AuthConnection;
  readonly surface: Surface;
}

/** `api`: JSON API, `page`: a page for people, `protocol`: git, package registries and other clients. */
export type Surface = 'api' | 'page' | 'protocol';

/** `undefined`: not mine, ask the next. `actor`: it is me. `refuse`: mine, and wrong: 401 with the message. */
export type AuthResult =
  | undefined
  | { readonly actor: Actor; readonly headers?: Readonly<Record<string, string>> }
  | { readonly refuse: Text; readonly headers?: Readonly<Record<string, string>> };

/** Extension point `core.authMethods`: one way of telling who acts. */
export interface AuthMethod {
  readonly key: string;
  /** Lower is asked first. */
  readonly order?: number;
  /** Where it is asked; default: everywhere. */
  readonly surfaces?: readonly Surface[];
  /**
   * Value of `WWW-Authenticate` in a 401. A text, for instance `Basic realm="Mortise"`, is for the `protocol` surface; a
   * function tells it for each request of its surfaces. Where it tells one for a page, who must sign in gets a 401 with a
   * link to the sign-in page in place of a redirect to it.
   */
  readonly challenge?: string | ((request: AuthRequest) => string | undefined | Promise<string | undefined>);
  /**
   * Browsers send this credential by themselves, to every request and whichever page caused it (cookie, client
   * certificate, Kerberos, header of a proxy): what is written with it is checked for its origin on all surfaces, and
   * for the CSRF token on pages and in the API.
   */
  readonly ambient?: boolean;
  /**
   * Does the request carry a credential of this kind? Asked when `authenticate` has thrown: a request that does gets 503,
   * others go on to the next method. Without it, a program that sends `Authorization`
   * and is known to nobody gets 503.
   */
  recognizes?(request: AuthRequest): boolean;
  /** Asked on every request: answer `undefined` at once, not through a promise, where the request has nothing for it. */
  authenticate(request: AuthRequest): AuthResult | Promise<AuthResult>;
}
