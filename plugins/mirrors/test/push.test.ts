import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { base64, send } from '@mortise/repositories/testing';
import { startMirrorScene, type MirrorScene } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('push mirrors', { timeout: 120_000 }, () => {
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
    scene.remote.login = undefined;
  });

  const start = async () => {
    const name = `mast${++made}`;
    await scene.remote.repository(name);
    await send(scene.ada, 'POST', '/user/repos', { name, auto_init: true, default_branch: 'main' });
    return { name, api: `/repos/ada/${name}`, address: scene.remote.url(name) };
  };
  const there = async (name: string) =>
    (await scene.remote.git(name, 'for-each-ref', '--format=%(refname)')).split('\n').filter(Boolean);
  const add = (api: string, body: object) =>
    send(scene.ada, 'POST', `${api}/push_mirrors`, { interval: '1h', sync_on_commit: false, ...body });

  it('MIR-01, MIR-02, VER-11: six operations, with an address without credentials and 200 for a new one', async () => {
    const { name, api, address } = await start();
    const withLogin = address.replace('http://', 'http://carol:s3cret@');
    const one = await add(api, { remote_address: withLogin });
    expect(one.statusCode).to.equal(200);
    expect(one.json).to.include({ repo_name: name, remote_address: address, interval: '1h0m0s', last_error: '' });
    const path = `${api}/push_mirrors/${one.json.remote_name}`;
    expect((await send(scene.ada, 'GET', path)).json).to.equal(one.json);
    expect((await send(scene.ada, 'GET', `${api}/push_mirrors`)).payload).to.not.contain('s3cret');
    const stored = JSON.stringify(await scene.host.database.knex()('push_mirror').select());
    expect(stored).to.not.contain('s3cret').and.not.contain('carol');
    expect((await send(scene.ada, 'POST', `${api}/push_mirrors-sync`)).statusCode).to.equal(200);
    expect(await there(name)).to.equal(['refs/heads/main']);
    for (const actor of [scene.ben, scene.host])
      for (const [method, at] of [
        ['GET', `${api}/push_mirrors`],
        ['POST', `${api}/push_mirrors-sync`],
        ['GET', path],
        ['DELETE', path],
      ] as const)
        expect((await send(actor, method, at)).statusCode, at).to.equal(403);
    expect((await send(scene.ada, 'DELETE', path)).statusCode).to.equal(204);
    expect((await send(scene.ada, 'GET', path)).statusCode).to.equal(404);
    const documents = await scene.host.inject('/swagger.v1.json');
    if (documents.statusCode === 200)
      expect(Object.keys(documents.json.paths['/repos/{owner}/{repo}/push_mirrors'].post.responses)).to.include('200');
  });

  it('refuses what cannot be, as compatible services do', async () => {
    const { api, address } = await start();
    const status = async (body: object) => (await add(api, { remote_address: address, ...body })).statusCode;
    expect(await status({ interval: '1s' })).to.equal(400);
    expect(await status({ interval: 'soon' })).to.equal(400);
    expect(await status({ interval: '' })).to.equal(400);
    expect(await status({ remote_address: 'http://%zz/' })).to.equal(400);
    expect(await status({ remote_address: 'gopher://a.example/x' })).to.equal(400);
    expect(await status({ remote_address: '/tmp/x' })).to.equal(401);
    expect(await status({ remote_address: 'ext::sh -c id' })).to.equal(400);
    await send(scene.ada, 'PATCH', api, { archived: true });
    expect(await status({})).to.equal(423);
  });

  it('makes the other repository what this one is, and sends each commit where that is wanted', async () => {
    const { name, api, address } = await start();
    await scene.remote.commit(name, 'of-them', { 'x.txt': 'x' });
    await send(scene.ada, 'POST', `${api}/branches`, { new_branch_name: 'side' });
    await send(scene.ada, 'POST', `${api}/tags`, { tag_name: 'v1' });
    await add(api, { remote_address: address, sync_on_commit: true, interval: '0' });
    await scene.remote.repository(`${name}-few`);
    await add(api, { remote_address: scene.remote.url(`${name}-few`), branch_filter: 'main', interval: '0' });
    expect((await send(scene.ada, 'POST', `${api}/push_mirrors-sync`)).statusCode).to.equal(200);
    expect(await there(name)).to.equal(['refs/heads/main', 'refs/heads/side', 'refs/tags/v1']);
    expect(await there(`${name}-few`)).to.equal(['refs/heads/main', 'refs/tags/v1']);
    await send(scene.ada, 'POST', `${api}/contents/new.txt`, { content: base64('new') });
    await scene.host.settle();
    expect(await scene.remote.git(name, 'show', 'main:new.txt')).to.equal('new');
    await expect(scene.remote.git(`${name}-few`, 'show', 'main:new.txt')).to.reject();
    const page = (await scene.ada.inject(`/ada/${name}/settings/mirrors`)).payload;
    expect(page).to.contain(address).and.to.contain('side');
  });

  it('shows what went wrong without credentials, and does not try at every commit after that', async () => {
    const { name, api, address } = await start();
    scene.remote.login = { username: 'carol', password: 'right' };
    const body = { remote_address: address, remote_username: 'carol', remote_password: 'wr0ng-word' };
    const one = (await add(api, { ...body, sync_on_commit: true })).json;
    expect((await send(scene.ada, 'POST', `${api}/push_mirrors-sync`)).statusCode).to.equal(422);
    const shown = (await send(scene.ada, 'GET', `${api}/push_mirrors/${one.remote_name}`)).json;
    expect(shown.last_error).to.not.be.empty();
    expect(JSON.stringify(shown)).to.not.contain('wr0ng-word');
    const runs = async () => Number((await scene.host.database.knex()('mirror_run').count({ n: '*' }).first())!['n']);
    const before = await runs();
    await send(scene.ada, 'POST', `${api}/contents/new.txt`, { content: base64('new') });
    await scene.host.settle();
    expect(await runs()).to.equal(before);
    const page = await scene.ada.inject(`/ada/${name}/settings/mirrors`);
    expect(page.payload).to.not.contain('wr0ng-word');
  });

  it('can be added and removed on its page without a script', async () => {
    const { name, api, address } = await start();
    const form = (path: string, values: object) =>
      scene.ada.inject({ method: 'POST', url: `/ada/${name}/settings/mirrors${path}`, payload: values });
    const values = { push_address: address, push_interval: '8h', push_commits: 'on' };
    expect((await form('/push', { ...values, push_interval: 'soon' })).statusCode).to.equal(422);
    expect((await form('/push', values)).statusCode).to.be.within(302, 303);
    const [one] = (await send(scene.ada, 'GET', `${api}/push_mirrors`)).json;
    expect(one).to.include({ remote_address: address, sync_on_commit: true });
    expect((await form(`/push/${one.remote_name}/sync`, {})).statusCode).to.be.within(302, 303);
    await scene.host.settle();
    expect(await there(name)).to.equal(['refs/heads/main']);
    expect((await form(`/push/${one.remote_name}/delete`, {})).statusCode).to.be.within(302, 303);
    expect((await send(scene.ada, 'GET', `${api}/push_mirrors`)).json).to.be.empty();
    const ssh = { push_address: 'git@127.0.0.1:ada/x.git', push_interval: '0', push_ssh: 'on' };
    expect((await form('/push', ssh)).statusCode).to.be.within(302, 303);
    expect((await scene.ada.inject(`/ada/${name}/settings/mirrors`)).payload).to.contain('ssh-ed25519 ');
  });
});
