import type { SignedIn } from '@mortise/accounts/testing';
import { actorOf } from '@mortise/accounts/testing';
import { gitStore } from '@mortise/git/api';
import { RemoteServer } from '@mortise/git/testing';
import { repositories, repositoryMaking, type Repository } from '@mortise/repositories/api';
import { startScene, type Scene } from '@mortise/repositories/testing';
import { pullMirrors, type NewPullMirror } from '../api.js';

/** A site with mirrors, and a git server of another one. */
export interface MirrorScene extends Scene {
  readonly remote: RemoteServer;
  /** As the plugin of imports makes them. */
  mirror(owner: SignedIn, name: string, input: NewPullMirror): Promise<Repository>;
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
    async mirror(owner, name, input) {
      const actor = actorOf(scene.host, owner.account);
      const mirrors = get(pullMirrors);
      const plan = mirrors.plan(input, actor);
      let branch: string | undefined;
      const row = { name, defaultBranch: 'main', units: get(repositoryMaking).units(), ...mirrors.rowOf(plan) };
      const fill = async ({ id }: Repository) => {
        await get(gitStore).create(id);
        branch = (await mirrors.fill(plan, id, actor)).defaultBranch;
      };
      const within = async ({ id }: Repository) => {
        await mirrors.store(plan, id);
        await get(repositories).setDerived(id, { isEmpty: branch === undefined, defaultBranch: branch });
      };
      await get(repositoryMaking).establish(owner.account, row, actor, fill, within);
      return find(`${owner.account.name}/${name}`);
    },
  };
}
