import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { checkProjects } from '../services/doctor.js';
import { boards, fill, inColumn, makeBoard, makeWorld, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('what the doctor finds of project boards', { timeout: 60_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  const examine = async (fix = false) => {
    const found: string[] = [];
    for await (const { level, text } of checkProjects(world.host.database, { fix }))
      if (level !== 'ok') found.push(text);
    return found;
  };
  const change = (table: string, where: object, columns: object) =>
    world.host.database.write(async () => {
      await world.host.database.knex()(table).where(where).update(columns);
    });

  it('nothing is wrong with boards that were made and changed over the API', async () => {
    const { ada } = world;
    const { url, columns } = await makeBoard(ada);
    await makeBoard(ada, {}, '/api/v1/user/projects');
    await send(ada, 'POST', boards, { title: 'without columns' });
    await fill(ada, url, columns[0]!.id, ['a', 'b']);
    expect(await examine()).to.equal([]);
  });

  it('cards, values and rules that belong nowhere are told, and mended with --fix', async () => {
    const { ada, host } = world;
    const [one, other] = [await makeBoard(ada), await makeBoard(ada)];
    const [first, second] = await fill(ada, one.url, one.columns[1]!.id, ['first', 'second']);
    const own = `/api/v1/projects/${one.project.id}`;
    const makeField = async (at: string) =>
      (
        await send<{ id: number; options: { id: number }[] }>(ada, 'POST', `${at}/fields`, {
          name: 'Size',
          kind: 'single_select',
          options: [{ title: 'S' }],
        })
      ).body;
    const field = await makeField(own);
    const foreign = await makeField(`/api/v1/projects/${other.project.id}`);
    for (const issue of [first!, second!])
      await send(ada, 'PATCH', `${own}/cards/${issue.id}`, { values: [{ field_id: field.id, value: 'S' }] });
    await send(ada, 'PUT', `${own}/rules/closed`, { column_id: one.columns[0]!.id });
    expect(await examine()).to.equal([]);

    await change(
      'project_card',
      { project_id: one.project.id, issue_id: first!.id },
      { column_id: other.columns[0]!.id },
    );
    const cards = (await host.database.knex()('project_card').where('project_id', one.project.id).orderBy('id')) as {
      id: number;
    }[];
    await change('project_field_value', { card_id: cards[0]!.id }, { option_id: foreign.options[0]!.id });
    await change('project_field_value', { card_id: cards[1]!.id }, { field_id: foreign.id, option_id: null });
    await change('project_rule', { project_id: one.project.id }, { column_id: other.columns[0]!.id });
    await change('project_column', { project_id: other.project.id }, { is_default: false });
    const lost = await makeBoard(ada, {}, '/api/v1/user/projects');
    await change('project', { id: lost.project.id }, { owner_id: 999_999 });
    const faults = [
      '1 boards belong to accounts that are gone',
      '1 boards have columns, none of which is the default one',
      '1 cards stand in no column of their board',
      '1 values belong to cards or fields that are gone, or to fields of another board',
      '1 values name options that are gone, or those of another field',
      '1 rules move cards to columns that are gone, or to those of another board',
    ];
    expect(await examine()).to.equal(faults);
    expect(await examine(true)).to.equal(faults);
    expect(await examine()).to.equal([]);
    expect(await inColumn(ada, one.url, one.columns[0]!.id)).to.equal(['first']);
    expect(await inColumn(ada, one.url, one.columns[1]!.id)).to.equal(['second']);
    const { body: columns } = await send<{ default: boolean }[]>(ada, 'GET', `${other.url}/columns`);
    expect(columns.map((column) => column.default)).to.equal([true, false, false, false]);
    expect((await send(ada, 'GET', `/api/v1/projects/${lost.project.id}`)).status).to.equal(404);
  });
});
