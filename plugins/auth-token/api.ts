/** The contract of `auth-token`: access tokens with scopes. */
import { defineService, type Actor, type TokenCategory, type TokenLevel } from '@mortise/plugin-sdk';
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
}

export interface Scopes {
  /** Undefined: everything. */
  readonly categories?: Readonly<Partial<Record<TokenCategory, TokenLevel>>>;
  readonly publicOnly: boolean;
}

export interface AccessTokens {
  list(userId: number, page: { limit: number; offset: number }): Promise<{ items: AccessToken[]; total: number }>;
  byId(id: number): Promise<AccessToken | undefined>;
  /**
   * Throws BadRequest for bad scopes or a name in use, Forbidden when the creating actor's own credential has less
   * scope (TOK-28). `secret` is shown once.
   */
  create(token: {
    userId: number;
    name: string;
    scopes: readonly string[];
    creator: Actor;
  }): Promise<{ token: AccessToken; secret: string }>;
  /** By id, or by name when it is no number; throws NotFound (TOK-07). */
  remove(userId: number, idOrName: string | number): Promise<void>;
  /** Whose token it is and what it may; undefined when there is none. Counts as a use. */
  find(secret: string): Promise<{ token: AccessToken; account: Account; scopes: Scopes } | undefined>;
}
export const accessTokens = defineService<AccessTokens>('auth-token.accessTokens');
