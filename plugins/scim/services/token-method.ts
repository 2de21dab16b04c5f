import {
  anonymous,
  defineGrant,
  defineResource,
  Unauthorized,
  type AuthMethod,
  type ResourceResolver,
} from '@mortise/plugin-sdk';
import type { ScimToken, ScimTokens } from './tokens.js';

export const basePath = '/scim/v2';

/** What a SCIM token brings with it. */
const scimGrant = defineGrant<ScimToken>('scim.token');

/** `Authorization: Bearer …` with a SCIM token, on SCIM addresses only: it is nobody's and opens nothing else. */
export const scimMethod = ({ tokens }: { readonly tokens: ScimTokens }): AuthMethod => ({
  key: 'scim',
  order: 3,
  surfaces: ['protocol'],
  authenticate({ path, headers }) {
    if (!path.startsWith(`${basePath}/`)) return undefined;
    const secret = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (secret === undefined) return undefined;
    return tokens.authenticate(secret).then((token) =>
      token
        ? {
            actor: {
              ...anonymous,
              kind: 'system',
              name: `SCIM ${token.name}`,
              method: 'scim',
              credentialId: token.id,
              grants: scimGrant.make(token),
            },
          }
        : { refuse: 'the SCIM token is not known' },
    );
  },
});

/** The token that a request came with; 401 without one, whoever else is signed in. */
export const scimTokenResource = defineResource<ScimToken>('scim.token');

export const scimTokenResolver: ResourceResolver<ScimToken> = {
  key: scimTokenResource.id,
  resolve: async ({ actor }) => {
    const token = scimGrant.of(actor);
    if (!token) throw Unauthorized('A SCIM token is required.', { headers: { 'www-authenticate': 'Bearer' } });
    return token;
  },
};
