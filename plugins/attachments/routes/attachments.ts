import { Joi, NotFound, defineRoute, type Route } from '@mortise/plugin-sdk';
import { repositoryResource } from '@mortise/repositories/api';
import type { AttachmentStore } from '../services/attachment-store.js';
import type { AttachmentSettings } from '../settings.js';

/** Files by uuid, wherever they belong; programs sign in here too. */
export function attachmentRoutes({
  store,
  settings,
}: {
  readonly store: AttachmentStore;
  readonly settings: AttachmentSettings;
}): Route[] {
  const number = Joi.number().required();
  const byUuid = async (uuid: string) => {
    const attachment = /^[0-9a-f-]{36}$/.test(uuid) ? await store.byUuid(uuid) : undefined;
    if (!attachment) throw NotFound('file');
    return attachment;
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/attachments/{uuid}',
      surface: 'protocol',
      access: { actor: 'anyone', scope: 'repository' },
      async handler({ actor, params, raw }) {
        const attachment = await byUuid(params.uuid);
        return store.serve(attachment, await store.view(attachment, actor), raw.request);
      },
    }),
    ...['', '/releases'].map((prefix) =>
      defineRoute({
        method: 'GET',
        path: `/{owner}/{repo}${prefix}/attachments/{uuid}`,
        surface: 'protocol',
        access: { actor: 'anyone', scope: 'repository', resource: repositoryResource },
        async handler({ actor, resource, params, raw }) {
          const attachment = await byUuid(params.uuid);
          const belongs =
            attachment.repositoryId === resource.repository.id && (!prefix || attachment.kind === 'releases');
          if (!belongs) throw NotFound('file');
          return store.serve(attachment, await store.view(attachment, actor), raw.request);
        },
      }),
    ),
    defineRoute({
      method: 'GET',
      path: '/api/v1/settings/attachment',
      access: { actor: 'anyone' },
      id: 'getGeneralAttachmentSettings',
      tags: ['settings'],
      summary: 'Which files may be attached',
      responses: {
        200: Joi.object({
          enabled: Joi.boolean(),
          allowed_types: Joi.string().allow(''),
          max_size: number,
          max_files: number,
        }).label('GeneralAttachmentSettings'),
      },
      handler: () => ({
        enabled: settings.ENABLED,
        allowed_types: settings.ALLOWED_TYPES,
        max_size: settings.MAX_SIZE,
        max_files: settings.MAX_FILES,
      }),
    }),
  ];
}
