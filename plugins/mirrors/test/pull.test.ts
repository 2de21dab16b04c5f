import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { gitReader, gitStore } from '@mortise/git/api';
import { GitClient } from '@mortise/git/testing';
import { base64, remoteUrl, send } from '@mortise/repositories/testing';
import { startMirrorScene, type MirrorScene } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('pull mirrors', { timeout: 120_000 }, () => {
  let scene: MirrorScene;
  let made = 0;

  before(async () => {
    scene = await startMirrorScene();
  });
  after(async () => {
    await scene.remote.close();
    await scene.host.close();
  });
  beforeEach(() => {
    scene.remote.misbehave = undefined;
    scene.remote.login = undefined;
  });

  const source = async (): Promise<string> => {
    const name = `spring${++made}`;
    await scene.remote.repository(name);
    await scene.remote.commit(name, 'main', { 'a.txt': 'a' });
    return name;
  };
  const start = async (input: object = {}) => {
    const name = await source();
    const repository = await scene.mirror(scene.ada, name, { address: scene.remote.url(name), ...input });
    return { name, repository, api: `/repos/ada/${name}` };
  };
  const refs = async (id: number) =>
    (await scene.host.services.get(gitReader).open(id).refs()).map(({ ref }) => ref.replace('refs/', '')).sort();
  const sync = async (api: string) => {
    expect((await send(scene.ada, 'POST', `${api}/mirror-sync`)).statusCode).to.equal(200);
    await scene.host.settle();
  };
  const row = async (repositoryId: number) =>
    scene.host.database.knex()('pull_mirror').where('repository_id', repositoryId).first() as Promise<
      Record<string, string | number>
    >;

  it('MIR-01: follows its source, and its record says so without credentials', async () => {
    scene.remote.login = { username: 'carol', password: 's3cret-word' };
    const login = { username: 'carol', password: 's3cret-word' };
    const { name, repository, api } = await start({ ...login, interval: '2h0m0s' });
    const record = (await send(scene.ben, 'GET', api)).json;
    expect(record).to.include({ mirror: true, mirror_interval: '2h0m0s', empty: false });
    expect(record.original_url).to.equal(scene.remote.url(name));
    expect(JSON.stringify(record)).to.not.contain('s3cret').and.not.contain('carol');
    const stored = await row(repository.id);
    expect(JSON.stringify(stored)).to.not.contain('s3cret');
    await scene.remote.commit(name, 'river', { 'b.txt': 'b' });
    await scene.remote.git(name, 'tag', 'v1', 'river');
    await sync(api);
    expect(await refs(repository.id)).to.equal(['heads/main', 'heads/river', 'tags/v1']);
    const later = (await send(scene.ben, 'GET', api)).json;
    expect(Date.parse(later.mirror_updated)).to.be.at.least(Date.parse(record.mirror_updated));
    await scene.remote.git(name, 'update-ref', '-d', 'refs/heads/river');
    await sync(api);
    expect(await refs(repository.id)).to.equal(['heads/main', 'tags/v1']);
    const page = await scene.ada.inject(`/ada/${name}/settings/mirrors`);
    expect(page.payload).to.contain('river').and.to.contain(scene.remote.url(name));
    expect(page.payload).to.not.contain('s3cret');
    expect((await scene.ben.inject(`/ada/${name}`)).payload).to.contain('Mirror of');
    const found = (await send(scene.ben, 'GET', `/repos/search?mode=mirror&uid=${scene.ada.account.id}`)).json.data;
    expect(found.map((one: { name: string }) => one.name)).to.include(name);
  });

  it('S5: credentials for one address open no other one of the same server to another administrator', async () => {
    scene.remote.login = { username: 'carol', password: 's3cret-word' };
    const { name, repository, api } = await start({ ...scene.remote.login });
    await scene.remote.repository('hidden');
    await scene.remote.commit('hidden', 'main', { 'key.txt': 'hidden' });
    await send(scene.ada, 'PUT', `${api}/collaborators/ben`, { permission: 'admin' });
    const settings = `/ada/${name}/settings/mirrors`;
    const unchanged = { address: scene.remote.url(name), interval: '3h' };
    expect((await submitForm(scene.ben, settings, unchanged)).statusCode).to.equal(303);
    await sync(api);
    expect(await row(repository.id)).to.include({ last_error: '' });
    const moved = { address: scene.remote.url('hidden'), interval: '3h' };
    expect((await submitForm(scene.ben, settings, moved)).statusCode).to.equal(303);
    await sync(api);
    expect(String((await row(repository.id))['last_error'])).to.not.equal('');
    expect((await send(scene.ben, 'GET', `${api}/contents/key.txt`)).statusCode).to.equal(404);
  });

  it('a filter that leaves out the default branch of the source takes one that came', async () => {
    const name = `spring${++made}`;
    await scene.remote.repository(name);
    await scene.remote.commit(name, 'main', { 'a.txt': 'a' });
    await scene.remote.commit(name, 'feature', { 'b.txt': 'b' });
    await scene.mirror(scene.ada, name, { address: scene.remote.url(name), interval: '0', branches: 'feature' });
    const api = `/repos/ada/${name}`;
    expect((await send(scene.ada, 'GET', api)).json).to.include({ default_branch: 'feature', empty: false });
    expect((await send(scene.ada, 'GET', `${api}/contents/b.txt`)).statusCode).to.equal(200);
  });

  it('forms refuse what is too long, keep blanks of passwords and show none again', async () => {
    const { name, repository } = await start();
    const settings = `/ada/${name}/settings/mirrors`;
    const sent = { address: scene.remote.url(name), interval: '3h', username: 'carol', password: ' pass word ' };
    const long = await submitForm(scene.ada, settings, { ...sent, branches: 'release-*,'.repeat(120) });
    expect([long.statusCode, (await row(repository.id))['branches']]).to.equal([422, '']);
    expect((await submitForm(scene.ada, settings, { ...sent, username: 'c'.repeat(300) })).statusCode).to.equal(422);
    const withPassword = { ...sent, address: 'http://carol:s3cret-word@127.0.0.1:1/x.git', branches: '..' };
    const refused = await submitForm(scene.ada, settings, withPassword);
    expect(refused.payload).to.contain('http://carol@127.0.0.1:1/x.git').and.to.not.contain('s3cret-word');
    expect((await submitForm(scene.ada, settings, sent)).statusCode).to.equal(303);
    const asked: unknown[] = [];
    scene.remote.misbehave = (request) => {
      asked.push(Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString());
      return false;
    };
    scene.remote.login = { username: 'carol', password: ' pass word ' };
    await sync(`/repos/ada/${name}`);
    scene.remote.misbehave = undefined;
    expect(asked).to.include('carol: pass word ');
    const plain = await send(scene.ada, 'POST', '/user/repos', { name: `no-mirror${made}` });
    const convert = `/ada/${plain.json.name}/settings/mirrors/convert`;
    expect((await submitForm(scene.ada, convert, {})).statusCode).to.equal(422);
    expect((await scene.ada.inject(`${settings}?page=1e18`)).statusCode).to.be.below(500);
  });

  it('is read-only for pushes, the API and branches, and says so', async () => {
    const { name, repository, api } = await start();
    expect((await send(scene.ada, 'POST', `${api}/branches`, { new_branch_name: 'mine' })).statusCode).to.equal(403);
    expect((await send(scene.ada, 'DELETE', `${api}/branches/main`)).statusCode).to.equal(403);
    expect((await send(scene.ada, 'POST', `${api}/contents/x`, { content: base64('x') })).statusCode).to.equal(423);
    expect((await send(scene.ada, 'POST', `${api}/tags`, { tag_name: 'mine' })).statusCode).to.equal(423);
    const git = new GitClient(scene.host);
    const address = await remoteUrl(scene.host, `ada/${name}.git`, 'ada');
    const clone = await git.clone(address);
    await git.commit(clone, { 'mine.txt': 'mine' });
    const said = (await expect(git.run(clone, 'push', 'origin', 'HEAD:mine')).to.reject()) as Error;
    expect(said.message).to.match(/403|mirror/);
    expect(await refs(repository.id)).to.equal(['heads/main']);
    expect((await send(scene.ada, 'PATCH', api, { archived: true })).statusCode).to.equal(422);
  });

  it('takes an interval and whether to prune by the API', async () => {
    const { name, repository, api } = await start();
    const edit = async (body: object) => send(scene.ada, 'PATCH', api, body);
    expect((await edit({ mirror_interval: '8h30m0s' })).json).to.include({ mirror_interval: '8h30m0s' });
    for (const short of ['10s', '1ns', '0.0001s'])
      expect((await edit({ mirror_interval: short })).statusCode, short).to.equal(422);
    expect((await edit({ mirror_interval: 'often' })).statusCode).to.equal(422);
    expect((await edit({ mirror_interval: '0s' })).json).to.include({ mirror_interval: '0s' });
    expect(Number((await row(repository.id))['next_run_at'])).to.equal(0);
    expect((await edit({ enable_prune: false })).statusCode).to.equal(200);
    await scene.remote.commit(name, 'brook', { 'b.txt': 'b' });
    await sync(api);
    await scene.remote.git(name, 'update-ref', '-d', 'refs/heads/brook');
    await sync(api);
    expect(await refs(repository.id)).to.equal(['heads/brook', 'heads/main']);
    const other = await send(scene.ada, 'POST', '/user/repos', { name: `plain${made}` });
    const plain = `/repos/ada/${other.json.name}`;
    expect((await send(scene.ada, 'POST', `${plain}/mirror-sync`)).statusCode).to.equal(400);
    const passed = await send(scene.ada, 'PATCH', plain, { mirror_interval: '4h' });
    expect(passed.json).to.include({ mirror: false, mirror_interval: '' });
    expect((await send(scene.ben, 'POST', `${api}/mirror-sync`)).statusCode).to.equal(403);
    expect((await send(scene.host, 'POST', `${api}/mirror-sync`)).statusCode).to.equal(401);
  });

  it('keeps what it has when the source fails, pauses longer each time, and tells the owner once', async () => {
    const told = await startMirrorScene(['notifications']);
    try {
      await told.remote.repository('well');
      await told.remote.commit('well', 'main', { 'a.txt': 'a' });
      const repository = await told.mirror(told.ada, 'well', { address: told.remote.url('well'), interval: '1h' });
      const knex = told.host.database.knex();
      const state = async () => (await knex('pull_mirror').first()) as Record<string, number>;
      told.remote.login = { username: 'x', password: 'y' };
      const pauses: number[] = [];
      for (let n = 1; n <= 4; n++) {
        expect((await send(told.ada, 'POST', '/repos/ada/well/mirror-sync')).statusCode).to.equal(200);
        await told.host.settle();
        const { failures, next_run_at: next, last_run_at: at } = await state();
        expect(failures).to.equal(n);
        pauses.push(Math.round((Number(next) - Number(at)) / 3_600_000));
      }
      expect(pauses).to.equal([1, 2, 4, 8]);
      const inbox = (await send(told.ada, 'GET', '/notifications')).json;
      expect(inbox.map((one: { subject: { type: string } }) => one.subject.type)).to.equal(['Repository']);
      told.remote.login = undefined;
      await told.remote.git('well', 'update-ref', '-d', 'refs/heads/main');
      await send(told.ada, 'POST', '/repos/ada/well/mirror-sync');
      await told.host.settle();
      expect(await told.host.services.get(gitReader).open(repository.id).refs()).to.have.length(1);
      expect((await state())['failures']).to.equal(5);
      await told.remote.commit('well', 'main', { 'b.txt': 'b' });
      await send(told.ada, 'POST', '/repos/ada/well/mirror-sync');
      await told.host.settle();
      expect((await state())['failures']).to.equal(0);
    } finally {
      await told.remote.close();
      await told.host.close();
    }
  });

  it('starts by itself when it is due', async () => {
    const { name, repository } = await start({ interval: '1h' });
    await scene.remote.commit(name, 'late', { 'b.txt': 'b' });
    const due = { next_run_at: Date.now() - 1000 };
    await scene.host.database.write(() =>
      scene.host.database.knex()('pull_mirror').where('repository_id', repository.id).update(due),
    );
    await scene.host.jobs.runDue(Date.now() + 11 * 60_000);
    await scene.host.settle();
    expect(await refs(repository.id)).to.equal(['heads/late', 'heads/main']);
  });

  it('takes branches by patterns, the wiki, and turns into a repository of its own', async () => {
    const name = await source();
    await scene.remote.commit(name, 'release/1', { 'r.txt': 'r' });
    await scene.remote.commit(name, 'other', { 'o.txt': 'o' });
    await scene.remote.repository(`${name}.wiki`);
    await scene.remote.commit(`${name}.wiki`, 'main', { 'Home.md': 'first' });
    const input = { address: scene.remote.url(name), branches: 'main, release/*', wiki: true };
    const repository = await scene.mirror(scene.ada, name, input);
    expect(await refs(repository.id)).to.equal(['heads/main', 'heads/release/1']);
    const store = scene.host.services.get(gitStore);
    expect(await store.exists(repository.id, 'wiki')).to.be.true();
    const form = (path: string, values: object) =>
      scene.ada.inject({ method: 'POST', url: `/ada/${name}/settings/mirrors${path}`, payload: values });
    const settings = { address: scene.remote.url(name), interval: '0', branches: '', wiki: 'on', prune: 'on' };
    expect((await form('', settings)).statusCode).to.be.within(302, 303);
    expect((await form('', { ...settings, interval: 'often' })).statusCode).to.equal(422);
    expect((await form('', { ...settings, address: 'file:///etc' })).statusCode).to.equal(422);
    await scene.remote.commit(`${name}.wiki`, 'main', { 'Home.md': 'second' });
    expect((await form('/sync', {})).statusCode).to.be.within(302, 303);
    await scene.host.settle();
    expect(await refs(repository.id)).to.equal(['heads/main', 'heads/other', 'heads/release/1']);
    const wiki = scene.host.services.get(gitReader).open(repository.id, 'wiki');
    expect(await wiki.count((await wiki.branch('main'))!.oid)).to.equal(2);
    expect((await form('/convert', {})).statusCode).to.be.within(302, 303);
    const record = (await send(scene.ada, 'GET', `/repos/ada/${name}`)).json;
    expect(record).to.include({ mirror: false, mirror_interval: '', original_url: scene.remote.url(name) });
    const branch = await send(scene.ada, 'POST', `/repos/ada/${name}/branches`, { new_branch_name: 'mine' });
    expect(branch.statusCode).to.equal(201);
  });

  it('U1: a run that is under way moves nothing in a repository that became one of its own meanwhile', async () => {
    const { name, repository, api } = await start();
    const branches = async () => (await send(scene.ada, 'GET', `${api}/branches`)).json as { commit: { id: string } }[];
    const [before] = await branches();
    await scene.remote.commit(name, 'main', { 'b.txt': 'b' });
    const converted = scene.remote.during(/^POST/, async () => {
      await scene.ada.inject({ method: 'POST', url: `/ada/${name}/settings/mirrors/convert`, payload: {} });
      const mine = await send(scene.ada, 'POST', `${api}/branches`, { new_branch_name: 'mine' });
      expect(mine.statusCode).to.equal(201);
    });
    await sync(api);
    await converted();
    expect(await refs(repository.id)).to.equal(['heads/main', 'heads/mine']);
    expect((await branches()).map(({ commit }) => commit.id)).to.equal([before!.commit.id, before!.commit.id]);
    const runs = await scene.host.database.knex()('mirror_run').where('repository_id', repository.id);
    expect(runs.map(({ state }: { state: string }) => state)).to.not.include('running');
  });

  it('takes references with names of thousands of characters, and its log has room for them', async () => {
    const { name, repository, api } = await start();
    const long = Array.from({ length: 8 }, () => 'n'.repeat(200)).join('/');
    for (let n = 0; n < 60; n++) await scene.remote.git(name, 'update-ref', `refs/heads/${n}/${long}`, 'main');
    await sync(api);
    expect(await refs(repository.id)).to.have.length(61);
    expect(await row(repository.id)).to.include({ failures: 0, last_error: '' });
    const runs = await scene.host.database.knex()('mirror_run').where('repository_id', repository.id);
    expect(runs.map(({ state }: { state: string }) => state)).to.equal(['succeeded']);
  });

  it('is made on a page without a script', async () => {
    const name = await source();
    const form = (values: object) => scene.ada.inject({ method: 'POST', url: '/repo/mirror', payload: values });
    const values = { address: scene.remote.url(name), repo_name: `by-page-${name}`, interval: '8h', prune: 'on' };
    expect((await scene.ada.inject('/repo/mirror')).payload).to.contain('New mirror');
    expect((await form({ ...values, address: '/etc' })).statusCode).to.equal(422);
    expect((await form({ ...values, interval: '1s' })).statusCode).to.equal(422);
    expect((await form({ ...values, address: scene.remote.url('nothing') })).statusCode).to.equal(422);
    expect((await form({ ...values, owner: 'ben' })).statusCode).to.be.within(400, 499);
    const made = await form(values);
    expect(made.headers['location']).to.equal(`/ada/by-page-${name}`);
    expect((await send(scene.ben, 'GET', `/repos/ada/by-page-${name}`)).json).to.include({
      mirror: true,
      empty: false,
    });
    expect((await form(values)).statusCode).to.be.within(400, 499);
  });

  it('GEN-14: refuses sources that no user may name', async () => {
    for (const address of ['/etc', 'file:///etc', 'ext::sh -c id', 'gopher://a.example/x', 'ssh://a.example/x'])
      await expect(scene.mirror(scene.ada, 'no', { address })).to.reject();
  });
});
