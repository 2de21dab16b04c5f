import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { pageIn, submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { desk, fill, inColumn, makeBoard, makeWorld, openIssue, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const page = async (by: Pick<TestClient, 'inject'>, url: string, status = 200): Promise<string> => {
  const answer = await by.inject({ method: 'GET', url });
  expect(answer.statusCode, url).to.equal(status);
  return answer.payload;
};
const pathOf = (project: { readonly html_url: string }) => new URL(project.html_url).pathname;
const titlesIn = (html: string) => [...html.matchAll(/Link--primary[^>]*>([^<]*)</g)].map(([, title]) => title!);
const groupsIn = (html: string) => [...html.matchAll(/project-group"[^>]*>([^<]*)</g)].map(([, title]) => title!);
interface Field {
  readonly id: number;
  readonly name: string;
  readonly options: readonly { readonly id: number; readonly title: string }[];
}

describe('tables, roadmaps, fields and rules of project boards', { timeout: 60_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld(['projects', 'pulls']);
  });
  after(() => world.host.close());

  it('PRJ-06: a table sorts and groups cards, and shows the fields of the board', async () => {
    const { ada, cas, host } = world;
    const { project, columns, url } = await makeBoard(ada);
    const path = pathOf(project);
    const [first, second] = columns.map(({ id }) => id) as [number, number];
    const issues = [...(await fill(ada, url, first, ['Cedar', 'Ash'])), ...(await fill(ada, url, second, ['Birch']))];
    await submitForm(ada, `${path}/fields`, { name: 'Size', kind: 'single_select', options: 'Small\nLarge' });
    await submitForm(ada, `${path}/fields`, { name: 'Cost', kind: 'number' });
    const { body: fields } = await send<Field[]>(ada, 'GET', `/api/v1/projects/${project.id}/fields`);
    expect(fields.map(({ name }) => name)).to.equal(['Size', 'Cost']);
    const [size, cost] = fields as [Field, Field];
    const [small, large] = size.options.map(({ id }) => String(id)) as [string, string];
    const set = (index: number, values: Record<string, string>) =>
      submitForm(ada, `${path}/cards/${issues[index]!.id}`, { action: 'values', ...values });
    await set(0, { [`field-${size.id}`]: large, [`field-${cost.id}`]: '2.5' });
    await set(1, { [`field-${size.id}`]: small, [`field-${cost.id}`]: '10' });
    await set(2, { [`field-${cost.id}`]: '1' });
    expect((await set(2, { [`field-${cost.id}`]: 'much' })).statusCode).to.equal(422);
    const table = (query: string) => page(host, `${path}?view=table${query}`);
    expect(titlesIn(await table('&sort=title'))).to.equal(['Ash', 'Birch', 'Cedar']);
    expect(titlesIn(await table('&sort=title&order=desc'))).to.equal(['Cedar', 'Birch', 'Ash']);
    expect(titlesIn(await table(`&sort=field-${cost.id}`))).to.equal(['Birch', 'Cedar', 'Ash']);
    const grouped = await table(`&group=field-${size.id}&sort=title`);
    expect(groupsIn(grouped)).to.equal(['Small', 'Large', 'None']);
    expect(titlesIn(grouped)).to.equal(['Ash', 'Cedar', 'Birch']);
    expect(groupsIn(await table('&group=column'))).to.equal(['Backlog', 'To Do']);
    expect(titlesIn(await table('&q=Birch&sort=title'))).to.equal(['Birch']);
    expect(await page(ada, `${path}?view=table`)).to.include(['2.5', 'Large', `${path}/fields`]);
    for (const odd of ['&sort=nothing', '&group=field-99', '&page=99', '&order=x']) await table(odd);
    await page(cas, `${path}/fields`, 403);
    for (const language of ['de', 'zh-CN']) expect(await pageIn(ada, language, `${path}/fields`)).to.include('Size');
  });

  it('PRJ-02: forms change the options of a field and keep what cards have in them; a deleted field goes', async () => {
    const { ada } = world;
    const { project } = await makeBoard(ada);
    const path = pathOf(project);
    const fields = async () => (await send<Field[]>(ada, 'GET', `/api/v1/projects/${project.id}/fields`)).body;
    await submitForm(ada, `${path}/fields`, { name: 'Turn', kind: 'iteration', options: 'First | 2026-01-05 | 14' });
    const [turn] = (await fields()) as [Field];
    const kept = turn.options[0]!.id;
    const lines = 'Zero | one | 2025-12-22 | 14\r\nFirst | 2026-01-05 | 7';
    await submitForm(ada, `${path}/fields/${turn.id}`, { name: 'Turns', options: lines });
    const [changed] = (await fields()) as [Field];
    expect(changed.name).to.equal('Turns');
    expect(changed.options.map(({ title }) => title)).to.equal(['Zero | one', 'First']);
    expect(changed.options[1]!.id).to.equal(kept);
    for (const refused of [
      { name: 'Turns', kind: 'text' },
      { name: '', kind: 'text' },
      { name: 'a', kind: 'colour' },
      { name: 'b', kind: 'iteration', options: 'No day' },
    ] as Record<string, string>[])
      expect((await submitForm(ada, `${path}/fields`, refused)).statusCode).to.equal(422);
    await submitForm(ada, `${path}/fields/${turn.id}`, { delete: '1' });
    expect(await fields()).to.equal([]);
  });

  it('PRJ-06: a roadmap shows cards by their due dates, or by those of their milestones', async () => {
    const { ada, host } = world;
    const { project, columns, url } = await makeBoard(ada);
    const milestone = await send<{ id: number }>(ada, 'POST', `${desk}/milestones`, {
      title: 'Version 2',
      due_on: '2027-03-01T00:00:00Z',
    });
    for (const [title, more] of [
      ['Later', { start_date: '2027-04-15T00:00:00Z', due_date: '2027-05-01T00:00:00Z' }],
      ['With the version', { milestone: milestone.body.id }],
      ['Soon', { due_date: '2027-01-01T00:00:00Z' }],
      ['Some day', {}],
    ] as const) {
      const issue = await openIssue(ada, title);
      await send(ada, 'PATCH', `${desk}/issues/${issue.number}`, more);
      await send(ada, 'POST', `${url}/columns/${columns[0]!.id}/issues/${issue.id}`);
    }
    const html = await page(host, `${pathOf(project)}?view=roadmap`);
    expect(titlesIn(html)).to.equal(['Soon', 'With the version', 'Later']);
    expect(html).to.include(['with Version 2', 'One card has no due date.', 'project-bar']);
    // what has no start date begins when it was opened, what has one only then
    const lefts = [...html.matchAll(/style="left:([\d.]+)%;width/g)].map(([, left]) => Number(left));
    expect([lefts.length, lefts[0]! < 5, lefts[2]! > 50]).to.equal([3, true, true]);
    // dates above the bars are far enough from each other and from the edge for their text
    const dates = [...html.matchAll(/<span style="left:([\d.]+)%">/g)].map(([, left]) => Number(left));
    expect(dates.length).to.be.between(0, 5);
    expect(dates.every((left, at) => left < 88 && left - (dates[at - 1] ?? -20) > 15)).to.be.true();
    const empty = await makeBoard(ada);
    expect(await page(host, `${pathOf(empty.project)}?view=roadmap`)).to.include('No cards with a due date');
  });

  it('PRJ-05: rules are read and set by a form, and move cards', async () => {
    const { ada, cas } = world;
    const { project, columns, url } = await makeBoard(ada);
    const path = pathOf(project);
    const [first, , , done] = columns.map(({ id }) => id) as [number, number, number, number];
    const [issue] = await fill(ada, url, first, ['By rule']);
    expect((await submitForm(ada, `${path}/rules`, { closed: String(done) })).statusCode).to.equal(303);
    expect(await page(ada, `${path}/rules`)).to.match(new RegExp(`value="${done}" selected`));
    await send(ada, 'PATCH', `${desk}/issues/${issue!.number}`, { state: 'closed' });
    expect(await inColumn(ada, url, done)).to.equal(['By rule']);
    await submitForm(ada, `${path}/rules`, { closed: '' });
    expect(await page(ada, `${path}/rules`)).to.not.include(`value="${done}" selected`);
    expect((await submitForm(ada, `${path}/rules`, { closed: '999999' })).statusCode).to.equal(422);
    expect((await submitForm(cas, `${path}/rules`, {})).statusCode).to.equal(403);
  });

  it('PRJ-06: an open page learns the revision of its board, which grows with each move', async () => {
    const { ada, cas, host } = world;
    const { project, columns, url } = await makeBoard(ada);
    const path = pathOf(project);
    const revision = async () => {
      const answer = await submitForm(cas, `${path}/watch`);
      expect(answer.statusCode).to.equal(200);
      return (JSON.parse(answer.payload) as { revision: number }).revision;
    };
    const before = await revision();
    await fill(ada, url, columns[0]!.id, ['New']);
    expect(await revision()).to.be.above(before);
    expect((await submitForm(host, `${path}/watch`)).statusCode).to.be.above(300);
  });
});
