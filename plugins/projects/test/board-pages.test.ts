import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { pageIn, submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { boards, desk, fill, inColumn, makeBoard, makeWorld, openIssue, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const page = async (by: Pick<TestClient, 'inject'>, url: string, status = 200): Promise<string> => {
  const answer = await by.inject({ method: 'GET', url });
  expect(answer.statusCode, url).to.equal(status);
  return answer.payload;
};
const pathOf = (project: { readonly html_url: string }) => new URL(project.html_url).pathname;
/** Numbers of the columns with the issues that a page shows in each, by their titles. */
const shownIn = (html: string): Record<string, string[]> =>
  Object.fromEntries(
    html
      .split('data-column="')
      .slice(1)
      .map((part) => [
        /^\d+/.exec(part)![0],
        [...part.split('</ul>')[0]!.matchAll(/Link--primary[^>]*>([^<]*)</g)].map(([, title]) => title!),
      ]),
  );

describe('the page of a project board', { timeout: 60_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld(['projects', 'organizations']);
  });
  after(() => world.host.close());

  it('PRJ-03: shows columns with their cards, counts, limit and default column', async () => {
    const { ada, cas, host } = world;
    const { project, columns, url } = await makeBoard(ada, { description: 'What *we* do' });
    const [first, second] = columns as [(typeof columns)[0], (typeof columns)[0]];
    await fill(ada, url, first.id, ['One', 'Two']);
    await send(ada, 'PATCH', `${url}/columns/${first.id}`, { card_limit: 1, color: '#1f883d' });
    const path = pathOf(project);
    const html = await page(host, path);
    expect(shownIn(html)).to.include({ [first.id]: ['One', 'Two'], [second.id]: [] });
    expect(html).to.include(['What <em>we</em> do', '2 / 1', 'More cards than the limit', 'Default', '#1f883d']);
    expect(html).to.not.include(['data-card-menu', 'name="_csrf"']);
    expect(await page(cas, path)).to.not.include('data-card-menu');
    expect(await page(ada, path)).to.include(['data-card-menu', `${path}/columns`, `${path}/edit`]);
    for (const language of ['de', 'zh-CN']) expect(await pageIn(ada, language, path)).to.include('One');
    await page(ada, '/ada/desk/projects/999999', 404);
    await page(ada, path.replace('desk', 'lamp'), 404);
  });

  it('PRJ-06: forms without scripts move, order, archive, restore and remove cards', async () => {
    const { ada, cas } = world;
    const { project, columns, url } = await makeBoard(ada);
    const [first, second] = columns.map(({ id }) => id) as [number, number];
    const [one, two, three] = await fill(ada, url, first, ['One', 'Two', 'Three']);
    const path = pathOf(project);
    const act = (issue: { readonly id: number }, fields: Record<string, string>, by = ada) =>
      submitForm(by, `${path}/cards/${issue.id}`, fields);
    expect(await page(ada, `${path}/cards/${one!.id}`)).to.include(['At the top', 'Archive', 'In Progress']);
    expect((await act(three!, { action: 'up' })).headers.location).to.equal(path);
    expect(await inColumn(ada, url, first)).to.equal(['One', 'Three', 'Two']);
    await act(one!, { action: 'down' });
    expect(await inColumn(ada, url, first)).to.equal(['Three', 'One', 'Two']);
    await act(two!, { action: 'up' });
    await act(two!, { action: 'up' });
    await act(two!, { action: 'up' });
    expect(await inColumn(ada, url, first)).to.equal(['Two', 'Three', 'One']);
    await act(one!, { action: 'move', column: String(second), spot: 'last' });
    await act(two!, { action: 'move', column: String(second), spot: 'first' });
    expect(await inColumn(ada, url, second)).to.equal(['Two', 'One']);
    const html = await page(ada, path);
    const card = /data-card="(\d+)" data-issue="(\d+)"/g;
    const ids = new Map([...html.matchAll(card)].map(([, id, issue]) => [Number(issue), id!]));
    await act(three!, { action: 'move', column: String(second), after: ids.get(two!.id)!, query: 'q=T&odd=1' });
    expect(await inColumn(ada, url, second)).to.equal(['Two', 'Three', 'One']);
    await act(three!, { action: 'archive' });
    expect(await inColumn(ada, url, second)).to.equal(['Two', 'One']);
    expect(await page(cas, `${path}/archive`))
      .to.include('Three')
      .and.to.not.include('value="restore"');
    await act(three!, { action: 'restore' });
    await act(two!, { action: 'remove' });
    expect(await inColumn(ada, url, second)).to.equal(['One', 'Three']);
    expect((await act(one!, { action: 'fly' })).statusCode).to.equal(422);
    expect((await act(one!, { action: 'remove' }, cas)).statusCode).to.equal(403);
    await page(ada, `${path}/cards/${two!.id}`, 404);
    await send(ada, 'PATCH', url, { state: 'closed' });
    expect((await act(one!, { action: 'up' })).payload).to.include('The project is closed');
  });

  it('PRJ-06: cards are added by number, by address and from a search; others are refused with their reason', async () => {
    const { ada, cas, host } = world;
    const { project, columns, url } = await makeBoard(ada);
    const [first, second] = columns.map(({ id }) => id) as [number, number];
    const path = pathOf(project);
    const add = (fields: Record<string, string>, by = ada) => submitForm(by, `${path}/cards`, fields);
    const issues = [];
    for (const title of ['By number', 'By address', 'By path', 'Found']) issues.push(await openIssue(ada, title));
    const address = ({ number }: { readonly number: number }) => `http://127.0.0.1/ada/desk/issues/${number}#top`;
    await add({ address: `#${issues[0]!.number}` });
    await add({ address: address(issues[1]!), column: String(second) });
    await add({ address: `ada/desk#${issues[2]!.number}` });
    const found = await page(ada, `${path}/add?q=Found`);
    expect(found)
      .to.include([`value="${issues[3]!.id}"`])
      .and.to.not.include('By number');
    await add({ ids: String(issues[3]!.id), column: String(first) });
    expect(await inColumn(ada, url, first)).to.equal(['By number', 'By path', 'Found']);
    expect(await inColumn(ada, url, second)).to.equal(['By address']);
    const foreign = await openIssue(ada, 'Of the lamp', '/api/v1/repos/ada/lamp');
    for (const wrong of ['#99999', 'nobody/nothing#1', 'words', `ada/lamp#${foreign.number}`])
      expect((await add({ address: wrong })).statusCode, wrong).to.equal(422);
    expect((await add({ address: `#${issues[0]!.number}` }, cas)).statusCode).to.equal(403);
    expect(shownIn(await page(host, `${path}?q=path`))).to.include({ [first]: ['By path'], [second]: [] });
    expect(shownIn(await page(host, `${path}?assignee=nobody`))).to.include({ [first]: [] });
    expect(shownIn(await page(host, `${path}?assignee=none&state=open&milestone=none`))[first]).to.have.length(3);
  });

  it('PRJ-05: forms make, change, order and delete columns, and name the default one', async () => {
    const { ada, cas } = world;
    const { project } = await makeBoard(ada, { template_type: 'none' });
    const path = pathOf(project);
    const titles = async () =>
      [...(await page(ada, `${path}/columns`)).matchAll(/id="edit-(\d+)" aria-label="([^"]*)"/g)].map(
        ([, id, title]) => ({ id: id!, title: title! }),
      );
    for (const title of ['One', 'Two', 'Three'])
      expect((await submitForm(ada, `${path}/columns`, { title, color: '#fff', limit: '3' })).statusCode).to.equal(303);
    const [one, two, three] = await titles();
    const act = (column: { readonly id: string }, fields: Record<string, string>, by = ada) =>
      submitForm(by, `${path}/columns/${column.id}`, fields);
    await act(three!, { action: 'left' });
    expect((await titles()).map(({ title }) => title)).to.equal(['One', 'Three', 'Two']);
    await act(one!, { action: 'right' });
    await act(one!, { action: 'save', title: 'First', color: '', limit: '0' });
    await act(two!, { action: 'default' });
    await act(one!, { action: 'delete' });
    expect((await titles()).map(({ title }) => title)).to.equal(['Three', 'Two']);
    for (const refused of [
      { action: 'delete' },
      { action: 'save', title: 'a', limit: '-1' },
      { action: 'save', title: '' },
      { action: 'x' },
    ] as Record<string, string>[])
      expect((await act(two!, refused)).statusCode).to.equal(422);
    expect((await act(two!, { action: 'left' }, cas)).statusCode).to.equal(403);
    await page(cas, `${path}/columns`, 403);
  });

  it('PRJ-06: a visitor sees and counts only the cards that they may read', async () => {
    const { ada, cas } = world;
    const hidden = '/api/v1/repos/ada/secret';
    expect((await send(ada, 'POST', '/api/v1/user/repos', { name: 'secret', private: true })).status).to.equal(201);
    const { project, columns, url } = await makeBoard(ada, {}, '/api/v1/user/projects');
    const [first] = columns.map(({ id }) => id) as [number];
    await fill(ada, url, first, ['Open to all']);
    const [secret] = await fill(ada, url, first, ['Secret plan'], hidden);
    const path = pathOf(project);
    expect(shownIn(await page(ada, path))[first]).to.equal(['Open to all', 'Secret plan']);
    const seen = await page(cas, path);
    expect(shownIn(seen)[first]).to.equal(['Open to all']);
    expect(seen).to.include('1 open, 0 closed').and.to.not.include('Secret');
    expect(await page(cas, `${path}?q=Secret`)).to.not.include('Secret plan');
    expect(await page(cas, `${path}/columns/${first}`))
      .to.include('Open to all')
      .and.to.not.include('Secret plan');
    await submitForm(ada, `${path}/cards/${secret!.id}`, { action: 'archive' });
    expect(await page(cas, `${path}/archive`)).to.not.include('Secret plan');
    expect((await submitForm(ada, `${path}/cards`, { address: 'ada/secret#999' })).statusCode).to.equal(422);
  });

  it('PRJ-06: the box beside an issue puts it on boards, moves it there and takes it off', async () => {
    const { ada, cas } = world;
    const { project, columns, url } = await makeBoard(ada, { title: 'Beside issues' });
    const issue = await openIssue(ada, 'Beside');
    const form = `/ada/desk/issues/${issue.number}/projects`;
    const id = String(project.id);
    expect(await page(ada, `/ada/desk/issues/${issue.number}`)).to.include('Beside issues');
    expect((await submitForm(ada, form, { project: id })).statusCode).to.equal(303);
    expect(await inColumn(ada, url, columns[0]!.id)).to.equal(['Beside']);
    await submitForm(ada, form, { project: id, column: String(columns[1]!.id) });
    expect(await inColumn(ada, url, columns[1]!.id)).to.equal(['Beside']);
    expect(await page(cas, `/ada/desk/issues/${issue.number}`)).to.include('Beside issues');
    expect((await submitForm(cas, form, { project: id })).statusCode).to.equal(403);
    await submitForm(ada, form, { project: id, remove: '1' });
    expect(await inColumn(ada, url, columns[1]!.id)).to.equal([]);
    expect((await submitForm(ada, form, { project: '999999' })).statusCode).to.equal(404);
    expect((await send(ada, 'GET', `${boards}/${id}`)).status).to.equal(200);
    expect((await send(ada, 'GET', `${desk}/issues/${issue.number}`)).status).to.equal(200);
  });
});
