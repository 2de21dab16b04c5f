import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { boards, desk, fill, inColumn, makeBoard, makeWorld, openIssue, send, type World } from './support.js';
import { down, up } from '../migrations/0003_rename_choice_fields.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Field {
  readonly id: number;
  readonly kind: string;
  readonly options: readonly { readonly id: number; readonly title: string }[];
}
interface Card {
  readonly issue: { readonly title: string };
  readonly is_archived: boolean;
  readonly values: readonly {
    readonly field_id: number;
    readonly value: string | number;
    readonly option_id: number | null;
  }[];
}

describe('fields, rules, views and the archive of project boards', { timeout: 60_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  it('fields that were made as the kind `choice` are `single_select` after the upgrade', async () => {
    const { ada, host } = world;
    const { project } = await makeBoard(ada);
    const own = `/api/v1/projects/${project.id}/fields`;
    const body = { name: 'Size', kind: 'single_select', options: [{ title: 'S' }] };
    expect((await send(ada, 'POST', own, body)).status).to.equal(201);
    const kinds = async () => await host.database.knex()('project_field').where('project_id', project.id).pluck('kind');
    await host.database.write(() => down(host.database.knex()));
    expect(await kinds()).to.equal(['choice']);
    await host.database.write(() => up(host.database.knex()));
    expect(await kinds()).to.equal(['single_select']);
    expect((await send<Field[]>(ada, 'GET', own)).body[0]!.options[0]!.title).to.equal('S');
  });

  it('fields of five kinds hold what they are for, and nothing else (422)', async () => {
    const { ada, cas } = world;
    const { project, url, columns } = await makeBoard(ada);
    const own = `/api/v1/projects/${project.id}`;
    const [issue] = await fill(ada, url, columns[0]!.id, ['a card']);
    const make = (body: object) => send<Field>(ada, 'POST', `${own}/fields`, body);
    const text = (await make({ name: 'Note', kind: 'text' })).body;
    const number = (await make({ name: 'Points', kind: 'number' })).body;
    const date = (await make({ name: 'Start', kind: 'date' })).body;
    const choice = (
      await make({ name: 'Size', kind: 'single_select', options: [{ title: 'S', color: '#ff0000' }, { title: 'L' }] })
    ).body;
    const former = (await make({ name: 'Former', kind: 'choice', options: [{ title: 'A' }] })).body;
    expect(former.kind, 'the name that the kind had before').to.equal('single_select');
    expect((await send(ada, 'DELETE', `${own}/fields/${former.id}`)).status).to.equal(204);
    const iteration = (
      await make({ name: 'Sprint', kind: 'iteration', options: [{ title: 'One', starts_on: '2026-02-02', days: 14 }] })
    ).body;
    for (const bad of [
      { name: 'note', kind: 'text' },
      { name: '', kind: 'text' },
      { name: 'x', kind: 'colour' },
      { name: 'x', kind: 'text', options: [{ title: 'a' }] },
      { name: 'x', kind: 'single_select', options: [{ title: 'a' }, { title: 'A' }] },
      { name: 'x', kind: 'iteration', options: [{ title: 'a', starts_on: '2026-02-30', days: 3 }] },
      { name: 'x', kind: 'single_select', options: [{ id: choice.options[0]!.id, title: 'a' }] },
    ])
      expect((await make(bad)).status, JSON.stringify(bad)).to.equal(422);
    const set = (values: object[], by = ada) => send<Card>(by, 'PATCH', `${own}/cards/${issue!.id}`, { values });
    const card = await set([
      { field_id: text.id, value: ' some  words ' },
      { field_id: number.id, value: 2.5 },
      { field_id: date.id, value: '2026-02-28' },
      { field_id: choice.id, value: choice.options[1]!.id },
      { field_id: iteration.id, value: 'One' },
    ]);
    expect(card.status).to.equal(200);
    expect(card.body.values).to.equal([
      { field_id: text.id, value: 'some words', option_id: null },
      { field_id: number.id, value: 2.5, option_id: null },
      { field_id: date.id, value: '2026-02-28', option_id: null },
      { field_id: choice.id, value: 'L', option_id: choice.options[1]!.id },
      { field_id: iteration.id, value: 'One', option_id: iteration.options[0]!.id },
    ]);
    const other = await makeBoard(ada);
    const foreign = (
      await send<Field>(ada, 'POST', `/api/v1/projects/${other.project.id}/fields`, { name: 'F', kind: 'text' })
    ).body;
    for (const [field_id, value] of [
      [number.id, 'many'],
      [number.id, 1e16],
      [date.id, '2026-02-30'],
      [date.id, 5],
      [choice.id, 'XL'],
      [choice.id, iteration.options[0]!.id],
      [text.id, 'x'.repeat(1001)],
      [foreign.id, 'x'],
    ])
      expect(
        (
          await set([
            { field_id: text.id, value: 'half done' },
            { field_id, value },
          ])
        ).status,
      ).to.equal(422);
    expect((await set([{ field_id: text.id, value: 'mine' }], cas)).status).to.equal(403);
    const listed = await send<Card[]>(cas, 'GET', `${own}/cards`);
    expect(listed.body[0]!.values[0]!.value).to.equal('some words');
    const without = await set([{ field_id: text.id, value: null }]);
    expect(without.body.values, JSON.stringify(without)).to.have.length(4);
    const kept = { options: [{ id: choice.options[0]!.id, title: 'Small' }, { title: 'Large' }] };
    const edited = await send<Field>(ada, 'PATCH', `${own}/fields/${choice.id}`, kept);
    expect(edited.body.options.map(({ title }) => title)).to.equal(['Small', 'Large']);
    expect((await send(ada, 'DELETE', `${own}/fields/${number.id}`)).status).to.equal(204);
    expect((await send(ada, 'DELETE', `${own}/fields/${foreign.id}`)).status).to.equal(404);
    const left = (await send<Card[]>(cas, 'GET', `${own}/cards`)).body[0]!.values;
    expect(left.map(({ field_id }) => field_id)).to.equal([date.id, iteration.id]);
  });

  it('archived cards leave their column, keep their values, and come back to its end', async () => {
    const { ada } = world;
    const { project, url, columns } = await makeBoard(ada);
    const own = `/api/v1/projects/${project.id}`;
    const [a] = await fill(ada, url, columns[0]!.id, ['a', 'b']);
    const archive = (is_archived: boolean) => send<Card>(ada, 'PATCH', `${own}/cards/${a!.id}`, { is_archived });
    expect((await archive(true)).body.is_archived).to.equal(true);
    expect(await inColumn(ada, url, columns[0]!.id)).to.equal(['b']);
    const archived = await send<Card[]>(ada, 'GET', `${own}/cards?archived=true`);
    expect(archived.body.map(({ issue }) => issue.title)).to.equal(['a']);
    expect((await archive(false)).body.is_archived).to.equal(false);
    expect(await inColumn(ada, url, columns[0]!.id)).to.equal(['b', 'a']);
  });

  it('rules move cards when something happens to their issues, and one reads which', async () => {
    const { ada, ben, cas } = world;
    const { project, url, columns } = await makeBoard(ada);
    const own = `/api/v1/projects/${project.id}`;
    const [backlog, todo, doing, done] = columns.map(({ id }) => id) as [number, number, number, number];
    const rule = (event: string, column_id: number, by = ada) =>
      send(by, 'PUT', `${own}/rules/${event}`, { column_id });
    for (const [event, column] of [
      ['opened', backlog],
      ['assigned', todo],
      ['closed', done],
      ['reopened', doing],
    ] as const)
      expect((await rule(event, column)).status).to.equal(200);
    expect((await rule('assigned', doing)).status).to.equal(200);
    expect((await rule('eaten', doing)).status).to.equal(404);
    expect((await rule('merged', 999_999)).status).to.equal(422);
    expect((await rule('merged', done, cas)).status).to.equal(403);
    const rules = await send<{ event: string; column_id: number }[]>(cas, 'GET', `${own}/rules`);
    expect(rules.body).to.have.length(4);
    expect(rules.body).to.include({ event: 'assigned', column_id: doing });
    const issue = await openIssue(cas, 'comes by itself');
    expect(await inColumn(ada, url, backlog)).to.equal(['comes by itself']);
    const edit = (body: object) => send(ben, 'PATCH', `${desk}/issues/${issue.number}`, body);
    await edit({ assignees: ['ben'] });
    expect(await inColumn(ada, url, doing)).to.equal(['comes by itself']);
    await edit({ state: 'closed' });
    expect(await inColumn(ada, url, done)).to.equal(['comes by itself']);
    await edit({ state: 'open' });
    expect(await inColumn(ada, url, doing)).to.equal(['comes by itself']);
    const timeline = await send<{ type: string; project_id: number }[]>(
      cas,
      'GET',
      `${desk}/issues/${issue.number}/timeline`,
    );
    expect(
      timeline.body.filter(({ type }) => type.startsWith('project')).map(({ type, project_id }) => [type, project_id]),
    ).to.equal([
      ['project', project.id],
      ['project_board', project.id],
      ['project_board', project.id],
      ['project_board', project.id],
    ]);
    // a closed board is left as it is, and nothing is refused for it
    await send(ada, 'PATCH', url, { state: 'closed' });
    expect((await edit({ state: 'closed' })).status).to.equal(201);
    expect(await inColumn(ada, url, doing)).to.equal(['comes by itself']);
    await send(ada, 'PATCH', url, { state: 'open' });
    expect((await send(ada, 'DELETE', `${own}/rules/closed`)).status).to.equal(204);
    expect((await send(ada, 'DELETE', `${own}/rules/closed`)).status).to.equal(404);
  });

  it('views are kept for all who see the board', async () => {
    const { ada, cas } = world;
    const { project } = await makeBoard(ada);
    const views = `/api/v1/projects/${project.id}/views`;
    const made = await send<{ id: number }>(ada, 'POST', views, {
      title: 'By size',
      layout: 'table',
      filter: 'labels=1',
      options: { fields: [1] },
    });
    expect(made.status).to.equal(201);
    for (const bad of [
      { title: '' },
      { title: 'a', layout: 'pie' },
      { title: 'a', options: { long: 'x'.repeat(10_001) } },
    ])
      expect((await send(ada, 'POST', views, bad)).status).to.equal(422);
    expect((await send(cas, 'POST', views, { title: 'a' })).status).to.equal(403);
    await send(ada, 'PATCH', `${views}/${made.body.id}`, { title: 'By points' });
    const { body } = await send<object[]>(cas, 'GET', views);
    expect(body).to.equal([
      {
        id: made.body.id,
        title: 'By points',
        layout: 'table',
        filter: 'labels=1',
        options: { fields: [1] },
        default: false,
      },
    ]);
    expect((await send(ada, 'DELETE', `${views}/${made.body.id}`)).status).to.equal(204);
    expect((await send(ada, 'DELETE', `${views}/${made.body.id}`)).status).to.equal(404);
  });

  it('two people who move at the same moment leave one order with every card', async () => {
    const { ada, ben } = world;
    const { url, columns } = await makeBoard(ada);
    const [from, to] = columns.map(({ id }) => id) as [number, number];
    const titles = ['1', '2', '3', '4', '5', '6'];
    const issues = await fill(ada, url, from, titles);
    const moves = issues.flatMap((issue, index) =>
      [ada, ben].map((by) =>
        send(by, 'POST', `${url}/issues/${issue.id}/move`, {
          column_id: (index + (by === ada ? 0 : 1)) % 2 ? from : to,
          sorting: 0,
        }),
      ),
    );
    expect((await Promise.all(moves)).map(({ status }) => status)).to.equal(moves.map(() => 204));
    const seen = async (by: typeof ada) => [await inColumn(by, url, from), await inColumn(by, url, to)];
    expect((await seen(ada)).flat().sort()).to.equal(titles);
    expect(await seen(ada)).to.equal(await seen(ben));
    // both put one and the same issue on the board
    const issue = await openIssue(ada, 'twice');
    const added = await Promise.all(
      [ada, ben, ada, ben].map((by) => send(by, 'POST', `${url}/columns/${from}/issues/${issue.id}`)),
    );
    expect(added.map(({ status }) => status)).to.equal([201, 201, 201, 201]);
    expect((await inColumn(ada, url, from)).filter((title) => title === 'twice')).to.have.length(1);
  });

  it('hostile input: bounded, clear and nothing half made', async () => {
    const { ada } = world;
    const { url, columns, project } = await makeBoard(ada);
    const long = await send(ada, 'POST', boards, { title: 'x'.repeat(1_000_000) });
    expect(long.status).to.equal(422);
    expect((await send(ada, 'POST', boards, { title: 'x'.repeat(10 << 20) })).status).to.be.within(400, 422);
    expect(
      (await send(ada, 'POST', `${url}/columns/move`, { column_ids: Array.from({ length: 5000 }, (_, id) => id + 1) }))
        .status,
    ).to.equal(422);
    let made = columns.length;
    for (; made < 105; made += 1)
      if ((await send(ada, 'POST', `${url}/columns`, { title: `${made}` })).status !== 201) break;
    expect(made).to.equal(100);
    const issue = await openIssue(ada, 'late');
    expect((await send(ada, 'DELETE', url)).status).to.equal(204);
    expect((await send(ada, 'POST', `${url}/columns/${columns[0]!.id}/issues/${issue.id}`)).status).to.equal(404);
    expect((await send(ada, 'POST', `${url}/issues/${issue.id}/move`, { column_id: columns[0]!.id })).status).to.equal(
      404,
    );
    expect((await send(ada, 'POST', `/api/v1/projects/${project.id}/views`, { title: 'a' })).status).to.equal(404);
  });
});
