import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { startHost, submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { makeBoard, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Thread {
  readonly repository: object | null;
  readonly subject: {
    readonly title: string;
    readonly type: string;
    readonly state: string;
    readonly html_url: string;
  };
}
interface Entry {
  readonly op_type: string;
  readonly content: string;
  readonly repo_id: number;
  readonly repo: object | null;
  readonly is_private: boolean;
}
type Anyone = Pick<TestClient, 'inject'>;

describe('feeds and notifications of the boards of accounts', { timeout: 120_000 }, () => {
  let world: World;
  before(async () => {
    const host = await startHost({ plugins: ['projects', 'notifications', 'activity', 'organizations'] });
    const [ada, ben, cas] = [await signUp(host, 'ada'), await signUp(host, 'ben'), await signUp(host, 'cas')];
    world = { host, ada, ben, cas };
    await send(ada, 'POST', '/api/v1/orgs', { username: 'guild' });
    await send(ada, 'POST', '/api/v1/orgs', { username: 'lodge', visibility: 'private' });
    for (const org of ['guild', 'lodge']) {
      const { body } = await send<{ id: number; name: string }[]>(ada, 'GET', `/api/v1/orgs/${org}/teams`);
      await send(ada, 'PUT', `/api/v1/teams/${body[0]!.id}/members/ben`);
    }
  });
  after(() => world.host.close());

  const feed = async (by: Anyone, path: string) => {
    await world.host.settle();
    const { status, body } = await send<Entry[]>(by, 'GET', path);
    return status === 200 ? body.filter((one) => one.op_type.endsWith('_project')) : status;
  };
  const titles = async (by: Anyone, path: string) => {
    const found = await feed(by, path);
    return typeof found === 'number' ? found : found.map((one) => `${one.op_type} ${one.content.split('|')[1]}`);
  };
  const threads = async (by: TestClient) => {
    await world.host.settle();
    const { status, body } = await send<Thread[]>(by, 'GET', '/api/v1/notifications');
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const follow = async (by: TestClient, htmlUrl: string) =>
    (await submitForm(by, `${new URL(htmlUrl).pathname}/follow`, { follow: '1' })).statusCode;

  it('FED-01: the board of an organization is in its feed and on its pages, with `repo` null', async () => {
    const { ada, host } = world;
    const { project, url } = await makeBoard(ada, { title: 'Roof' }, '/api/v1/orgs/guild/projects');
    await send(ada, 'PATCH', url, { state: 'closed' });
    const path = '/api/v1/orgs/guild/activities/feeds';
    const [newest] = (await feed(host, path)) as Entry[];
    expect(newest).to.include({ op_type: 'close_project', content: `${project.id}|Roof`, repo_id: 0, repo: null });
    expect(newest!.is_private).to.be.false();
    expect(await titles(host, path)).to.equal(['close_project Roof', 'create_project Roof']);
    expect(await titles(host, '/api/v1/users/ada/activities/feeds')).to.include('close_project Roof');
    const href = `/guild/-/projects/${project.id}`;
    expect((await host.inject({ url: '/guild?tab=activity' })).payload).to.include(['Roof', `href="${href}"`]);
    expect((await host.inject({ url: '/guild.rss' })).payload).to.include(['ada closed project Roof in guild', href]);
    expect((await ada.inject('/')).payload).to.include(`href="${href}"`);
  });

  it('FED-01: boards of users are in their feeds, and go private with the account', async () => {
    const { ada, ben, host } = world;
    await makeBoard(ben, { title: 'Garden' }, '/api/v1/user/projects');
    const path = '/api/v1/users/ben/activities/feeds';
    const ofBen = async (by: Anyone) => titles(by, path);
    expect([await ofBen(host), await ofBen(ada)]).to.equal([['create_project Garden'], ['create_project Garden']]);
    const show = (visibility: string) =>
      host.database.write(() => host.database.knex()('user').where('name', 'ben').update({ visibility }));
    await show('limited');
    expect([await ofBen(host), await ofBen(ada)]).to.equal([404, ['create_project Garden']]);
    await show('public');
    expect(await ofBen(host)).to.equal(['create_project Garden']);
  });

  it('FED-01: the board of a private organization is shown to members alone, in every feed', async () => {
    const { ada, ben, cas, host } = world;
    const { project } = await makeBoard(ada, { title: 'Cellar' }, '/api/v1/orgs/lodge/projects');
    const ofLodge = '/api/v1/orgs/lodge/activities/feeds';
    const ofAda = '/api/v1/users/ada/activities/feeds';
    expect(await titles(ben, ofLodge)).to.equal(['create_project Cellar']);
    expect([await titles(cas, ofLodge), await titles(host, ofLodge)]).to.equal([404, 404]);
    for (const by of [cas, host]) expect(await titles(by, ofAda)).to.not.include('create_project Cellar');
    expect(await titles(ada, ofAda)).to.include('create_project Cellar');
    for (const page of ['/ada?tab=activity', '/ada.rss', '/ada.atom'])
      for (const by of [cas, host]) expect((await by.inject({ url: page })).payload, page).to.not.include('Cellar');
    expect(await follow(cas, project.html_url)).to.equal(404);
  });

  it('FED-01: who loses the unit of an organization sees its boards in no feed any more, not even entries of their own', async () => {
    const { ada, cas } = world;
    const made = await send<{ id: number }>(ada, 'POST', '/api/v1/orgs/lodge/teams', {
      name: 'planners',
      permission: 'write',
      units_map: { 'repo.projects': 'write', 'repo.code': 'read' },
    });
    expect(made.status).to.equal(201);
    await send(ada, 'PUT', `/api/v1/teams/${made.body.id}/members/cas`);
    await makeBoard(cas, { title: 'Attic' }, '/api/v1/orgs/lodge/projects');
    const path = '/api/v1/users/cas/activities/feeds';
    expect(await titles(cas, path)).to.equal(['create_project Attic']);
    await send(ada, 'PATCH', `/api/v1/teams/${made.body.id}`, { units_map: { 'repo.code': 'read' } });
    expect(await titles(cas, path)).to.equal([]);
  });

  it('PRJ-05: who follows the board of an organization hears that it was closed and reopened', async () => {
    const { ada, ben, cas } = world;
    const { project, url } = await makeBoard(ada, { title: 'Tower' }, '/api/v1/orgs/lodge/projects');
    expect(await follow(ben, project.html_url)).to.equal(303);
    await send(ada, 'PATCH', url, { state: 'closed' });
    const [thread] = await threads(ben);
    expect(thread!.repository).to.be.null();
    expect(thread!.subject).to.include({ title: 'Tower', type: 'Project', state: 'closed' });
    expect(thread!.subject.html_url).to.equal(project.html_url);
    expect((await ben.inject('/notifications')).payload).to.include(['Tower', `/lodge/-/projects/${project.id}`]);
    await send(ben, 'PUT', '/api/v1/notifications');
    await send(ada, 'PATCH', url, { state: 'open' });
    expect((await threads(ben)).map(({ subject }) => subject.state)).to.equal(['open']);
    expect([await threads(ada), await threads(cas)]).to.equal([[], []]);
  });

  it('PRJ-05: nothing of the board is left in the inbox of who may not see it, nor of anyone once it is deleted', async () => {
    const { ada, ben } = world;
    const { project, url } = await makeBoard(ada, { title: 'Vault' }, '/api/v1/orgs/lodge/projects');
    await follow(ben, project.html_url);
    await send(ben, 'PUT', '/api/v1/notifications');
    await send(ada, 'PATCH', url, { state: 'closed' });
    expect((await threads(ben)).map(({ subject }) => subject.title)).to.equal(['Vault']);
    await send(ada, 'DELETE', '/api/v1/orgs/lodge/members/ben');
    const count = async () => (await send<{ new: number }>(ben, 'GET', '/api/v1/notifications/new')).body.new;
    expect(await count()).to.equal(0);
    expect((await threads(ben)).filter(({ subject }) => subject !== null)).to.equal([]);
    expect((await ben.inject('/notifications')).payload).to.not.include('Vault');
    await send(ada, 'DELETE', url);
    expect(await threads(ben)).to.equal([]);
  });

  it('PRJ-05: opening the page of a board marks its thread as read, and those of other boards stay unread', async () => {
    const { ada, ben } = world;
    await send(ben, 'PUT', '/api/v1/notifications');
    const boards = [];
    for (const title of ['Shed', 'Barn']) boards.push(await makeBoard(ada, { title }, '/api/v1/orgs/guild/projects'));
    for (const { project, url } of boards) {
      await follow(ben, project.html_url);
      await send(ada, 'PATCH', url, { state: 'closed' });
    }
    expect((await threads(ben)).map(({ subject }) => subject.title)).to.only.include(['Shed', 'Barn']);
    expect((await send(ben, 'GET', boards[0]!.url)).status).to.equal(200);
    expect(await threads(ben), 'the API marks nothing, as it does not for issues').to.have.length(2);
    expect((await ben.inject(new URL(boards[0]!.project.html_url).pathname)).statusCode).to.equal(200);
    expect((await threads(ben)).map(({ subject }) => subject.title)).to.equal(['Barn']);
  });
});
