import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { SignedIn } from '@mortise/accounts/testing';
import { actorOf } from '@mortise/accounts/testing';
import { RemoteServer } from '@mortise/git/testing';
import { repositories, type Repository } from '@mortise/repositories/api';
import { startScene, type Scene } from '@mortise/repositories/testing';
import { pullMirrors, type NewPullMirror } from '../contract/mirrors.js';

/** A site with mirrors, and a git server of another one. */
export interface MirrorScene extends Scene {
  readonly remote: RemoteServer;
  mirror(owner: SignedIn, name: string, input: Omit<NewPullMirror, 'name'>): Promise<Repository>;
  find(path: string): Promise<Repository>;
}

export async function startMirrorScene(
  plugins: readonly string[] = [],
  settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Promise<MirrorScene> {
  const scene = await startScene({
    plugins: ['mirrors', 'git-http', 'auth-basic', 'refs', 'files', ...plugins],
    settings: { migrations: { ALLOW_LOCALNETWORKS: true }, ...settings },
  });
  const { get } = scene.host.services;
  const find = async (path: string) => {
    const [owner = '', name = ''] = path.split('/');
    return (await get(repositories).byPath(owner, name))!;
  };
  return {
    ...scene,
    remote: await RemoteServer.start(),
    find,
    mirror: (owner, name, input) =>
      get(pullMirrors).create({ ...input, name }, owner.account, actorOf(scene.host, owner.account)),
  };
}

/** What a server held back, to be answered by it after all. */
export function passOn(request: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url, headers } = request;
  const again = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  request.pipe(again);
}

/** Does something once, while the source holds back the answer to the first such request; gives what waits for that. */
export function during(
  { remote }: Pick<MirrorScene, 'remote'>,
  pattern: RegExp,
  work: () => Promise<unknown>,
): () => Promise<unknown> {
  let done: Promise<unknown> | undefined;
  remote.misbehave = (request, response) => {
    if (done || !pattern.test(`${request.method} ${request.url}`)) return undefined;
    done = work().finally(() => passOn(request, response, remote.port));
    return true;
  };
  return async () => {
    if (!done) throw new Error(`the source was never asked for ${pattern}`);
    return done;
  };
}
