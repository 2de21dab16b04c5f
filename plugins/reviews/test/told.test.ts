import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { done, makeWorld, open, poem, write, type ReviewJson, type CommentJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

interface Thread {
  readonly subject: { readonly title: string } | null;
}

describe('who is told of reviews and pushes', () => {
  let world: World;
  before(async () => {
    world = await makeWorld(['notifications', 'organizations']);
  });
  after(() => world.host.close());
  beforeEach(async () => {
    await world.host.settle();
    for (const by of [world.ada, world.ben, world.cas, world.dot]) await done(by, 'PUT', '/api/v1/notifications');
  });
  const told = async (by: World['ada']) => {
    await world.host.settle();
    const threads = await done<Thread[]>(by, 'GET', '/api/v1/notifications');
    return threads.map(({ subject }) => subject?.title);
  };
  const reasonOf = async (by: World['ada']) =>
    world.host.database
      .knex()('notification')
      .where({ user_id: by.account.id, status: 'unread' })
      .pluck('reason') as unknown as Promise<string[]>;
  const comment = (body: string) => ({ path: 'poem.txt', body, new_position: 1 });

  it('whom reviews and comments on lines mention, when they are sent', async () => {
    const { ben, cas, dot } = world;
    const { at, branch } = await open(world, { 'poem.txt': poem('mentions') });
    await world.host.settle();
    const pending = await done<ReviewJson>(ben, 'POST', `${at}/reviews`, {
      event: 'PENDING',
      comments: [comment('what does @cas say?')],
    });
    expect(await told(cas)).to.equal([]);
    await done(ben, 'POST', `${at}/reviews/${pending.id}`, { event: 'COMMENT', body: 'and @dot?' });
    expect([await told(cas), await told(dot)]).to.equal([[`Change ${branch}`], [`Change ${branch}`]]);
    expect(await reasonOf(cas)).to.equal(['mentioned']);
    await done(cas, 'PUT', '/api/v1/notifications');
    await done(dot, 'PUT', '/api/v1/notifications');
    const [first] = await done<CommentJson[]>(ben, 'GET', `${at}/reviews/${pending.id}/comments`);
    await done(dot, 'POST', `${at}/comments/${first!.id}/replies`, { body: '@cas, well' });
    expect(await told(cas)).to.equal([`Change ${branch}`]);
  });

  it('who follows it, of what is pushed', async () => {
    const { ada, ben, dot } = world;
    const { at, branch } = await open(world, { 'poem.txt': poem('pushes') });
    await done(ben, 'POST', `${at}/reviews`, { event: 'COMMENT', body: 'hm' });
    await world.host.settle();
    await done(ada, 'PUT', '/api/v1/notifications');
    await write(ben, branch, { 'poem.txt': poem('pushed') });
    expect(await told(ada)).to.equal([`Change ${branch}`]);
    expect(await told(dot)).to.equal([]);
  });

  it('the search finds what reviews and comments on lines say, once they are sent', async () => {
    const { ben, cas, host } = world;
    const { at, number } = await open(world, { 'poem.txt': poem('found') });
    const find = async (text: string) => {
      const found = await done<{ number: number }[]>(cas, 'GET', `/api/v1/repos/issues/search?type=pulls&q=${text}`);
      const { payload } = await cas.inject(`/search?type=comments&q=${text}`);
      return [found.map((one) => one.number), (payload.match(/#issuecomment-/g) ?? []).length];
    };
    const pending = await done<ReviewJson>(ben, 'POST', `${at}/reviews`, {
      event: 'PENDING',
      comments: [comment('xylophone here')],
    });
    expect(await find('xylophone')).to.equal([[], 0]);
    await done(ben, 'POST', `${at}/reviews/${pending.id}`, { event: 'COMMENT', body: 'zeppelin there' });
    expect(await find('xylophone')).to.equal([[number], 1]);
    expect(await find('zeppelin')).to.equal([[number], 1]);
    await host.command('search rebuild', {});
    expect(await find('xylophone')).to.equal([[number], 1]);
    await done(ben, 'DELETE', `${at}/reviews/${pending.id}`);
    expect(await find('xylophone')).to.equal([[], 0]);
  });

  it('comments on lines are found by those alone who may read the code', async () => {
    const { ada, dot } = world;
    await done(ada, 'POST', '/api/v1/orgs', { username: 'works' });
    const repository = { name: 'mill', private: true, auto_init: true, default_branch: 'main' };
    await done(ada, 'POST', '/api/v1/orgs/works/repos', repository);
    const units = { permission: 'read', units: ['repo.pulls'] };
    const team = await done<{ id: number }>(ada, 'POST', '/api/v1/orgs/works/teams', { name: 'desk', ...units });
    await done(ada, 'PUT', `/api/v1/teams/${team.id}/members/dot`);
    await done(ada, 'PUT', `/api/v1/teams/${team.id}/repos/works/mill`);
    const mill = '/api/v1/repos/works/mill';
    const files = [{ operation: 'create', path: 'poem.txt', content: Buffer.from(poem()).toString('base64') }];
    await done(ada, 'POST', `${mill}/contents`, { files, message: 'x', branch: 'main', new_branch: 'topic' });
    const pull = { title: 'Mill', base: 'main', head: 'topic' };
    const { number } = await done<{ number: number }>(ada, 'POST', `${mill}/pulls`, pull);
    const comments = [comment('obsidian wheel')];
    const review = { event: 'COMMENT', body: 'granite stone', comments };
    await done(ada, 'POST', `${mill}/pulls/${number}/reviews`, review);
    await world.host.settle();
    const find = async (by: World['ada'], text: string) => {
      const found = await done<object[]>(by, 'GET', `/api/v1/repos/issues/search?type=pulls&q=${text}`);
      const { payload } = await by.inject(`/search?type=comments&q=${text}`);
      return [found.length, (payload.match(/#issuecomment-/g) ?? []).length];
    };
    expect([await find(ada, 'obsidian'), await find(dot, 'obsidian')]).to.equal([
      [1, 1],
      [0, 0],
    ]);
    expect(await find(dot, 'granite')).to.equal([1, 1]);
  });

  it('a push looks at the reviews before it some at a time', async () => {
    const { ada, cas, host } = world;
    const { at, branch } = await open(world, { 'poem.txt': poem('many') });
    const { id } = await done<ReviewJson>(cas, 'POST', `${at}/reviews`, { event: 'APPROVED', body: 'x' });
    const knex = host.database.knex();
    const row = (await knex('review').where({ id }).first()) as Record<string, unknown>;
    await host.database.write(async () => {
      for (let count = 0; count < 250; count++)
        await host.database
          .knex()('review')
          .insert({ ...row, id: undefined, once_key: null });
    });
    const lengths: number[] = [];
    const listening = knex as unknown as Record<
      'on' | 'removeListener',
      (name: string, heard: (query: { sql: string; bindings: unknown[] }) => void) => void
    >;
    const heard = ({ sql, bindings }: { sql: string; bindings: unknown[] }) => {
      if (/^update .review. /.test(sql)) lengths.push(bindings.length);
    };
    listening.on('query', heard);
    await write(ada, branch, { 'poem.txt': poem('many more') });
    await host.settle();
    listening.removeListener('query', heard);
    expect(Math.max(...lengths)).to.be.below(120);
    const stale = await host.database
      .knex()('review')
      .where({ issue_id: row.issue_id, is_stale: true })
      .count({ n: '*' });
    expect(stale).to.equal([{ n: 251 }]);
  });
});
