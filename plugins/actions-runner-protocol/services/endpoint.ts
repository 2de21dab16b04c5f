/** The libraries of the protocol and what they are given; loaded with the first call, not at the start. */
import { Readable } from 'node:stream';
import { createConnectRouter, createContextValues } from '@connectrpc/connect';
import { compressionGzip } from '@connectrpc/connect-node';
import { deliveryKey, runnerCalls, type CallDeps } from './runner-calls.js';

export interface EndpointRequest {
  readonly httpVersion: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly payload: Buffer;
  readonly signal: AbortSignal;
  /** Told of the task that the answer will carry. */
  delivers(this: void, taskId: number): void;
}

export type Endpoint = (
  path: string,
  request: EndpointRequest,
) => Promise<{ readonly status: number; readonly headers?: Headers; readonly body: Buffer }>;

async function readBody(body: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  if (body) for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

function headersOf(given: Readonly<Record<string, string | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, value);
  return headers;
}

/** `maxBytes`: of a message, unpacked. */
export function openEndpoint(deps: CallDeps, maxBytes: number): Endpoint {
  const router = createConnectRouter({
    grpc: false,
    grpcWeb: false,
    acceptCompression: [compressionGzip],
    compressMinBytes: 1024,
    readMaxBytes: maxBytes,
  });
  runnerCalls(deps)(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return async (path, { httpVersion, url, headers, payload, signal, delivers }) => {
    const answered = await handlers.get(path)!({
      httpVersion,
      method: 'POST',
      url,
      header: headersOf(headers),
      body: Readable.from([payload]) as AsyncIterable<Uint8Array>,
      signal,
      contextValues: createContextValues().set(deliveryKey, delivers),
    });
    const body = await readBody(answered.body);
    return { status: answered.status, body, ...(answered.header && { headers: answered.header }) };
  };
}
