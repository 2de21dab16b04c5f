import type { Readable } from 'node:stream';
import { reply, Unauthorized, type Reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageRequest, type PackageRoute, type PackageStore } from '@mortise/packages/api';
import type { UploadRow } from '../models/upload.js';
import type { Images } from '../services/images.js';
import type { Mirror } from '../services/mirror.js';
import { checkImage, isDigest, refuse, speaking } from '../services/oci.js';
import type { Chunk, Uploads } from '../services/uploads.js';
import { isStranger } from './registry.js';
import { maxManifest } from '../services/stored-manifest.js';

interface ImageDeps {
  readonly images: Images;
  readonly uploads: Uploads;
  readonly store: PackageStore;
  /** What is not here, from another registry. */
  readonly mirror: Mirror | undefined;
}

const imageOf = ({ params }: PackageRequest): string => checkImage(params.image!);
const rootOf = (request: PackageRequest): string => `/v2/${request.owner.name.toLowerCase()}/${imageOf(request)}`;
const chunkOf = ({ body, contentLength, headers }: PackageRequest<Readable>): Chunk => ({
  content: body,
  length: contentLength,
  range: headers['content-range'],
});

const find = ({ images }: ImageDeps, request: PackageRequest) => images.find(request.owner, imageOf(request));

const storedBlob = (request: PackageRequest, digest: string): Reply =>
  reply
    .empty(201)
    .header('location', `${rootOf(request)}/blobs/${digest}`)
    .header('docker-content-digest', digest);

function uploadProgress(request: PackageRequest, { id, received }: UploadRow, status: 202 | 204): Reply {
  const answer = reply
    .empty(status)
    .header('location', `${rootOf(request)}/blobs/uploads/${id}`)
    .header('docker-upload-uuid', id);
  return Number(received) > 0 || status === 204
    ? answer.header('range', `0-${Math.max(0, Number(received) - 1)}`)
    : answer;
}

const uploadPath = '/{image+}/blobs/uploads/{id}';

const neededUpload = ({ uploads }: ImageDeps, request: PackageRequest): Promise<UploadRow> =>
  uploads.need(request.params.id!, request.owner, imageOf(request), request.actor);

const beginUpload = ({ images, uploads, store }: ImageDeps): PackageRoute =>
  definePackageRoute({
    method: 'POST',
    path: '/{image+}/blobs/uploads',
    needs: 'write',
    body: 'stream',
    summary: 'Upload a blob in one request, begin to upload it in parts, or take it from another image',
    async handler(request) {
      const { owner, actor, query, body, contentLength } = request;
      const image = imageOf(request);
      if (query.mount && query.from && (await images.mount(owner, image, actor, query.mount, query.from)))
        return storedBlob(request, query.mount);
      if (query.digest === undefined) return uploadProgress(request, await uploads.begin(owner, image, actor), 202);
      if (!isDigest(query.digest)) throw refuse('bad_request', 'DIGEST_INVALID', 'the digest is invalid');
      const blob = await store.receive('container', body, actor, contentLength);
      await images.storeBlob(owner, image, actor, query.digest, blob);
      return storedBlob(request, query.digest);
    },
  });

const getUpload = (deps: ImageDeps): PackageRoute => ({
  method: 'GET',
  path: uploadPath,
  needs: 'write',
  summary: 'How much of a blob has arrived',
  handler: async (request) => uploadProgress(request, await neededUpload(deps, request), 204),
});

const appendToUpload = ({ uploads }: ImageDeps): PackageRoute =>
  definePackageRoute({
    method: 'PATCH',
    path: uploadPath,
    needs: 'write',
    body: 'stream',
    summary: 'Upload a part',
    async handler(request) {
      const { owner, actor, params } = request;
      const row = await uploads.append(params.id!, owner, imageOf(request), actor, chunkOf(request));
      return uploadProgress(request, row, 202);
    },
  });

const finishUpload = ({ images, uploads }: ImageDeps): PackageRoute =>
  definePackageRoute({
    method: 'PUT',
    path: uploadPath,
    needs: 'write',
    body: 'stream',
    summary: 'Upload the last part, and say what the whole is',
    async handler(request) {
      const { owner, actor, params, query } = request;
      const image = imageOf(request);
      const blob = await uploads.finish(params.id!, owner, image, actor, query.digest, chunkOf(request));
      await images.storeBlob(owner, image, actor, query.digest!, blob);
      return storedBlob(request, query.digest!);
    },
  });

const cancelUpload = (deps: ImageDeps): PackageRoute => ({
  method: 'DELETE',
  path: uploadPath,
  needs: 'write',
  body: 'none',
  summary: 'Give an upload up',
  async handler(request) {
    await deps.uploads.forget(await neededUpload(deps, request));
    return reply.none();
  },
});

const getBlob = (deps: ImageDeps): PackageRoute => ({
  method: 'GET',
  path: '/{image+}/blobs/{digest}',
  needs: 'read',
  async handler(request) {
    const { images, store, mirror } = deps;
    const digest = request.params.digest!;
    const package_ = await find(deps, request);
    if (!package_ && mirror) return mirror.blob(request, imageOf(request), digest);
    const { file, mediaType } = await images.blob(package_, digest);
    const options = { name: null, tag: digest, ...(mediaType && { type: mediaType }) };
    return (await store.download(file, request, options)).header('docker-content-digest', digest);
  },
});

const deleteBlob = (deps: ImageDeps): PackageRoute => ({
  method: 'DELETE',
  path: '/{image+}/blobs/{digest}',
  needs: 'write',
  body: 'none',
  async handler(request) {
    await deps.images.deleteBlob(await find(deps, request), request.params.digest!, request.actor);
    return reply.empty(202);
  },
});

const listTags = (deps: ImageDeps): PackageRoute => ({
  method: 'GET',
  path: '/{image+}/tags/list',
  needs: 'read',
  async handler(request) {
    const { images, mirror } = deps;
    const { n, last } = request.query;
    const package_ = await find(deps, request);
    const all = !package_ && mirror ? await mirror.tags(request, imageOf(request)) : await images.tags(package_);
    const later = last === undefined ? all : all.filter((tag) => tag > last);
    const limit = n !== undefined && /^\d{1,6}$/.test(n) ? Number(n) : later.length;
    const tags = later.slice(0, limit);
    const answer = reply
      .json({ name: `${request.owner.name.toLowerCase()}/${imageOf(request)}`, tags })
      .type('application/json');
    if (tags.length === 0 || tags.length === later.length) return answer;
    const next = `${rootOf(request)}/tags/list?last=${encodeURIComponent(tags.at(-1)!)}&n=${limit}`;
    return answer.header('link', `<${next}>; rel="next"`);
  },
});

const listReferrers = (deps: ImageDeps): PackageRoute => ({
  method: 'GET',
  path: '/{image+}/referrers/{digest}',
  needs: 'read',
  summary: 'Manifests that belong to another one',
  async handler(request) {
    const { digest } = request.params;
    if (!isDigest(digest)) throw refuse('bad_request', 'DIGEST_INVALID', 'the digest is invalid');
    const wanted = request.query.artifactType;
    const all = await deps.images.referrers(await find(deps, request), digest);
    const manifests = wanted ? all.filter((one) => (one as { artifactType?: string }).artifactType === wanted) : all;
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    const answer = reply.json({ schemaVersion: 2, mediaType, manifests }).type(mediaType);
    return wanted ? answer.header('oci-filters-applied', 'artifactType') : answer;
  },
});

/** The routes of an image, `/v2/{owner}/{image}/…`; each answer says which protocol speaks. */
export function imageRoutes(deps: ImageDeps): readonly PackageRoute[] {
  const routes = [
    beginUpload(deps),
    getUpload(deps),
    appendToUpload(deps),
    finishUpload(deps),
    cancelUpload(deps),
    getBlob(deps),
    deleteBlob(deps),
    ...manifestRoutes(deps),
    listTags(deps),
    listReferrers(deps),
  ];
  return routes.map((route) => ({
    ...route,
    async handler(request) {
      if (isStranger(request.actor)) throw Unauthorized('sign in first');
      return speaking((await route.handler(request)) as Reply);
    },
  }));
}

function manifestRoutes({ images, store, mirror }: ImageDeps): readonly PackageRoute[] {
  const path = '/{image+}/manifests/{reference}';
  return [
    {
      method: 'GET',
      path,
      needs: 'read',
      handler: async (request) => {
        const package_ = await images.find(request.owner, imageOf(request));
        // an image that is here is never asked for elsewhere, whichever tag is wanted
        if (!package_ && mirror) return mirror.manifest(request, imageOf(request), request.params.reference!);
        const { file, kept } = await images.manifest(package_, request.params.reference!);
        const options = { name: null, tag: kept.digest, type: kept.mediaType, noRedirect: true };
        return (await store.download(file, request, options)).header('docker-content-digest', kept.digest);
      },
    },
    definePackageRoute({
      method: 'PUT',
      path,
      needs: 'write',
      body: 'buffer',
      maxBytes: maxManifest,
      handler: async (request) => {
        const { owner, actor, params, body, headers } = request;
        const reference = params.reference!;
        const image = imageOf(request);
        const { digest, subject } = await images.putManifest(
          owner,
          image,
          actor,
          reference,
          body,
          headers['content-type'] ?? '',
        );
        const answer = reply
          .empty(201)
          .header('location', `${rootOf(request)}/manifests/${reference}`)
          .header('docker-content-digest', digest);
        return subject ? answer.header('oci-subject', subject) : answer;
      },
    }),
    {
      method: 'DELETE',
      path,
      needs: 'write',
      body: 'none',
      handler: async (request) => {
        const package_ = await images.find(request.owner, imageOf(request));
        await images.deleteManifest(package_, request.params.reference!, request.actor);
        return reply.empty(202);
      },
    },
  ];
}
