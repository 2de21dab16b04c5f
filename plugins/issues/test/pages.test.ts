import * as Lab from '@hapi/lab';
import { accounts } from '@mortise/accounts/api';
import { expect } from '@hapi/code';
import { multipart, submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { api, makeLabel, makeWorld, open, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const home = '/ada/desk';

/** A page as somebody sees it. */
async function page(by: Pick<TestClient, 'inject'>, path: string, status = 200): Promise<string> {
  const answer = await by.inject(path);
  expect(answer.statusCode, path).to.equal(status);
  return answer.payload;
}

/** Sends a form that takes files. */
const post = (by: TestClient, url: string, fields: Record<string, string>, file?: readonly [string, string]) =>
  by.inject({
    method: 'POST',
    url,
    ...multipart([
      ...Object.entries(fields).map(([name, value]) => ({ name, value })),
      ...(file ? [{ name: 'files', fileName: file[0], value: file[1] }] : []),
    ]),
  });

/** Titles of a list, from the first to the last. */
const titlesOf = (html: string): string[] =>
  [...html.matchAll(/<a class="text-bold Link--primary title-link" href="[^"]*\/issues\/\d+">([^<]*)<\/a>/g)].map(
    (found) => found[1]!,
  );

describe('pages of issues', { timeout: 120_000 }, () => {
  let world: World;
  let bug: number;
  let milestone: number;
  before(async () => {
    world = await makeWorld();
    const { ada, ben, cas } = world;
    bug = await makeLabel(ada, 'Kind/Bug', true);
    await makeLabel(ada, 'Kind/Wish', true);
    milestone = (await send<{ id: number }>(ada, 'POST', `${api}/milestones`, { title: 'First' })).body.id;
    await open(ada, { title: 'One', labels: [bug], milestone, assignees: ['ben'] });
    await open(cas, { title: 'Two', body: 'about <wheels>' });
    await open(ben, { title: 'Three', closed: true });
  });
  after(() => world.host.close());

  it('the list narrows by state, labels, milestone, people and words, and orders', async () => {
    const { ada, host } = world;
    const list = async (query: string) => titlesOf(await page(ada, `${home}/issues${query}`));
    expect(await list('')).to.equal(['Two', 'One']);
    expect(await list('?state=closed')).to.equal(['Three']);
    expect(await list('?state=all&sort=oldest')).to.equal(['One', 'Two', 'Three']);
    expect(await list(`?labels=${bug}`)).to.equal(['One']);
    expect(await list('?labels=none')).to.equal(['Two']);
    expect(await list(`?milestone=${milestone}`)).to.equal(['One']);
    expect(await list('?milestone=none')).to.equal(['Two']);
    expect(await list('?assignee=ben')).to.equal(['One']);
    expect(await list('?assignee=none')).to.equal(['Two']);
    expect(await list('?poster=cas')).to.equal(['Two']);
    expect(await list('?poster=nobody-there')).to.equal([]);
    expect(await list('?q=wheels')).to.equal(['Two']);
    for (const odd of ['?labels=x,-1,99999999999', '?milestone=1.5', '?sort=odd', '?page=999', '?state[]=1'])
      await page(ada, `${home}/issues${odd}`);
    const seen = await page(host, `${home}/issues`);
    expect(seen).to.include('2 Open').and.to.not.include('name="ids"');
  });

  it('many are changed at once by those who may write', async () => {
    const { ada, cas } = world;
    const ids = (await send<{ id: number }[]>(ada, 'GET', `${api}/issues?state=open&limit=10`)).body.map(
      ({ id }) => id,
    );
    const chosen = ids.map((id): [string, string] => ['ids', String(id)]);
    const form = (action: string) => submitForm(ada, `${home}/issues/bulk`, [['action', action], ...chosen]);
    expect((await form('close')).statusCode).to.equal(303);
    expect(titlesOf(await page(ada, `${home}/issues`))).to.equal([]);
    await send(ada, 'PATCH', `${api}/issues/1`, { state: 'open' });
    await send(ada, 'PATCH', `${api}/issues/2`, { state: 'open' });
    for (const action of ['nothing', 'label', 'assign']) {
      const refused = await submitForm(ada, `${home}/issues/bulk`, [
        ['action', action],
        ['assignee', 'nobody-here'],
        ...chosen,
      ]);
      expect(refused.statusCode, action).to.equal(422);
      expect(titlesOf(refused.payload).length, action).to.be.above(0);
    }
    expect((await submitForm(cas, `${home}/issues/bulk`, chosen)).statusCode).to.equal(403);
  });

  it('a filter is kept for oneself, and deleted', async () => {
    const { ada, cas } = world;
    const saved = await submitForm(ada, `${home}/issues/filters`, { name: 'My bugs', query: `labels=${bug}&odd=1` });
    expect(String(saved.headers.location)).to.endWith(`?labels=${bug}`);
    const html = await page(ada, `${home}/issues`);
    expect(html).to.include('My bugs');
    expect(await page(cas, `${home}/issues`)).to.not.include('My bugs');
    const [gone] = /\/ada\/desk\/issues\/filters\/\d+\/delete/.exec(html) ?? [];
    await submitForm(ada, gone!);
    for (const list of [`${home}/issues`, '/issues']) {
      const refused = await submitForm(ada, `${list}/filters`, { name: '', query: '' });
      expect(refused.statusCode, list).to.equal(422);
      // each form can be sent again
      expect(refused.payload, list).to.include('name="_csrf" value="').and.to.not.include('name="_csrf"/>');
    }
    const empty = await post(ada, `${home}/issues/1/comments`, { body: '' });
    expect(empty.statusCode).to.equal(422);
    expect(empty.payload).to.include('name="_csrf" value="').and.to.not.include('name="_csrf"/>');
    expect(await page(ada, `${home}/issues`)).to.not.include('My bugs');
  });

  it('an issue is read, commented on, closed with words and opened again without a script', async () => {
    const { ada, ben, cas, host } = world;
    const one = `${home}/issues/1`;
    const seen = await page(host, one);
    expect(seen).to.include(['One', 'Sign in', 'Kind']).and.to.not.include('comment-body');
    const action = `${home}/issues/1/comments`;
    const said = await post(cas, action, { body: 'Hello @ada', action: 'comment' });
    expect(said.headers.location).to.match(/\/ada\/desk\/issues\/1#issuecomment-\d+$/);
    const id = Number(/\d+$/.exec(String(said.headers.location))![0]);
    await post(ben, action, { body: 'Done', action: 'close' });
    expect(await page(ada, one)).to.include(['Hello', 'Done', 'closed this']);
    await post(ben, action, { body: '', action: 'reopen' });
    expect(await page(ada, one)).to.include('reopened this');
    const empty = await post(ben, action, { body: '', action: 'comment' });
    expect([empty.statusCode, empty.payload.includes('Enter a comment')]).to.equal([422, true]);
    // others may not edit it, whoever wrote it may
    expect(await page(ada, `${one}?quote=${id}`)).to.include('> Hello @ada');
    const edit = `${one}/comments/${id}`;
    await post(cas, edit, { body: 'Hello there' });
    // each version by itself: texts may be long
    const history = await page(ada, `${one}/history?comment=${id}`);
    expect(history).to.include('Hello there').and.to.not.include('Hello @ada');
    const [, first] = [...history.matchAll(/version=(\d+)/g)].map((found) => found[1]);
    expect(await page(ada, `${one}/history?comment=${id}&version=${first}`)).to.include('Hello @ada');
    await page(ada, `${one}/history?version=${first}`, 404);
    await submitForm(ada, `${edit}/delete`);
    expect(await page(ada, one)).to.not.include('Hello there');
  });

  it('files come with comments, and the text leads to them', async () => {
    const { cas, ada } = world;
    const url = `${home}/issues/1/comments`;
    const said = await post(cas, url, { body: '![a b.png](attachment:a%20b.png)', action: 'comment' }, [
      'a b.png',
      'dots',
    ]);
    expect(said.statusCode).to.equal(303);
    const html = await page(ada, `${home}/issues/1`);
    expect(html).to.match(/<img[^>]*src="[^"]*\/attachments\/[0-9a-f-]{36}"/);
    const alone = await post(cas, url, { body: '', action: 'comment' }, ['notes.txt', 'words']);
    expect(alone.statusCode).to.equal(303);
    expect(await page(ada, `${home}/issues/1`)).to.match(/<a href="[^"]*\/attachments\/[^"]+"[^>]*>notes.txt/);
    const refused = await post(cas, url, { body: 'odd', action: 'comment' }, ['odd.exe', 'x']);
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.include('odd</textarea>');
  });

  it('a text that somebody else changed meanwhile is shown beside the own one', async () => {
    const { ada, ben } = world;
    const form = await page(ada, `${home}/issues/2?edit=0`);
    expect(form).to.include('name="content_version"');
    await send(ben, 'PATCH', `${api}/issues/2`, { body: 'by ben' });
    const late = await post(ada, `${home}/issues/2/content`, { body: 'by ada', content_version: '0' });
    expect(late.statusCode).to.equal(422);
    expect(late.payload).to.include(['by ben', 'by ada', 'changed in the meantime']);
  });

  it('labels, milestone, assignees, due date, reactions, locks and pins are set at the side', async () => {
    const { ada, ben, cas } = world;
    const one = `${home}/issues/2`;
    const set = async (what: string, fields: Record<string, string>) => {
      await page(ben, `${one}?set=${what}`);
      return submitForm(ben, `${one}/${what}`, fields);
    };
    expect((await set('labels', { ids: String(bug) })).statusCode).to.equal(303);
    await set('milestone', { milestone: String(milestone) });
    await set('assignees', { names: 'ada' });
    await set('due', { due: '2031-02-03' });
    await set('dependencies', { issue: '#1', which: 'dependencies' });
    const html = await page(ada, one);
    expect(html).to.include(['Feb 3, 2031', 'First', 'added a dependency', 'assigned']);
    expect((await set('dependencies', { issue: 'nothing', which: 'blocks' })).statusCode).to.equal(422);
    await submitForm(cas, `${one}/reactions`, { content: 'heart', comment: '0', remove: '0' });
    expect(await page(ada, one)).to.match(/heart: 1 person \(cas\)/);
    await submitForm(ada, `${one}/pin`, { pinned: '1' });
    expect(await page(cas, `${home}/issues`)).to.include('issue-pins');
    await submitForm(ada, `${one}/lock`, { locked: '1', reason: 'enough' });
    expect(await page(cas, one)).to.include(['This conversation is locked', 'enough']);
    expect((await submitForm(cas, `${one}/labels`)).statusCode).to.equal(403);
    await page(cas, `${home}/issues/99`, 404);
  });

  it('a comment that closes is written with the closing or not at all', async () => {
    const { ada } = world;
    const [roof, walls] = [await open(ada, { title: 'Roof' }), await open(ada, { title: 'Walls' })];
    await send(ada, 'POST', `${api}/issues/${roof.number}/dependencies`, {
      owner: 'ada',
      repo: 'desk',
      index: walls.number,
    });
    const refused = await post(ada, `${home}/issues/${roof.number}/comments`, { body: 'All done', action: 'close' });
    expect([refused.statusCode, refused.payload.includes('All done')]).to.equal([422, true]);
    expect((await send<object[]>(ada, 'GET', `${api}/issues/${roof.number}/comments`)).body).to.equal([]);
  });

  it('editors are given people who may read it, issues and emoji to go on with', async () => {
    const { ada, ben, cas, host } = world;
    const at = `${home}/suggestions`;
    const given = async (kind: string, q: string, by: TestClient = ada, from = at) => {
      const answer = await by.inject(`${from}?kind=${kind}&q=${encodeURIComponent(q)}`);
      expect(answer.statusCode).to.equal(200);
      return (answer.json as { value: string }[]).map(({ value }) => value);
    };
    expect(await given('people', '')).to.equal(['@ada', '@ben']);
    expect(await given('people', 'CA')).to.equal(['@cas']);
    expect(await given('people', 'nobody')).to.equal([]);
    // who works on it and is not shown to everybody
    await host.services.get(accounts).update(ben.account.id, { visibility: 'private' });
    expect(await given('people', 'be')).to.equal([]);
    expect(await given('people', 'be', ben)).to.equal(['@ben']);
    await host.services.get(accounts).update(ben.account.id, { visibility: 'public' });
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'safe', private: true });
    expect(await given('people', 'ca', ada, '/ada/safe/suggestions')).to.equal([]);
    expect((await cas.inject('/ada/safe/suggestions?kind=people&q=')).statusCode).to.equal(404);
    const { number } = await open(ben, { title: 'Peculiar noise' });
    expect(await given('issues', 'pecu')).to.equal([`#${number}`]);
    expect(await given('issues', String(number))).to.include(`#${number}`);
    expect((await given('issues', '')).length).to.be.within(1, 8);
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'calm' });
    await send(ada, 'POST', '/api/v1/repos/ada/calm/issues', { title: 'Peculiar smell' });
    expect(await given('issues', 'pecu', cas, '/ada/calm/suggestions')).to.equal(['#1']);
    await send(ada, 'PATCH', '/api/v1/repos/ada/calm', { has_issues: false });
    for (const q of ['pecu', '', '1']) expect(await given('issues', q, cas, '/ada/calm/suggestions')).to.equal([]);
    expect(await given('emoji', 'tad')).to.equal([':tada:', ':stadium:']);
    expect((await given('emoji', 'a')).length).to.equal(8);
    expect((await ada.inject(`${at}?kind=odd`)).statusCode).to.equal(422);
    expect((await host.inject(`${at}?kind=people`)).statusCode).to.equal(303);
  });

  it('tasks are ticked where the text is still the same', async () => {
    const { ada } = world;
    const { number } = await open(ada, { title: 'Tasks', body: '- [ ] a\n```\n- [ ] code\n```\n- [ ] b' });
    const one = `${home}/issues/${number}`;
    const markOf = async () => /data-mark="(\w+)"/.exec(await page(ada, one))![1]!;
    const mark = await markOf();
    const tick = (at: number, total = '2', comment = '0') =>
      submitForm(ada, `${one}/task`, { comment, at: String(at), done: 'true', mark, total });
    const textOf = async () => (await send<{ body: string }>(ada, 'GET', `${api}/issues/${number}`)).body.body;
    expect((await tick(1)).statusCode).to.equal(204);
    expect(await textOf()).to.equal('- [ ] a\n```\n- [ ] code\n```\n- [x] b');
    expect(await markOf()).to.equal(mark);
    expect((await Promise.all([tick(0), tick(1)])).map(({ statusCode }) => statusCode)).to.equal([204, 204]);
    expect(await textOf()).to.equal('- [x] a\n```\n- [ ] code\n```\n- [x] b');
    expect((await tick(7)).statusCode).to.equal(409);
    expect((await tick(0, '3')).statusCode).to.equal(409);
    await send(ada, 'PATCH', `${api}/issues/${number}`, { body: '- [ ] new\n- [ ] a' });
    expect((await tick(0)).statusCode).to.equal(409);
    expect(await textOf()).to.equal('- [ ] new\n- [ ] a');
  });

  it('a tracker elsewhere has the tab, and the list leads there', async () => {
    const { ada, cas } = world;
    const url = 'https://bugs.example.com/desk';
    const tab = 'href="/ada/desk/issues"';
    await send(ada, 'PATCH', api, { has_issues: true, external_tracker: { external_tracker_url: url } });
    expect(await page(ada, `${home}/settings`)).to.include(tab);
    const list = await cas.inject(`${home}/issues`);
    expect([list.statusCode, list.headers.location]).to.equal([303, url]);
    await send(ada, 'PATCH', api, { has_issues: false });
    expect(await page(ada, `${home}/settings`)).to.not.include(tab);
    await page(cas, `${home}/issues`, 404);
    await send(ada, 'PATCH', api, { has_issues: true });
  });
});
