import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { desk, fill, inColumn, makeBoard, makeWorld, openIssue, send, type Opened, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issues by project board', { timeout: 60_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld(['projects', 'organizations']);
  });
  after(() => world.host.close());

  const titles = async (by: Pick<World['ada'], 'inject'>, url: string) => {
    const { status, body } = await send<Opened[]>(by, 'GET', url);
    expect(status, url).to.equal(200);
    return body.map(({ title }) => title).sort();
  };

  it('PRJ-06: lists of issues are filtered by a board and by none', async () => {
    const { ada, cas, host } = world;
    const { project, url, columns } = await makeBoard(ada);
    const own = await makeBoard(ada, {}, '/api/v1/user/projects');
    await fill(ada, url, columns[0]!.id, ['on the board']);
    await fill(ada, own.url, own.columns[0]!.id, ['on the board of ada']);
    const closed = await openIssue(ada, 'closed on the board');
    await send(ada, 'POST', `${url}/columns/${columns[1]!.id}/issues/${closed.id}`);
    await send(ada, 'PATCH', `${desk}/issues/${closed.number}`, { state: 'closed' });
    await openIssue(ada, 'on none');
    for (const list of [`${desk}/issues`, '/api/v1/repos/issues/search'])
      for (const by of [ada, cas, host]) {
        expect(await titles(by, `${list}?project=${project.id}`)).to.equal(['on the board']);
        expect(await titles(by, `${list}?project=${project.id}&state=all`)).to.equal([
          'closed on the board',
          'on the board',
        ]);
        expect(await titles(by, `${list}?project=${project.id}&q=closed&state=closed`)).to.equal([
          'closed on the board',
        ]);
        expect(await titles(by, `${list}?project=-1`)).to.equal(['on none']);
        expect(await titles(by, `${list}?project=none&state=all`)).to.equal(['on none']);
        expect((await send(by, 'GET', `${list}?project=999999`)).status).to.equal(404);
        expect((await send(by, 'GET', `${list}?project=0`)).status).to.equal(422);
        expect((await send(by, 'GET', `${list}?project=1%20or%201`)).status).to.equal(422);
        expect(await titles(by, `${list}?project=`)).to.have.length(3);
      }
    expect((await send(ada, 'GET', `${desk}/issues?project=${project.id}`)).total).to.equal(1);
    const page = async (query: string) => (await ada.inject({ url: `/ada/desk/issues?${query}` })).payload;
    expect(await page(`project=${project.id}`))
      .to.include('on the board')
      .and.to.not.include('on none');
    expect(await page('project=-1'))
      .to.include('on none')
      .and.to.not.include('on the board of ada');
    expect(await page('')).to.include(`project=${project.id}`);
    expect((await ada.inject({ url: '/ada/desk/issues?project=999999' })).statusCode).to.equal(404);
  });

  it('S4: a board that one may not see filters no list, and does not count as one that an issue stands on', async () => {
    const { ada, cas, host } = world;
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'open' });
    const open = '/api/v1/repos/ada/open';
    const { project, url, columns } = await makeBoard(ada, {}, `${open}/projects`);
    await fill(ada, url, columns[0]!.id, ['planned'], open);
    for (const by of [cas, host])
      expect(await titles(by, `${open}/issues?project=${project.id}`)).to.equal(['planned']);
    await send(ada, 'PATCH', open, { has_projects: true, projects_mode: 'owner' });
    for (const by of [ada, cas, host]) {
      expect((await send(by, 'GET', `${open}/issues?project=${project.id}`)).status).to.equal(404);
      expect((await send(by, 'GET', `/api/v1/repos/issues/search?project=${project.id}`)).status).to.equal(404);
      expect(await titles(by, `${open}/issues?project=-1`)).to.equal(['planned']);
    }
    await send(ada, 'PATCH', open, { has_projects: false });
    expect(await titles(cas, `${open}/issues?project=-1`)).to.equal(['planned']);
    expect(await titles(cas, '/api/v1/repos/issues/search?project=-1')).to.include('planned');
  });

  it('PRJ-06: bodies that open and change issues name the boards that they stand on', async () => {
    const { ada, ben, cas } = world;
    const [first, second] = [await makeBoard(ada), await makeBoard(ada)];
    const foreign = await makeBoard(cas, {}, '/api/v1/user/projects');
    const boardsOf = (issue: Opened) => (issue.projects ?? []).map(({ id }) => id);
    const make = (by: World['ada'], projects: unknown, title = 'planned from the start') =>
      send<Opened>(by, 'POST', `${desk}/issues`, { title, projects });
    const made = await make(ben, [second.project.id, first.project.id, second.project.id]);
    expect(made.status).to.equal(201);
    expect(boardsOf(made.body)).to.equal([first.project.id, second.project.id]);
    expect(await inColumn(ada, first.url, first.columns[0]!.id)).to.equal(['planned from the start']);
    const edit = (by: World['ada'], body: object) =>
      send<Opened>(by, 'PATCH', `${desk}/issues/${made.body.number}`, body);
    // a card that stays keeps its column
    const doing = first.columns[2]!.id;
    await send(ada, 'POST', `${first.url}/issues/${made.body.id}/move`, { column_id: doing });
    expect(boardsOf((await edit(ben, { projects: [first.project.id] })).body)).to.equal([first.project.id]);
    expect(await inColumn(ada, first.url, doing)).to.equal(['planned from the start']);
    expect(boardsOf((await edit(ben, { title: 'another' })).body)).to.equal([first.project.id]);
    // refused whole: neither the title nor the boards that could be changed
    for (const [projects, status] of [
      [[second.project.id, 999_999], 404],
      [[second.project.id, foreign.project.id], 403],
      [['x'], 422],
      [Array.from({ length: 51 }, (_, id) => id + 1), 422],
    ] as const) {
      expect((await edit(ben, { title: 'half done', projects })).status, JSON.stringify(projects)).to.equal(status);
      expect((await make(ben, projects, 'half made')).status).to.equal(status);
    }
    const after = await send<Opened>(ada, 'GET', `${desk}/issues/${made.body.number}`);
    expect([after.body.title, boardsOf(after.body)]).to.equal(['another', [first.project.id]]);
    expect(await titles(ada, `${desk}/issues?q=half`)).to.equal([]);
    // as with labels: who may only read says nothing about boards
    const asked = await make(cas, [first.project.id], 'asked by a reader');
    expect([asked.status, boardsOf(asked.body)]).to.equal([201, []]);
    // a closed board keeps its cards, and takes none
    await send(ada, 'PATCH', first.url, { state: 'closed' });
    expect(boardsOf((await edit(ben, { projects: [second.project.id] })).body)).to.equal([
      first.project.id,
      second.project.id,
    ]);
    expect((await make(ben, [first.project.id])).status).to.equal(403);
    expect(boardsOf((await edit(ben, { projects: [] })).body)).to.equal([first.project.id]);
  });

  it('S4: a token for issues takes them off the boards of repositories alone, not off those of accounts', async () => {
    const { ada, host } = world;
    const [own, other] = [await makeBoard(ada, {}, '/api/v1/user/projects'), await makeBoard(ada)];
    const issue = await openIssue(ada, 'on two boards');
    const url = `${desk}/issues/${issue.number}`;
    const put = await send<Opened>(ada, 'PATCH', url, { projects: [own.project.id, other.project.id] });
    expect(put.body.projects!.map(({ id }) => id)).to.equal([own.project.id, other.project.id]);
    const issuesOnly = host.as({
      ...ada.actor,
      method: 'token',
      credentialId: 1,
      scopes: { issue: 'write' },
    } as typeof ada.actor);
    const took = await send<Opened>(issuesOnly, 'PATCH', url, { projects: [] });
    expect(took.status).to.equal(201);
    const left = await send<Opened>(ada, 'GET', url);
    expect(left.body.projects!.map(({ id }) => id)).to.equal([own.project.id]);
  });

  it('S4: a token that does not cover a board or an issue neither shows nor moves it', async () => {
    const { ada, host } = world;
    const as = (scopes: object) =>
      host.as({ ...ada.actor, method: 'token', credentialId: 1, scopes } as typeof ada.actor);
    await send(ada, 'POST', '/api/v1/orgs', { username: 'hidden-guild', visibility: 'private' });
    const secret = await makeBoard(ada, {}, '/api/v1/orgs/hidden-guild/projects');
    const own = await makeBoard(ada, {}, '/api/v1/user/projects');
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'closed', private: true });
    await send(ada, 'POST', '/api/v1/orgs/hidden-guild/repos', { name: 'closed' });
    const there = await send<Opened>(ada, 'POST', '/api/v1/repos/hidden-guild/closed/issues', {
      title: 'a',
      projects: [secret.project.id],
    });
    const issues = '/api/v1/repos/hidden-guild/closed/issues';
    const seen = await send<Opened>(as({ issue: 'read' }), 'GET', `${issues}/${there.body.number}`);
    expect([seen.status, seen.body.projects ?? []]).to.equal([200, []]);
    for (const query of [
      `${issues}?project=${secret.project.id}`,
      `/api/v1/repos/issues/search?project=${secret.project.id}`,
    ])
      expect((await send(as({ issue: 'read' }), 'GET', query)).status, query).to.equal(404);
    const hidden = await send<Opened>(ada, 'POST', '/api/v1/repos/ada/closed/issues', {
      title: 'b',
      projects: [own.project.id],
    });
    const move = `${own.url}/issues/${hidden.body.id}/move`;
    expect((await send(as({ user: 'write' }), 'POST', move, { sorting: 0 })).status).to.equal(404);
    expect((await send(as({ user: 'write', issue: 'read' }), 'POST', move, { sorting: 0 })).status).to.equal(204);
  });
});
