import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { startHost, submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { desk, fill, makeBoard, openIssue, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Thread {
  readonly unread: boolean;
  readonly subject: { readonly title: string; readonly type: string };
}
interface Entry {
  readonly op_type: string;
  readonly content: string;
}
const pathOf = (project: { readonly html_url: string }) => new URL(project.html_url).pathname;

describe('followers and feeds of project boards', { timeout: 120_000 }, () => {
  let world: World;
  before(async () => {
    const host = await startHost({ plugins: ['projects', 'notifications', 'activity', 'organizations', 'pulls'] });
    const [ada, ben, cas] = [await signUp(host, 'ada'), await signUp(host, 'ben'), await signUp(host, 'cas')];
    world = { host, ada, ben, cas };
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'desk', private: true });
    for (const name of ['ben', 'cas']) await send(ada, 'PUT', `${desk}/collaborators/${name}`, { permission: 'read' });
    for (const by of [ben, cas]) await send(by, 'DELETE', `${desk}/subscription`);
  });
  after(() => world.host.close());

  /** What came since it was read last. */
  const news = async (by: TestClient) => {
    await world.host.settle();
    const { body } = await send<Thread[]>(by, 'GET', '/api/v1/notifications');
    await send(by, 'PUT', '/api/v1/notifications');
    return body.filter(({ unread }) => unread).map(({ subject }) => `${subject.type} ${subject.title}`);
  };
  const follow = (by: TestClient, path: string, wanted = '1') => submitForm(by, `${path}/follow`, { follow: wanted });

  it('PRJ-06: who follows a board hears of cards that come and change columns, once for each issue', async () => {
    const { ada, ben, cas } = world;
    const { project, columns, url } = await makeBoard(ada);
    const path = pathOf(project);
    const [first, second] = columns.map(({ id }) => id) as [number, number];
    const issue = await openIssue(ada, 'Cedar');
    await Promise.all([news(ben), news(cas), news(ada)]);
    expect((await ben.inject({ url: path })).payload).to.include('Follow the project Sprint');
    expect((await follow(ben, path)).statusCode).to.equal(303);
    await follow(ada, path);
    await follow(ben, path);
    expect((await ben.inject({ url: path })).payload).to.include('Unfollow the project Sprint');
    await send(ada, 'POST', `${url}/columns/${first}/issues/${issue.id}`);
    await send(ada, 'POST', `${url}/issues/${issue.id}/move`, { column_id: second });
    await send(ada, 'POST', `${url}/issues/${issue.id}/move`, { column_id: first });
    expect(await news(ben)).to.equal(['Issue Cedar']);
    expect([await news(cas), await news(ada)]).to.equal([[], []]);
    // a position within the column is no news
    await send(ada, 'POST', `${url}/issues/${issue.id}/move`, { sorting: 0 });
    expect(await news(ben)).to.equal([]);
    await send(ada, 'POST', `${url}/issues/${issue.id}/move`, { column_id: second });
    expect(await news(ben)).to.equal(['Issue Cedar']);
    await follow(ben, path, '0');
    await send(ada, 'POST', `${url}/issues/${issue.id}/move`, { column_id: first });
    expect(await news(ben)).to.equal([]);
  });

  it('PRJ-05: who follows a board hears that it was closed and reopened, and nothing once the board is out of sight', async () => {
    const { ada, ben, cas } = world;
    const { project, columns, url } = await makeBoard(ada);
    const path = pathOf(project);
    await Promise.all([follow(ben, path), follow(cas, path)]);
    await Promise.all([news(ben), news(cas)]);
    await send(ada, 'PATCH', url, { state: 'closed' });
    expect([await news(ben), await news(cas)]).to.equal([['Repository ada/desk'], ['Repository ada/desk']]);
    await send(ada, 'PATCH', url, { state: 'open' });
    expect(await news(ben)).to.equal(['Repository ada/desk']);
    await news(cas);
    await send(ada, 'DELETE', `${desk}/collaborators/cas`);
    expect((await follow(cas, path)).statusCode).to.equal(404);
    await fill(ada, url, columns[0]!.id, ['after cas left']);
    await send(ada, 'PATCH', url, { state: 'closed' });
    expect((await news(ben)).sort()).to.equal(['Issue after cas left', 'Repository ada/desk']);
    await send(ada, 'PUT', `${desk}/collaborators/cas`, { permission: 'read' });
    await send(cas, 'DELETE', `${desk}/subscription`);
    expect(await news(cas)).to.equal([]);
  });

  it('PRJ-01: followers of the board of an organization hear only of issues that they may read', async () => {
    const { ada, ben } = world;
    await send(ada, 'POST', '/api/v1/orgs', { username: 'guild' });
    await send(ada, 'POST', '/api/v1/orgs/guild/repos', { name: 'open' });
    await send(ada, 'POST', '/api/v1/orgs/guild/repos', { name: 'secret', private: true });
    const { project, columns, url } = await makeBoard(ada, {}, '/api/v1/orgs/guild/projects');
    await follow(ben, pathOf(project));
    await news(ben);
    await fill(ada, url, columns[0]!.id, ['hidden'], '/api/v1/repos/guild/secret');
    await fill(ada, url, columns[0]!.id, ['shown'], '/api/v1/repos/guild/open');
    expect(await news(ben)).to.equal(['Issue shown']);
  });

  it('FED-01: feeds tell of boards that are made, closed, reopened and deleted, to who may read the unit', async () => {
    const { ada, host } = world;
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'lamp' });
    const lamp = '/api/v1/repos/ada/lamp';
    const { project, url } = await makeBoard(ada, { title: 'Light' }, `${lamp}/projects`);
    for (const state of ['closed', 'open']) await send(ada, 'PATCH', url, { state });
    const told = async (by: Pick<TestClient, 'inject'>) => {
      await host.settle();
      const { body } = await send<Entry[]>(by, 'GET', `${lamp}/activities/feeds`);
      return body.filter((one) => one.op_type.endsWith('_project')).map((one) => `${one.op_type} ${one.content}`);
    };
    const content = `${project.id}|Light`;
    const all = [`reopen_project ${content}`, `close_project ${content}`, `create_project ${content}`];
    expect([await told(ada), await told(host)]).to.equal([all, all]);
    const feed = (await host.inject({ url: '/ada/lamp.rss' })).payload;
    expect(feed).to.include(['ada created project Light in ada/lamp', `/ada/lamp/projects/${project.id}`]);
    await send(ada, 'DELETE', url);
    expect((await told(host))[0]).to.equal(`delete_project ${content}`);
    expect((await host.inject({ url: '/ada/lamp.atom' })).payload).to.include('deleted project Light from ada/lamp');
    await send(ada, 'PATCH', lamp, { has_projects: false });
    expect(await told(host)).to.equal([]);
  });
});
