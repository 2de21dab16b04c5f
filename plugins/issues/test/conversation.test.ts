import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { anonymous } from '@mortise/plugin-sdk';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { api, makeWorld, open, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Comment {
  readonly id: number;
  readonly body: string;
}
interface Entry {
  readonly type: string;
  readonly ref_issue: { readonly number: number } | null;
  readonly ref_action: string;
}

describe('conversations', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  const say = (by: World['ada'], index: number, body: string) =>
    send<Comment>(by, 'POST', `${api}/issues/${index}/comments`, { body });
  const counted = async (index: number) =>
    (await send<{ comments: number }>(world.ada, 'GET', `${api}/issues/${index}`)).body.comments;
  const timeline = async (index: number, by: Pick<World['ada'], 'inject'> = world.ada) =>
    (await send<Entry[]>(by, 'GET', `${api}/issues/${index}/timeline?limit=50`)).body;

  it('comments are counted, whoever writes and deletes them at once', async () => {
    const { number } = await open(world.ada);
    const said = await Promise.all(
      [world.ada, world.ben, world.cas, world.ada].map((by, at) => say(by, number, `Comment ${at}`)),
    );
    expect(said.map(({ status }) => status)).to.equal([201, 201, 201, 201]);
    expect(await counted(number)).to.equal(4);
    const at = `${api}/issues/comments/${said[0]!.body.id}`;
    const gone = await Promise.all([send(world.ada, 'DELETE', at), send(world.ben, 'DELETE', at)]);
    expect(gone.map(({ status }) => status).sort()).to.equal([204, 404]);
    expect(await counted(number)).to.equal(3);
  });

  it('a page asks for what was written after it was made', async () => {
    const { number } = await open(world.ada);
    const page = (by: Pick<World['ada'], 'inject'>, path: string) => by.inject(`/ada/desk/issues/${number}${path}`);
    const newer = async (html: string): Promise<number[]> => {
      const [, path] = /data-news="([^"]+)"/.exec(html)!;
      const answer = await world.host.inject(path!);
      expect([answer.statusCode, answer.headers['cache-control']]).to.equal([200, 'no-store']);
      return answer.json.entries as number[];
    };
    const empty = (await page(world.ada, '')).payload;
    expect(await newer(empty)).to.equal([]);
    const first = await say(world.ben, number, 'First');
    await send(world.ada, 'PATCH', `${api}/issues/${number}`, { title: 'No comment' });
    const second = await say(world.cas, number, 'Second');
    const ids = [first.body.id, second.body.id];
    expect(await newer(empty)).to.equal(ids);
    // what is there already is told of too: one may have been stored later than one with a greater id
    expect(await newer((await page(world.ada, '')).payload)).to.equal(ids);
    for (const after of ['-1', 'x', '1e99'])
      expect((await page(world.ada, `/news?after=${after}`)).statusCode).to.equal(422);
  });

  it('GEN-04: a page is right at once after every change of what it shows', async () => {
    const { number } = await open(world.ada, { title: 'IssueJson', body: 'The beginning' });
    const other = await open(world.ada, { title: 'In the way' });
    const visitor = async () => {
      const page = await world.host.as(anonymous).inject(`/ada/desk/issues/${number}`);
      expect(page.headers['set-cookie']).to.be.undefined();
      return page.payload;
    };
    expect(await visitor()).to.contain('The beginning');
    const { body: comment } = await say(world.ben, number, 'As it was');
    expect(await visitor()).to.contain('As it was');
    const at = `${api}/issues/comments/${comment.id}`;
    await send(world.ben, 'PATCH', at, { body: 'As it is' });
    expect(await visitor())
      .to.contain('As it is')
      .and.to.not.contain('As it was');
    await send(world.ada, 'POST', `${at}/reactions`, { content: 'heart' });
    expect(await visitor()).to.contain('issue-reaction');
    await send(world.ada, 'POST', `${api}/issues/${number}/dependencies`, {
      ...{ owner: 'ada', repo: 'desk', index: other.number },
    });
    expect(await visitor()).to.contain('In the way');
    await send(world.ben, 'DELETE', at);
    expect(await visitor()).to.not.contain('As it is');
  });

  it('only whoever wrote a comment, and those who may write, change it', async () => {
    const { number } = await open(world.ada);
    const { body } = await say(world.ben, number, 'Mine');
    const at = `${api}/issues/comments/${body.id}`;
    expect((await send(world.cas, 'PATCH', at, { body: 'stolen' })).status).to.equal(403);
    expect((await send(world.cas, 'DELETE', at)).status).to.equal(403);
    expect((await send(world.host, 'PATCH', at, { body: 'stolen' })).status).to.equal(401);
    expect((await send<Comment>(world.ada, 'PATCH', at, { body: 'edited' })).body.body).to.equal('edited');
    expect((await send(world.ada, 'PATCH', at, { body: '   ' })).status).to.equal(422);
    await send(world.ada, 'POST', '/api/v1/user/repos', { name: 'elsewhere' });
    const elsewhere = `/api/v1/repos/ada/elsewhere/issues/comments/${body.id}`;
    for (const method of ['GET', 'DELETE'])
      expect((await send(world.ada, method, elsewhere)).status, method).to.equal(404);
  });

  it('ISS-09, ISS-14 to ISS-16, ISS-20, ISS-21: administrators lock and unlock a conversation, which then is for those who may write', async () => {
    const { number } = await open(world.cas);
    const lock = `${api}/issues/${number}/lock`;
    const isLocked = async () =>
      (await send<{ is_locked: boolean }>(world.ben, 'GET', `${api}/issues/${number}`)).body.is_locked;
    expect(await isLocked()).to.be.false();
    for (const method of ['PUT', 'DELETE']) expect((await send(world.ben, method, lock)).status, method).to.equal(403);
    await send(world.ada, 'PATCH', `${api}/issues/${number}`, { is_locked: true });
    expect(await isLocked()).to.be.false();
    for (let twice = 0; twice < 2; twice++) expect((await send(world.ada, 'PUT', lock)).status).to.equal(204);
    expect(await isLocked()).to.be.true();
    expect((await say(world.cas, number, 'silenced')).status).to.equal(403);
    const react = { content: '+1' };
    expect((await send(world.cas, 'POST', `${api}/issues/${number}/reactions`, react)).status).to.equal(403);
    expect((await say(world.ben, number, 'may write')).status).to.equal(201);
    for (let twice = 0; twice < 2; twice++) expect((await send(world.ada, 'DELETE', lock)).status).to.equal(204);
    expect(await isLocked()).to.be.false();
    expect((await send(world.ada, 'PUT', lock, { lock_reason: 'spam' })).status).to.equal(204);
    await send(world.ada, 'DELETE', lock);
    expect((await say(world.cas, number, 'again')).status).to.equal(201);
    expect((await timeline(number)).filter(({ type }) => /lock/.test(type))).to.have.length(4);
  });

  it('who is blocked writes nothing', async () => {
    const { number } = await open(world.ada);
    expect((await send(world.ada, 'PUT', '/api/v1/user/blocks/cas')).status).to.equal(204);
    expect((await say(world.cas, number, 'unwanted')).status).to.equal(403);
    expect((await send(world.cas, 'POST', `${api}/issues`, { title: 'unwanted' })).status).to.equal(403);
    expect((await send(world.ada, 'DELETE', '/api/v1/user/blocks/cas')).status).to.equal(204);
  });

  it('an issue that is named gets one entry for each text, and nobody learns of hidden ones', async () => {
    const { number } = await open(world.ada);
    const from = await open(world.ben, { body: `see #${number} and again #${number}` });
    const { body } = await say(world.ben, from.number, `#${number}`);
    await send(world.ada, 'POST', '/api/v1/user/repos', { name: 'cellar', private: true });
    await send(world.ada, 'POST', '/api/v1/repos/ada/cellar/issues', { title: 'x', body: `ada/desk#${number}` });
    const refs = async (by?: Pick<World['ada'], 'inject'>) =>
      (await timeline(number, by)).map(({ type, ref_action: action }) => `${type} ${action}`);
    expect(await refs()).to.equal(['issue_ref none', 'comment_ref none', 'issue_ref none']);
    expect(await refs(world.cas)).to.equal(['issue_ref none', 'comment_ref none']);
    const { headers } = await send(world.cas, 'GET', `${api}/issues/${number}/timeline?limit=1`);
    expect(headers['x-total-count']).to.equal('2');
    await send(world.ben, 'PATCH', `${api}/issues/comments/${body.id}`, { body: 'nothing' });
    expect(await refs(world.cas)).to.equal(['issue_ref none', 'comment_ref neutered']);
    await send(world.ben, 'DELETE', `${api}/issues/comments/${body.id}`);
    expect(await refs(world.cas)).to.equal(['issue_ref none']);
  });

  it('the same reaction of one person is there once, also when it is asked for twice at once', async () => {
    const { number } = await open(world.ada);
    const at = `${api}/issues/${number}/reactions`;
    const answers = await Promise.all([1, 2, 3].map(() => send(world.cas, 'POST', at, { content: 'heart' })));
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    expect((await send<unknown[]>(world.ada, 'GET', at)).body).to.have.length(1);
    expect((await send(world.ada, 'POST', at, { content: 'yawn' })).status).to.equal(403);
  });

  it('ISS-07, ISS-08: pinned issues keep their order without a gap, up to the limit', async () => {
    const numbers = await Promise.all([1, 2, 3, 4].map(async () => (await open(world.ada)).number));
    const pin = (index: number) => `${api}/issues/${index}/pin`;
    const answers = await Promise.all(numbers.map((index) => send(world.ada, 'POST', pin(index))));
    expect(answers.map(({ status }) => status).sort()).to.equal([204, 204, 204, 400]);
    const pinned = async () =>
      (await send<{ number: number; pin_order: number }[]>(world.ada, 'GET', `${api}/issues/pinned`)).body;
    const before = (await pinned()).map(({ number }) => number);
    expect((await send(world.ada, 'PATCH', `${pin(before[2]!)}/1`)).status).to.equal(204);
    expect((await pinned()).map(({ number }) => number)).to.equal([before[2], before[0], before[1]]);
    for (const bad of ['0', '4', 'x'])
      expect((await send(world.ada, 'PATCH', `${pin(before[2]!)}/${bad}`)).status).to.be.within(400, 422);
    await send(world.ada, 'DELETE', `${api}/issues/${before[0]}`);
    expect((await pinned()).map(({ pin_order: order }) => order)).to.equal([1, 2]);
  });

  it('those who take part are told, unless they said no', async () => {
    const { number } = await open(world.ada);
    const check = async (by: World['ada']) =>
      (await send<{ subscribed: boolean }>(by, 'GET', `${api}/issues/${number}/subscriptions/check`)).body.subscribed;
    expect([await check(world.ada), await check(world.cas)]).to.equal([true, false]);
    await say(world.cas, number, 'Count me in');
    expect(await check(world.cas)).to.equal(true);
    const mine = `${api}/issues/${number}/subscriptions/cas`;
    expect((await send(world.ben, 'DELETE', mine)).status).to.equal(403);
    expect((await send(world.cas, 'DELETE', mine)).status).to.equal(201);
    expect((await send(world.cas, 'DELETE', mine)).status).to.equal(200);
    expect(await check(world.cas)).to.equal(false);
  });

  it('nothing changes in an archived repository', async () => {
    const { ada } = world;
    const { number } = await open(ada);
    const { body: comment } = await say(ada, number, 'Kept');
    await send(ada, 'PATCH', api, { archived: true });
    const one = `${api}/issues/${number}`;
    const said = `${api}/issues/comments/${comment.id}`;
    const changes = [
      ['POST', `${one}/reactions`, { content: 'heart' }],
      ['DELETE', `${one}/reactions`, { content: 'heart' }],
      ['POST', `${said}/reactions`, { content: 'heart' }],
      ['PATCH', said, { body: 'Changed' }],
      ['DELETE', said],
      ['PUT', `${one}/lock`],
      ['DELETE', `${one}/lock`],
      ['POST', `${one}/pin`],
      ['PATCH', one, { state: 'closed' }],
      ['DELETE', one],
    ] as const;
    for (const [method, path, payload] of changes)
      expect((await send(ada, method, path, payload)).status, `${method} ${path}`).to.equal(423);
    const page = `/ada/desk/issues/${number}`;
    expect((await submitForm(ada, `${page}/comments/${comment.id}/delete`, {})).statusCode).to.equal(422);
    expect(await counted(number)).to.equal(1);
    await send(ada, 'PATCH', api, { archived: false });
    expect((await send(ada, 'DELETE', one)).status).to.equal(204);
  });
});
