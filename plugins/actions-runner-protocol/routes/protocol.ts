import { defineRoute, reply, type Reply, type Route, type RouteContext } from '@mortise/plugin-sdk';
import type { CallDeps } from '../services/runner-calls.js';
import type { Endpoint } from '../services/endpoint.js';

const megabyte = 1024 * 1024;
/** Unpacked as well: a hundred of the longest lines of a log, or a job with many outputs. */
const maxBytes = 16 * megabyte;

const runnerService = '/runner.v1.RunnerService';
const calls: readonly (readonly [path: string, name: string, summary: string])[] = [
  ['/ping.v1.PingService/Ping', 'Ping', 'Ask whether the server is there'],
  [`${runnerService}/Register`, 'Register', 'Register a runner'],
  [`${runnerService}/Declare`, 'Declare', 'Tell the labels of a runner'],
  [`${runnerService}/FetchTask`, 'FetchTask', 'Ask for work'],
  [`${runnerService}/UpdateTask`, 'UpdateTask', 'Report on a task'],
  [`${runnerService}/UpdateLog`, 'UpdateLog', 'Send lines of the log of a task'],
];

/** The calls as routes of the kernel, so that limits, metrics and bodies are bounded as everywhere. */
export function protocolRoutes(deps: CallDeps): readonly Route[] {
  let opened: Promise<Endpoint> | undefined;
  // the libraries of the protocol are loaded with the first call
  const open = () => (opened ??= import('../services/endpoint.js').then((made) => made.openEndpoint(deps, maxBytes)));
  return calls.map(([path, name, summary]) =>
    defineRoute({
      method: 'POST',
      path: `/api/actions${path}`,
      id: `runner${name}`,
      tags: ['actions'],
      summary,
      surface: 'protocol',
      access: { actor: 'anyone', ownCredentials: true, always: true },
      payload: { as: 'buffer', maxBytes },
      responses: { 200: null },
      handler: async (context) => answer(deps, await open(), path, context as never),
    }),
  );
}

async function answer(
  { runnerService, log }: CallDeps,
  endpoint: Endpoint,
  path: string,
  { headers, payload, raw, signal }: RouteContext<unknown, unknown, unknown, Buffer>,
): Promise<Reply> {
  let taskId: number | undefined;
  const { res } = raw.request.raw;
  res.once('close', () => {
    if (taskId === undefined || res.writableFinished) return;
    runnerService.release(taskId).catch((error: Error) => {
      log.warn('could not release a task that was not delivered to its runner', {
        event: 'actions.task.release',
        error: error.message,
      });
    });
  });
  const answered = await endpoint(path, {
    httpVersion: raw.request.raw.req.httpVersion,
    url: raw.request.url.href,
    headers,
    payload,
    signal,
    delivers: (id) => (taskId = id),
  });
  const made = reply.bytes(answered.body, '', answered.status);
  answered.headers?.forEach((value, name) => made.header(name, value));
  return made;
}
