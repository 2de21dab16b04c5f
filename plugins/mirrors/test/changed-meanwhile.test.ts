/** What happens to a repository while one of its mirrors runs. */
import { existsSync } from 'node:fs';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { gitReader, gitStore } from '@mortise/git/api';
import { send } from '@mortise/repositories/testing';
import { startMirrorScene, type MirrorScene } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('U1: repositories that change while a mirror runs', { timeout: 180_000 }, () => {
  let scene: MirrorScene;
  let made = 0;
  before(async () => {
    scene = await startMirrorScene(['admin', 'organizations', 'wiki']);
  });
  after(async () => {
    await scene.remote.close();
    await scene.host.close();
  });
  beforeEach(() => {
    scene.remote.misbehave = undefined;
  });

  const source = async () => {
    const name = `spring${++made}`;
    for (const one of [name, `${name}.wiki`]) {
      await scene.remote.repository(one);
      await scene.remote.commit(one, 'main', { 'a.txt': 'a' });
    }
    return name;
  };
  const pull = async (owner: SignedIn = scene.ada) => {
    const name = await source();
    const repository = await scene.mirror(owner, name, { address: scene.remote.url(name), interval: '0', wiki: true });
    await scene.host.settle();
    for (const one of [name, `${name}.wiki`]) await scene.remote.commit(one, 'main', { 'b.txt': 'b' });
    return { name, repository, api: `/repos/${owner.account.name}/${name}` };
  };
  const settled = async (api: string, by: SignedIn = scene.ada) => {
    expect((await send(by, 'POST', `${api}/mirror-sync`)).statusCode).to.equal(200);
    await scene.host.settle();
  };
  const folders = (id: number) => {
    const store = scene.host.services.get(gitStore);
    return [store.path(id), store.path(id, 'wiki')].filter((folder) => existsSync(folder));
  };
  const tip = async (id: number) => (await scene.host.services.get(gitReader).open(id).branch('main'))?.oid;
  const theirs = (name: string) => scene.remote.git(name, 'rev-parse', 'main');
  const running = async () => scene.host.database.knex()('mirror_run').where('state', 'running').select();

  for (const [what, pattern] of [
    ['its references are listed', /^GET .*\d\.git\/info\/refs/],
    ['its objects come', /^POST .*\d\.git\/git-upload-pack/],
    ['its wiki is listed', /^GET .*wiki\.git\/info\/refs/],
    ['the objects of its wiki come', /^POST .*wiki\.git\/git-upload-pack/],
  ] as const)
    it(`a repository that is deleted while ${what} leaves no folder behind`, async () => {
      const { repository, api } = await pull();
      const deleted = scene.remote.during(pattern, async () =>
        expect((await send(scene.ada, 'DELETE', api)).statusCode).to.equal(204),
      );
      await settled(api);
      await deleted();
      expect(folders(repository.id)).to.be.empty();
      expect(await running()).to.be.empty();
    });

  it('a repository whose owner is deleted with everything leaves none either', async () => {
    const dora = await signUp(scene.host, 'dora');
    const { repository, api } = await pull(dora);
    const deleted = scene.remote.during(/^POST/, async () => {
      const answer = await send(scene.root, 'DELETE', '/admin/users/dora?purge=true');
      expect(answer.statusCode, answer.payload).to.equal(204);
    });
    await settled(api, dora);
    await deleted();
    expect(folders(repository.id)).to.be.empty();
    expect(await running()).to.be.empty();
  });

  it('one that is renamed, hidden or given to another owner gets what came, and goes on to follow', async () => {
    const chief = await signUp(scene.host, 'chief');
    await send(chief, 'POST', '/orgs', { username: 'works' });
    for (const [change, path] of [
      [(api: string) => send(scene.ada, 'PATCH', api, { name: `renamed${made}` }), () => `ada/renamed${made}`],
      [(api: string) => send(scene.ada, 'PATCH', api, { private: true }), (name: string) => `ada/${name}`],
      [
        (api: string) => send(scene.root, 'POST', `${api}/transfer`, { new_owner: 'works' }),
        (name: string) => `works/${name}`,
      ],
    ] as const) {
      const { name, repository, api } = await pull();
      const changed = scene.remote.during(/^POST/, async () => {
        const answer = await change(api);
        expect(answer.statusCode, answer.payload).to.be.within(200, 202);
      });
      await settled(api);
      await changed();
      expect(await tip(repository.id), path(name)).to.equal(await theirs(name));
      const at = `/repos/${path(name)}`;
      expect((await send(scene.root, 'GET', at)).json).to.include({
        mirror: true,
        original_url: scene.remote.url(name),
      });
      await scene.remote.commit(name, 'main', { 'c.txt': 'c' });
      await settled(at, scene.root);
      expect(await tip(repository.id), path(name)).to.equal(await theirs(name));
      const rows = await scene.host.database.knex()('pull_mirror').where('repository_id', repository.id);
      expect(rows[0]).to.include({ failures: 0, last_error: '' });
    }
    expect(await running()).to.be.empty();
  });

  const push = async () => {
    const name = `mast${++made}`;
    await scene.remote.repository(name);
    await scene.remote.commit(name, 'main', { 'theirs.txt': 'x' });
    const { id } = (await send(scene.ada, 'POST', '/user/repos', { name, auto_init: true, default_branch: 'main' }))
      .json;
    const api = `/repos/ada/${name}`;
    const body = { remote_address: scene.remote.url(name), interval: '0' };
    const { remote_name: mirror } = (await send(scene.ada, 'POST', `${api}/push_mirrors`, body)).json;
    return { name, id: Number(id), api, mirror: String(mirror) };
  };

  it('a push mirror that is deleted during its run ends, and its repository stays as it is', async () => {
    const { api, mirror, id } = await push();
    const had = await tip(id);
    const deleted = scene.remote.during(/^POST/, async () =>
      expect((await send(scene.ada, 'DELETE', `${api}/push_mirrors/${mirror}`)).statusCode).to.equal(204),
    );
    expect((await send(scene.ada, 'POST', `${api}/push_mirrors-sync`)).statusCode).to.equal(200);
    await deleted();
    expect(await tip(id)).to.equal(had);
    expect(await running()).to.be.empty();
    expect((await send(scene.ada, 'GET', `${api}/push_mirrors`)).json).to.be.empty();
  });

  it('a push mirror whose other server stands still ends soon after it was deleted', async () => {
    const { api, mirror } = await push();
    let held: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => {
      scene.remote.misbehave = (_request, response) => {
        held = () => response.destroy();
        resolve();
        return true;
      };
    });
    const began = Date.now();
    const running = send(scene.ada, 'POST', `${api}/push_mirrors-sync`);
    await asked;
    expect((await send(scene.ada, 'DELETE', `${api}/push_mirrors/${mirror}`)).statusCode).to.equal(204);
    await running;
    expect(Date.now() - began).to.be.below(20_000);
    held?.();
  });

  it('a push of a repository that is deleted meanwhile deletes nothing at the other side', async () => {
    const { name, api, id } = await push();
    const had = await theirs(name);
    const deleted = scene.remote.during(/^GET/, async () =>
      expect((await send(scene.ada, 'DELETE', api)).statusCode).to.equal(204),
    );
    expect((await send(scene.ada, 'POST', `${api}/push_mirrors-sync`)).statusCode).to.be.within(200, 422);
    await deleted();
    expect(await theirs(name)).to.equal(had);
    expect(folders(id)).to.be.empty();
  });

  it('a push of a repository that is renamed, hidden or archived meanwhile arrives', async () => {
    for (const change of [{ name: 'mast-renamed' }, { private: true }, { archived: true }]) {
      const { name, api, id } = await push();
      const changed = scene.remote.during(/^POST/, async () =>
        expect((await send(scene.ada, 'PATCH', api, change)).statusCode).to.equal(200),
      );
      expect((await send(scene.ada, 'POST', `${api}/push_mirrors-sync`)).statusCode).to.equal(200);
      await changed();
      expect(await theirs(name)).to.equal(String(await tip(id)));
    }
  });

  it('a repository without branches deletes nothing at the other side', async () => {
    const name = `empty${++made}`;
    await scene.remote.repository(name);
    await scene.remote.commit(name, 'main', { 'theirs.txt': 'x' });
    await send(scene.ada, 'POST', '/user/repos', { name });
    const body = { remote_address: scene.remote.url(name), interval: '0' };
    expect((await send(scene.ada, 'POST', `/repos/ada/${name}/push_mirrors`, body)).statusCode).to.equal(200);
    expect((await send(scene.ada, 'POST', `/repos/ada/${name}/push_mirrors-sync`)).statusCode).to.equal(200);
    expect(await theirs(name)).to.match(/^[0-9a-f]{40}$/);
  });
});
