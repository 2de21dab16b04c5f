import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { pageIn, type TestClient } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { actorOf, signUp } from '@mortise/accounts/testing';
import { gitReader, refUpdates, type UpdateSource } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';
import { send, startScene, type Scene } from '@mortise/repositories/testing';
import { starsAndWatches } from '../contract/stars.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

describe('stars and watches', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene({ plugins: ['stars'] });
    await send(scene.ada, 'POST', '/user/repos', { name: 'shop' });
  });
  after(() => scene.host.close());

  it('are counted in the record, once for each account', async () => {
    for (let round = 0; round < 2; round++) {
      expect((await send(scene.ben, 'PUT', '/user/starred/ada/shop')).statusCode).to.equal(204);
      expect((await send(scene.ben, 'PUT', '/repos/ada/shop/subscription')).statusCode).to.equal(200);
    }
    const record = async () => {
      const { stars_count: stars, watchers_count: watchers } = (await send(scene.ada, 'GET', '/repos/ada/shop')).json;
      return [stars, watchers];
    };
    // ada watches what she made
    expect(await record()).to.equal([1, 2]);
    expect((await send(scene.ben, 'GET', '/user')).json.starred_repos_count).to.equal(1);
    await send(scene.ben, 'DELETE', '/user/starred/ada/shop');
    expect((await record())[0]).to.equal(0);
  });

  it('go from who sees the repository no more, since it was hidden', async () => {
    const { host } = scene;
    const watchers = async (path: string) =>
      ((await send(scene.ada, 'GET', `/repos/${path}/subscribers`)).json as { login: string }[]).map(
        ({ login }) => login,
      );
    await send(scene.ada, 'POST', '/user/repos', { name: 'hidden' });
    await send(scene.ben, 'PUT', '/repos/ada/hidden/subscription');
    expect(await watchers('ada/hidden')).to.equal(['ada', 'ben']);
    await send(scene.ada, 'PATCH', '/repos/ada/hidden', { private: true });
    await host.settle();
    expect(await watchers('ada/hidden')).to.equal(['ada']);
    expect((await send(scene.ada, 'GET', '/repos/ada/hidden')).json.watchers_count).to.equal(1);
    // public again, and nobody is told twice
    await send(scene.ada, 'PATCH', '/repos/ada/hidden', { private: false });
    await host.settle();
    expect(await watchers('ada/hidden')).to.equal(['ada']);
  });

  it('are refused for a repository that is gone', async () => {
    const { services } = scene.host;
    const { json } = await send(scene.ada, 'POST', '/user/repos', { name: 'gone' });
    const seen = (await services.get(repositories).byId(json.id))!;
    const ben = (await services.get(accounts).byName('ben'))!;
    await send(scene.ada, 'DELETE', '/repos/ada/gone');
    const actor = { ...anonymous, kind: 'user', id: ben.id, name: ben.name } as const;
    const late = (await expect(services.get(starsAndWatches).add('star', seen, actor)).to.reject()) as Error & {
      code: string;
    };
    expect(late.code).to.equal('not_found');
  });

  it('find repositories by relation, and none by a relation that nobody knows', async () => {
    await send(scene.ben, 'PUT', '/user/starred/ada/shop');
    const { services } = scene.host;
    const ben = (await services.get(accounts).byName('ben'))!;
    const find = async (relation: string) =>
      (
        await services
          .get(repositories)
          .search({ related: [{ relation, id: ben.id }], limit: 10, offset: 0 }, anonymous)
      ).items.map(({ name }) => name);
    expect([await find('star'), await find('nothing')]).to.equal([['shop'], []]);
    expect((await send(scene.ben, 'GET', `/repos/search?starredBy=${ben.id}`)).json.data).to.have.length(1);
  });

  it('C7: are counted for others as far as everybody may see the repositories', async () => {
    const { ada, ben, root, host } = scene;
    const carl = await signUp(host, 'carl');
    for (const [name, hidden] of [
      ['open', false],
      ['closed', true],
    ] as const) {
      await send(ada, 'POST', '/user/repos', { name, private: hidden });
      await send(ada, 'PUT', `/repos/ada/${name}/collaborators/carl`, { permission: 'read' });
      expect((await send(carl, 'PUT', `/user/starred/ada/${name}`)).statusCode).to.equal(204);
    }
    const counts = async () => {
      const of = async (client: TestClient) =>
        (await send(client, 'GET', '/users/search?q=carl')).json.data[0].starred_repos_count;
      return [await of(carl), await of(root), await of(ben), await of(host)];
    };
    expect(await counts()).to.equal([2, 2, 1, 1]);
    await send(ada, 'PATCH', '/repos/ada/closed', { private: false });
    expect(await counts()).to.equal([2, 2, 2, 2]);
    const show = async (visibility: 'public' | 'limited') =>
      host.services.get(accounts).update(ada.account.id, { visibility });
    await show('limited');
    expect(await counts()).to.equal([2, 2, 0, 0]);
    await show('public');
    expect(await counts()).to.equal([2, 2, 2, 2]);
    await send(ada, 'PATCH', '/repos/ada/closed', { private: true });
    expect(await counts()).to.equal([1, 1, 1, 1]);
    await send(carl, 'DELETE', '/user/starred/ada/open');
    expect(await counts()).to.equal([0, 0, 0, 0]);
  });

  it("speak the visitor's language", async () => {
    await send(scene.ben, 'PUT', '/user/starred/ada/shop');
    const german = await pageIn(scene.ben, 'de', '/ada/shop/stars');
    expect(german).to.contain(['Mit Stern markiert von', 'Stern entfernen', 'aria-label="1 Stern"']);
    expect(await pageIn(scene.host, 'zh-CN', '/ada/shop/watchers')).to.contain(['订阅者', '登录后可为此仓库加星标']);
    expect(await pageIn(scene.host, 'en', '/ada/shop/watchers')).to.contain('Sign in to star this repository');
  });
});

describe('issue 30: watches that begin by themselves', () => {
  let scene: Scene;
  afterEach(() => scene.host.close());

  const start = async (service: Readonly<Record<string, string>>) => {
    scene = await startScene({ plugins: ['stars'], settings: { service } });
    await send(scene.ada, 'POST', '/user/repos', { name: 'shop', auto_init: true });
    await send(scene.ada, 'PUT', '/repos/ada/shop/collaborators/ben', { permission: 'write' });
  };
  const watchers = async () =>
    ((await send(scene.ada, 'GET', '/repos/ada/shop/subscribers')).json as { login: string }[]).map(
      ({ login }) => login,
    );
  let pushes = 0;

  /** A new branch of that account at the tip of the default branch. */
  async function push(name: string, source: UpdateSource = 'ssh'): Promise<void> {
    const { services } = scene.host;
    const pusher = actorOf(scene.host, (await services.get(accounts).byName(name))!);
    const { id, defaultBranch } = (await services.get(repositories).byPath('ada', 'shop'))!;
    const { oid } = (await services.get(gitReader).open(id).branch(defaultBranch))!;
    const updates = [{ ref: `refs/heads/change-${++pushes}`, old: '0'.repeat(40), new: oid }];
    await services.get(refUpdates).apply({ repositoryId: id, updates, pusher, source });
    await scene.host.settle();
  }

  it('AUTO_WATCH_NEW_REPOS = false: who makes a repository does not watch it', async () => {
    await start({ AUTO_WATCH_NEW_REPOS: 'false' });
    expect(await watchers()).to.equal([]);
  });

  it('by default a push begins no watch', async () => {
    await start({});
    await push('ben');
    expect(await watchers()).to.equal(['ada']);
  });

  it('AUTO_WATCH_ON_CHANGES: the first push begins one, unless it was ended before', async () => {
    await start({ AUTO_WATCH_ON_CHANGES: 'true', AUTO_WATCH_NEW_REPOS: 'false' });
    await push('ben', 'mirror');
    expect(await watchers()).to.equal([]);
    await push('ben');
    await push('ben');
    expect(await watchers()).to.equal(['ben']);
    expect((await send(scene.ben, 'DELETE', '/repos/ada/shop/subscription')).statusCode).to.equal(204);
    await push('ben');
    expect(await watchers()).to.equal([]);
    await send(scene.ben, 'PUT', '/repos/ada/shop/subscription');
    await send(scene.ben, 'DELETE', '/repos/ada/shop/subscription');
    await push('ben');
    expect(await watchers()).to.equal([]);
  });
});
