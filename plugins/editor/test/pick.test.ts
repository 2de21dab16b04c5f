import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { gitProcesses, gitReader, refUpdates, zeroOid } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('commits that are reverted and cherry-picked', () => {
  let host: TestHost;
  let ada: SignedIn;
  let ben: TestClient;
  let id: number;
  const api = '/api/v1/repos/ada/tool';

  const git = () => host.services.get(gitReader).open(id);
  const headOf = async (branch: string) => (await git().branch(branch))?.oid ?? '';
  const textOf = async (path: string, branch = 'main') => {
    const entry = await git().entry(await headOf(branch), path);
    return entry && (await git().blob(entry.oid)).toString();
  };
  /** Writes a file; gives the commit. */
  const write = async (path: string, text: string, branch = 'main', more: object = {}) => {
    const there = (await headOf(branch)) ? await git().entry(await headOf(branch), path) : undefined;
    const made = await ada.inject({
      method: there ? 'PUT' : 'POST',
      url: `${api}/contents/${path}`,
      payload: { content: base64(text), message: `Write ${path}`, branch, sha: there?.oid, ...more },
    });
    expect(made.statusCode).to.be.below(300);
    return (made.json as { commit: { sha: string } }).commit.sha;
  };
  const post = (path: string, fields: Record<string, string> = {}, by: TestClient = ada) =>
    submitForm(by, `/ada/tool/${path}`, fields);

  before(async () => {
    host = await startHost({ plugins: ['editor', 'branch-protection'] });
    [ada, ben] = [await signUp(host, 'ada'), await signUp(host, 'ben')];
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'tool', default_branch: 'main' } });
    id = (await host.services.get(repositories).byPath('ada', 'tool'))!.id;
    await write('a.txt', 'one\n');
  });
  after(() => host.close());

  it('revert a commit on its branch, with a message that says so', async () => {
    const oid = await write('a.txt', 'two\n');
    const page = await ada.inject(`/ada/tool/commit/${oid}`);
    expect(page.payload).to.contain([`/ada/tool/_revert/${oid}/main`, `/ada/tool/_cherry-pick/${oid}/main`]);
    const form = await ada.inject(`/ada/tool/_revert/${oid}/main`);
    expect(form.payload).to.contain(['Revert &quot;Write a.txt&quot;', `This reverts commit ${oid}.`]);
    const description = `This reverts commit ${oid}.`;
    const done = await post(`_revert/${oid}/main`, { summary: 'Take it back', description, target: 'direct' });
    expect(done.statusCode).to.equal(303);
    expect(String(done.headers.location)).to.endWith(`/ada/tool/commit/${await headOf('main')}`);
    expect(await textOf('a.txt')).to.equal('one\n');
    const { message, parents } = await git().commit(await headOf('main'));
    expect(message.trim()).to.equal(`Take it back\n\n${description}`);
    expect(parents).to.equal([oid]);
    // it has been taken back: once more changes nothing
    const again = await post(`_revert/${oid}/main`);
    expect([again.statusCode, again.payload.includes('nothing to revert')]).to.equal([422, true]);
  });

  it('U3: a commit that is cherry-picked keeps the line of its author, and text that is not UTF-8', async () => {
    const oid = await write('odd.txt', 'odd\n', 'main', { new_branch: 'odd' });
    const { tree, parents } = await git().commit(oid);
    const line = 'J\xf6rg <j@example.com> 01600000002 +051800';
    const head = `tree ${tree}\nparent ${parents[0]}\nauthor ${line}\ncommitter X <x@e> 1600000003 +0100\n\n`;
    const input = Buffer.from(`${head}Gr\xfc\xdfe\n`, 'latin1');
    const hashing = ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'];
    const made = (await host.services.get(gitProcesses).text(hashing, { cwd: git().path, input })).trim();
    const updates = [{ ref: 'refs/heads/older', old: zeroOid, new: made }];
    const move = { repositoryId: id, updates, pusher: ada.actor, source: 'internal' } as const;
    await host.services.get(refUpdates).apply(move);
    expect((await ada.inject(`/ada/tool/_cherry-pick/${made}/main`)).payload).to.contain('value="Grüße"');
    const done = await post(`_cherry-pick/${made}/main`, { summary: 'Grüße', description: '', target: 'direct' });
    expect(done.statusCode).to.equal(303);
    const raw = (await git().raw(await headOf('main')))!.content.toString();
    expect(raw).to.contain('\nauthor Jörg <j@example.com> 01600000002 +051800\n');
    expect(raw).to.endWith('\n\nGrüße\n');
  });

  it('cherry-pick a commit to another branch, where its author stays the author', async () => {
    await write('first.txt', '1\n', 'main', { new_branch: 'side' });
    const author = { name: 'Grace', email: 'grace@example.org' };
    const oid = await write('b.txt', 'b\n', 'side', { author });
    const chosen = await ada.inject(`/ada/tool/_cherry-pick/${oid}/side?branch=main`);
    expect(String(chosen.headers.location)).to.endWith(`/ada/tool/_cherry-pick/${oid}/main`);
    expect((await ada.inject(`/ada/tool/_cherry-pick/${oid}/main?branch=none`)).statusCode).to.equal(422);
    const done = await post(`_cherry-pick/${oid}/main`, { target: 'branch', newBranch: 'picked' });
    expect(String(done.headers.location)).to.endWith('/ada/tool/compare/main...picked');
    expect([await textOf('b.txt', 'picked'), await textOf('first.txt', 'picked')]).to.equal(['b\n', undefined]);
    expect(await textOf('b.txt')).to.be.undefined();
    const made = await git().commit(await headOf('picked'));
    expect(made.author).to.equal((await git().commit(oid)).author);
    expect(made.committer.name).to.equal('ada');
    expect(made.parents).to.equal([await headOf('main')]);
  });

  it('name the files in conflict, keep what was written and change nothing', async () => {
    const oid = await write('c.txt', 'first\n');
    await write('c.txt', 'second\n');
    const head = await headOf('main');
    const refused = await post(`_revert/${oid}/main`, { summary: 'My own words', description: 'Why' });
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.contain(['conflicts in c.txt', 'role="alert"', 'My own words', 'Why']);
    expect(await headOf('main')).to.equal(head);
    const german = await ada.inject({
      method: 'POST',
      url: `/ada/tool/_cherry-pick/${oid}/main`,
      payload: 'summary=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'de' },
    });
    expect(german.payload).to.contain('wegen Konflikten in c.txt');
  });

  it('follow the rules of branches, and are closed to readers and visitors', async () => {
    const oid = await headOf('main');
    for (const page of [`_revert/${oid}/main`, `_cherry-pick/${oid}/main`]) {
      expect((await ben.inject(`/ada/tool/${page}`)).statusCode).to.equal(403);
      expect((await post(page, {}, ben)).statusCode).to.equal(403);
      expect((await host.as(anonymous).inject(`/ada/tool/${page}`)).statusCode).to.be.within(300, 403);
    }
    expect((await ben.inject(`/ada/tool/commit/${oid}`)).payload).to.not.contain(['_revert', '_cherry-pick']);
    const rule = { rule_name: 'main', enable_push: false };
    const made = await ada.inject({ method: 'POST', url: `${api}/branch_protections`, payload: rule });
    expect(made.statusCode).to.equal(201);
    expect((await ada.inject(`/ada/tool/_revert/${oid}/main`)).payload).to.contain('This branch is protected');
    const refused = await post(`_revert/${oid}/main`, { target: 'direct' });
    expect(refused.statusCode).to.be.within(400, 422);
    expect(await headOf('main')).to.equal(oid);
  });

  it('answer 404 for commits and branches that are not there', async () => {
    const oid = await headOf('main');
    for (const page of [
      `_revert/${'0'.repeat(40)}/main`,
      `_revert/none/main`,
      `_revert/${oid}/none`,
      `_revert/${oid}/`,
    ])
      expect((await ada.inject(`/ada/tool/${page}`)).statusCode, page).to.equal(404);
    expect((await ada.inject(`/ada/tool/_revert/${oid}/main/a.txt`)).statusCode).to.equal(404);
  });
});
