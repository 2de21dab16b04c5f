import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database } from '@mortise/plugin-sdk';
import { fields } from '../fields/values.js';
import { issueKinds } from '../services/timeline-kinds.js';
import { api, makeWorld, open, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the fields of issues', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  it('issue 27: each has its column, its place in the record, its options and its kinds of the timeline', async () => {
    const { ada, host } = world;
    const one = await open(ada);
    const record = (await send(ada, 'GET', `${api}/issues/${one.number}`)).body;
    const { document } = JSON.parse(JSON.stringify({ document: record })) as { document: Record<string, unknown> };
    const row = (await host.services.get(database).knex()('issue').first()) as object;
    expect(fields.length).to.be.at.least(3);
    for (const { name, column, empty, record: shown, timeline } of fields) {
      expect(Object.keys(row), name).to.include(column);
      expect(document[shown.name], name).to.equal(shown.of(empty));
      expect(issueKinds, name).to.include([...timeline.kinds]);
    }
  });

  it('issue 27: a control beside the conversation sets each field that has one', async () => {
    const { ada, ben } = world;
    const one = await open(ada);
    for (const { form, name } of fields) {
      if (!form) continue;
      const page = await ben.inject(`/ada/desk/issues/${one.number}?set=${form.key}`);
      expect(page.payload, name).to.include([`/issues/${one.number}/${form.key}"`, `name="${form.key}"`]);
      expect((await ben.inject('/ada/desk/issues/new')).payload, name).to.include(`id="new-${form.key}"`);
    }
  });

  it('issue 27: values that stay leave no entry in the timeline', async () => {
    const { ada } = world;
    const one = await open(ada, { ref: 'refs/heads/main', due_date: '2031-01-02T23:59:59Z' });
    const same = { ref: 'refs/heads/main', due_date: '2031-01-02T10:00:00Z' };
    expect((await send(ada, 'PATCH', `${api}/issues/${one.number}`, same)).status).to.equal(201);
    const entries = await send<{ type: string }[]>(ada, 'GET', `${api}/issues/${one.number}/timeline`);
    expect(entries.body.map(({ type }) => type)).to.equal([]);
  });
});
