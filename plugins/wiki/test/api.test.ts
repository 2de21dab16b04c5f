import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, type Account } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const text = (content: string) => Buffer.from(content, 'base64').toString();

describe('the wiki over the API', () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;
  let narrow: TestClient;
  let nobody: TestClient;
  let account: Account;
  const api = '/api/v1/repos/ada/book';
  const send = (method: string, url: string, payload?: object, by: TestClient = ada) =>
    by.inject({ method: method as 'GET', url, payload });
  const create = (title: string, content = `${title}\n`, more: object = {}, at = api) =>
    send('POST', `${at}/wiki/new`, { title, content_base64: base64(content), ...more });
  const newRepository = async (name: string, more: object = {}) =>
    expect((await send('POST', '/api/v1/user/repos', { name, ...more })).statusCode).to.equal(201);

  before(async () => {
    host = await startHost({ plugins: ['wiki'] });
    const accounts = host.services.get(accountsRef);
    const make = (name: string) => accounts.create({ name, email: `${name}@example.com`, password: 'long enough' });
    account = await make('ada');
    ada = host.as(accounts.actorOf(account, 'test'));
    ben = host.as(accounts.actorOf(await make('ben'), 'test'));
    narrow = host.as({ ...accounts.actorOf(await make('narrow'), 'test'), isRestricted: true });
    nobody = host.as(anonymous);
    await newRepository('book');
  });
  after(() => host.close());

  it('has nothing before the first page, not even a folder', async () => {
    for (const path of ['pages', 'page/Home', 'revisions/Home'])
      expect((await send('GET', `${api}/wiki/${path}`)).statusCode, path).to.equal(404);
    expect((await send('DELETE', `${api}/wiki/page/Home`)).statusCode).to.equal(404);
    expect((await send('PATCH', `${api}/wiki/page/Home`, { content_base64: 'eA==' })).statusCode).to.equal(404);
  });

  it('creates, reads, edits, renames, lists and deletes pages', async () => {
    const made = await create('Home', '# Hello\n', { message: 'begin' });
    expect(made.statusCode).to.equal(201);
    expect(made.json).to.include({ title: 'Home', sub_url: 'Home', commit_count: 1, sidebar: '', footer: '' });
    expect(made.json.last_commit.message.trim()).to.equal('begin');
    expect(made.json.last_commit.commiter.email).to.equal('ada@example.com');

    const edited = await send('PATCH', `${api}/wiki/page/Home`, { title: 'Home', content_base64: base64('again\n') });
    expect(edited.json.commit_count).to.equal(2);
    expect(edited.json.last_commit.message.trim()).to.equal('Update "Home"');
    expect(text(edited.json.content_base64)).to.equal('again\n');

    expect((await create('Second Page')).json.sub_url).to.equal('Second-Page');
    const renamed = await send('PATCH', `${api}/wiki/page/Second-Page`, { title: 'Page 2' });
    expect(renamed.json).to.include({ title: 'Page 2', sub_url: 'Page-2', commit_count: 1 });
    expect(text(renamed.json.content_base64)).to.equal('Second Page\n');
    expect((await send('GET', `${api}/wiki/page/Second-Page`)).statusCode).to.equal(404);

    const listed = await send('GET', `${api}/wiki/pages?limit=1&page=2`);
    expect(listed.headers['x-total-count']).to.equal('2');
    expect(listed.json.map((page: { title: string }) => page.title)).to.equal(['Page 2']);
    expect((await send('GET', `${api}/wiki/revisions/Home`)).json.count).to.equal(2);
    expect((await send('GET', `${api}/wiki/revisions/Home?page=3`)).json).to.equal({ commits: [], count: 2 });

    expect((await send('DELETE', `${api}/wiki/page/Page-2`)).statusCode).to.equal(204);
    expect((await send('DELETE', `${api}/wiki/page/Page-2`)).statusCode).to.equal(404);
    expect((await send('DELETE', `${api}/wiki/page/Home`)).statusCode).to.equal(204);
    expect((await send('GET', `${api}/wiki/pages`)).json).to.equal([]);
    expect((await create('Home')).statusCode).to.equal(201);
  });

  it('makes no page that has no address', async () => {
    const before = (await send('GET', `${api}/wiki/pages`)).json.length;
    expect((await create('nul\0nul')).statusCode).to.equal(400);
    expect((await send('GET', `${api}/wiki/pages`)).json.length).to.equal(before);
  });

  it('finds each odd title again under its name', async () => {
    const titles = [
      'Well-Known',
      '2024-03-01 Meeting',
      'a/b c',
      '100% Free',
      'C++',
      'Über Öfen',
      '日本語',
      'README.md',
    ];
    titles.push(
      'Say "hi" \\ <b>',
      '..x',
      '.git',
      'con',
      'a&b=c;d',
      '%2F',
      '%zz',
      '🎉',
      "it's *",
      'tab\there',
      '_Footer2',
    );
    for (const title of titles) {
      const made = await create(title);
      expect(made.statusCode, title).to.equal(201);
      expect(made.json.title).to.equal(title);
      const name: string = made.json.sub_url;
      const read = await send('GET', `${api}/wiki/page/${name}`);
      expect(read.statusCode, name).to.equal(200);
      expect(read.json.title).to.equal(title);
      expect(text(read.json.content_base64)).to.equal(`${title}\n`);
      expect((await create(title)).statusCode, `${title} again`).to.equal(400);
      expect((await send('GET', `${api}/wiki/revisions/${name}`)).json.count, title).to.equal(1);
      expect((await send('GET', `/ada/book/wiki/${name}`)).statusCode, name).to.equal(200);
    }
    const listed = (await send('GET', `${api}/wiki/pages?limit=50`)).json as { title: string }[];
    expect(titles.filter((title) => !listed.some((page) => page.title === title))).to.equal([]);
  });

  it('refuses what is no title or no content, and writes nothing', async () => {
    const before = (await send('GET', `${api}/wiki/pages`)).headers['x-total-count'];
    for (const title of ['', '   ', '.', '..', '_new', '_pages', 'raw', 'x/_edit', 'x'.repeat(256), '日'.repeat(40)])
      expect((await create(title)).statusCode, title).to.equal(400);
    expect((await create('Bad', '', { content_base64: '!!' })).statusCode).to.equal(400);
    expect((await create('Bad', '', { title: { a: 1 } })).statusCode).to.equal(422);
    expect((await send('POST', `${api}/wiki/new`, {})).statusCode).to.equal(400);
    expect((await send('PATCH', `${api}/wiki/page/Home`, { title: '_new' })).statusCode).to.equal(400);
    expect((await send('PATCH', `${api}/wiki/page/Home`, { title: 'C++' })).statusCode).to.equal(400);
    for (const name of ['', '%00', '..', '%2e%2e', '../../etc', 'x'.repeat(5000), '%ff', '_pages', 'a//b', '%2F%2F'])
      expect((await send('GET', `${api}/wiki/page/${name}`)).statusCode, name).to.be.within(400, 404);
    expect((await send('GET', `${api}/wiki/pages`)).headers['x-total-count']).to.equal(before);
  });

  it('shows sidebar and footer with every page', async () => {
    await create('_Sidebar', 'links\n');
    expect(text((await create('_Footer', 'small print\n')).json.sidebar)).to.equal('links\n');
    const { sidebar, footer } = (await send('GET', `${api}/wiki/page/Home`)).json;
    expect([text(sidebar), text(footer)]).to.equal(['links\n', 'small print\n']);
  });

  it('keeps every one of many edits at the same time', async () => {
    await newRepository('race');
    const at = '/api/v1/repos/ada/race';
    const firsts = await Promise.all(Array.from({ length: 4 }, () => create('Same', 'x', {}, at)));
    expect(firsts.map((answer) => answer.statusCode).sort()).to.equal([201, 400, 400, 400]);
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, (_, n) => create(`Page ${n}`, 'x', {}, at)),
      ...Array.from({ length: 8 }, (_, n) =>
        send('PATCH', `${at}/wiki/page/Same`, { content_base64: base64(`edit ${n}\n`), message: `edit ${n}` }),
      ),
    ]);
    expect([...new Set(answers.map((answer) => answer.statusCode))].sort()).to.equal([200, 201]);
    expect((await send('GET', `${at}/wiki/pages`)).headers['x-total-count']).to.equal('9');
    const { commits } = (await send('GET', `${at}/wiki/revisions/Same`)).json as { commits: { message: string }[] };
    expect(commits.map((commit) => commit.message.trim()).sort()).to.equal([
      'Add "Same"',
      ...Array.from({ length: 8 }, (_, n) => `edit ${n}`),
    ]);
  });

  it('lets readers read and writers write', async () => {
    for (const [by, status] of [
      [ben, 403],
      [narrow, 403],
      [nobody, 401],
    ] as const) {
      expect((await send('POST', `${api}/wiki/new`, { title: 'Mine' }, by)).statusCode).to.equal(status);
      expect((await send('PATCH', `${api}/wiki/page/Home`, { title: 'Mine' }, by)).statusCode).to.equal(status);
      expect((await send('DELETE', `${api}/wiki/page/Home`, undefined, by)).statusCode).to.equal(status);
      expect((await send('GET', `${api}/wiki/pages`, undefined, by)).statusCode).to.equal(200);
    }
    await send('PATCH', api, { private: true });
    const asNarrow = (method: string) =>
      send(method, `${api}/wiki/${method === 'GET' ? 'pages' : 'new'}`, { title: 'Mine' }, narrow);
    expect((await asNarrow('GET')).statusCode).to.equal(404);
    await send('PUT', `${api}/collaborators/narrow`, { permission: 'read' });
    expect((await asNarrow('GET')).statusCode).to.equal(200);
    expect((await asNarrow('POST')).statusCode).to.equal(403);
    await send('PUT', `${api}/collaborators/narrow`, { permission: 'write' });
    expect((await asNarrow('POST')).statusCode).to.equal(201);
    await send('PATCH', api, { private: false });

    await send('PATCH', api, { archived: true });
    for (const [method, path] of [
      ['POST', 'new'],
      ['PATCH', 'page/Home'],
      ['DELETE', 'page/Home'],
    ] as const)
      expect((await send(method, `${api}/wiki/${path}`, { title: 'Late' })).statusCode, path).to.equal(423);
    expect((await send('GET', `${api}/wiki/page/Home`)).statusCode).to.equal(200);
    await send('PATCH', api, { archived: false, private: true });
    expect((await send('GET', `${api}/wiki/page/Home`, undefined, ben)).statusCode).to.equal(404);
    expect((await send('GET', '/ada/book/wiki', undefined, ben)).statusCode).to.equal(404);
    await send('PATCH', api, { private: false });
  });

  it('is not there while it is off or elsewhere, and keeps its pages', async () => {
    const elsewhere = 'https://wiki.example.com/book';
    await send('PATCH', api, { has_wiki: true, external_wiki: { external_wiki_url: elsewhere } });
    expect((await send('GET', `${api}/wiki/pages`)).statusCode).to.equal(404);
    expect((await create('More')).statusCode).to.equal(404);
    expect((await send('GET', '/ada/book/wiki')).headers.location).to.equal(elsewhere);
    await send('PATCH', api, { has_wiki: false });
    expect((await send('GET', `${api}/wiki/pages`)).statusCode).to.equal(404);
    expect((await send('GET', '/ada/book/wiki')).statusCode).to.equal(404);
    expect((await send('GET', '/ada/book')).payload).to.not.include('href="/ada/book/wiki"');
    await send('PATCH', api, { has_wiki: true });
    expect((await send('GET', `${api}/wiki/pages`)).statusCode).to.equal(200);
  });

  it('takes huge pages, and answers without the text beyond 10 MiB', async () => {
    const large = Buffer.alloc(3 << 20, 'word and ');
    expect((await create('Large', large.toString())).statusCode).to.equal(201);
    const read = await send('GET', `${api}/wiki/page/Large`);
    expect(Buffer.from(read.json.content_base64, 'base64').equals(large)).to.be.true();
    expect((await send('GET', '/ada/book/wiki/Large')).payload).to.include('too long to show');
    expect((await send('GET', '/ada/book/wiki/Large?action=_edit')).statusCode).to.equal(413);
    expect((await send('GET', '/ada/book/wiki/raw/Large.md')).rawPayload.length).to.equal(large.length);
    const huge = Buffer.alloc(11 << 20, 'x');
    expect((await create('Huge', huge.toString())).statusCode).to.equal(201);
    expect((await send('GET', `${api}/wiki/page/Huge`)).json.content_base64).to.equal('');
    expect((await create('Beyond', Buffer.alloc(17 << 20, 'x').toString())).statusCode).to.equal(413);
  });

  it('works in repositories with SHA-256', async () => {
    await newRepository('long', { object_format_name: 'sha256' });
    const at = '/api/v1/repos/ada/long';
    expect((await create('Home', 'x', {}, at)).statusCode).to.equal(201);
    expect((await create('Next', 'y', {}, at)).json.last_commit.sha).to.have.length(64);
    expect((await send('GET', `${at}/wiki/pages`)).json).to.have.length(2);
  });
});

describe('the wiki of a site below a path', () => {
  it('reads names from whole addresses', async () => {
    const host = await startHost({
      plugins: ['wiki'],
      settings: { server: { ROOT_URL: 'http://localhost:3000/git/' } },
    });
    try {
      const accounts = host.services.get(accountsRef);
      const account = await createAccount(host, 'ada');
      const ada = host.as(accounts.actorOf(account, 'test'));
      const post = (url: string, payload: object) => ada.inject({ method: 'POST', url: `/git/api/v1${url}`, payload });
      await post('/user/repos', { name: 'book' });
      const made = await post('/repos/ada/book/wiki/new', {
        title: 'C++',
        content_base64: base64('[[C++]] [x](Other) y'),
      });
      expect(made.json.html_url).to.equal('http://localhost:3000/git/ada/book/wiki/C%2B%2B');
      expect((await ada.inject('/git/api/v1/repos/ada/book/wiki/page/C%2B%2B')).statusCode).to.equal(200);
      expect((await ada.inject('/git/api/v1/repos/ada/book/wiki/page/C++')).statusCode).to.equal(404);
      const shown = await ada.inject('/git/ada/book/wiki/C%2B%2B');
      expect(shown.payload).to.include(['href="/git/ada/book/wiki/C%2B%2B"', 'href="/git/ada/book/wiki/Other"']);
      expect((await ada.inject('/git/ada/book/wiki/raw/C%2B%2B')).payload).to.equal('[[C++]] [x](Other) y');
    } finally {
      await host.close();
    }
  });
});
