import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { ApiProject, ApiProjectColumn } from '../contract/models.js';
import {
  boards,
  desk,
  fill,
  inColumn,
  makeBoard,
  makeWorld,
  openIssue,
  send,
  type Opened,
  type World,
} from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('project boards', { timeout: 60_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld(['projects', 'organizations']);
    const { ada } = world;
    expect((await send(ada, 'POST', '/api/v1/orgs', { username: 'forge' })).status).to.equal(201);
    expect((await send(ada, 'POST', '/api/v1/orgs/forge/repos', { name: 'anvil' })).status).to.equal(201);
  });
  after(() => world.host.close());

  it('PRJ-01, GEN-01: boards of repositories, organizations and users say their type and are listed', async () => {
    const { ada, cas } = world;
    const roots = {
      repository: boards,
      organization: '/api/v1/orgs/forge/projects',
      individual: '/api/v1/user/projects',
    };
    for (const [type, root] of Object.entries(roots) as [keyof typeof roots, string][]) {
      const { project } = await makeBoard(ada, { title: `Of ${type}` }, root);
      expect(project.type).to.equal(type);
      expect(project.html_url).to.match(
        {
          repository: /\/ada\/desk\/projects\/\d+$/,
          organization: /\/forge\/-\/projects\/\d+$/,
          individual: /\/ada\/-\/projects\/\d+$/,
        }[type]!,
      );
      const listed = await send<ApiProject[]>(ada, 'GET', root);
      expect(listed.status).to.equal(200);
      expect(listed.body.map(({ id }) => id)).to.include(project.id);
      expect(listed.total).to.equal(listed.body.length);
      expect(Boolean(project.repo_id)).to.equal(type === 'repository');
      expect(Boolean(project.owner_id)).to.equal(type !== 'repository');
    }
    const others = await send<ApiProject[]>(cas, 'GET', '/api/v1/users/ada/projects');
    expect(others.body.map(({ title }) => title)).to.equal(['Of individual']);
    expect((await send(cas, 'GET', '/api/v1/users/nobody/projects')).status).to.equal(404);
    expect((await send(world.host, 'GET', '/api/v1/user/projects')).status).to.equal(401);
  });

  it('PRJ-02: a record has its fields, and templates bring their columns', async () => {
    const { ada } = world;
    const { project, columns } = await makeBoard(ada, { description: 'What we do', card_type: 'images_and_text' });
    expect(Object.keys(project).sort()).to.equal(
      'card_type closed_at created_at creator description html_url id num_closed_issues num_issues num_open_issues owner_id repo_id state template_type title type updated_at'.split(
        ' ',
      ),
    );
    expect(project).to.include({
      title: 'Sprint',
      description: 'What we do',
      state: 'open',
      template_type: 'basic_kanban',
      card_type: 'images_and_text',
      num_issues: 0,
      closed_at: null,
    });
    expect(project.creator.login).to.equal('ada');
    expect(columns.map(({ title }) => title)).to.equal(['Backlog', 'To Do', 'In Progress', 'Done']);
    expect(columns.map((one) => one.default)).to.equal([true, false, false, false]);
    const triage = await makeBoard(ada, { template_type: 'bug_triage' });
    expect(triage.columns.map(({ title }) => title)).to.equal([
      'Backlog',
      'Needs Triage',
      'High Priority',
      'Low Priority',
      'Closed',
    ]);
    expect((await makeBoard(ada, { template_type: 'none' })).columns).to.equal([]);
  });

  it('PRJ-04: boards are made, read, edited, closed and deleted; a bad type is 422', async () => {
    const { ada, ben, cas, host } = world;
    const { url, project } = await makeBoard(ben);
    for (const bad of [
      { title: '' },
      { title: ' \n ' },
      { title: 'x'.repeat(256) },
      { template_type: 'scrum' },
      { card_type: 'big' },
      { state: 'asleep' },
      {},
    ])
      expect(
        (
          await send(ada, 'POST', boards, {
            ...('title' in bad || !Object.keys(bad).length ? {} : { title: 'a' }),
            ...bad,
          })
        ).status,
      ).to.equal(422);
    const edited = await send<ApiProject>(ben, 'PATCH', url, {
      title: ' New  name ',
      description: 'd',
      state: 'closed',
    });
    expect(edited.status).to.equal(200);
    expect(edited.body).to.include({ title: 'New name', description: 'd', state: 'closed' });
    expect(edited.body.closed_at).to.be.a.string();
    const listed = async (state: string) =>
      (await send<ApiProject[]>(cas, 'GET', `${boards}?state=${state}&limit=50`)).body.map(({ id }) => id);
    expect(await listed('closed')).to.include(project.id);
    expect(await listed('open')).to.not.include(project.id);
    expect(await listed('all')).to.include(project.id);
    expect((await send(cas, 'GET', `${boards}?state=half`)).status).to.equal(422);
    expect((await send<ApiProject>(ben, 'PATCH', url, { state: 'open' })).body.closed_at).to.equal(null);
    expect((await send(host, 'POST', boards, { title: 'a' })).status).to.equal(401);
    expect((await send(cas, 'POST', boards, { title: 'a' })).status).to.equal(403);
    expect((await send(cas, 'PATCH', url, { title: 'a' })).status).to.equal(403);
    expect((await send(cas, 'DELETE', url)).status).to.equal(403);
    expect((await send(ben, 'DELETE', url)).status).to.equal(204);
    expect((await send(ben, 'GET', url)).status).to.equal(404);
    expect((await send(ben, 'DELETE', url)).status).to.equal(404);
    for (const id of ['0', '-1', 'x', '99999999999', '1e3'])
      expect((await send(ada, 'GET', `${boards}/${id}`)).status).to.equal(404);
  });

  it('PRJ-04: a board is found only where it belongs', async () => {
    const { ada } = world;
    const { project } = await makeBoard(ada);
    for (const path of ['/api/v1/repos/ada/lamp/projects', '/api/v1/orgs/forge/projects', '/api/v1/user/projects'])
      for (const rest of ['', '/columns'])
        expect((await send(ada, 'GET', `${path}/${project.id}${rest}`)).status).to.equal(404);
  });

  it('PRJ-03, PRJ-05: columns have their fields, a default that stays, and an order', async () => {
    const { ada, cas } = world;
    const { url } = await makeBoard(ada, { template_type: 'none' });
    const make = async (body: object) => send<ApiProjectColumn>(ada, 'POST', `${url}/columns`, body);
    const first = (await make({ title: 'One', color: '#ABCDEF' })).body;
    const second = (await make({ title: 'Two', card_limit: 3 })).body;
    const third = (await make({ title: 'Three', sorting: -128 })).body;
    expect(Object.keys(first).sort()).to.equal(
      'card_limit color created_at creator default id num_issues project_id sorting title updated_at'.split(' '),
    );
    expect(first).to.include({ title: 'One', color: '#abcdef', default: true, sorting: 0, card_limit: 0 });
    expect(second).to.include({ default: false, sorting: 1, card_limit: 3 });
    const order = async () =>
      (await send<ApiProjectColumn[]>(cas, 'GET', `${url}/columns`)).body.map(({ title }) => title);
    expect(await order()).to.equal(['Three', 'One', 'Two']);
    for (const bad of [
      { title: '' },
      { title: 'a', sorting: 128 },
      { title: 'a', sorting: -129 },
      { title: 'a', color: 'red' },
      { title: 'a', card_limit: -1 },
      {},
    ])
      expect((await make(bad)).status).to.equal(422);
    const edited = await send<ApiProjectColumn>(ada, 'PATCH', `${url}/columns/${third.id}`, {
      title: '3',
      color: '',
      sorting: 9,
    });
    expect(edited.body).to.include({ title: '3', color: '', sorting: 9 });
    expect((await send(ada, 'POST', `${url}/columns/${second.id}/default`)).status).to.equal(204);
    expect((await send(ada, 'DELETE', `${url}/columns/${second.id}`)).status).to.equal(422);
    expect((await send(ada, 'DELETE', `${url}/columns/${first.id}`)).status).to.equal(204);
    expect((await send(ada, 'DELETE', `${url}/columns/${first.id}`)).status).to.equal(404);
    expect((await send(ada, 'POST', `${url}/columns/move`, { column_ids: [third.id, second.id] })).status).to.equal(
      204,
    );
    expect(await order()).to.equal(['3', 'Two']);
    expect((await send(ada, 'POST', `${url}/columns/move`, { column_ids: [second.id] })).status).to.equal(204);
    expect(await order()).to.equal(['Two', '3']);
    const other = await makeBoard(ada);
    for (const ids of [[other.columns[0]!.id], [second.id, second.id], [], [first.id]])
      expect((await send(ada, 'POST', `${url}/columns/move`, { column_ids: ids })).status).to.equal(422);
    for (const [method, rest] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/default'],
    ] as const)
      expect(
        (await send(ada, method, `${url}/columns/${other.columns[0]!.id}${rest}`, method === 'PATCH' ? {} : undefined))
          .status,
      ).to.equal(404);
    expect((await send(cas, 'POST', `${url}/columns`, { title: 'a' })).status).to.equal(403);
  });

  it('PRJ-05: a closed board keeps its columns and cards as they are (403)', async () => {
    const { ada } = world;
    const { url, columns } = await makeBoard(ada);
    const [issue] = await fill(ada, url, columns[0]!.id, ['kept']);
    expect((await send(ada, 'PATCH', url, { state: 'closed' })).status).to.equal(200);
    const column = `${url}/columns/${columns[1]!.id}`;
    for (const [method, path, body] of [
      ['POST', `${url}/columns`, { title: 'a' }],
      ['PATCH', column, { title: 'a' }],
      ['DELETE', column, undefined],
      ['POST', `${column}/default`, undefined],
      ['POST', `${url}/columns/move`, { column_ids: [columns[1]!.id] }],
      ['POST', `${column}/issues/${issue!.id}`, undefined],
      ['DELETE', `${url}/columns/${columns[0]!.id}/issues/${issue!.id}`, undefined],
      ['POST', `${url}/issues/${issue!.id}/move`, { column_id: columns[1]!.id }],
    ] as const)
      expect((await send(ada, method, path, body)).status, path).to.equal(403);
    expect(await inColumn(ada, url, columns[0]!.id)).to.equal(['kept']);
    expect((await send(ada, 'PATCH', url, { title: 'Still mine', state: 'open' })).status).to.equal(200);
  });

  it('PRJ-06: issues stand in a column in order, move and leave; the record of an issue says where it stands', async () => {
    const { ada, ben, cas } = world;
    const { url, columns, project } = await makeBoard(ada);
    const [backlog, todo] = columns.map(({ id }) => id) as [number, number];
    const [a, b, c] = (await fill(ben, url, backlog, ['a', 'b', 'c'])) as [Opened, Opened, Opened];
    const move = (issue: Opened, body: object, by = ben) => send(by, 'POST', `${url}/issues/${issue.id}/move`, body);
    expect(await inColumn(cas, url, backlog)).to.equal(['a', 'b', 'c']);
    expect((await move(c, { column_id: backlog, sorting: 0 })).status).to.equal(204);
    expect(await inColumn(cas, url, backlog)).to.equal(['c', 'a', 'b']);
    expect((await move(c, { sorting: 1 })).status).to.equal(204);
    expect(await inColumn(cas, url, backlog)).to.equal(['a', 'c', 'b']);
    expect((await move(a, { sorting: 99 })).status).to.equal(204);
    expect(await inColumn(cas, url, backlog)).to.equal(['c', 'b', 'a']);
    expect((await move(b, { column_id: todo })).status).to.equal(204);
    expect(await inColumn(cas, url, todo)).to.equal(['b']);
    const record = (await send<Opened>(cas, 'GET', `${desk}/issues/${b.number}`)).body;
    expect(record.projects!.map((one) => [one.id, one.title, one.column.title])).to.equal([
      [project.id, 'Sprint', 'To Do'],
    ]);
    expect((await openIssue(ada, 'on no board')).projects).to.equal(null);
    const other = await makeBoard(ada);
    expect((await move(b, { column_id: other.columns[0]!.id })).status).to.equal(422);
    expect((await move(b, { column_id: 0 })).status).to.equal(422);
    expect((await move(b, { column_id: todo }, cas)).status).to.equal(403);
    const column = (id: number, issue: { readonly id: number }) => `${url}/columns/${id}/issues/${issue.id}`;
    expect((await send(ben, 'DELETE', column(backlog, b))).status).to.equal(404);
    expect((await send(ben, 'DELETE', column(todo, b))).status).to.equal(204);
    expect((await move(b, { column_id: todo })).status).to.equal(404);
    const foreign = await openIssue(ada, 'of the lamp', '/api/v1/repos/ada/lamp');
    expect((await send(ada, 'POST', column(todo, foreign))).status).to.equal(422);
    expect((await send(ada, 'POST', column(todo, { id: 999_999 }))).status).to.equal(404);
    expect((await send(ada, 'POST', column(other.columns[0]!.id, b))).status).to.equal(404);
    const counted = (await send<ApiProject>(cas, 'GET', url)).body;
    expect([counted.num_open_issues, counted.num_closed_issues, counted.num_issues]).to.equal([2, 0, 2]);
    await send(ben, 'PATCH', `${desk}/issues/${a.number}`, { state: 'closed' });
    const closed = (await send<ApiProject>(cas, 'GET', url)).body;
    expect([closed.num_open_issues, closed.num_closed_issues]).to.equal([1, 1]);
  });

  it('PRJ-05: a deleted column leaves its cards to the default column, in their order after those there', async () => {
    const { ada } = world;
    const { url, columns } = await makeBoard(ada);
    await fill(ada, url, columns[0]!.id, ['x']);
    await fill(ada, url, columns[1]!.id, ['y', 'z']);
    expect((await send(ada, 'DELETE', `${url}/columns/${columns[1]!.id}`)).status).to.equal(204);
    expect(await inColumn(ada, url, columns[0]!.id)).to.equal(['x', 'y', 'z']);
  });

  it('PRJ-06: sixty moves into the same gap keep every card and one order', async () => {
    const { ada } = world;
    const { url, columns } = await makeBoard(ada);
    const [column] = columns.map(({ id }) => id) as [number];
    const issues = await fill(ada, url, column, ['1', '2', '3', '4']);
    let order = ['1', '2', '3', '4'];
    for (let turn = 0; turn < 60; turn += 1) {
      const moved = issues[turn % 2 === 0 ? 3 : 2]!;
      expect((await send(ada, 'POST', `${url}/issues/${moved.id}/move`, { sorting: 1 })).status).to.equal(204);
      const rest = order.filter((title) => title !== moved.title);
      order = [rest[0]!, moved.title, ...rest.slice(1)];
    }
    expect(await inColumn(ada, url, column)).to.equal(order);
  });
});
