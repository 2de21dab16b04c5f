import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  anonymous,
  Forbidden,
  Unauthorized,
  type Actor,
  type AuthMethod,
  type AuthRequest,
  type AuthResult,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { PackageTokens } from '../api.js';

interface Claims {
  readonly aud: string;
  readonly sub: number;
  readonly exp: number;
  readonly scopes?: Actor['scopes'];
  readonly publicOnly?: boolean;
}

const audience = 'packages';
const method = 'package-token';
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = encode({ alg: 'HS256', typ: 'JWT' });

/** JWTs (HS256) that registries hand out in exchange for other credentials. */
export class Tokens implements PackageTokens {
  constructor(private readonly secret: Buffer) {}

  /** Unauthorized for a token of this kind: one for another would outlive the credentials that the first was given for. */
  issue(actor: Actor, maxSeconds: number): { token: string; seconds: number } {
    const { id, kind, method: by, scopes, publicOnly, credentialExpiresAt = Infinity } = actor;
    if (kind === 'user' && by === method) throw Unauthorized('sign in with a password or an access token');
    const now = Math.floor(Date.now() / 1000);
    const seconds = Math.max(0, Math.min(maxSeconds, Math.floor(credentialExpiresAt / 1000) - now));
    const claims: Claims = {
      aud: audience,
      sub: kind === 'user' ? id : 0,
      exp: now + seconds,
      ...(scopes && { scopes }),
      ...(publicOnly && { publicOnly }),
    };
    const text = `${header}.${encode(claims)}`;
    return { token: `${text}.${this.sign(text)}`, seconds };
  }

  /** Undefined: none of ours; null: ours, and over. */
  read(token: string): Claims | null | undefined {
    const [head, body = '', signature = '', ...more] = token.split('.');
    if (head !== header || more.length > 0) return undefined;
    const [given, wanted] = [Buffer.from(signature), Buffer.from(this.sign(`${head}.${body}`))];
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Claims;
    if (claims.aud !== audience) return undefined;
    return claims.exp * 1000 < Date.now() ? null : claims;
  }

  private sign(text: string): string {
    return createHmac('sha256', this.secret).update(text).digest('base64url');
  }
}

/** Such a token as `Bearer`, for registries alone. */
export function packageTokenMethod(
  tokens: Tokens,
  accounts: Accounts,
  isRegistry: (path: string) => boolean,
): AuthMethod {
  const signIn = async (claims: Claims): Promise<AuthResult> => {
    if (claims.sub === 0) return { actor: { ...anonymous, method } };
    const account = await accounts.byId(claims.sub);
    if (!account) return { refuse: 'the token is not known' };
    const refusal = accounts.refusal(account);
    if (refusal) throw Forbidden(refusal);
    return {
      actor: accounts.actorOf(account, method, { scopes: claims.scopes, publicOnly: claims.publicOnly ?? false }),
    };
  };
  return {
    key: method,
    order: 5,
    surfaces: ['protocol'],
    authenticate(request: AuthRequest) {
      const { authorization } = request.headers;
      if (!authorization?.startsWith(`Bearer ${header}.`) || !isRegistry(request.path)) return undefined;
      const claims = tokens.read(authorization.slice(7).trim());
      if (claims === undefined) return undefined;
      return claims === null ? { refuse: 'the token has expired' } : signIn(claims);
    },
  };
}

/** After all others: a client that shows an empty `Authorization` header has lost its credentials, and is no visitor. */
export const emptyHeaderMethod = (isRegistry: (path: string) => boolean): AuthMethod => ({
  key: 'package-empty-header',
  order: 100,
  surfaces: ['protocol'],
  authenticate: ({ headers, path }) =>
    headers.authorization === '' && isRegistry(path) ? { refuse: 'the Authorization header is empty' } : undefined,
});
