import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { pageIn, submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { fill, makeBoard, makeWorld, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const page = async (by: Pick<TestClient, 'inject'>, url: string, status = 200): Promise<string> => {
  const answer = await by.inject({ method: 'GET', url });
  expect(answer.statusCode, url).to.equal(status);
  return answer.payload;
};
const pathOf = (project: { readonly html_url: string }) => new URL(project.html_url).pathname;
const titlesIn = (html: string) => [...html.matchAll(/Link--primary[^>]*>([^<]*)</g)].map(([, title]) => title!);
/** Labels of the tabs of saved views, and which of them is shown. */
const tabsIn = (html: string) => {
  const saved = /data-saved-views[^>]*><div[^>]*><nav.*?<\/nav>/s.exec(html)?.[0] ?? '';
  const tabs = [...saved.matchAll(/<a [^>]*?class="UnderlineNav-item"([^>]*)>([^<]*)</g)];
  return {
    labels: tabs.map(([, , label]) => label!),
    active: tabs.find(([, attributes]) => attributes!.includes('aria-current'))?.[2],
  };
};
interface View {
  readonly id: number;
  readonly title: string;
  readonly layout: string;
  readonly filter: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly default: boolean;
}

describe('saved views of project boards', { timeout: 60_000 }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.host.close());

  const viewsOf = async (projectId: number) =>
    (await send<View[]>(world.ada, 'GET', `/api/v1/projects/${projectId}/views`)).body;

  it('PRJ-06: layout, filter, sorting and groups of a board are saved by a form, and shown as a tab to all', async () => {
    const { ada, cas } = world;
    const { project, columns, url } = await makeBoard(ada);
    const path = pathOf(project);
    await fill(ada, url, columns[0]!.id, ['Cedar', 'Ash', 'Ash and cedar']);
    expect(tabsIn(await page(ada, path)).labels).to.equal([]);
    const query = 'view=table&sort=title&order=desc&group=column&q=cedar&nonsense=1';
    const form = await page(ada, `${path}/views?${query}`);
    expect(form).to.include(
      'name="query" value="view=table&amp;sort=title&amp;order=desc&amp;group=column&amp;q=cedar"',
    );
    const made = await submitForm(ada, `${path}/views`, { title: 'Trees', query });
    expect(made.statusCode).to.equal(303);
    const [view] = (await viewsOf(project.id)) as [View];
    expect(view).to.equal({
      id: view.id,
      title: 'Trees',
      layout: 'table',
      filter: 'q=cedar',
      options: { sort: 'title', order: 'desc', group: 'column' },
      default: false,
    });
    const shown = await page(cas, String(made.headers.location));
    expect(titlesIn(shown)).to.equal(['Cedar', 'Ash and cedar']);
    expect(tabsIn(shown)).to.equal({ labels: ['All cards', 'Trees'], active: 'Trees' });
    expect(shown).to.not.include(`${path}/views`);
    expect(tabsIn(await page(cas, path)).active).to.equal('All cards');
  });

  it('PRJ-06: forms rename views, put them in order, make one the default and delete them', async () => {
    const { ada } = world;
    const { project, columns, url } = await makeBoard(ada);
    const path = pathOf(project);
    await fill(ada, url, columns[0]!.id, ['Cedar', 'Ash']);
    for (const title of ['One', 'Two', 'Three'])
      await submitForm(ada, `${path}/views`, { title, query: `view=table&q=${title === 'Two' ? 'ash' : ''}` });
    const [one, two, three] = (await viewsOf(project.id)) as [View, View, View];
    const change = (view: View, values: Record<string, string>) => submitForm(ada, `${path}/views/${view.id}`, values);
    const titles = async () => (await viewsOf(project.id)).map(({ title }) => title);
    await change(two, { action: 'save', title: 'Second', layout: 'columns' });
    await change(three, { action: 'up' });
    await change(three, { action: 'up' });
    await change(three, { action: 'up' });
    await change(one, { action: 'down' });
    expect(await titles()).to.equal(['Three', 'Second', 'One']);
    await change(one, { action: 'default' });
    await change(two, { action: 'default' });
    expect((await viewsOf(project.id)).map((view) => view.default)).to.equal([false, true, false]);
    const opened = await page(ada, path);
    expect([tabsIn(opened).active, titlesIn(opened)]).to.equal(['Second', ['Ash']]);
    expect(titlesIn(await page(ada, `${path}?view=columns`))).to.equal(['Cedar', 'Ash']);
    // what is shown otherwise than it was saved can be saved there
    const changed = await page(ada, `${path}?view=table&saved=${two.id}`);
    expect(changed).to.include('Save changes to the view Second');
    expect(opened).to.not.include('Save changes to the view Second');
    await change(two, { action: 'replace', query: `view=roadmap&saved=${two.id}` });
    expect((await viewsOf(project.id))[1]).to.include({
      title: 'Second',
      layout: 'roadmap',
      filter: '',
      default: true,
    });
    await change(two, { action: 'noDefault' });
    expect((await viewsOf(project.id)).some((view) => view.default)).to.be.false();
    await change(three, { action: 'delete' });
    expect(await titles()).to.equal(['Second', 'One']);
    expect((await change(three, { action: 'save', title: 'gone' })).statusCode).to.equal(422);
    expect((await change(one, { action: 'dance' })).statusCode).to.equal(422);
    expect((await submitForm(ada, `${path}/views`, { title: ' ' })).statusCode).to.equal(422);
    for (const language of ['de', 'zh-CN']) expect(await pageIn(ada, language, `${path}/views`)).to.include('Second');
  });

  it('PRJ-05: only who may write to a board changes its views, and a closed board keeps them', async () => {
    const { ada, ben, cas, host } = world;
    const { project, url } = await makeBoard(ada);
    const path = pathOf(project);
    const other = await makeBoard(ada);
    await submitForm(ben, `${path}/views`, { title: 'Ours', query: '' });
    const [view] = (await viewsOf(project.id)) as [View];
    await page(cas, `${path}/views`, 403);
    expect((await submitForm(cas, `${path}/views`, { title: 'Theirs' })).statusCode).to.equal(403);
    expect((await submitForm(cas, `${path}/views/${view.id}`, { action: 'delete' })).statusCode).to.equal(403);
    expect((await host.inject({ url: `${path}/views` })).statusCode).to.be.above(300);
    // named by another board
    const foreign = `${pathOf(other.project)}/views/${view.id}`;
    expect((await submitForm(ada, foreign, { action: 'delete' })).statusCode).to.equal(422);
    await send(ada, 'PATCH', url, { state: 'closed' });
    expect((await submitForm(ada, `${path}/views/${view.id}`, { action: 'delete' })).statusCode).to.equal(422);
    expect((await viewsOf(project.id)).map(({ title }) => title)).to.equal(['Ours']);
    expect(tabsIn(await page(cas, path)).labels).to.equal(['All cards', 'Ours']);
  });

  it('PRJ-06: over the API one view of a board at most is the default', async () => {
    const { ada } = world;
    const { project } = await makeBoard(ada);
    const at = `/api/v1/projects/${project.id}/views`;
    const [one, two] = [
      (await send<View>(ada, 'POST', at, { title: 'One', default: true })).body,
      (await send<View>(ada, 'POST', at, { title: 'Two', default: true })).body,
    ];
    expect((await viewsOf(project.id)).map((view) => view.default)).to.equal([false, true]);
    expect((await send<View>(ada, 'PATCH', `${at}/${one.id}`, { default: true })).body.default).to.be.true();
    expect((await send<View>(ada, 'PATCH', `${at}/${two.id}`, { title: 'Second' })).body.default).to.be.false();
    expect((await viewsOf(project.id)).map((view) => view.default)).to.equal([true, false]);
  });

  it('S4: the filter of a view narrows, and changes neither its layout nor its page', async () => {
    const { ada } = world;
    const { project } = await makeBoard(ada);
    const body = { title: 'Odd', layout: 'columns', filter: 'view=table&saved=7&page=900&q=cedar' };
    expect((await send(ada, 'POST', `/api/v1/projects/${project.id}/views`, body)).status).to.equal(201);
    const href =
      /<a href="([^"]*)" class="UnderlineNav-item"[^>]*>Odd<|class="UnderlineNav-item" href="([^"]*)"[^>]*>Odd</.exec(
        await page(ada, pathOf(project)),
      );
    const address = (href?.[1] ?? href?.[2] ?? '').replaceAll('&amp;', '&');
    const { searchParams } = new URL(address, 'http://code.example');
    expect([searchParams.get('view'), searchParams.get('q'), searchParams.get('page')]).to.equal([
      'columns',
      'cedar',
      null,
    ]);
  });
});
