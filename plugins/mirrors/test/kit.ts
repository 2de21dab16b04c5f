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
