import type { Readable } from 'node:stream';
import { Invalid, Joi, NotFound, defineRoute, reply, type Route, type RouteContext } from '@mortise/plugin-sdk';
import {
  attachmentSchema,
  fileName,
  receiveUpload,
  uploadPayload,
  uploadQuery,
  type Attachments,
} from '@mortise/attachments/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import { releaseOf } from '../services/access.js';
import { ownerOf, releaseFiles } from '../services/files.js';
import type { ReleasePresenter } from '../services/release-presenter.js';
import type { ReleaseReader } from '../services/release-reader.js';
import { base, byId, number, readReleases, tags, writeReleases } from './route-options.js';

const list = `${base}/{id}/assets`;
const one = `${list}/{attachment_id}`;
const both = Joi.object<{ readonly id: number; readonly attachment_id: number }>({ id: number, attachment_id: number });

type AssetRouteDeps = {
  readonly reader: ReleaseReader;
  readonly presenter: ReleasePresenter;
  readonly attachments: Attachments;
};

/** What these routes share. */
function assetContext({ reader, presenter, attachments }: AssetRouteDeps) {
  const assetOf = async ({
    actor,
    resource,
    params,
  }: RouteContext<RepositoryContext, { readonly id: number; readonly attachment_id: number }>) => {
    const release = await releaseOf(reader, resource, params.id, actor);
    const file = await attachments.byId(ownerOf(release), params.attachment_id);
    if (!file) throw NotFound('file');
    return { release, file };
  };
  return { reader, attachments, presenter, assetOf };
}

type AssetRouteContext = ReturnType<typeof assetContext>;

const repoListReleaseAttachments = ({ reader, attachments, presenter }: AssetRouteContext) =>
  defineRoute({
    method: 'GET',
    path: list,
    id: 'repoListReleaseAttachments',
    tags,
    summary: 'Files of a release',
    access: readReleases,
    request: { params: byId },
    responses: { 200: Joi.array().items(attachmentSchema).label('AttachmentList'), 404: null },
    async handler({ actor, resource, params }) {
      const release = await releaseOf(reader, resource, params.id, actor);
      const files = (await attachments.list(releaseFiles, [release.id])).get(release.id) ?? [];
      return files.map((file) => presenter.assetToApi(resource.repository, release, file));
    },
  });

const repoCreateReleaseAttachment = ({ reader, attachments, presenter }: AssetRouteContext) =>
  defineRoute({
    method: 'POST',
    path: list,
    id: 'repoCreateReleaseAttachment',
    tags,
    summary:
      'Add a file: as the form field "attachment", as the body itself with "name", or elsewhere by "external_url"',
    access: writeReleases,
    request: { params: byId, query: uploadQuery },
    payload: uploadPayload,
    responses: { 201: attachmentSchema, 400: null, 404: null, 413: null },
    async handler({ actor, resource, params, query, payload, headers }) {
      const release = await releaseOf(reader, resource, params.id, actor);
      const file = await receiveUpload(attachments, ownerOf(release), {
        query,
        payload: payload as Readable,
        headers,
        actorId: actor.id,
      });
      return reply.created(presenter.assetToApi(resource.repository, release, file));
    },
  });

const repoGetReleaseAttachment = ({ assetOf, presenter }: AssetRouteContext) =>
  defineRoute({
    method: 'GET',
    path: one,
    id: 'repoGetReleaseAttachment',
    tags,
    summary: 'One file of a release',
    access: readReleases,
    request: { params: both },
    responses: { 200: attachmentSchema, 404: null },
    async handler(context) {
      const { release, file } = await assetOf(context);
      return presenter.assetToApi(context.resource.repository, release, file);
    },
  });

const repoEditReleaseAttachment = ({ assetOf, attachments, presenter }: AssetRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: one,
    id: 'repoEditReleaseAttachment',
    tags,
    summary: 'Rename a file; an empty name is passed over',
    access: writeReleases,
    request: {
      params: both,
      payload: Joi.object<{ readonly name?: string | null }>({ name: Joi.string().allow('', null).max(255) }).label(
        'EditAttachmentOptions',
      ),
    },
    responses: { 201: attachmentSchema, 404: null },
    async handler(context) {
      const { release, file } = await assetOf(context);
      const { name } = context.payload;
      const named = name ? await attachments.rename(file, fileName(name, Invalid)) : file;
      return reply.created(presenter.assetToApi(context.resource.repository, release, named));
    },
  });

const repoDeleteReleaseAttachment = ({ attachments, assetOf }: AssetRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: one,
    id: 'repoDeleteReleaseAttachment',
    tags,
    summary: 'Delete a file of a release',
    access: writeReleases,
    request: { params: both },
    responses: { 204: null, 404: null },
    async handler(context) {
      await attachments.remove([(await assetOf(context)).file.id]);
      return reply.none();
    },
  });

/** Files of a release over the API. */
export function assetRoutes(deps: AssetRouteDeps): Route[] {
  const context = assetContext(deps);
  return [
    repoListReleaseAttachments(context),
    repoCreateReleaseAttachment(context),
    repoGetReleaseAttachment(context),
    repoEditReleaseAttachment(context),
    repoDeleteReleaseAttachment(context),
  ];
}
