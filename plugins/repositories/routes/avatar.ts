import { Joi, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositoryResource } from '../api.js';
import { repositoryPath, tag, type RouteServices } from './route-options.js';

/** Pictures of repositories. */
export function avatarRoutes({ avatars, repositories }: Pick<RouteServices, 'avatars' | 'repositories'>): Route[] {
  const administer = {
    actor: 'anyone',
    scope: 'repository',
    resource: repositoryResource,
    mode: 'admin',
    noSignIn: true,
  } as const;
  return [
    defineRoute({
      method: 'POST',
      path: `${repositoryPath}/avatar`,
      id: 'repoUpdateAvatar',
      tags: tag,
      summary: 'Upload a picture',
      access: administer,
      // Base64 is a third longer.
      payload: { maxBytes: Math.ceil(avatars.maxBytes * 1.4) + 64 * 1024 },
      request: {
        payload: Joi.object<{ readonly image: string }>({
          image: Joi.string().required().description('PNG, JPEG, GIF or WebP in base64'),
        }).label('UpdateRepoAvatarOption'),
      },
      responses: { 204: null, 400: null },
      async handler({ actor, resource, payload }) {
        await repositories.edit(resource.repository, { avatar: await avatars.storeBase64(payload.image) }, actor);
        return reply.none();
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${repositoryPath}/avatar`,
      id: 'repoDeleteAvatar',
      tags: tag,
      summary: 'Remove the picture',
      access: administer,
      responses: { 204: null },
      async handler({ actor, resource }) {
        await repositories.edit(resource.repository, { avatar: '' }, actor);
        return reply.none();
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/repo-avatars/{key}',
      surface: 'protocol',
      access: { actor: 'anyone', always: true },
      async handler({ params }) {
        const { body, type } = await avatars.read(params.key);
        return reply
          .bytes(body, type)
          .header('cache-control', 'public, max-age=604800, immutable')
          .header('x-content-type-options', 'nosniff')
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
      },
    }),
  ];
}
