import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { gitReader, gitWriter, refUpdates, type TreeChange } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('pages that are no more', () => {
  let host: TestHost;
  let ada: SignedIn;
  let ben: TestClient;
  let id: number;
  const wiki = '/ada/book/wiki';
  const api = '/api/v1/repos/ada/book/wiki';
  const get = (path: string, by: TestClient = ada) => by.inject(`${wiki}${path}`);
  const list = async () => (await get('?action=_deleted')).payload;
  const post = (path: string, fields: Record<string, string>, by: TestClient = ada) =>
    submitForm(by, `${wiki}${path}`, fields);
  const write = (title: string, content: string) =>
    ada.inject({ method: 'POST', url: `${api}/new`, payload: { title, content_base64: base64(content) } });
  const edit = (name: string, payload: object) => ada.inject({ method: 'PATCH', url: `${api}/page/${name}`, payload });
  const remove = (name: string) => ada.inject({ method: 'DELETE', url: `${api}/page/${name}` });
  const head = async () => (await host.services.get(gitReader).open(id, 'wiki').head()).oid!;
  const move = async (to: string) => {
    const updates = [{ ref: 'refs/heads/main', old: await head(), new: to }];
    await host.services
      .get(refUpdates)
      .apply({ repositoryId: id, kind: 'wiki', updates, pusher: ada.actor, source: 'internal' });
  };
  /** What a clone and a push would bring. */
  const commit = async (changes: readonly TreeChange[]) => {
    const writer = host.services.get(gitWriter);
    const who = { name: 'Git', email: 'git@example.com', time: Date.now(), zone: '+0000' };
    const parent = await head();
    const tree = await writer.writeTree(id, parent, changes, 'wiki');
    const draft = { tree, parents: [parent], author: who, committer: who, message: 'by git' };
    await move(await writer.writeCommit(id, draft, 'wiki'));
  };
  const versionsOf = async (name: string) =>
    [...(await get(`/${name}?action=_revision`)).payload.matchAll(/name="version" value="([0-9a-f]{40})"/g)].map(
      ([, oid]) => oid!,
    );

  before(async () => {
    host = await startHost({ plugins: ['wiki'] });
    ada = await signUp(host, 'ada');
    ben = await signUp(host, 'ben');
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'book' } });
    id = (await host.services.get(repositories).byPath('ada', 'book'))!.id;
  });
  after(() => host.close());

  it('tells of a page that there was, and links to its history', async () => {
    expect((await get('?action=_deleted')).statusCode).to.equal(200);
    await write('Home', 'home');
    expect(await list()).to.include('No pages have been deleted');
    await write('Old Page', 'first **text**');
    await edit('Old-Page', { content_base64: base64('second text') });
    await remove('Old-Page');
    for (const address of ['/Old-Page', '/Old%20Page', '/Old-Page.md']) {
      const gone = await get(address);
      expect(gone.statusCode, address).to.equal(404);
      expect(gone.payload, address).to.include(['deleted it', `${wiki}/Old-Page?action=_revision`, 'Restore page']);
    }
    expect((await get('/Old-Page', ben)).payload)
      .to.include('deleted it')
      .and.to.not.include('Restore');
    const never = await get('/Never');
    expect(never.statusCode).to.equal(404);
    expect(never.payload).to.not.include([' deleted it', 'Restore page']);
    expect((await get('/Never?action=_revision')).statusCode).to.equal(404);
    expect((await get('/_pages')).payload).to.include(`href="${wiki}?action=_deleted"`);
    expect(await list()).to.include([`href="${wiki}/Old-Page?action=_revision"`, '>Old Page<', 'deleted it']);
  });

  it('shows its versions and what changed', async () => {
    const history = (await get('/Old-Page?action=_revision')).payload;
    expect(history).to.include(['This page was deleted', 'Delete page', '>Deleted<', 'and restored']);
    const [second, first, ...more] = await versionsOf('Old-Page');
    expect(more).to.equal([]);
    const version = await get(`/Old-Page?version=${first}`);
    expect(version.statusCode).to.equal(200);
    expect(version.payload)
      .to.include(['<strong>text</strong>', 'This page was deleted', 'Restore this version'])
      .and.to.not.include(['Edit from this version', 'View the current version']);
    const compared = (await get(`/Old-Page?action=_compare&from=${first}&to=${second}`)).payload;
    expect(compared).to.include(['-first **text**', '+second text']);
    expect((await get(`/Old-Page?action=_compare&to=${await head()}`)).payload).to.include('-second text');
    // there is nothing to edit or to delete
    for (const action of ['_edit', '_delete'])
      expect((await get(`/Old-Page?action=${action}`)).statusCode).to.equal(404);
    for (const by of [ben, host.as(anonymous)]) {
      const read = await get('/Old-Page?action=_revision', by);
      expect(read.statusCode).to.equal(200);
      expect(read.payload).to.include(`version=${first}`).and.to.not.include(['_restore', 'name="version"']);
      expect((await get(`/Old-Page?version=${first}`, by)).payload).to.not.include('_restore');
    }
  });

  it('restores a version for those who may write', async () => {
    const [second = '', first = ''] = await versionsOf('Old-Page');
    const restore = (version: string, by: TestClient = ada) => post('/Old-Page?action=_restore', { version }, by);
    expect((await restore(first, ben)).statusCode).to.equal(403);
    expect((await restore(first, host.as(anonymous))).statusCode).to.be.within(303, 403);
    const blob = (await host.services.get(gitReader).open(id, 'wiki').entry(first, 'Old-Page.md'))!.oid;
    for (const bad of ['', 'main', 'HEAD', '--all', '0'.repeat(40), blob, await head()])
      expect((await restore(bad)).statusCode, bad).to.equal(404);
    expect((await post('/Never?action=_restore', { version: first })).statusCode).to.equal(404);
    expect((await get('/Old-Page')).statusCode).to.equal(404);

    const back = await restore(first);
    expect([back.statusCode, back.headers.location]).to.equal([303, `${wiki}/Old-Page`]);
    expect((await get('/raw/Old-Page')).payload).to.equal('first **text**');
    expect(await list()).to.include('No pages have been deleted');
    const again = await restore(second);
    expect(again.statusCode).to.equal(409);
    expect((await get('/raw/Old-Page')).payload).to.equal('first **text**');
    const history = (await get('/Old-Page?action=_revision')).payload;
    expect(history).to.include(['Restore page', '>Deleted<']).and.to.not.include('This page was deleted');
    // as it was before it was deleted it can be read still, and where it was not it is not
    expect((await get(`/Old-Page?version=${second}`)).payload).to.include(['second text', 'View the current version']);
  });

  it('knows where a renamed page went', async () => {
    await write('Early Name', 'the same text');
    await edit('Early-Name', { title: 'Late Name' });
    const gone = await get('/Early-Name');
    expect(gone.statusCode).to.equal(404);
    expect(gone.payload).to.include(['renamed it to', `href="${wiki}/Late-Name"`]);
    expect(await list()).to.include(['>Early Name<', `href="${wiki}/Late-Name"`]);
  });

  it('pushes that delete pages, bring them back or drop them for good are noticed', async () => {
    const start = await head();
    await commit([
      { path: 'handbook/Rules.md', content: 'rules' },
      { path: 'Two Words.md', content: 'two' },
      { path: '[a]*.md', content: 'globs' },
      { path: '\u0001D.md', content: 'a name like a mark' },
      { path: 'pic.png', content: 'no page' },
    ]);
    const full = await head();
    const gone = ['handbook/Rules.md', 'Two Words.md', '[a]*.md', '\u0001D.md', 'pic.png'];
    await commit(gone.map((path) => ({ path, remove: true }) as const));
    const without = await head();
    const listed = await list();
    expect(listed).to.include(['>handbook/Rules<', '>Two Words<', '>[a]*<', '>Early Name<']).and.to.not.include('pic');
    for (const address of ['/handbook/Rules', '/handbook%2FRules', '/Two-Words', '/%5Ba%5D%2A', '/%01D'])
      expect((await get(address)).payload, address).to.include('deleted it');
    expect(await versionsOf('Two-Words')).to.equal([full]);
    const restored = await post('/handbook/Rules?action=_restore', { version: full });
    expect(restored.headers.location).to.equal(`${wiki}/handbook/Rules`);
    expect((await get('/raw/handbook/Rules.md')).payload).to.equal('rules');

    await commit([{ path: 'Two Words.md', content: 'two again' }]);
    expect(await list())
      .to.include('>[a]*<')
      .and.to.not.include(['>handbook/Rules<', '>Two Words<']);
    expect((await get('/Two-Words')).statusCode).to.equal(200);
    await move(without);
    expect(await list()).to.include(['>handbook/Rules<', '>Two Words<']);
    await move(start);
    expect(await list())
      .to.include('>Early Name<')
      .and.to.not.include(['>handbook/Rules<', '>Two Words<']);
  });

  it('shows many in pages, also when none is left, and changes nothing of an archived wiki', async () => {
    const paths = Array.from({ length: 60 }, (_, index) => `Number ${index}.md`);
    await commit(paths.map((path) => ({ path, content: path })));
    const full = await head();
    const present = [...paths, 'Home.md', 'Old-Page.md', 'Late-Name.md'];
    await commit(present.map((path) => ({ path, remove: true }) as const));
    const home = await get('');
    expect(home.statusCode).to.equal(200);
    expect(home.payload).to.include(['The wiki has no pages', `href="${wiki}?action=_deleted"`]);
    const count = (html: string) => html.match(/\?action=_revision"/g)?.length ?? 0;
    expect(count(await list())).to.equal(50);
    const next = await get('?action=_deleted&page=2');
    expect(count(next.payload)).to.equal(14);
    expect(next.payload).to.include('rel="prev"').and.to.not.include('rel="next"');

    await ada.inject({ method: 'PATCH', url: '/api/v1/repos/ada/book', payload: { archived: true } });
    expect((await get('/Home?action=_revision')).payload).to.not.include('_restore');
    expect((await post('/Home?action=_restore', { version: full })).statusCode).to.be.within(403, 423);
    expect((await get('/Home')).statusCode).to.equal(404);
  });
});
