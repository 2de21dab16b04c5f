import {
  defineGrant,
  Forbidden,
  holdsScope,
  NotFound,
  type Actor,
  type AuthMethod,
  type AuthRequest,
  type AuthResult,
  type QueryCache,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { AccessToken, PresentedToken, TokenUsage } from '../contract/auth-token.js';
import { hasExpired } from './expiry.js';
import { queryToken } from './token-usage.js';
import { hashOf, isToken, type TokenService } from './tokens.js';

/** How the token came: creating tokens is open to `basic` only (TOK-04). */
export const tokenForm = defineGrant<PresentedToken['form']>('auth-token.form');

/** Who acts with a token, and until when. */
export interface TokenActor extends Pick<AccessToken, 'expiresAt'> {
  readonly actor: Actor;
}

/** What tokens know beyond {@link AccessTokens}: who acts with them, without a promise where that is known already. */
export interface TokenActors {
  /** Who acts with it, as long as neither token nor account changed since it was last asked about. */
  peek(given: PresentedToken): Actor | undefined;
  /** Undefined: the token is not known. */
  load(given: PresentedToken): Promise<AuthResult>;
}

/** Keeps actors by their tokens: whatever changes token or account, in whichever process, ends that. */
export function cachedActors(
  tokens: Pick<TokenService, 'lookUp' | 'noteUse'>,
  accounts: Accounts,
  kept: QueryCache<TokenActor | undefined>,
): TokenActors {
  const keyOf = ({ text, form }: PresentedToken) => (isToken(text) ? `${form}:${hashOf(text)}` : undefined);
  const make = async (given: PresentedToken): Promise<TokenActor | undefined> => {
    const match = await tokens.lookUp(given.text);
    if (!match) return undefined;
    const refusal = accounts.refusal(match.account);
    if (refusal) throw Forbidden(refusal);
    const actor = accounts.actorOf(match.account, 'token', {
      scopes: match.scopes.categories,
      publicOnly: match.scopes.publicOnly,
      credentialId: match.token.id,
      ...(match.token.expiresAt > 0 && { credentialExpiresAt: match.token.expiresAt }),
      grants: tokenForm.make(given.form),
    });
    return { actor: Object.freeze(actor), expiresAt: match.token.expiresAt };
  };
  const used = ({ actor }: TokenActor): Actor => {
    tokens.noteUse(actor.credentialId!);
    return actor;
  };
  return {
    peek(given) {
      const key = keyOf(given);
      const found = key === undefined ? undefined : kept.get(key);
      return found && !hasExpired(found) ? used(found) : undefined;
    },
    async load(given) {
      const key = keyOf(given);
      const found = key === undefined ? undefined : await kept.load(key, () => make(given));
      if (!found) return undefined;
      return hasExpired(found) ? { refuse: 'the token has expired' } : { actor: used(found) };
    },
  };
}

/** Access tokens in header, basic or address. */
export function tokenMethod(actors: TokenActors, tokenUsage: TokenUsage): AuthMethod {
  const signIn = async (request: AuthRequest): Promise<AuthResult> => {
    for (const given of tokenUsage.tokens(request)) {
      const result = await actors.load(given);
      if (result) return result;
      if (!given.maybe) return { refuse: 'the token is not known' };
    }
    return undefined;
  };
  return {
    key: 'token',
    order: 10,
    surfaces: ['api', 'protocol'],
    authenticate: (request) => (!request.headers.authorization && !queryToken(request) ? undefined : signIn(request)),
  };
}

/**
 * The same for those that came before, ahead of all methods for which a token has to be computed with or looked for first:
 * what is an access token is none of theirs.
 */
export const knownTokenMethod = (actors: TokenActors, tokenUsage: TokenUsage): AuthMethod => ({
  key: 'known-token',
  order: 4,
  surfaces: ['api', 'protocol'],
  authenticate(request) {
    if (!request.headers.authorization && !queryToken(request)) return undefined;
    for (const given of tokenUsage.tokens(request)) {
      const actor = actors.peek(given);
      // what comes first decides
      return actor && { actor };
    }
    return undefined;
  },
});

const readingMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * An administrator acts as somebody else: `sudo` in the address or header (auth-sudo). It asks the other methods who
 * sent the request, so it works with each of them; scopes stay those of the credential,
 * which must hold `admin` at the level of the operation.
 */
export function sudoMethod(methods: PointReader<AuthMethod>, accounts: Accounts): AuthMethod {
  const actAs = async (name: string, request: AuthRequest): Promise<AuthResult> => {
    for (const method of methods.list()) {
      if (method.key === 'sudo' || method.surfaces?.includes(request.surface) === false) continue;
      const result = await method.authenticate(request);
      if (result === undefined) continue;
      if (!('actor' in result)) return result;
      if (!result.actor.isAdmin) break;
      const account = await accounts.byName(name);
      if (!account || account.kind !== 'user') throw NotFound('user');
      const { actor } = result;
      // a token for one's own profile must not become everybody's
      const level = readingMethods.includes(request.method.toUpperCase()) ? 'read' : 'write';
      if (!holdsScope(actor, 'admin', level))
        throw Forbidden(`Acting for another user needs the scope ${level}:admin.`);
      return {
        ...result,
        actor: accounts.actorOf(account, actor.method, {
          scopes: actor.scopes,
          publicOnly: actor.publicOnly,
          credentialId: actor.credentialId,
          credentialExpiresAt: actor.credentialExpiresAt,
          grants: actor.grants,
          sudoBy: actor.id,
        }),
      };
    }
    throw Forbidden('Only site administrators can act on behalf of another user.');
  };
  return {
    key: 'sudo',
    order: -100,
    surfaces: ['api'],
    authenticate(request) {
      const name = request.query.sudo || request.headers.sudo;
      return name ? actAs(name, request) : undefined;
    },
  };
}

/** TOK-08 */
export function queryWarning(request: {
  query: Readonly<Record<string, string | undefined>>;
  surface: string;
}): Record<string, string> | undefined {
  if (request.surface !== 'api' || !(request.query.token || request.query.access_token)) return undefined;
  const text = 'token and access_token API authentication is deprecated';
  return { warning: text, 'x-gitea-warning': text, 'x-mortise-warning': text };
}
