import type { Readable } from 'node:stream';
import {
  BadRequest,
  Invalid,
  Joi,
  NotFound,
  defineRoute,
  formFile,
  reply,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import { assetSchema } from '../api.js';
import { releaseOf } from '../services/access.js';
import { fileName, webAddress } from '../services/names.js';
import type { Room } from '../services/room.js';
import { checkBody, isForm, readForm, readRaw } from '../services/upload.js';
import { base, byId, number, readReleases, tags, writeReleases } from './shared.js';

const list = `${base}/{id}/assets`;
const one = `${list}/{attachment_id}`;
const both = Joi.object({ id: number, attachment_id: number });
const uploadQuery = Joi.object({
  name: Joi.string().allow('').max(255).description('Name of the file; default: as the form names it'),
  external_url: Joi.string().allow('').max(2000).description('The file lies there and is not uploaded'),
});

/** Files of a release over the API. */
export function assetRoutes({ reader, presenter, assets }: Room): Route[] {
  const assetOf = async ({ subject, params }: RouteContext<RepositoryContext>) => {
    const release = await releaseOf(reader, subject, params.id);
    const asset = await reader.asset(release.id, params.attachment_id);
    if (!asset) throw NotFound('file');
    return asset;
  };

  return [
    defineRoute<RepositoryContext>({
      method: 'GET',
      path: list,
      id: 'repoListReleaseAttachments',
      tags,
      summary: 'Files of a release',
      access: readReleases,
      request: { params: byId },
      answers: { 200: Joi.array().items(assetSchema).label('AttachmentList'), 404: null },
      async handler({ subject, params }) {
        const release = await releaseOf(reader, subject, params.id);
        return ((await reader.assets([release.id])).get(release.id) ?? []).map(presenter.asset);
      },
    }),
    defineRoute<RepositoryContext>({
      method: 'POST',
      path: list,
      id: 'repoCreateReleaseAttachment',
      tags,
      summary:
        'Add a file: as the form field "attachment", as the body itself with "name", or elsewhere by "external_url"',
      access: writeReleases,
      request: { params: byId, query: uploadQuery },
      payload: { as: 'stream', form: Joi.object({ attachment: formFile() }) },
      answers: { 201: assetSchema, 400: null, 404: null, 413: null },
      async handler({ actor, subject, params, query, payload, headers }) {
        const release = await releaseOf(reader, subject, params.id);
        const source = payload as Readable;
        const upload = (content: Readable, name: string) =>
          assets.upload(release, fileName(query.name || name), content, actor.id);
        const external = (url: string, name: string) =>
          assets.addExternal(release, fileName(name || url.replace(/[?#].*$/s, '')), webAddress(url), actor.id);
        if (query.external_url) return reply.created(presenter.asset(await external(query.external_url, query.name)));
        checkBody(headers, assets.maxBytes);
        if (!isForm(headers)) {
          const name = fileName(query.name ?? '');
          return reply.created(presenter.asset(await readRaw(source, (content) => upload(content, name))));
        }
        const { stored, fields } = await readForm(source, headers, 'attachment', upload);
        const url = fields.get('external_url');
        if (stored) return reply.created(presenter.asset(stored));
        if (!url) throw BadRequest('the form has no file in the field "attachment"');
        return reply.created(presenter.asset(await external(url, query.name || (fields.get('name') ?? ''))));
      },
    }),
    defineRoute<RepositoryContext>({
      method: 'GET',
      path: one,
      id: 'repoGetReleaseAttachment',
      tags,
      summary: 'One file of a release',
      access: readReleases,
      request: { params: both },
      answers: { 200: assetSchema, 404: null },
      handler: async (context) => presenter.asset(await assetOf(context)),
    }),
    defineRoute<RepositoryContext>({
      method: 'PATCH',
      path: one,
      id: 'repoEditReleaseAttachment',
      tags,
      summary: 'Rename a file; an empty name is passed over',
      access: writeReleases,
      request: {
        params: both,
        payload: Joi.object({ name: Joi.string().allow('', null).max(255) }).label('EditAttachmentOptions'),
      },
      answers: { 201: assetSchema, 404: null },
      async handler(context) {
        const asset = await assetOf(context);
        const { name } = context.payload;
        return reply.created(presenter.asset(name ? await assets.rename(asset, fileName(name, Invalid)) : asset));
      },
    }),
    defineRoute<RepositoryContext>({
      method: 'DELETE',
      path: one,
      id: 'repoDeleteReleaseAttachment',
      tags,
      summary: 'Delete a file of a release',
      access: writeReleases,
      request: { params: both },
      answers: { 204: null, 404: null },
      async handler(context) {
        await assets.remove(await assetOf(context));
        return reply.none();
      },
    }),
  ];
}
