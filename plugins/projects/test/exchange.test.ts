import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { accounts } from '@mortise/accounts/api';
import { repositories } from '@mortise/repositories/api';
import { projects } from '../api.js';
import { desk, fill, makeBoard, makeWorld, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Field {
  readonly id: number;
}

describe('exports and imports of project boards', { timeout: 60_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  it('MIG-02: fields, values, views, rules, limits and archived cards of a board come back as they were', async () => {
    const { ada, host } = world;
    const { project, columns, url } = await makeBoard(ada, { description: 'All of it' });
    const at = `/api/v1/projects/${project.id}`;
    const issues = await fill(ada, url, columns[1]!.id, ['Cedar', 'Ash', 'Birch']);
    await send(ada, 'PATCH', `${url}/columns/${columns[1]!.id}`, { card_limit: 7 });
    const field = async (body: object) => {
      const made = await send<Field>(ada, 'POST', `${at}/fields`, body);
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
      return made.body.id;
    };
    const size = await field({ name: 'Size', kind: 'single_select', options: [{ title: '5', color: '#ff0000' }] });
    const cost = await field({ name: 'Cost', kind: 'number' });
    const turn = await field({
      name: 'Turn',
      kind: 'iteration',
      options: [{ title: 'First', starts_on: '2026-01-05', days: 14 }],
    });
    const card = (index: number) => `${at}/cards/${issues[index]!.id}`;
    const values = [
      { field_id: size, value: '5' },
      { field_id: cost, value: 2.5 },
      { field_id: turn, value: 'First' },
    ];
    expect((await send(ada, 'PATCH', card(0), { values })).status).to.equal(200);
    expect(
      (await send(ada, 'PATCH', card(2), { is_archived: true, values: [{ field_id: cost, value: 9 }] })).status,
    ).to.equal(200);
    await send(ada, 'PUT', `${at}/rules/closed`, { column_id: columns[3]!.id });
    const options = { sort: `field-${cost}`, group: `field-${size}`, order: 'desc' };
    await send(ada, 'POST', `${at}/views`, { title: 'Cheap', layout: 'table', filter: 'q=a', options, default: true });
    await send(ada, 'PATCH', url, { state: 'closed' });

    const service = host.services.get(projects);
    const repository = (await host.services.get(repositories).byPath('ada', 'desk'))!;
    const before = (await service.export(repository.id)).find(({ id }) => id === project.id)!;
    expect(before).to.include({ title: 'Sprint', description: 'All of it', isClosed: true });
    expect(before.columns[1]).to.include({ cardLimit: 7, issueIds: [issues[0]!.id, issues[1]!.id] });
    expect(before.columns[1]!.archivedIssueIds).to.equal([issues[2]!.id]);
    expect(before.fields!.map(({ name, kind }) => `${name} ${kind}`)).to.equal([
      'Size single_select',
      'Cost number',
      'Turn iteration',
    ]);
    expect(before.rules).to.equal([{ event: 'closed', column: 3 }]);
    expect(before.views![0]!.options).to.equal({ sort: 'field:Cost', group: 'field:Size', order: 'desc' });

    const owner = (await host.services.get(accounts).byName('ada'))!;
    const { id: _id, ...given } = before;
    const copy = await service.import({ type: 'repository', owner, repository }, given, owner);
    expect(copy).to.include({ title: 'Sprint', isClosed: true });
    const { id, ...after } = (await service.export(repository.id)).find((one) => one.id === copy.id)!;
    expect(after).to.equal(given);
    // ids of the copy, and not of the board that it was made from
    const views = await send<{ options: Record<string, string> }[]>(ada, 'GET', `/api/v1/projects/${id}/views`);
    const fields = await send<(Field & { name: string })[]>(ada, 'GET', `/api/v1/projects/${id}/fields`);
    const idOf = (name: string) => fields.body.find((one) => one.name === name)!.id;
    expect(views.body[0]!.options).to.equal({
      sort: `field-${idOf('Cost')}`,
      group: `field-${idOf('Size')}`,
      order: 'desc',
    });
    expect(idOf('Cost')).to.not.equal(cost);
  });

  it('MIG-02: what an import names and the board does not have is left out; a wrong value refuses it as a whole', async () => {
    const { ada, host } = world;
    const issue = (await send<{ id: number }>(ada, 'POST', `${desk}/issues`, { title: 'alone' })).body;
    const foreign = (await send<{ id: number }>(ada, 'POST', '/api/v1/repos/ada/lamp/issues', { title: 'other' })).body;
    const service = host.services.get(projects);
    const repository = (await host.services.get(repositories).byPath('ada', 'desk'))!;
    const owner = (await host.services.get(accounts).byName('ada'))!;
    const scope = { type: 'repository', owner, repository } as const;
    const given = {
      title: 'Odd',
      columns: [{ title: 'Only', issueIds: [issue.id, issue.id, foreign.id], archivedIssueIds: [issue.id] }],
      fields: [{ name: 'Cost', kind: 'number', values: [{ issueId: foreign.id, value: 1 }] }],
      views: [{ title: 'V', layout: 'table', filter: '', options: { sort: 'field:Gone' }, isDefault: false }],
      rules: [{ event: 'closed', column: 5 }],
    } as const;
    const made = await service.import(scope, given, owner);
    const exported = (await service.export(repository.id)).find(({ id }) => id === made.id)!;
    expect(exported.columns[0]).to.include({ issueIds: [issue.id], archivedIssueIds: [] });
    expect([exported.fields![0]!.values, exported.views![0]!.options, exported.rules]).to.equal([[], {}, []]);
    const wrong = { ...given, fields: [{ ...given.fields[0], values: [{ issueId: issue.id, value: 'much' }] }] };
    const count = (await service.export(repository.id)).length;
    await expect(service.import(scope, wrong, owner)).to.reject(/much/);
    expect((await service.export(repository.id)).length).to.equal(count);
  });
});
