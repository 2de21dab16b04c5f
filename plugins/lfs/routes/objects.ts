/** Objects: batch, basic transfer and verify (git-lfs, docs/api). */
import type { Readable } from 'node:stream';
import {
  defineRoute,
  Invalid,
  NotFound,
  Problem,
  reply,
  type Access,
  type Reply,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { isLfsOid } from '../contract/lfs.js';
import { readBatch, type BatchService } from '../services/batch-service.js';
import type { LfsGate, LfsOperation } from '../services/lfs-gate.js';
import type { ObjectService } from '../services/object-service.js';
import { jsonBody, lfsApi, lfsHandler, lfsJson } from './lfs-handler.js';
import { objectBytes } from './object-bytes.js';
import { batchExample, verifyExample } from './examples.js';

interface ObjectRouteDeps {
  readonly gate: LfsGate;
  readonly objects: ObjectService;
  readonly batches: BatchService;
  readonly site: Site;
  readonly maxObjects: number;
}

/** Who may is decided by the gate: it differs by operation, and refusals have a shape of their own. */
export const access: Access = { actor: 'anyone' };
export const base = '/{owner}/{repo}/info/lfs';
/** Bodies of JSON requests; some forty thousand objects would fit. */
export const jsonPayload = { as: 'buffer', maxBytes: 4 * 1024 * 1024 } as const;

const notAnOid = 'the id is no SHA-256 in lower-case hexadecimal digits';

/** What the client may send again with each object; a ticket of Negotiate is good once. */
const reusable = (authorization: string | undefined) =>
  authorization && !/^Negotiate /i.test(authorization) ? { authorization } : {};

/** Opens the repository that the address names. */
export const session = (gate: LfsGate, context: RouteContext, operation: LfsOperation, signedIn = false) => {
  const { owner, repo } = context.params as { owner: string; repo: string };
  return gate.open({ actor: context.actor, owner, repo, operation, signedIn });
};

export function objectRoutes({ gate, objects, batches, site, maxObjects }: ObjectRouteDeps): readonly Route[] {
  const baseOf = (repository: Repository) => site.url(`/${repository.ownerName}/${repository.name}.git/info/lfs`);

  const download = lfsHandler(async (context) => {
    const { repository } = await session(gate, context, 'download');
    const { oid } = context.params as { oid: string };
    if (!isLfsOid(oid)) throw Invalid(notAnOid);
    const size = (await objects.find(repository.id, [oid])).get(oid);
    if (size === undefined) throw NotFound('LFS object');
    return objectBytes(objects, { repositoryId: repository.id, oid, size }, context);
  });

  const batch = lfsApi(async (context) => {
    const request = readBatch(jsonBody(context), maxObjects);
    const { repository } = await session(gate, context, request.operation);
    const target = {
      repositoryId: repository.id,
      base: baseOf(repository),
      actor: context.actor,
      ...reusable(context.headers.authorization),
    };
    return lfsJson({ transfer: 'basic', objects: await batches.answer(target, request), hash_algo: 'sha256' });
  });

  const upload = lfsHandler(async (context): Promise<Reply> => {
    const { repository } = await session(gate, context, 'upload');
    const { oid, size } = context.params as { oid: string; size: string };
    const pointer = { oid, size: /^\d{1,16}$/.test(size) ? Number(size) : -1 };
    objects.check(pointer);
    const length = context.headers['content-length'];
    if (length !== undefined && Number(length) !== pointer.size)
      throw Invalid(`The request body has ${length} bytes instead of ${size}.`);
    if (context.headers['content-encoding'] && context.headers['content-encoding'] !== 'identity')
      throw new Problem('unsupported_media_type', 'Objects must be sent without a content encoding.');
    const body = context.payload as Readable;
    try {
      await objects.receive(repository.id, pointer, body);
    } catch (error) {
      if (Problem.is(error)) stopReading(context, body);
      throw error;
    }
    return reply.empty(200);
  });

  const verify = lfsApi(async (context) => {
    const { repository } = await session(gate, context, 'upload');
    const { oid, size } = jsonBody(context);
    if (!isLfsOid(oid)) throw Invalid(notAnOid);
    const known = (await objects.find(repository.id, [oid])).get(oid);
    if (known === undefined) throw NotFound('LFS object');
    if (known !== size) throw Invalid(`The object has ${known} bytes.`);
    return lfsJson({});
  });

  return [
    defineRoute({
      method: 'POST',
      path: `${base}/objects/batch`,
      id: 'lfsBatch',
      tags: ['lfs'],
      summary: 'Where objects are downloaded from or uploaded to',
      examples: batchExample,
      surface: 'protocol',
      access,
      payload: jsonPayload,
      handler: batch,
    }),
    defineRoute({
      method: 'POST',
      path: `${base}/verify`,
      id: 'lfsVerify',
      tags: ['lfs'],
      summary: 'Is an object there, whole?',
      examples: verifyExample,
      surface: 'protocol',
      access,
      payload: jsonPayload,
      handler: verify,
    }),
    defineRoute({ method: 'GET', path: `${base}/objects/{oid}`, surface: 'protocol', access, handler: download }),
    defineRoute({
      method: 'GET',
      path: `${base}/objects/{oid}/{name}`,
      surface: 'protocol',
      access,
      handler: download,
    }),
    defineRoute({
      method: 'PUT',
      path: `${base}/objects/{oid}/{size}`,
      surface: 'protocol',
      access,
      payload: { as: 'stream', maxBytes: 0 },
      handler: upload,
    }),
  ];
}

/** Lets the answer reach a client that is still sending, and then closes the connection. */
function stopReading(context: RouteContext, body: Readable): void {
  body.resume();
  context.raw.request.raw.res.setHeader('connection', 'close');
}
