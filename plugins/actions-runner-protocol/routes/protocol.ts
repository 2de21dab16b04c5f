import { Readable } from 'node:stream';
import { createContextValues, createConnectRouter } from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import { compressionGzip } from '@connectrpc/connect-node';
import { defineRoute, reply, type Reply, type Route, type RouteContext } from '@mortise/plugin-sdk';
import { deliveryKey, runnerCalls, type CallParts, type Delivery } from '../services/calls.js';

const megabyte = 1024 * 1024;
/** Unpacked as well: a hundred of the longest lines of a log, or a job with many outputs. */
const maxBytes = 16 * megabyte;

const summaries: Readonly<Record<string, string>> = {
  Ping: 'Ask whether the server is there',
  Register: 'Register a runner',
  Declare: 'Tell the labels of a runner',
  FetchTask: 'Ask for work',
  UpdateTask: 'Report on a task',
  UpdateLog: 'Send lines of the log of a task',
};

async function gathered(body: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  if (body) for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

function headersOf(given: Readonly<Record<string, string | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, value);
  return headers;
}

/** The calls as routes of the kernel, so that limits, metrics and bodies are bounded as everywhere. */
export function protocolRoutes(parts: CallParts): readonly Route[] {
  const router = createConnectRouter({
    grpc: false,
    grpcWeb: false,
    acceptCompression: [compressionGzip],
    compressMinBytes: 1024,
    readMaxBytes: maxBytes,
  });
  runnerCalls(parts)(router);
  return router.handlers.map((handler) =>
    defineRoute({
      method: 'POST',
      path: `/api/actions${handler.requestPath}`,
      id: `runner${handler.method.name}`,
      tags: ['actions'],
      summary: summaries[handler.method.name] ?? handler.method.name,
      surface: 'protocol',
      access: { actor: 'anyone', ownCredentials: true, always: true },
      payload: { as: 'buffer', maxBytes },
      responses: { 200: null },
      handler: (context) => answer(parts, handler, context as never),
    }),
  );
}

async function answer(
  { runnerDesk, log }: CallParts,
  handler: UniversalHandler,
  { headers, payload, raw, signal }: RouteContext<unknown, unknown, unknown, Buffer>,
): Promise<Reply> {
  const delivery: Delivery = {};
  const { res } = raw.request.raw;
  res.once('close', () => {
    if (delivery.taskId === undefined || res.writableFinished) return;
    runnerDesk.release(delivery.taskId).catch((error: Error) => {
      log.warn('a task that did not reach its runner was not released yet', { error: error.message });
    });
  });
  const answered = await handler({
    httpVersion: raw.request.raw.req.httpVersion,
    method: 'POST',
    url: raw.request.url.href,
    header: headersOf(headers),
    body: Readable.from([payload]) as AsyncIterable<Uint8Array>,
    signal,
    contextValues: createContextValues().set(deliveryKey, delivery),
  });
  const made = reply.bytes(await gathered(answered.body), '', answered.status);
  answered.header?.forEach((value, name) => made.header(name, value));
  return made;
}
