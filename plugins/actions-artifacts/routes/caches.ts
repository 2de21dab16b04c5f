import type { Readable } from 'node:stream';
import {
  BadRequest,
  defineRoute,
  Joi,
  NotFound,
  reply,
  serveDownload,
  type Reply,
  type Route,
  type RouteContext,
  type Site,
  type Storage,
} from '@mortise/plugin-sdk';
import type { RuntimeTask, RuntimeTasks } from '@mortise/actions/api';
import type { CacheRow } from '../models/cache.js';
import { storeBlock } from '../services/block-uploads.js';
import { cacheArea, type CacheService } from '../services/caches.js';
import type { AddressSigner } from '../services/address-signer.js';
import type { Uploads } from '../services/uploads.js';
import {
  fieldOf,
  numberOf,
  taskCredentials,
  signedQuery,
  taskOf,
  text,
  textOf,
  type Message,
  type SignedQuery,
} from './runtime-requests.js';
import { twirpRefusal } from './v4.js';

const older = '/api/actions_pipeline/_apis/artifactcache';
const newer = '/twirp/github.actions.results.api.v1.CacheService';
const tags = ['actions caches'];
const id = Joi.number().integer().positive().required();
const byId = Joi.object<{ readonly id: number }>({ id });
const anyMessage = Joi.object<Message>().unknown(true);
const [upload, download] = ['cache-upload', 'cache-download'];

interface CacheRouteDeps {
  readonly tasks: RuntimeTasks;
  readonly caches: CacheService;
  readonly uploads: Uploads;
  readonly signer: AddressSigner;
  readonly site: Site;
  readonly storage: Storage;
}

const addressQuery = signedQuery({ task: 20 });

const cacheKeys = (message: Message) => ({
  key: textOf(message, 'key') ?? '',
  version: textOf(message, 'version') ?? '',
});

/** What these routes share. */
function cacheContext(deps: CacheRouteDeps) {
  const { tasks, caches, uploads, signer, site, storage } = deps;
  const signed = (endpoint: string, task: RuntimeTask, row: CacheRow): string => {
    const query = new URLSearchParams({
      ...signer.parameters(endpoint, [task.taskId, row.id]),
      task: String(task.taskId),
    });
    return site.url(`${older}/artifacts/${row.id}?${query.toString()}`);
  };
  const ofAddress = async (endpoint: string, rowId: number, query: SignedQuery & { readonly task?: string }) => {
    signer.check(endpoint, query, [query.task ?? '', rowId]);
    const task = await tasks.running(Number(query.task));
    const row = await caches.byId(rowId);
    if (!task || !row || row.repository_id !== task.repositoryId) throw NotFound('cache');
    return { task, row };
  };
  const serve = async (row: CacheRow, context: RouteContext): Promise<Reply> => {
    const area = storage.area(cacheArea);
    if (!row.is_complete || !(await area.stat(row.key))) throw NotFound('cache');
    await caches.touch(row);
    const { request } = context.raw;
    request.info.acceptEncoding = 'identity';
    return serveDownload(
      {
        size: Number(row.size),
        type: 'application/octet-stream',
        tag: row.key.replaceAll('/', '-'),
        name: `cache-${row.id}`,
        cacheControl: 'private, no-store',
        open: async (part) => (await area.get(row.key, part)).stream,
      },
      request,
    );
  };
  const call = (method: string, handle: (task: RuntimeTask, message: Message) => Promise<unknown>) =>
    defineRoute({
      method: 'POST',
      path: `${newer}/${method}`,
      id: `caches${method}`,
      tags,
      summary: `${method} of the cache service`,
      surface: 'protocol',
      access: taskCredentials,
      request: { payload: anyMessage },
      refusal: twirpRefusal,
      handler: async (context: RouteContext<unknown, unknown, unknown, Message>) =>
        handle(await taskOf(tasks, context), context.payload),
    });
  return { tasks, caches, signed, uploads, ofAddress, serve, call };
}

type CacheRouteContext = ReturnType<typeof cacheContext>;

const cacheFind = ({ tasks, caches, signed }: CacheRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${older}/cache`,
    id: 'cacheFind',
    tags,
    summary: 'The cache that the first of the keys finds',
    surface: 'protocol',
    access: taskCredentials,
    request: {
      query: Joi.object<{ readonly keys: string; readonly version?: string }>({
        keys: Joi.string().max(6000).required(),
        version: text(512),
      }),
    },
    async handler(context) {
      const task = await taskOf(tasks, context);
      const { keys, version = '' } = context.query;
      const wanted = keys.split(',').map((key) => key.trim());
      const row = await caches.find(task, wanted.filter(Boolean), version);
      if (!row) return reply.none();
      return {
        result: 'hit',
        archiveLocation: signed(download, task, row),
        cacheKey: row.cache_key,
        scope: row.scope,
      };
    },
  });

const cacheReserve = ({ tasks, caches }: CacheRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${older}/caches`,
    id: 'cacheReserve',
    tags,
    summary: 'Begin a cache',
    surface: 'protocol',
    access: taskCredentials,
    request: { payload: anyMessage },
    async handler(context) {
      const task = await taskOf(tasks, context);
      const { key, version } = cacheKeys(context.payload);
      const size = numberOf(context.payload, 'cache_size');
      return { cacheId: (await caches.reserve(task, key, version, size)).id };
    },
  });

const cacheUpload = ({ caches, tasks, uploads }: CacheRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: `${older}/caches/{id}`,
    id: 'cacheUpload',
    tags,
    summary: 'A piece of a cache',
    surface: 'protocol',
    access: taskCredentials,
    request: { params: byId },
    payload: { as: 'stream', maxBytes: 0 },
    async handler(context) {
      const row = await caches.pending(await taskOf(tasks, context), context.params.id);
      const [, from, to] = /^bytes (\d{1,15})-(\d{1,15})\//.exec(context.headers['content-range'] ?? '') ?? [];
      if (from === undefined) throw BadRequest('The range cannot be read.');
      const length = Number(to) - Number(from) + 1;
      const body = context.payload as Readable;
      const blob = await uploads.putAt(row.upload_id, Number(from), body, await caches.limitsOf(row));
      if (blob.size !== length) throw BadRequest(`The piece has ${blob.size} bytes instead of ${length}.`);
      return {};
    },
  });

const cacheFinish = ({ caches, tasks }: CacheRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${older}/caches/{id}`,
    id: 'cacheFinish',
    tags,
    summary: 'All of a cache was sent',
    surface: 'protocol',
    access: taskCredentials,
    request: { params: byId, payload: anyMessage },
    async handler(context) {
      const row = await caches.pending(await taskOf(tasks, context), context.params.id);
      await caches.finish(row, numberOf(context.payload, 'size'));
      return {};
    },
  });

const cacheDownload = ({ ofAddress, serve }: CacheRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${older}/artifacts/{id}`,
    id: 'cacheDownload',
    tags,
    summary: 'The content of a cache, at a signed address',
    surface: 'protocol',
    access: taskCredentials,
    request: { params: byId, query: addressQuery },
    async handler(context) {
      const { row } = await ofAddress(download, context.params.id, context.query);
      return serve(row, context);
    },
  });

const cacheUploadBlock = ({ ofAddress, uploads, caches }: CacheRouteContext) =>
  defineRoute({
    method: 'PUT',
    path: `${older}/artifacts/{id}`,
    id: 'cacheUploadBlock',
    tags,
    summary: 'A block of a cache, or the list of its blocks, at a signed address',
    surface: 'protocol',
    access: taskCredentials,
    request: { params: byId, query: addressQuery },
    payload: { as: 'stream', maxBytes: 0 },
    async handler({ params, query, payload }) {
      const { row } = await ofAddress(upload, params.id, query);
      if (row.is_complete) throw BadRequest('The cache is complete.');
      const { comp, blockid: blockId } = query;
      const body = payload as Readable;
      return storeBlock(uploads, row.upload_id, { comp, blockId, body, limits: await caches.limitsOf(row) });
    },
  });

const createCacheEntry = ({ call, signed, caches }: CacheRouteContext) =>
  call('CreateCacheEntry', async (task, message) => {
    const { key, version } = cacheKeys(message);
    return { ok: true, signedUploadUrl: signed(upload, task, await caches.reserve(task, key, version)) };
  });

const finalizeCacheEntryUpload = ({ call, caches }: CacheRouteContext) =>
  call('FinalizeCacheEntryUpload', async (task, message) => {
    const { key, version } = cacheKeys(message);
    const row = await caches.byKey(task, key, version);
    if (!row) throw NotFound('cache');
    const size = numberOf(message, 'size_bytes');
    if (row.is_complete && size !== undefined && size !== Number(row.size))
      throw BadRequest('The cache is complete, with another size.');
    const done = row.is_complete ? row : await caches.finish(row, size);
    return { ok: true, entryId: String(done.id) };
  });

const getCacheEntryDownloadUrl = ({ call, caches, signed }: CacheRouteContext) =>
  call('GetCacheEntryDownloadURL', async (task, message) => {
    const { key, version } = cacheKeys(message);
    const more = fieldOf(message, 'restore_keys');
    const others = Array.isArray(more) ? more.filter((one): one is string => typeof one === 'string') : [];
    const row = await caches.find(task, [key, ...others], version);
    if (!row) return { ok: false, signedDownloadUrl: '', matchedKey: '' };
    return { ok: true, signedDownloadUrl: signed(download, task, row), matchedKey: row.cache_key };
  });

/** Caches of jobs, the older way and the newer. */
export function cacheRoutes(deps: CacheRouteDeps): Route[] {
  const context = cacheContext(deps);
  return [
    cacheFind(context),
    cacheReserve(context),
    cacheUpload(context),
    cacheFinish(context),
    cacheDownload(context),
    cacheUploadBlock(context),
    createCacheEntry(context),
    finalizeCacheEntryUpload(context),
    getCacheEntryDownloadUrl(context),
  ];
}
