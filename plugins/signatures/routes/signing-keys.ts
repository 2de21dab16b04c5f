import { defineRoute, Joi, NotFound, reply, type Route } from '@mortise/plugin-sdk';
import { repositoryResource } from '@mortise/repositories/api';
import type { ServerSigning } from '../contract/signatures.js';

const kinds = [
  { file: 'signing-key.gpg', format: 'openpgp', id: 'getSigningKey', repositoryId: 'repoSigningKey' },
  { file: 'signing-key.pub', format: 'ssh', id: 'getSigningKeySSH', repositoryId: 'repoSigningKeySSH' },
] as const;

/** The public half of the key that the site signs with; 404 when it signs nothing (site-version-settings). */
export const signingKeyRoutes = ({ serverSigning }: { serverSigning: ServerSigning }): readonly Route[] =>
  kinds.flatMap(({ file, format, id, repositoryId }) => {
    const handler = async () => {
      const key = await serverSigning.publicKey(format);
      if (!key) throw NotFound('The site has no signing key.');
      return reply.text(key);
    };
    const summary = `The public key that the site signs with (${format === 'ssh' ? 'SSH' : 'OpenPGP'})`;
    const responses = { 200: Joi.string().label('SigningKey'), 404: null };
    return [
      defineRoute({
        method: 'GET',
        path: `/api/v1/${file}`,
        id,
        tags: ['miscellaneous'],
        summary,
        access: { actor: 'anyone' },
        responses,
        handler,
      }),
      defineRoute({
        method: 'GET',
        path: `/api/v1/repos/{owner}/{repo}/${file}`,
        id: repositoryId,
        tags: ['repository'],
        summary,
        access: { actor: 'anyone', scope: 'repository', resource: repositoryResource },
        responses,
        handler,
      }),
    ];
  });
