import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { api, makeWorld, open, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const home = '/ada/desk/issues';
const seen = async (by: Pick<TestClient, 'inject'>, path: string): Promise<string> => (await by.inject(path)).payload;
const badgesIn = (html: string): string[] =>
  [...html.matchAll(/<span class="Label ml-1"[^>]*>([^<]+)/g)].map(([, one]) => one!);

interface Entry {
  readonly id: number;
  readonly type: string;
  readonly body: string;
  readonly hidden_reason: string;
}

describe('issue 29: hidden comments', { timeout: 120_000 }, () => {
  let world: World;
  let comment: number;
  const hide = (by: TestClient, reason: string, id = comment, issue = 1) =>
    submitForm(by, `${home}/${issue}/comments/${id}/hide`, { reason });
  const timeline = async () => (await send<Entry[]>(world.ada, 'GET', `${api}/issues/1/timeline`)).body;
  before(async () => {
    world = await makeWorld();
    await open(world.ada);
    const made = await send<{ id: number }>(world.cas, 'POST', `${api}/issues/1/comments`, { body: 'Buy my wheels' });
    comment = made.body.id;
  });
  after(() => world.host.close());

  it('those who may write hide one for a reason; everybody sees it folded, with the reason', async () => {
    const { ben, cas, host } = world;
    expect((await hide(ben, 'spam')).headers.location).to.equal(`${home}/1#issuecomment-${comment}`);
    for (const by of [cas, host]) {
      const html = await seen(by, `${home}/1`);
      expect(html).to.match(/<details class="issue-hidden">[^]*Spam · Hidden by ben[^]*Buy my wheels/);
    }
    const [shown, line] = await timeline();
    expect(shown?.hidden_reason).to.equal('spam');
    expect([line?.type, line?.body, line?.hidden_reason]).to.equal(['hide_comment', 'spam', '']);
    expect(await seen(cas, `${home}/1`)).to.include(`<a href="#issuecomment-${comment}">a comment</a>`);
  });

  it('the same reason again changes nothing, another one replaces it', async () => {
    await hide(world.ben, 'spam');
    expect(await timeline()).to.have.length(2);
    await hide(world.ben, 'off-topic');
    expect((await timeline())[0]?.hidden_reason).to.equal('off-topic');
  });

  it('readers may not, other reasons and comments of other issues are refused, and nothing is stored', async () => {
    const { ben, cas } = world;
    const count = (await timeline()).length;
    await open(cas, { title: 'Another' });
    expect((await hide(cas, 'spam')).statusCode).to.equal(403);
    expect((await hide(ben, 'rude')).statusCode).to.equal(422);
    expect((await hide(ben, '')).statusCode).to.equal(422);
    const line = (await timeline())[1]!.id;
    for (const [id, issue] of [
      [comment, 2],
      [99_999, 1],
      [line, 1],
    ])
      expect((await hide(ben, 'spam', id, issue)).statusCode, `${id} of ${issue}`).to.equal(422);
    expect(await timeline()).to.have.length(count);
  });

  it('it is shown again, and one that is deleted takes the hiding with it', async () => {
    const { ada, ben, cas } = world;
    await submitForm(ben, `${home}/1/comments/${comment}/show`, {});
    await submitForm(ben, `${home}/1/comments/${comment}/show`, {});
    expect(await seen(cas, `${home}/1`)).to.not.include('issue-hidden');
    const after = await timeline();
    expect(after.filter(({ type }) => type === 'show_comment')).to.have.length(1);
    expect(after[0]?.hidden_reason).to.equal('');
    await hide(ben, 'duplicate');
    expect((await send(ada, 'DELETE', `${api}/issues/comments/${comment}`)).status).to.equal(204);
    expect(await seen(cas, `${home}/1`)).to.not.include('issue-hidden');
  });
});

describe('issue 29: badges of authors', { timeout: 120_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
    const { ada, ben, cas } = world;
    await open(cas, { title: 'My first' });
    for (const by of [ada, ben, cas]) await send(by, 'POST', `${api}/issues/1/comments`, { body: 'Well' });
  });
  after(() => world.host.close());

  it('name owners, collaborators, the author, and who is new', async () => {
    const { host } = world;
    expect(badgesIn(await seen(host, `${home}/1`))).to.equal([
      'First-time contributor',
      'Owner',
      'Collaborator',
      'Author',
    ]);
  });

  it('follow what people are by now', async () => {
    const { ada, cas, host } = world;
    await open(cas, { title: 'My second' });
    expect(badgesIn(await seen(host, `${home}/2`))).to.equal([]);
    await send(ada, 'PUT', `${api}/collaborators/cas`, { permission: 'read' });
    expect(badgesIn(await seen(host, `${home}/2`))).to.equal(['Collaborator']);
    await send(ada, 'DELETE', `${api}/collaborators/ben`);
    expect(badgesIn(await seen(host, `${home}/1`))).to.equal(['Collaborator', 'Owner', 'Collaborator', 'Author']);
  });
});
