import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, type Actor } from '@mortise/plugin-sdk';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { fileChanges } from '@mortise/files/api';
import { gitReader } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';
import { isAllowedType } from '../settings.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('allowed types of uploads', () => {
  it('compares endings and media types without case', () => {
    expect(isAllowedType('', 'a.exe', 'application/x-dosexec')).to.be.true();
    expect(isAllowedType('.md, image/*', 'A.MD', 'text/plain')).to.be.true();
    expect(isAllowedType('.md, image/*', 'a.png', 'image/png; x=y')).to.be.true();
    expect(isAllowedType('.md, image/*', 'a.pdf', 'application/pdf')).to.be.false();
    expect(isAllowedType('*/*', 'a.pdf', 'application/pdf')).to.be.true();
  });
});

describe('the editor', () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;
  let owner: Actor;
  let id: number;

  const git = () => host.services.get(gitReader).open(id);
  const textOf = async (path: string, branch = 'main') => {
    const head = (await git().branch(branch))!.oid;
    const entry = await git().entry(head, path);
    return entry && (await git().blob(entry.oid)).toString();
  };
  const shaOf = async (path: string) => (await git().entry((await git().branch('main'))!.oid, path))!.oid;
  const post = (path: string, fields: Record<string, string>, by = ada) => submitForm(by, `/ada/tool/${path}`, fields);
  const upload = (path: string, fields: Record<string, string>, files: Record<string, string>) => {
    const edge = 'edge-of-parts';
    const parts = Object.entries(fields).map(
      ([name, value]) => `--${edge}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    for (const [name, content] of Object.entries(files))
      parts.push(
        `--${edge}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/plain\r\n\r\n${content}\r\n`,
      );
    return ada.inject({
      method: 'POST',
      url: `/ada/tool/${path}`,
      payload: `${parts.join('')}--${edge}--\r\n`,
      headers: { 'content-type': `multipart/form-data; boundary=${edge}` },
    });
  };

  before(async () => {
    host = await startHost({
      plugins: ['editor'],
      settings: { 'repository.upload': { MAX_FILES: 2, FILE_MAX_SIZE: 1, ALLOWED_TYPES: '.txt,.md' } },
    });
    const accounts = host.services.get(accountsRef);
    const make = (name: string) => accounts.create({ name, email: `${name}@example.com`, password: 'long enough' });
    owner = accounts.actorOf(await make('ada'), 'test');
    ada = host.as(owner);
    ben = host.as(accounts.actorOf(await make('ben'), 'test'));
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'tool' } });
    id = (await host.services.get(repositories).byPath('ada', 'tool'))!.id;
  });
  after(() => host.close());

  it('makes the first file of an empty repository', async () => {
    expect((await ada.inject('/ada/tool/_new/main')).statusCode).to.equal(200);
    const made = await post('_new/main', { path: 'docs/a.txt', content: 'one\r\ntwo\r\n', summary: 'Begin' });
    expect(made.statusCode).to.equal(303);
    expect(String(made.headers.location)).to.endWith('/ada/tool/src/branch/main/docs/a.txt');
    expect(await textOf('docs/a.txt')).to.equal('one\ntwo\n');
    expect((await git().commit((await git().branch('main'))!.oid)).message.trim()).to.equal('Begin');
  });

  it('changes a text, keeps its line ends, moves it, and signs off', async () => {
    await post('_new/main', { path: 'dos.txt', content: 'x' });
    const content = Buffer.from('a\r\nb\r\n').toString('base64');
    const sha = await shaOf('dos.txt');
    const url = '/api/v1/repos/ada/tool/contents/dos.txt';
    expect((await ada.inject({ method: 'PUT', url, payload: { content, sha } })).statusCode).to.equal(200);
    const page = await ada.inject('/ada/tool/_edit/main/dos.txt');
    expect(page.payload).to.contain('a\nb\n');
    const fields = { path: 'moved/dos.txt', content: 'a\r\nc\r\n', sha: await shaOf('dos.txt'), signoff: 'on' };
    expect((await post('_edit/main/dos.txt', fields)).statusCode).to.equal(303);
    expect(await textOf('moved/dos.txt')).to.equal('a\r\nc\r\n');
    expect(await textOf('dos.txt')).to.be.undefined();
    const { message } = await git().commit((await git().branch('main'))!.oid);
    expect(message).to.contain('Signed-off-by: ada <');
  });

  it('a commit that comes too late is refused, and the form keeps what was written', async () => {
    const sha = await shaOf('docs/a.txt');
    expect((await post('_edit/main/docs/a.txt', { path: 'docs/a.txt', content: 'first', sha })).statusCode).to.equal(
      303,
    );
    const late = await post('_edit/main/docs/a.txt', { path: 'docs/a.txt', content: 'my long text', sha });
    expect(late.statusCode).to.equal(422);
    expect(late.payload).to.contain('my long text').and.to.contain('has changed');
    expect(await textOf('docs/a.txt')).to.equal('first');
  });

  it('previews and shows changes without writing', async () => {
    const head = (await git().branch('main'))!.oid;
    const sha = await shaOf('docs/a.txt');
    const diff = await post('_edit/main/docs/a.txt', { path: 'docs/a.txt', content: 'second', sha, do: 'diff' });
    expect(diff.payload).to.contain('-first').and.to.contain('+second');
    const hostile = '# Title\n<script>alert(1)</script>';
    const preview = await post('_new/main', { path: 'b.md', content: hostile, do: 'preview' });
    expect(preview.payload).to.contain('>Title<').and.to.not.contain('<script>alert');
    expect((await git().branch('main'))!.oid).to.equal(head);
  });

  it('commits to a new branch and leads to the comparison', async () => {
    const sent = { path: 'c.txt', content: 'c', target: 'branch', newBranch: 'ada-patch-1' };
    const made = await post('_new/main', sent);
    expect(String(made.headers.location)).to.endWith('/ada/tool/compare/main...ada-patch-1');
    expect(await textOf('c.txt', 'ada-patch-1')).to.equal('c');
    expect(await textOf('c.txt')).to.be.undefined();
    expect((await ada.inject('/ada/tool/_new/main')).payload).to.contain('ada-patch-2');
    expect((await post('_new/main', { ...sent, newBranch: 'no..name' })).statusCode).to.equal(422);
  });

  it('uploads files, and refuses too many, too large and other kinds', async () => {
    const fields = { folder: 'up/here', summary: '', target: 'direct' };
    const good = await upload('_upload/main', fields, { 'x.txt': 'ex', 'y.md': 'why' });
    expect(String(good.headers.location)).to.endWith('/ada/tool/src/branch/main/up/here');
    expect([await textOf('up/here/x.txt'), await textOf('up/here/y.md')]).to.equal(['ex', 'why']);
    expect((await upload('_upload/main', fields, { 'x.txt': 'new' })).statusCode).to.equal(303);
    expect(await textOf('up/here/x.txt')).to.equal('new');
    expect((await upload('_upload/main', fields, { 'a.txt': '', 'b.txt': '', 'c.txt': '' })).statusCode).to.equal(422);
    expect((await upload('_upload/main', fields, { 'a.exe': 'x' })).statusCode).to.equal(422);
    expect((await upload('_upload/main', fields, { 'a.txt': 'x'.repeat((1 << 20) + 1) })).statusCode).to.equal(413);
    expect((await upload('_upload/main', { ...fields, folder: '../../.git' }, { 'a.txt': 'x' })).statusCode).to.equal(
      422,
    );
    expect((await upload('_upload/main', fields, {})).statusCode).to.equal(422);
  });

  it('gives a form back with its text when a field holds too much', async () => {
    const file = { path: 'long.txt', content: 'Long work', do: 'save' };
    const commit = { summary: 'Sum', description: 'Why it is so', target: 'branch', newBranch: 'other' };
    const refused = async (place: string, fields: Record<string, string>, reason: string, kept: string[]) => {
      const answer = await post(place, fields);
      expect(answer.statusCode, reason).to.equal(422);
      for (const text of [reason, 'role="alert"', ...kept]) expect(answer.payload.includes(text), reason).to.be.true();
    };
    const summary = 's'.repeat(501);
    const long = 'Commit message: 501 characters are too long. At most 500 are allowed.';
    await refused('_new/main', { ...file, ...commit, summary }, long, [summary, 'Long work', 'Why it is so']);
    await refused('_patch/main', { patch: 'A patch', ...commit, summary }, long, [summary, 'A patch', 'Why it is so']);
    await refused('_delete/main/docs', { sha: '', ...commit, summary }, long, [summary, 'Why it is so']);
    const path = `${'p'.repeat(999)}/x`;
    await refused('_new/main', { ...file, ...commit, path }, 'File path: 1,001 characters', [path, 'Long work']);
    const newBranch = 'b'.repeat(101);
    await refused('_new/main', { ...file, ...commit, newBranch }, 'Name of the new branch: 101 characters', [
      newBranch,
      'Long work',
    ]);
    const description = 'd'.repeat(65_537);
    await refused('_new/main', { ...file, ...commit, description }, 'Extended description: 65,537 characters', [
      description,
      'Long work',
    ]);
    const folder = 'f'.repeat(1001);
    const uploaded = await upload('_upload/main', { ...commit, folder }, { 'a.txt': 'x' });
    expect(uploaded.statusCode).to.equal(422);
    expect(uploaded.payload).to.contain(['Folder: 1,001 characters', folder, 'Why it is so']);
  });

  it('deletes a file and a folder', async () => {
    const asked = await ada.inject('/ada/tool/_delete/main/up');
    expect(asked.payload).to.contain('up/here/x.txt');
    const gone = await post('_delete/main/up', { sha: '' });
    expect(String(gone.headers.location)).to.endWith('/ada/tool/src/branch/main');
    expect(await textOf('up/here/x.txt')).to.be.undefined();
    const stale = await post('_delete/main/docs/a.txt', { sha: '0'.repeat(40) });
    expect(stale.statusCode).to.equal(422);
    expect((await post('_delete/main/docs/a.txt', { sha: await shaOf('docs/a.txt') })).statusCode).to.equal(303);
    expect((await post('_delete/main/docs/a.txt', { sha: '' })).statusCode).to.equal(404);
  });

  it('offers to delete a folder only where that works', async () => {
    const offer = '_delete/main/many';
    const changes = host.services.get(fileChanges);
    const repository = (await host.services.get(repositories).byPath('ada', 'tool'))!;
    const write = (from: number, to: number) =>
      changes.apply(repository, owner, {
        operations: Array.from({ length: to - from }, (_, at) => ({
          operation: 'create' as const,
          path: `many/${from + at}.txt`,
          content: '',
        })),
        branch: 'main',
        message: 'Many files',
      });
    await write(0, 2000);
    expect((await ada.inject('/ada/tool/src/branch/main/many')).payload).to.contain(offer);
    expect((await ada.inject(`/ada/tool/${offer}`)).statusCode).to.equal(200);
    await write(2000, 2001);
    const look = () => ada.inject('/ada/tool/src/branch/main/many');
    let page = await look();
    // the page waits a moment for the number of files, and no longer: where that takes long, the next one has it
    for (const until = Date.now() + 90_000; page.payload.includes(offer) && Date.now() < until; page = await look())
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(page.payload).to.not.contain(offer);
    expect(page.payload).to.contain('more than 2,000 files');
    expect((await ada.inject(`/ada/tool/${offer}`)).statusCode).to.equal(422);
  });

  it('applies a patch that is posted, as a commit', async () => {
    const patch =
      'diff --git a/p.txt b/p.txt\nnew file mode 100644\n--- /dev/null\n+++ b/p.txt\n@@ -0,0 +1 @@\n+patched\n';
    expect((await post('_patch/main', { patch })).statusCode).to.equal(303);
    expect(await textOf('p.txt')).to.equal('patched\n');
    const wrong = await post('_patch/main', { patch: 'no patch at all' });
    expect(wrong.statusCode).to.be.within(400, 422);
    expect(wrong.payload).to.contain('no patch at all');
  });

  it('is closed to readers, visitors and places that are not there', async () => {
    for (const page of ['_new/main', '_edit/main/p.txt', '_upload/main', '_delete/main/p.txt', '_patch/main']) {
      expect((await ben.inject(`/ada/tool/${page}`)).statusCode, page).to.equal(403);
      expect((await host.as(anonymous).inject(`/ada/tool/${page}`)).statusCode, page).to.be.within(300, 403);
    }
    expect((await post('_new/main', { path: 'evil.txt', content: 'x' }, ben)).statusCode).to.equal(403);
    expect(await textOf('evil.txt')).to.be.undefined();
    for (const page of ['_edit/none/p.txt', '_edit/main/none.txt', '_edit/main', '_delete/main', '_delete/main/none'])
      expect((await ada.inject(`/ada/tool/${page}`)).statusCode, page).to.equal(404);
    for (const path of ['', '.git/config', 'a/../../b', 'x\0y', '/'])
      expect((await post('_new/main', { path, content: 'x' })).statusCode, path).to.equal(422);
  });

  it('offers its buttons to who may write, on branches', async () => {
    expect((await ada.inject('/ada/tool')).payload).to.contain('/ada/tool/_new/main');
    expect((await ada.inject('/ada/tool/src/branch/main/p.txt')).payload).to.contain('/ada/tool/_edit/main/p.txt');
    expect((await ben.inject('/ada/tool/src/branch/main/p.txt')).payload).to.not.contain('_edit');
    const commit = (await git().branch('main'))!.oid;
    expect((await ada.inject(`/ada/tool/src/commit/${commit}/p.txt`)).payload).to.not.contain('_edit');
  });

  it('speaks the language of the visitor', async () => {
    const headers = { 'accept-language': 'de' };
    const page = async (path: string) => (await ada.inject({ url: `/ada/tool/${path}`, headers })).payload;
    expect(await page('_new/main')).to.contain(['Neue Datei', 'Änderungen committen', 'In einen neuen Branch']);
    expect(await page('_upload/main')).to.contain('Bis zu 2 Dateien mit je höchstens 1 MiB');
    expect(await page('_delete/main/p.txt')).to.contain('p.txt löschen?');
    expect(await page('_patch/main')).to.contain('Patch anwenden');
    expect(await page('')).to.contain('Datei hinzufügen');
  });

  it('takes no binary and no huge file', async () => {
    const put = (name: string, bytes: Buffer) =>
      ada.inject({
        method: 'POST',
        url: `/api/v1/repos/ada/tool/contents/${name}`,
        payload: { content: bytes.toString('base64') },
      });
    await put('bytes.bin', Buffer.from([0, 1, 2]));
    await put('latin.txt', Buffer.from([0xe9, 0x41]));
    await put('large.txt', Buffer.alloc((1 << 20) + 1, 'a'));
    for (const name of ['bytes.bin', 'latin.txt', 'large.txt'])
      expect((await ada.inject(`/ada/tool/_edit/main/${name}`)).statusCode, name).to.equal(422);
  });
});
