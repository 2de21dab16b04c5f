/** The contract of `auth-token`: access tokens with scopes. */
import {
  defineJob,
  defineService,
  type Actor,
  type AddedTokenCategory,
  type AuthRequest,
  type TokenCategory,
  type TokenLevel,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';

export interface AccessToken {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  /** In normal form (TOK-03), for instance `['public-only', 'read:user']` or `['all']`. */
  readonly scopes: readonly string[];
  readonly lastEight: string;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
  /** Equals `createdAt` until the first use (TOK-02). */
  readonly lastUsedAt: number;
  /** Nobody signs in with it from then on; 0: it does not end. */
  readonly expiresAt: number;
}

export interface Scopes {
  /** Undefined: everything. */
  readonly categories?: Readonly<Partial<Record<TokenCategory, TokenLevel>>>;
  readonly publicOnly: boolean;
}

/** A category that tokens can have a level of. */
export type OfferedCategory = AddedTokenCategory;

/** The words of scopes, for whatever hands out credentials with scopes. */
export interface TokenScopes {
  /** Those of the specification in its order, then those of plugins. */
  readonly categories: readonly OfferedCategory[];
  /** What a list of words means; throws BadRequest for an unknown word (TOK-03, TOK-13). */
  read(words: readonly string[]): Scopes;
  /** The same without words of plugins that are gone. */
  readStored(words: readonly string[]): Scopes;
  /** The normal form: no scope twice, none that another includes, the full set is `all`. */
  write(scopes: Scopes): string[];
  /** Does `wanted` go beyond `held`? Categories that are undefined are all of them (TOK-28). */
  exceeds(wanted: Scopes, held: Scopes['categories']): boolean;
}
export const tokenScopes = defineService<TokenScopes>('auth-token.scopes');

/** A text that may be a token, and how it came. */
export interface PresentedToken {
  readonly text: string;
  readonly form: 'query' | 'header' | 'basic';
  /** What is not a token may be something else there, such as a password. */
  readonly maybe: boolean;
}

/** The places of a request where tokens may be (TOK-08 to TOK-10), for methods with tokens of their own. */
export interface TokenUsage {
  /** The address first, where the settings allow it there. */
  tokens(request: AuthRequest): Iterable<PresentedToken>;
}
export const tokenUsage = defineService<TokenUsage>('auth-token.tokenUsage');

export interface AccessTokens {
  list(userId: number, page: { limit: number; offset: number }): Promise<{ items: AccessToken[]; total: number }>;
  byId(id: number): Promise<AccessToken | undefined>;
  /**
   * Throws BadRequest for bad scopes or a name in use, Invalid for an end that is past, Forbidden when the creating
   * actor's own credential has less scope (TOK-28) or ends sooner. `secret` is shown once.
   */
  create(token: {
    userId: number;
    name: string;
    scopes: readonly string[];
    creator: Actor;
    /** Milliseconds since 1970 UTC; default: it does not end. */
    expiresAt?: number;
  }): Promise<{ token: AccessToken; secret: string }>;
  /** Throws NotFound, BadRequest for a name in use, Invalid for one of a wrong length. */
  rename(userId: number, id: number, name: string): Promise<void>;
  /** By id, or by name when it is no number; throws NotFound (TOK-07). */
  remove(userId: number, idOrName: string | number): Promise<void>;
  /** Whose token it is and what it may; undefined when there is none, or it has expired. Counts as a use. */
  find(secret: string): Promise<{ token: AccessToken; account: Account; scopes: Scopes } | undefined>;
}
export const accessTokens = defineService<AccessTokens>('auth-token.accessTokens');

/** Tells owners of tokens that end soon. */
export const notifyOfExpiry = defineJob<Record<string, never>>('auth-token.notifyOfExpiry');
