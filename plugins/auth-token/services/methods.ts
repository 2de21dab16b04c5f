import {
  defineGrant,
  Forbidden,
  NotFound,
  type AuthMethod,
  type AuthRequest,
  type AuthResult,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { AccessTokens, GivenToken, TokenPlaces } from '../api.js';
import { queryToken } from './places.js';

/** How the token came: creating tokens is open to `basic` only (TOK-04). */
export const tokenForm = defineGrant<GivenToken['form']>('auth-token.form');

/** Access tokens in header, basic or address. */
export function tokenMethod(tokens: AccessTokens, accounts: Accounts, places: TokenPlaces): AuthMethod {
  const signIn = async (request: AuthRequest): Promise<AuthResult> => {
    for (const given of places.tokens(request)) {
      const found = await tokens.find(given.text);
      if (!found) {
        if (given.maybe) continue;
        return { refuse: 'the token is not known' };
      }
      const refusal = accounts.refusal(found.account);
      if (refusal) throw Forbidden(refusal);
      return {
        actor: accounts.actorOf(found.account, 'token', {
          scopes: found.scopes.categories,
          publicOnly: found.scopes.publicOnly,
          credentialId: found.token.id,
          grants: tokenForm.make(given.form),
        }),
      };
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
 * An administrator acts as somebody else: `sudo` in the address or header (auth-sudo). It asks the other methods who
 * sent the request, so it works with each of them; scopes stay those of the credential.
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
      return {
        ...result,
        actor: accounts.actorOf(account, actor.method, {
          scopes: actor.scopes,
          publicOnly: actor.publicOnly,
          credentialId: actor.credentialId,
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
