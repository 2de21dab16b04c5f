import { Forbidden, type AuthMethod, type AuthResult } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { TokenUsage, TokenScopes } from '@mortise/auth-token/api';
import { applicationGrant } from '../contract/oauth2-provider.js';
import type { Grants } from './grants.js';
import { scopesOf } from './scope.js';
import { isSecret, prefixes } from './secrets.js';

/** Access tokens of applications. */
export function applicationMethod(
  grants: Grants,
  accounts: Accounts,
  words: TokenScopes,
  tokenUsage: TokenUsage,
): AuthMethod {
  const signIn = async (text: string): Promise<AuthResult> => {
    const found = isSecret('access', text) ? await grants.accessToken(text) : undefined;
    const account = found && (await accounts.byId(found.grant.user_id));
    if (!found || !account)
      return {
        refuse: 'The access token has expired or was revoked.',
        headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
      };
    const refusal = accounts.refusal(account);
    if (refusal) throw Forbidden(refusal);
    const { token, application } = found;
    const { categories, publicOnly } = scopesOf(token.scope, words);
    return {
      actor: accounts.actorOf(account, 'oauth2', {
        scopes: categories,
        publicOnly,
        credentialId: token.id,
        grants: applicationGrant.make({
          grantId: token.grant_id,
          applicationId: application.id,
          scope: token.scope,
        }),
      }),
    };
  };
  return {
    key: 'oauth2',
    order: 8,
    surfaces: ['api', 'protocol'],
    authenticate(request) {
      const { headers, query } = request;
      if (!headers.authorization && !query.access_token && !query.token) return undefined;
      for (const { text } of tokenUsage.tokens(request)) if (text.startsWith(prefixes.access)) return signIn(text);
      return undefined;
    },
  };
}
