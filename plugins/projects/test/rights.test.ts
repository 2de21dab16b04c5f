import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { systemActor } from '@mortise/plugin-sdk';
import { issues } from '@mortise/issues/api';
import type { ApiProject } from '../contract/models.js';
import { fill, inColumn, makeBoard, makeWorld, openIssue, send, type Opened, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const forge = '/api/v1/orgs/forge';
const boards = `${forge}/projects`;

describe('who sees and changes project boards', { timeout: 60_000 }, () => {
  let world: World;
  const anvil = '/api/v1/repos/forge/anvil';
  const vault = '/api/v1/repos/forge/vault';

  before(async () => {
    world = await makeWorld(['projects', 'organizations']);
    const { ada, ben } = world;
    await send(ada, 'POST', '/api/v1/orgs', { username: 'forge' });
    await send(ada, 'POST', `${forge}/repos`, { name: 'anvil' });
    await send(ada, 'POST', `${forge}/repos`, { name: 'vault', private: true });
    const team = await send<{ id: number }>(ada, 'POST', `${forge}/teams`, {
      name: 'planners',
      units_map: { 'repo.projects': 'write', 'repo.issues': 'read' },
      includes_all_repositories: false,
    });
    expect(team.status).to.equal(201);
    expect((await send(ada, 'PUT', `/api/v1/teams/${team.body.id}/members/ben`)).status).to.equal(204);
    expect((await send(ben, 'GET', boards)).status).to.equal(200);
  });
  after(() => world.host.close());

  it('S4: each visitor sees and counts only the cards whose issues they may read', async () => {
    const { ada, ben, cas, host } = world;
    const { url, columns, project } = await makeBoard(ada, {}, boards);
    const [column] = columns.map(({ id }) => id) as [number];
    await fill(ada, url, column, ['open 1'], anvil);
    const [secret] = await fill(ada, url, column, ['secret'], vault);
    await fill(ada, url, column, ['open 2'], anvil);
    expect(await inColumn(ada, url, column)).to.equal(['open 1', 'secret', 'open 2']);
    for (const who of [ben, cas, host]) {
      expect(await inColumn(who, url, column)).to.equal(['open 1', 'open 2']);
      expect((await send<ApiProject>(who, 'GET', url)).body.num_issues).to.equal(2);
      const columnRecord = await send<{ num_issues: number }>(who, 'GET', `${url}/columns/${column}`);
      expect(columnRecord.body.num_issues).to.equal(2);
      const listed = await send<unknown[]>(who, 'GET', `${url}/columns/${column}/issues?limit=1&page=2`);
      expect([listed.body.length, listed.total]).to.equal([1, 2]);
    }
    const cards = await send<unknown[]>(ben, 'GET', `/api/v1/projects/${project.id}/cards`);
    expect(cards.status).to.equal(200);
    expect(cards.total).to.equal(2);
    // ben writes to the board, and cannot touch what he may not read
    const [, other] = columns.map(({ id }) => id) as [number, number];
    for (const [method, path, body] of [
      ['POST', `${url}/issues/${secret!.id}/move`, { column_id: other }],
      ['POST', `${url}/columns/${other}/issues/${secret!.id}`, undefined],
      ['DELETE', `${url}/columns/${column}/issues/${secret!.id}`, undefined],
      ['PATCH', `/api/v1/projects/${project.id}/cards/${secret!.id}`, { is_archived: true }],
    ] as const)
      expect((await send(ben, method, path, body)).status, path).to.equal(404);
    // the position among what he sees: behind `open 1`, whatever stands between
    const moved = await openIssue(ada, 'third', anvil);
    expect((await send(ben, 'POST', `${url}/columns/${column}/issues/${moved.id}`)).status).to.equal(201);
    expect((await send(ben, 'POST', `${url}/issues/${moved.id}/move`, { sorting: 1 })).status).to.equal(204);
    expect(await inColumn(ben, url, column)).to.equal(['open 1', 'third', 'open 2']);
    expect((await inColumn(ada, url, column)).filter((title) => title !== 'secret')).to.equal([
      'open 1',
      'third',
      'open 2',
    ]);
  });

  it('PRJ-04: boards of an organization are changed by teams with the unit, and read by who sees the organization', async () => {
    const { ada, ben, cas, host } = world;
    expect((await send(ben, 'POST', boards, { title: 'Ours' })).status).to.equal(201);
    expect((await send(cas, 'POST', boards, { title: 'Mine' })).status).to.equal(403);
    expect((await send(host, 'POST', boards, { title: 'Mine' })).status).to.equal(401);
    expect((await send(host, 'GET', boards)).status).to.equal(200);
    expect((await send(ada, 'PATCH', forge, { visibility: 'private' })).status).to.equal(200);
    for (const [who, status] of [
      [ada, 200],
      [ben, 200],
      [cas, 404],
      [host, 404],
    ] as const)
      expect((await send(who, 'GET', boards)).status).to.equal(status);
    expect((await send(cas, 'POST', boards, { title: 'Mine' })).status).to.equal(404);
    const { project } = await makeBoard(ada, {}, boards);
    expect((await send(cas, 'GET', `/api/v1/projects/${project.id}/fields`)).status).to.equal(404);
    expect((await send(ada, 'PATCH', forge, { visibility: 'public' })).status).to.equal(200);
    expect((await send(cas, 'GET', `/api/v1/projects/${project.id}/fields`)).status).to.equal(200);
    expect(
      (await send(cas, 'POST', `/api/v1/projects/${project.id}/fields`, { name: 'a', kind: 'text' })).status,
    ).to.equal(403);
  });

  it('PRJ-06: a board of an organization takes issues of its own repositories alone, and as they want it', async () => {
    const { ada } = world;
    const { url, columns } = await makeBoard(ada, {}, boards);
    const add = (issue: { id: number }) => send(ada, 'POST', `${url}/columns/${columns[0]!.id}/issues/${issue.id}`);
    expect((await add(await openIssue(ada, 'mine'))).status).to.equal(422);
    const theirs = await openIssue(ada, 'theirs', anvil);
    expect((await send(ada, 'PATCH', anvil, { projects_mode: 'repo' })).status).to.equal(200);
    expect((await add(theirs)).status).to.equal(422);
    expect((await send(ada, 'PATCH', anvil, { projects_mode: 'owner' })).status).to.equal(200);
    expect((await add(theirs)).status).to.equal(201);
    expect((await send(ada, 'GET', `${anvil}/projects`)).status).to.equal(404);
    expect((await send(ada, 'PATCH', anvil, { projects_mode: 'all' })).status).to.equal(200);
    expect((await send(ada, 'GET', `${anvil}/projects`)).status).to.equal(200);
    expect((await send(ada, 'PATCH', anvil, { has_projects: false })).status).to.equal(200);
    expect((await send(ada, 'GET', `${anvil}/projects`)).status).to.equal(404);
    expect((await send(ada, 'PATCH', anvil, { has_projects: true })).status).to.equal(200);
  });

  it('PRJ-04: boards of a private account are not there for others, and an archived repository keeps its boards (423)', async () => {
    const { ada, cas, ben } = world;
    const { project } = await makeBoard(cas, {}, '/api/v1/user/projects');
    expect((await send(ben, 'GET', `/api/v1/projects/${project.id}`)).status).to.equal(200);
    expect((await send(cas, 'PATCH', '/api/v1/user/settings', {})).status).to.equal(200);
    const own = await makeBoard(ada, {}, `${vault}/projects`);
    expect((await send(ada, 'PATCH', vault, { archived: true })).status).to.equal(200);
    expect((await send(ada, 'PATCH', own.url, { title: 'a' })).status).to.equal(423);
    expect((await send(ada, 'POST', `/api/v1/projects/${own.project.id}/views`, { title: 'a' })).status).to.equal(423);
    expect((await send(ada, 'GET', own.url)).status).to.equal(200);
    expect((await send(cas, 'GET', own.url)).status).to.equal(404);
    expect((await send(cas, 'GET', `/api/v1/projects/${own.project.id}`)).status).to.equal(404);
    expect((await send(ada, 'PATCH', vault, { archived: false })).status).to.equal(200);
  });

  it('a repository that is handed over leaves the boards of who had it, and keeps its own', async () => {
    const { ada } = world;
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'wheel' });
    const wheel = '/api/v1/repos/ada/wheel';
    const mine = await makeBoard(ada, {}, '/api/v1/user/projects');
    const own = await makeBoard(ada, {}, `${wheel}/projects`);
    const issue = await openIssue(ada, 'turns', wheel);
    for (const { url, columns } of [mine, own])
      expect((await send(ada, 'POST', `${url}/columns/${columns[0]!.id}/issues/${issue.id}`)).status).to.equal(201);
    expect((await send(ada, 'POST', `${wheel}/transfer`, { new_owner: 'forge' })).status).to.be.within(200, 202);
    expect(await inColumn(ada, mine.url, mine.columns[0]!.id)).to.equal([]);
    expect(await inColumn(ada, `/api/v1/repos/forge/wheel/projects/${own.project.id}`, own.columns[0]!.id)).to.equal([
      'turns',
    ]);
  });

  it('S4: boards of an organization write nothing into an archived repository, and take no issue of it (423)', async () => {
    const { ada, ben } = world;
    const safe = '/api/v1/repos/forge/safe';
    await send(ada, 'POST', `${forge}/repos`, { name: 'safe' });
    const { url, columns } = await makeBoard(ada, {}, boards);
    const [first, second] = columns.map(({ id }) => id) as [number, number];
    const [there] = await fill(ada, url, first, ['there'], safe);
    const away = await openIssue(ada, 'away', safe);
    expect((await send(ada, 'PATCH', safe, { archived: true })).status).to.equal(200);
    const entries = async () => (await send<unknown[]>(ada, 'GET', `${safe}/issues/${there!.number}/timeline`)).body;
    const before = await entries();
    for (const who of [ada, ben])
      expect((await send(who, 'POST', `${url}/columns/${first}/issues/${away.id}`)).status).to.equal(423);
    // what stands there already is the board's business
    expect((await send(ben, 'POST', `${url}/issues/${there!.id}/move`, { column_id: second })).status).to.equal(204);
    expect((await send(ben, 'DELETE', `${url}/columns/${second}/issues/${there!.id}`)).status).to.equal(204);
    expect(await entries()).to.equal(before);
  });

  it('S4: what the site tells of an issue names no board of its owner, and pages no column of a board that is gone', async () => {
    const { ada, cas, host } = world;
    const ours = await makeBoard(ada, { title: 'Secret plan' }, boards);
    const column = ours.columns[0]!;
    await send(ada, 'PATCH', `${ours.url}/columns/${column.id}`, { title: 'Takeover' });
    const [issue] = await fill(ada, ours.url, column.id, ['told'], anvil);
    const own = await makeBoard(ada, { title: 'Open plan' }, `${anvil}/projects`);
    await send(ada, 'POST', `${own.url}/columns/${own.columns[0]!.id}/issues/${issue!.id}`);
    const { byIds, toApi } = host.services.get(issues);
    const found = [...(await byIds([issue!.id])).values()];
    const [record] = (await toApi(found, systemActor('issues'))) as unknown as Opened[];
    expect(record!.projects!.map(({ title }) => title)).to.equal(['Open plan']);
    expect((await send(ada, 'DELETE', ours.url)).status).to.equal(204);
    const page = await cas.inject(`/forge/anvil/issues/${issue!.number}`);
    expect(page.payload).to.contain('a deleted project').and.not.contain('Takeover');
  });

  it('issues, repositories, organizations and accounts take their cards and boards with them', async () => {
    const { ada, host } = world;
    const { url, columns } = await makeBoard(ada);
    const [gone] = await fill(ada, url, columns[0]!.id, ['gone', 'stays']);
    expect((await send(ada, 'DELETE', `/api/v1/repos/ada/desk/issues/${gone!.number}`)).status).to.equal(204);
    expect(await inColumn(ada, url, columns[0]!.id)).to.equal(['stays']);
    await send(ada, 'POST', '/api/v1/orgs', { username: 'brief' });
    const orgBoard = await makeBoard(ada, {}, '/api/v1/orgs/brief/projects');
    expect((await send(ada, 'DELETE', '/api/v1/orgs/brief')).status).to.equal(204);
    expect((await send(ada, 'GET', `/api/v1/projects/${orgBoard.project.id}`)).status).to.equal(404);
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'short' });
    const repoBoard = await makeBoard(ada, {}, '/api/v1/repos/ada/short/projects');
    await fill(ada, repoBoard.url, repoBoard.columns[0]!.id, ['a'], '/api/v1/repos/ada/short');
    expect((await send(ada, 'DELETE', '/api/v1/repos/ada/short')).status).to.equal(204);
    expect((await send(ada, 'GET', `/api/v1/projects/${repoBoard.project.id}`)).status).to.equal(404);
    expect((await send(host, 'GET', '/api/v1/projects/0')).status).to.equal(404);
  });
});
