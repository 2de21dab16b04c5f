import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { send, startScene, type Scene } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('searching repositories', () => {
  let scene: Scene;
  const ids: Record<string, number> = {};
  const found = async (query: string, client: Scene['ada'] = scene.ada) =>
    ((await send(client, 'GET', `/repos/search?${query}`)).json.data as { full_name: string }[]).map(
      (one) => one.full_name,
    );
  before(async () => {
    scene = await startScene({
      plugins: ['repositories', 'stars', 'forks', 'git-hooks', 'admin'],
      settings: { ui: { EXPLORE_PAGING_DEFAULT_SORT: 'alphabetically', SEARCH_REPO_DESCRIPTION: false } },
    });
    const { ada, ben, root } = scene;
    await send(ada, 'POST', '/user/repos', { name: 'zeta', description: 'A Quick fox' });
    await send(ada, 'POST', '/user/repos', { name: 'alpha', private: true });
    await send(ben, 'POST', '/user/repos', { name: 'beta' });
    await send(ben, 'POST', '/user/repos', { name: 'shut', private: true });
    await send(ben, 'POST', '/user/repos', { name: 'work' });
    for (const [name, permission] of [
      ['beta', 'read'],
      ['shut', 'read'],
      ['work', 'write'],
    ])
      await send(ben, 'PUT', `/repos/ben/${name}/collaborators/ada`, { permission });
    await send(ada, 'PUT', '/repos/ada/zeta/topics', { topics: ['go-lang'] });
    await send(root, 'POST', '/user/repos', { name: 'limited' });
    await send(root, 'PATCH', '/admin/users/root', { visibility: 'limited' });
    for (const client of [ada, ben]) {
      const { id, login } = (await send(client, 'GET', '/user')).json;
      ids[login] = id;
    }
  });
  after(() => scene.host.close());

  it('goes by name, or by owner and name when asked to sort', async () => {
    const byName = ['ada/alpha', 'ben/beta', 'root/limited', 'ben/shut', 'ben/work', 'ada/zeta'];
    expect(await found('')).to.equal(byName);
    // Without something to sort by, a direction says nothing.
    expect(await found('order=desc')).to.equal(byName);
    expect(await found('order=sideways')).to.equal(byName);
    const byPath = ['ada/alpha', 'ada/zeta', 'ben/beta', 'ben/shut', 'ben/work', 'root/limited'];
    expect(await found('sort=alpha')).to.equal(byPath);
    expect(await found('sort=alpha&order=desc')).to.equal([...byPath].reverse());
    expect((await send(scene.ada, 'GET', '/repos/search?sort=alpha&order=sideways')).statusCode).to.equal(422);
    expect(await found(`priority_owner_id=${ids.ben}`)).to.equal([
      'ben/beta',
      'ben/shut',
      'ben/work',
      'ada/alpha',
      'ada/zeta',
      'root/limited',
    ]);
  });

  it('issue 30: pages begin with the order of [ui], and look into descriptions where it says so', async () => {
    const listed = async (query: string) => {
      const page = (await scene.ada.inject(`/explore/repos${query}`)).payload;
      const [, orders = ''] = /<select[^>]* name="sort"(.*?)<\/select>/s.exec(page) ?? [];
      const [chosen = ''] = /<option[^>]* selected[^>]*>/.exec(orders) ?? [];
      return [
        [...page.matchAll(/href="\/\w+\/(\w+)"[^>]*>[^<]* \/ /g)].map(([, name]) => name),
        /value="(\w+)"/.exec(chosen)?.[1],
      ];
    };
    const byName = ['alpha', 'beta', 'limited', 'shut', 'work', 'zeta'];
    expect(await listed('')).to.equal([byName, 'alpha']);
    expect(await listed('?q=quick')).to.equal([[], 'alpha']);
    expect((await listed('?sort=oldest'))[1]).to.equal('oldest');
  });

  it('takes several words, parts of topics, and whole topics', async () => {
    expect(await found('q=zeta,beta')).to.equal(['ben/beta', 'ada/zeta']);
    expect(await found('q=%20zeta%20')).to.equal(['ada/zeta']);
    expect(await found('q=lang')).to.equal(['ada/zeta']);
    expect(await found('q=lang&topic=true')).to.equal([]);
    expect(await found('q=go-lang&topic=1')).to.equal(['ada/zeta']);
    expect(await found('q=quick&includeDesc=true')).to.equal(['ada/zeta']);
    expect(await found('q=quick&includeDesc=true&topic=true')).to.equal([]);
    expect(await found('q=be/sh')).to.equal(['ben/shut']);
    expect(await found('q=%25')).to.equal([]);
    // the same word again is no second one; hundreds would be too much for the database
    expect(await found(`q=${'zeta,'.repeat(600)}`)).to.equal(['ada/zeta']);
    const many = Array.from({ length: 600 }, (_, number) => `word-${number}`).join();
    expect((await send(scene.ada, 'GET', `/repos/search?q=${many}&includeDesc=true`)).statusCode).to.equal(422);
  });

  it('lists what an account owns and works on', async () => {
    const uid = `uid=${ids.ada}`;
    // Reading what is public is not working on it.
    expect(await found(uid)).to.equal(['ada/alpha', 'ben/shut', 'ben/work', 'ada/zeta']);
    expect(await found(`${uid}&mode=source`)).to.equal(['ada/alpha', 'ben/shut', 'ben/work', 'ada/zeta']);
    expect(await found(`${uid}&mode=fork`)).to.equal([]);
    expect(await found(`${uid}&mode=collaborative`)).to.equal(['ben/shut', 'ben/work']);
    expect(await found(`${uid}&exclusive=true`)).to.equal(['ada/alpha', 'ada/zeta']);
    expect((await found('uid=-1')).length).to.equal(6);
    expect(await found('team_id=1')).to.equal([]);
    const own = (await send(scene.ada, 'GET', '/user/repos')).json as { full_name: string }[];
    expect(own.map((one) => one.full_name)).to.equal(['ada/alpha', 'ben/shut', 'ben/work', 'ada/zeta']);
  });

  it('private=false leaves what everybody may see', async () => {
    const open = ['ben/beta', 'ben/work', 'ada/zeta'];
    expect(await found('private=false')).to.equal(open);
    expect(await found('private=0', scene.root)).to.equal(open);
    expect(await found('private=false&is_private=true')).to.equal([]);
    expect(await found('is_private=false')).to.include('root/limited');
    expect((await found('template=&archived=')).length).to.equal(6);
  });
});
