import { BadRequest, reply, Unauthorized } from '@mortise/plugin-sdk';
import type { PackageRoute, PackageTokens } from '@mortise/packages/api';

const tokenSeconds = 24 * 3600;
const challenge = { headers: { 'www-authenticate': 'Basic realm="Mortise Package API"' } };

/** Signing in: credentials are exchanged for a token. The same for both versions of the protocol. */
export const userRoutes = (version: 1 | 2, tokens: PackageTokens): readonly PackageRoute[] => [
  {
    method: 'GET',
    path: `/v${version}/ping`,
    needs: 'none',
    id: `conanPing${version}`,
    handler: () => reply.text('').header('x-conan-server-capabilities', 'revisions'),
  },
  {
    method: 'GET',
    path: `/v${version}/users/authenticate`,
    needs: 'none',
    id: `conanSignIn${version}`,
    summary: 'Exchange credentials for a token',
    handler: ({ actor }) => {
      if (actor.kind !== 'user') throw BadRequest('Sign in with a name and a password or token.');
      return reply.text(tokens.issue(actor, tokenSeconds).token);
    },
  },
  {
    method: 'GET',
    path: `/v${version}/users/check_credentials`,
    needs: 'none',
    id: `conanCheck${version}`,
    summary: 'Is the token good?',
    handler: ({ actor }) => {
      if (actor.kind !== 'user') throw Unauthorized('Authentication required.', challenge);
      return reply.text(actor.name);
    },
  },
];
