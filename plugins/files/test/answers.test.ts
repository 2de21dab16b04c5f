import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, type Account } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { gitReader, gitWriter, refUpdates, zeroOid } from '@mortise/git/api';
import { repositories as repositoriesRef } from '@mortise/repositories/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Answers that clients of the compatible service know: statuses, default messages, what is taken for what. */
describe('answers of the API of contents', () => {
  let host: TestHost;
  let ada: TestClient;
  let account: Account;
  const api = '/api/v1/repos/ada/wheel';
  const send = async (method: string, path: string, payload?: object) => {
    const { statusCode: status, json: body, headers } = await ada.inject({ method, url: `${api}${path}`, payload });
    return { status, body, headers };
  };
  const statusOf = async (method: string, path: string, payload?: object) => (await send(method, path, payload)).status;
  const shaOf = async (path: string) => (await send('GET', `/contents/${path}`)).body.sha as string;

  before(async () => {
    host = await startHost({ plugins: ['refs', 'files'] });
    const accounts = host.services.get(accountsRef);
    account = await createAccount(host, 'ada');
    ada = host.as(accounts.actorOf(account, 'test'));
    const options = { name: 'wheel', default_branch: 'main' };
    expect((await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: options })).statusCode).to.equal(
      201,
    );
  });
  after(() => host.close());

  it('takes times before it looks whether there is anything (CNT-16)', async () => {
    expect(await statusOf('GET', '/commits?since=yesterday')).to.equal(422);
    expect(await statusOf('GET', '/commits')).to.equal(409);
  });

  it('makes an empty file where no content is given, and wants whole base64 and whole times', async () => {
    for (const [path, body] of Object.entries({ one: {}, two: { content: null }, three: { message: 'x' } }))
      expect((await send('POST', `/contents/${path}`, body)).body.content.size, path).to.equal(0);
    for (const content of ['eA', 'eA=', 'e===', '!!'])
      expect(await statusOf('POST', '/contents/bad', { content }), content).to.equal(422);
    for (const author of ['2020-01-01', 'yesterday'])
      expect(await statusOf('POST', '/contents/bad', { content: '', dates: { author } }), author).to.equal(422);
    expect(await statusOf('GET', '/contents/bad')).to.equal(404);
    // Clients in Go send the time that is none to them.
    const begun = Date.now();
    const dates = { author: '0001-01-01T00:00:00Z', committer: '0001-01-01T00:00:00Z' };
    const { body } = await send('POST', '/contents/dated', { content: '', dates });
    expect(Date.parse(body.commit.author.date)).to.be.within(begun - 1000, Date.now() + 1000);
  });

  it('knows whose files they are that it has just written, without asking git about each', async () => {
    const repository = (await host.services.get(repositoriesRef).byPath('ada', 'wheel'))!;
    const git = Object.getPrototypeOf(host.services.get(gitReader).open(repository.id)) as {
      lastCommit: (commit: string, path: string) => Promise<string | undefined>;
    };
    const ask = git.lastCommit;
    const asked: string[] = [];
    git.lastCommit = function (commit, path) {
      asked.push(path);
      return ask.call(this, commit, path);
    };
    try {
      const files = ['m/1', 'm/2', 'n'].map((path) => ({ operation: 'create', path, content: base64(path) }));
      const { body } = await send('POST', '/contents', { files });
      const of = (list: { last_commit_sha: string }[]) => list.map((file) => file.last_commit_sha);
      expect([of(body.files), asked]).to.equal([Array<string>(3).fill(body.commit.sha), []]);
      const same = await send('PUT', '/contents/n', { content: base64('n'), sha: body.files[2].sha });
      expect([of([same.body.content]), asked]).to.equal([[body.commit.sha], ['n']]);
      expect(same.body.commit.sha).to.not.equal(body.commit.sha);
    } finally {
      git.lastCommit = ask;
    }
  });

  it('says what was done where nobody wrote a message: one line for each kind of change (CNT-22)', async () => {
    const create = (path: string) => ({ operation: 'create', path, content: base64(path) });
    const made = await send('POST', '/contents', { files: [create('a'), create('b'), create('c')] });
    expect(made.body.commit.message).to.equal('Add a, b, c\n');
    const files = [
      { operation: 'delete', path: 'a' },
      { operation: 'rename', path: 'd', from_path: 'b' },
      create('e'),
      { operation: 'upload', path: 'c', content: '' },
    ];
    const changed = await send('POST', '/contents', { files });
    expect(changed.body.commit.message).to.equal('Add e\nUpdate d, c\nDelete a\n');
  });

  it('looks at the path that is written or removed, whatever from_path says', async () => {
    const place = async (path: string) => (await send('GET', `/contents/${path}`)).body.sha;
    const create = (path: string) => ({ operation: 'create', path, content: base64(path) });
    await send('POST', '/contents', { files: [create('folder/one'), create('look-two')] });
    const change = (file: object) => statusOf('POST', '/contents', { files: [file] });
    expect(await change({ ...create('look-two'), from_path: 'none' })).to.equal(422);
    expect(await change({ ...create('look-three'), from_path: 'look-two' })).to.equal(422);
    expect(await change(create('look-three'))).to.equal(201);
    expect(
      await change({ operation: 'delete', path: 'folder', from_path: 'look-two', sha: await place('look-two') }),
    ).to.equal(422);
    expect(
      await change({ operation: 'delete', path: 'look-three', from_path: 'look-two', sha: await place('look-two') }),
    ).to.equal(422);
    const upload = { operation: 'upload', path: 'look-two', from_path: 'none', content: base64('new') };
    expect(await change({ ...upload, sha: await place('look-three') })).to.equal(422);
    expect(await change(upload)).to.equal(201);
    expect(
      await change({ operation: 'upload', path: 'look-four', from_path: 'look-two', content: base64('4') }),
    ).to.equal(201);
    expect([await statusOf('GET', '/contents/look-two'), await statusOf('GET', '/contents/folder/one')]).to.equal([
      404, 200,
    ]);
  });

  it('answers 201 to a patch, with a message of its own', async () => {
    const content = ['--- a/d', '+++ b/d', '@@ -1 +1 @@', '-b', '\\ No newline at end of file', '+B', ''].join('\n');
    const { status, body } = await send('POST', '/diffpatch', { content });
    expect([status, body.content, body.commit.message]).to.equal([201, null, 'apply-patch\n']);
    expect(await statusOf('POST', '/diffpatch', { content })).to.equal(422);
    const back = content.replace('-b', '-B').replace('+B', '+b').replace('-B\n\\ No newline at end of file', '-B');
    const author = { name: 'Grace', email: 'grace@example.com' };
    const signed = await send('POST', '/diffpatch', { content: back, author, signoff: true });
    expect([signed.status, signed.body.commit?.message]).to.equal([
      201,
      'apply-patch\n\nSigned-off-by: Grace <grace@example.com>\n',
    ]);
  });

  it('S3: neither patches nor files bring what a push could not; nothing changes and the reason is told', async () => {
    const head = async () => (await send('GET', '/branches/main')).body.commit.id as string;
    const before = await head();
    const added = (path: string, line: string, mode = '100644') =>
      `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;
    for (const [content, reason] of [
      [added('.g\u200cit/config', 'x'), /invalid path/],
      [added('.GIT/config', 'x'), /invalid path/],
      [added('a/git~1', 'x'), /invalid path/],
      [added('.gitmodules', 'README.md', '120000'), /invalid path|symbolic link/],
      [added('.gitmodules', '[submodule "a"] url = -u./x'), /disallowed submodule url/],
    ] as const) {
      const { status, body } = await send('POST', '/diffpatch', { content });
      expect([status, body.message], content).to.equal([422, body.message]);
      expect(body.message).to.match(reason);
    }
    const submodules = base64('[submodule "a"]\n\tpath = a\n\turl = -u./x\n');
    for (const [path, content] of [
      ['.gitmodules', submodules],
      ['.g\u200citmodules', submodules],
      ['.g\u200cit/config', base64('x')],
      ['git~1', base64('x')],
    ] as const) {
      const body = { content, branch: 'main', new_branch: 'unclean' };
      expect(await statusOf('POST', `/contents/${encodeURIComponent(path)}`, body), path).to.equal(422);
      expect(await statusOf('GET', '/branches/unclean')).to.equal(404);
    }
    expect(await head()).to.equal(before);
  });

  it('C8: the committer who is named signs off, of patches as of files', async () => {
    const author = { name: 'Grace', email: 'grace@example.com' };
    const committer = { name: 'Joan', email: 'joan@example.com' };
    const patch = ['--- /dev/null', '+++ b/signed-patch', '@@ -0,0 +1 @@', '+x', ''].join('\n');
    const more = { author, committer, signoff: true, message: 'm' };
    const messages = [
      (await send('POST', '/diffpatch', { content: patch, ...more })).body.commit.message,
      (await send('POST', '/contents/signed-file', { content: base64('x'), ...more })).body.commit.message,
    ];
    expect(messages).to.equal(Array(2).fill('m\n\nSigned-off-by: Joan <joan@example.com>\n'));
  });

  it('a missing file read by raw says so in the words that clients compare', async () => {
    const { status, body } = await send('GET', '/raw/no/such.txt');
    expect([status, body.message]).to.equal([404, 'not found']);
  });

  it('does not write through a symbolic link', async () => {
    const repository = (await host.services.get(repositoriesRef).byPath('ada', 'wheel'))!;
    const git = host.services.get(gitReader).open(repository.id);
    const writer = host.services.get(gitWriter);
    const { oid } = (await git.branch('main'))!;
    const link = { path: 'link', content: Buffer.from('d'), mode: '120000' };
    const who = { name: 'Ada', email: 'ada@example.com', time: Date.now(), zone: '+0000' };
    const tree = await writer.writeTree(repository.id, oid, [link]);
    const commit = { tree, parents: [oid], author: who, committer: who, message: 'link\n' };
    const pusher = host.services.get(accountsRef).actorOf(account, 'test');
    const made = await writer.writeCommit(repository.id, commit);
    const updates = [{ ref: 'refs/heads/main', old: oid, new: made }];
    await host.services.get(refUpdates).apply({ repositoryId: repository.id, updates, pusher, source: 'api' });
    expect((await send('GET', '/contents/link')).body.type).to.equal('symlink');
    expect(await statusOf('PUT', '/contents/link', { content: base64('x'), sha: await shaOf('link') })).to.equal(422);
    const moved = { from_path: 'link', sha: await shaOf('link') };
    expect(await statusOf('PUT', '/contents/text', { ...moved, content: base64('x') })).to.equal(422);
    const files = [{ operation: 'upload', path: 'link', content: base64('x') }];
    expect(await statusOf('POST', '/contents', { files })).to.equal(422);
    expect(await statusOf('DELETE', '/contents/link', { sha: await shaOf('link') })).to.equal(200);
  });

  it('renames a branch to another name only, and takes short ids for where a branch stood', async () => {
    expect(await statusOf('POST', '/branches', { new_branch_name: 'dev' })).to.equal(201);
    for (const [from, name] of Object.entries({ dev: 'dev', nope: 'nope', none: 'main', main: 'main' }))
      expect(await statusOf('PATCH', `/branches/${from}`, { name }), from).to.equal(422);
    expect(await statusOf('PATCH', '/branches/nope', { name: 'other' })).to.equal(404);
    const { id } = (await send('GET', '/branches/dev')).body.commit;
    const parent = (await send('GET', `/commits?limit=2`)).body[1].sha;
    const moves: [object, number][] = [
      [{ new_commit_id: id, old_commit_id: id.slice(0, 9) }, 204],
      [{ new_commit_id: parent, old_commit_id: 'main', force: true }, 204],
      [{ new_commit_id: id, old_commit_id: id.slice(0, 9) }, 422],
      [{ new_commit_id: id, old_commit_id: 'nope' }, 422],
    ];
    for (const [body, status] of moves)
      expect(await statusOf('PUT', '/branches/dev', body), JSON.stringify(body)).to.equal(status);
    expect((await send('GET', '/branches/dev')).body.commit.id).to.equal(parent);
  });

  it('lists tags of commits in full pages, whatever else has tags', async () => {
    const repository = (await host.services.get(repositoriesRef).byPath('ada', 'wheel'))!;
    const { tree } = (await send('GET', '/git/commits/main')).body.commit;
    const updates = ['a-tree', 'b-tree'].map((name) => ({ ref: `refs/tags/${name}`, old: zeroOid, new: tree.sha }));
    const pusher = host.services.get(accountsRef).actorOf(account, 'test');
    await host.services.get(refUpdates).apply({ repositoryId: repository.id, updates, pusher, source: 'api' });
    for (const tag_name of ['v1', 'v2', 'v3']) await send('POST', '/tags', { tag_name });
    const names = async (query: string) => {
      const { body, headers } = await send('GET', `/tags${query}`);
      return [body.map((tag: { name: string }) => tag.name), headers['x-total-count']];
    };
    expect(await names('')).to.equal([['v1', 'v2', 'v3'], '3']);
    expect(await names('?limit=2')).to.equal([['v1', 'v2'], '3']);
    expect(await names('?limit=2&page=2')).to.equal([['v3'], '3']);
    expect(await statusOf('DELETE', '/tags/a-tree')).to.equal(204);
  });

  it('reads switches and numbers of queries kindly', async () => {
    const fields = async (query: string) => {
      const { status, body } = await send('GET', `/commits?limit=1&${query}`);
      return [status, body[0]?.stats === null, body[0]?.files === null];
    };
    expect(await fields('stat=0&files=f')).to.equal([200, true, true]);
    expect(await fields('stat=1&files=')).to.equal([200, false, false]);
    expect(await statusOf('GET', '/commits?stat=perhaps')).to.equal(422);
    for (const query of ['recursive=', 'recursive=t', 'per_page=x', 'per_page=-5', 'per_page=99999999999999999999'])
      expect(await statusOf('GET', `/git/trees/main?${query}`), query).to.equal(200);
    expect((await send('GET', '/git/trees/main?per_page=2')).body.tree).to.have.length(2);
    expect((await send('GET', '/commits?sha=main~1&limit=1')).body[0].sha).to.equal(
      (await send('GET', '/commits?limit=1&page=2')).body[0].sha,
    );
    for (const path of ['/commits?sha=a..b', '/commits?not=a..b', '/git/commits/a..b.diff', '/git/commits/nope.patch'])
      expect(await statusOf('GET', path), path).to.equal(404);
  });

  it('tells no address of an author that the account may hide', async () => {
    const { commit, author } = (await send('GET', '/git/commits/main')).body;
    expect(commit.author.email).to.equal('ada@example.com');
    expect(author.login).to.equal('ada');
    expect(author.email).to.not.equal('ada@example.com');
  });

  it('knows a pointer with its text, and in a folder where it is asked for', async () => {
    const oid = 'ab'.repeat(32);
    const content = base64(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 1234\n`);
    expect(await statusOf('POST', '/contents/deep/large.bin', { content })).to.equal(201);
    const file = async (query: string) =>
      (await send('GET', `/contents-ext/deep/large.bin${query}`)).body.file_contents;
    const folder = async (query: string) => (await send('GET', `/contents-ext/deep${query}`)).body.dir_contents[0];
    expect((await file('?includes=file_content')).lfs_oid).to.equal(oid);
    expect((await file('')).lfs_oid).to.be.undefined();
    expect((await folder('?includes=lfs_metadata')).lfs_size).to.equal(1234);
    expect((await folder('?includes=file_content')).lfs_oid).to.be.undefined();
    expect((await send('GET', '/contents/deep/large.bin')).body.lfs_oid).to.equal(oid);
    expect((await send('GET', '/contents/deep')).body[0].lfs_oid).to.be.undefined();
  });

  it('escapes addresses of files as clients compare them', async () => {
    const name = "a+b&c@d (e)'f.txt";
    await send('POST', `/contents/${encodeURIComponent(name)}`, { content: '' });
    const { body } = await send('GET', `/contents/${encodeURIComponent(name)}`);
    expect(body.html_url as string).to.endWith('/src/branch/main/a+b&c@d%20%28e%29%27f.txt');
    expect(body.url as string).to.endWith('/contents/a+b&c@d%20%28e%29%27f.txt?ref=main');
    const { pathname, search } = new URL(body.url);
    expect((await ada.inject({ method: 'GET', url: `${pathname}${search}` })).json.name).to.equal(name);
  });

  it('takes an empty rest of the path for no name at all, and a broken list of paths for a mistake', async () => {
    expect(await statusOf('POST', '/branches', { new_branch_name: 'undefined' })).to.equal(201);
    const content = { content: '', sha: 'x' };
    const refused: [string, string, object | undefined, number][] = [
      ['GET', '/raw/', undefined, 404],
      ['GET', '/media/', undefined, 404],
      ['PUT', '/contents', content, 422],
      ['PUT', '/contents/', content, 422],
      ['DELETE', '/contents', { sha: 'x' }, 422],
      ['DELETE', '/branches/', undefined, 404],
      ['PUT', '/branches/', { new_commit_id: 'main' }, 404],
      ['PATCH', '/branches/', { name: 'other' }, 404],
      ['GET', '/git/trees/', undefined, 400],
      ['GET', '/tarball/', undefined, 400],
      ['GET', '/file-contents', undefined, 400],
      ...['', 'x', '[]', 'null', '{"files":"a"}', '{"files":[1]}'].map(
        (body) => ['GET', `/file-contents?body=${encodeURIComponent(body)}`, undefined, 400] as const,
      ),
    ] as [string, string, object | undefined, number][];
    for (const [method, path, body, status] of refused)
      expect(await statusOf(method, path, body), `${method} ${path}`).to.equal(status);
    expect(await statusOf('GET', '/branches/undefined')).to.equal(200);
    for (const path of ['raw', 'raw/branch', 'raw/tag', 'raw/commit', 'media', 'media/branch'])
      for (const url of [`/ada/wheel/${path}`, `/ada/wheel/${path}/`])
        expect((await ada.inject({ method: 'GET', url })).statusCode, url).to.equal(404);
    const body = encodeURIComponent('{"files":["one","","../x"]}');
    const { status, body: files } = await send('GET', `/file-contents?body=${body}`);
    expect([status, files.map((file: { path: string } | null) => file?.path)]).to.equal([
      200,
      ['one', undefined, undefined],
    ]);
  });

  it('says nothing of paths that .editorconfig does not name', async () => {
    await send('POST', '/contents/.editorconfig', { content: base64('root = true\n[*.ts]\nindent_size = 2\n') });
    expect((await send('GET', '/editorconfig/a.ts')).body).to.include({ indent_size: '2' });
    const other = await send('GET', '/editorconfig/a.md');
    expect([other.status, other.body]).to.equal([200, {}]);
    expect(await statusOf('GET', '/editorconfig/a.md?ref=nope')).to.equal(404);
  });
});
