import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { signUp } from '@mortise/accounts/testing';
import { gitReader, gitStore, gitWriter, refUpdates, type TreeChange } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('pages of the wiki', () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;
  const nobody = () => host.as(anonymous);
  const wiki = '/ada/book/wiki';
  const get = (path: string, by = ada) => by.inject(`${wiki}${path}`);
  const post = (path: string, fields: Record<string, string>, by = ada) => submitForm(by, `${wiki}${path}`, fields);
  const create = (title: string, content: string) =>
    ada.inject({
      method: 'POST',
      url: '/api/v1/repos/ada/book/wiki/new',
      payload: { title, content_base64: base64(content) },
    });
  /** What a clone and a push would bring. */
  const commit = async (changes: readonly TreeChange[], message = 'by git') => {
    const { id } = (await host.services.get(repositories).byPath('ada', 'book'))!;
    const git = host.services.get(gitReader).open(id, 'wiki');
    const { oid, ref } = await git.head();
    const writer = host.services.get(gitWriter);
    const who = { name: 'Git', email: 'git@example.com', time: Date.now(), zone: '+0000' };
    const tree = await writer.writeTree(id, oid, changes, 'wiki');
    const made = await writer.writeCommit(id, { tree, parents: [oid!], author: who, committer: who, message }, 'wiki');
    const pusher = host.services
      .get(accountsRef)
      .actorOf((await host.services.get(accountsRef).byName('ada'))!, 'test');
    const updates = [{ ref, old: oid!, new: made }];
    await host.services.get(refUpdates).apply({ repositoryId: id, kind: 'wiki', updates, pusher, source: 'internal' });
    return made;
  };

  before(async () => {
    host = await startHost({ plugins: ['wiki'] });
    ada = await signUp(host, 'ada');
    ben = await signUp(host, 'ben');
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'book' } });
  });
  after(() => host.close());

  it('gives a form back with its text when a field holds too much', async () => {
    const fields = { title: 'T'.repeat(1001), content: 'Long work', message: 'why', do: 'save' };
    const refused = await post('/_new', fields);
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.contain([
      'The title must be at most 1,000 characters long; it has 1,001.',
      fields.title,
      'Long work',
    ]);
    expect(refused.payload).to.match(/name="title"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*name="title"/);
    const message = 'm'.repeat(5001);
    const again = await post('/_new', { ...fields, title: 'Fits', message });
    expect(again.statusCode).to.equal(422);
    expect(again.payload).to.contain([
      'must be at most 5,000 characters long; it has 5,001.',
      message,
      'Long work',
      'value="Fits"',
    ]);
  });

  it('speaks the language of its visitor', async () => {
    const said = async (language: string, url = wiki) =>
      (await ada.inject({ url, headers: { 'accept-language': language } })).payload;
    expect(await said('de')).to.include(['Willkommen im Wiki', 'Erste Seite erstellen']);
    expect(await said('zh-CN', `${wiki}/_new`)).to.include(['<title>新建页面', '保存页面']);
  });

  it('begins with an invitation for those who may write', async () => {
    const mine = await get('');
    expect(mine.statusCode).to.equal(200);
    expect(mine.payload).to.include(['Create the first page', 'book.wiki.git', 'aria-current="page"']);
    expect((await get('', ben)).payload).to.not.include('Create the first page');
    for (const path of ['/_pages', '/Home', '/Home?action=_edit', '/raw/x'])
      expect((await get(path)).statusCode, path).to.be.within(200, 404);
  });

  it('writes a page with a preview, without a script', async () => {
    expect((await get('/_new?title=Home')).payload).to.include('value="Home"');
    const draft = { title: 'Home', content: 'Hello **you**\r\n\r\n[[Second Page]]', message: '', base: '' };
    const preview = await post('/_new', { ...draft, do: 'preview' });
    expect(preview.payload).to.include(['<strong>you</strong>', 'wiki-missing', 'Preview']);
    const saved = await post('/_new', { ...draft, do: 'save' });
    expect([saved.statusCode, saved.headers.location]).to.equal([303, `${wiki}/Home`]);
    const shown = await get('');
    expect(shown.payload).to.include(['<strong>you</strong>', '1 revision']);
    const again = await post('/_new', { ...draft, do: 'save' });
    expect(again.statusCode).to.equal(422);
    expect(again.payload).to.include('already exists');
    expect((await get('/raw/Home.md')).payload).to.equal('Hello **you**\n\n[[Second Page]]');
  });

  it('tells who edits an outdated text, and loses nothing', async () => {
    const form = (await get('/Home?action=_edit')).payload;
    const base = /name="base" value="([0-9a-f]+)"/.exec(form)![1]!;
    const first = await post('/Home?action=_edit', { title: 'Home', content: 'first', message: '', base, do: 'save' });
    expect(first.statusCode).to.equal(303);
    const second = await post('/Home?action=_edit', {
      title: 'Home',
      content: 'my own',
      message: '',
      base,
      do: 'save',
    });
    expect(second.statusCode).to.equal(409);
    expect(second.payload).to.include(['Someone else has changed the page', 'my own']);
    expect((await get('/raw/Home')).payload).to.equal('first');
    const newest = /name="base" value="([0-9a-f]+)"/.exec(second.payload)![1]!;
    const both = { title: 'Home', content: 'first and my own', message: 'both', base: newest, do: 'save' };
    expect((await post('/Home/_edit', both)).statusCode).to.equal(303);
  });

  it('gives the text back when the page has gone while it was written', async () => {
    const gone = { title: 'Gone', content: 'much <work>', message: '', base: 'a'.repeat(40), do: 'save' };
    const answer = await post('/Gone?action=_edit', gone);
    expect(answer.statusCode).to.equal(409);
    expect(answer.payload).to.include(['no longer exists', 'much &lt;work', `action="${wiki}/_new"`]);
    expect((await post('/Gone?action=_edit', { ...gone, base: '' })).statusCode).to.equal(404);
    expect((await get('/Gone')).statusCode).to.equal(404);
  });

  it('shows history, differences and older versions', async () => {
    const history = await get('/Home?action=_revision');
    expect(history.payload).to.include(['both', 'Add &quot;Home&quot;']);
    const oids = [...history.payload.matchAll(/name="to" value="([0-9a-f]{40})"/g)].map(([, oid]) => oid!);
    expect(oids).to.have.length(3);
    const compared = await get(`/Home?action=_compare&from=${oids[2]}&to=${oids[0]}`);
    expect(compared.payload).to.include(['+first and my own', '-Hello **you**']);
    expect((await get(`/Home?action=_compare&to=${oids[2]}`)).payload).to.include('+Hello **you**');
    const old = await get(`/Home?version=${oids[2]}`);
    expect(old.payload).to.include(['older version', '<strong>you</strong>']);
    expect((await get(`/Home?action=_edit&version=${oids[2]}`)).payload).to.include('Hello **you**');
    for (const bad of [
      'version=main',
      'version=--all',
      `version=${'0'.repeat(40)}`,
      'action=_compare&to=HEAD',
      'action=_compare',
    ])
      expect((await get(`/Home?${bad}`)).statusCode, bad).to.equal(404);
  });

  it('shows folders, files and names that git users chose', async () => {
    await commit([
      { path: 'handbook/Rules.md', content: '# Rules\n\n[next](Second) ![p](../pic.png)' },
      { path: 'handbook/Second.md', content: 'second' },
      { path: 'With Spaces.md', content: 'spaced' },
      { path: 'pic.png', content: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') },
      { path: 'evil.html', content: '<script>alert(1)</script>' },
      { path: 'evil.svg', content: '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>' },
      { path: '_pages.md', content: 'shadowed page' },
      { path: 'link.md', content: '/etc/passwd', mode: '120000' },
      { path: '[a]*:x?.md', content: 'globs' },
    ]);
    const rules = await get('/handbook/Rules');
    expect(rules.payload).to.include([`href="${wiki}/handbook/Second"`, `src="${wiki}/raw/pic.png"`]);
    expect((await get('/handbook%2FRules')).statusCode).to.equal(200);
    expect((await get('/handbook/Rules.md')).statusCode).to.equal(200);
    expect((await get('/handbook')).payload).to.include('Second');
    expect((await get('/With-Spaces')).payload).to.include('spaced');
    expect((await get('/With%20Spaces')).statusCode).to.equal(200);
    expect((await get('/pic.png')).headers.location).to.equal(`${wiki}/raw/pic.png`);
    expect((await get('/_pages')).payload).to.include([`href="${wiki}/_pages.md"`, 'handbook', 'With Spaces']);
    expect((await get('/_pages.md')).payload).to.include('shadowed page');
    for (const path of ['/link', '/raw/link.md', '/raw/../../../../etc/passwd', '/raw/.git/config', '/raw/%2e%2e/HEAD'])
      expect((await get(path)).statusCode, path).to.equal(404);
    const globs = (await ada.inject('/api/v1/repos/ada/book/wiki/pages?limit=50')).json as {
      sub_url: string;
      title: string;
    }[];
    const name = globs.find((page) => page.title === '[a]*:x?')!.sub_url;
    expect((await ada.inject(`/api/v1/repos/ada/book/wiki/page/${name}`)).json.commit_count).to.equal(1);
    expect(globs.some((page) => /link|Rules/.test(page.title))).to.be.false();

    // a new page goes into a folder that is there; a page keeps its folder while its title stays
    expect(
      (await post('/_new', { title: 'handbook/Third', content: '3', message: '', base: '', do: 'save' })).headers
        .location,
    ).to.equal(`${wiki}/handbook/Third`);
    const edit = { title: 'handbook/Rules', content: 'new rules', message: '', base: '', do: 'save' };
    expect((await post('/handbook/Rules?action=_edit', edit)).headers.location).to.equal(`${wiki}/handbook/Rules`);
    expect((await get('/handbook/Rules')).payload).to.include('new rules');
  });

  it('raw files of a wiki are served so that nothing in them runs', async () => {
    for (const [path, type] of [
      ['evil.html', 'text/plain; charset=utf-8'],
      ['evil.svg', 'image/svg+xml'],
      ['pic.png', 'image/png'],
      ['Home.md', 'text/plain; charset=utf-8'],
    ]) {
      const raw = await get(`/raw/${path}`);
      expect(raw.headers['content-type'], path).to.equal(type);
      expect(raw.headers['content-security-policy']).to.include(['sandbox', "default-src 'none'"]);
      expect(raw.headers['x-content-type-options']).to.equal('nosniff');
    }
  });

  it('lets hostile text do nothing', async () => {
    const hostile = [
      '<script>alert(1)</script><img src=x onerror=alert(1)><iframe src="//evil"></iframe>',
      '[x](javascript:alert(1)) <a href="&#106;avascript:alert(1)">y</a>',
      '[[x|javascript:alert(1)]] [[" onmouseover="alert(1)]] [[<script>]] [[x|https://e"onclick="1]]',
      '<h2 id="x" onclick="1">head <script>1</script></h2>\n\n## "><img src=q onerror=1>\n\n## two',
      '['.repeat(5000) + '*'.repeat(5000) + '[['.repeat(5000),
    ].join('\n\n');
    expect((await create('Hostile', hostile)).statusCode).to.equal(201);
    await create('_Sidebar', hostile);
    const began = process.cpuUsage();
    const shown = await get('/Hostile');
    expect(shown.statusCode).to.equal(200);
    // Of the processor, not of the clock: others may be using the machine. It takes 0.3 s.
    expect(process.cpuUsage(began).user).to.be.below(5_000_000);
    const own = shown.payload.replace(/<script type="module" src="\/assets[^>]*><\/script>/g, '');
    expect(own).to.not.match(/<script|<iframe|<[^>]+\son\w+=|href="\s*javascript/i);
    const name = '<img src=x onerror=alert(1)>';
    await create(name, 'x');
    for (const path of [
      '/_pages',
      '/_pages?q=%3Cimg',
      '/%3Cimg-src%3Dx-onerror%3Dalert%281%29%3E',
      '/%3Cscript%3Enone',
    ])
      expect((await get(path)).payload, path).to.not.match(/<img[^>]+onerror|<script>none/);
    await ada.inject({ method: 'DELETE', url: '/api/v1/repos/ada/book/wiki/page/_Sidebar' });
  });

  it('searches titles and texts', async () => {
    await create('Needle page', 'nothing here');
    await create('Haystack', `${'x'.repeat(5000)} a NEEDLE lies here\n--option\n`);
    const found = (await get('/_pages?q=needle')).payload;
    expect(found).to.include(['Needle page', 'Haystack', '<mark>NEEDLE</mark>']);
    expect(found.indexOf('>Needle page<')).to.be.below(found.indexOf('>Haystack<'));
    expect((await get('/_pages?q=--option')).payload).to.include('Haystack');
    for (const words of ['(', '*', '\\', '%00', 'no such words', 'é', '-'])
      expect((await get(`/_pages?q=${encodeURIComponent(words)}`)).statusCode, words).to.equal(200);
  });

  it('asks before it deletes, and lets nobody else write', async () => {
    for (const path of ['/_new', '/Home?action=_edit', '/Home?action=_delete', '/Home/_edit']) {
      expect((await get(path, ben)).statusCode, path).to.equal(403);
      expect((await get(path, nobody())).statusCode, path).to.equal(303);
    }
    const draft = { title: 'X', content: 'x', message: '', base: '', do: 'save' };
    for (const path of ['/_new', '/Home?action=_edit', '/Home?action=_delete']) {
      expect((await post(path, draft, ben)).statusCode, path).to.equal(403);
      expect((await post(path, draft, nobody())).statusCode, path).to.be.within(303, 403);
    }
    expect((await get('/Haystack?action=_delete')).payload).to.include('Delete page');
    expect((await post('/Haystack?action=_delete', {})).headers.location).to.equal(wiki);
    const gone = await get('/Haystack');
    expect(gone.statusCode).to.equal(404);
    expect(gone.payload).to.include('Create page');
    expect((await post('/Haystack?action=_delete', {})).statusCode).to.equal(404);
    expect((await post('/Home?action=_nonsense', {})).statusCode).to.equal(404);
  });

  it('goes with its repository', async () => {
    const { id } = (await host.services.get(repositories).byPath('ada', 'book'))!;
    const store = host.services.get(gitStore);
    expect(await store.exists(id, 'wiki')).to.be.true();
    expect((await ada.inject({ method: 'DELETE', url: '/api/v1/repos/ada/book' })).statusCode).to.equal(204);
    // a kill between database and disk leaves the folder: the event removes it all the same
    await store.create(id, {}, 'wiki');
    await host.settle();
    expect(await store.exists(id, 'wiki')).to.be.false();
  });
});
