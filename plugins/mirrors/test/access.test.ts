/** Every operation as every kind of actor: the walk over all routes runs no handler, and knows nothing of mirrors. */
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { send } from '@mortise/repositories/testing';
import { startMirrorScene, type MirrorScene } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('MIR-01, MIR-02: who may do what with mirrors', { timeout: 120_000 }, () => {
  let scene: MirrorScene;
  let actors: Record<string, TestClient>;
  let users: Record<string, SignedIn>;
  before(async () => {
    scene = await startMirrorScene(['organizations']);
    await scene.remote.repository('spring');
    await scene.remote.commit('spring', 'main', { 'a.txt': 'a' });
    const { host, ada, ben, root } = scene;
    users = { ada, ben, root };
    for (const name of ['keeper', 'writer', 'reader', 'chief', 'member']) users[name] = await signUp(host, name);
    const token = (scopes: object, more: object = {}) =>
      host.as({ ...ada.actor, method: 'token', credentialId: 1, scopes, ...more } as typeof ada.actor);
    actors = {
      nobody: host,
      outsider: ben,
      reader: users['reader']!,
      writer: users['writer']!,
      keeper: users['keeper']!,
      owner: ada,
      root,
      'owner, read:repository': token({ repository: 'read' }),
      'owner, write:repository': token({ repository: 'write' }),
      'owner, write:issue': token({ issue: 'write' }),
      'owner, public only': token({ repository: 'write' }, { publicOnly: true }),
    };
    for (const name of ['pond', 'hidden']) {
      const isPrivate = name === 'hidden';
      await scene.mirror(ada, name, { address: scene.remote.url('spring'), interval: '0', isPrivate });
      for (const [who, permission] of [
        ['keeper', 'admin'],
        ['writer', 'write'],
        ['reader', 'read'],
      ] as const)
        expect((await send(ada, 'PUT', `/repos/ada/${name}/collaborators/${who}`, { permission })).statusCode).to.equal(
          204,
        );
    }
  });
  after(async () => {
    await scene.remote.close();
    await scene.host.close();
  });

  const mirrorOf = async (api: string) =>
    (
      await send(scene.ada, 'POST', `${api}/push_mirrors`, {
        remote_address: scene.remote.url('spring'),
        interval: '0',
      })
    ).json.remote_name as string;
  /** Statuses of one operation, by actor; those that are allowed get as far as a refusal of what was sent. */
  async function statuses(method: string, path: string, payload?: object): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const [name, actor] of Object.entries(actors))
      found[name] = (await send(actor, method, path, payload)).statusCode;
    return found;
  }
  const tooOften = { remote_address: 'https://git.example/x', interval: '1s' };
  const operations = async (api: string) => ({
    'mirror-sync': await statuses('POST', `${api}/mirror-sync`),
    list: await statuses('GET', `${api}/push_mirrors`),
    get: await statuses('GET', `${api}/push_mirrors/${await mirrorOf(api)}`),
    add: await statuses('POST', `${api}/push_mirrors`, tooOften),
    delete: await statuses('DELETE', `${api}/push_mirrors/none`),
  });
  const expected = (by: readonly number[]) => Object.fromEntries(Object.keys(actors).map((name, at) => [name, by[at]]));

  it('of a public repository: those who do not administer it are refused, writers may synchronize what it follows', async () => {
    const api = '/repos/ada/pond';
    expect(await operations(api)).to.equal({
      //                       nobody out read writ keep own  root r:r  w:r  w:i  public
      'mirror-sync': expected([401, 403, 403, 200, 200, 200, 200, 403, 200, 403, 200]),
      list: expected([403, 403, 403, 403, 200, 200, 200, 200, 200, 403, 200]),
      get: expected([403, 403, 403, 403, 200, 200, 200, 200, 200, 403, 200]),
      add: expected([403, 403, 403, 403, 400, 400, 400, 403, 400, 403, 400]),
      delete: expected([403, 403, 403, 403, 204, 204, 204, 403, 204, 403, 204]),
    });
    for (const [name, actor] of Object.entries(actors).filter(([, one]) => one !== scene.ada)) {
      if (['keeper', 'root', 'owner, write:repository', 'owner, public only'].includes(name)) continue;
      expect((await send(actor, 'POST', `${api}/push_mirrors-sync`)).statusCode, name).to.equal(403);
    }
    await scene.host.settle();
  });

  it('of a private repository: who may not see it hears that it is not there', async () => {
    expect(await operations('/repos/ada/hidden')).to.equal({
      'mirror-sync': expected([404, 404, 403, 200, 200, 200, 200, 403, 200, 403, 404]),
      list: expected([404, 404, 403, 403, 200, 200, 200, 200, 200, 403, 404]),
      get: expected([404, 404, 403, 403, 200, 200, 200, 200, 200, 403, 404]),
      add: expected([404, 404, 403, 403, 400, 400, 400, 403, 400, 403, 404]),
      delete: expected([404, 404, 403, 403, 204, 204, 204, 403, 204, 403, 404]),
    });
    await scene.host.settle();
  });

  it('of its page and each of its forms: those who do not administer the repository change nothing', async () => {
    const name = await mirrorOf('/repos/ada/pond');
    const rows = async () => {
      const knex = scene.host.database.knex();
      return JSON.stringify([await knex('pull_mirror').select(), await knex('push_mirror').select('id', 'name')]);
    };
    const had = await rows();
    const forms: [string, Record<string, string>][] = [
      ['', { address: scene.remote.url('spring'), interval: '0' }],
      ['/sync', {}],
      ['/convert', {}],
      ['/push', { push_address: scene.remote.url('spring'), push_interval: '0' }],
      [`/push/${name}/sync`, {}],
      [`/push/${name}/delete`, {}],
    ];
    for (const repository of ['pond', 'hidden'])
      for (const who of ['nobody', 'outsider', 'reader', 'writer']) {
        const isHidden = repository === 'hidden' && ['nobody', 'outsider'].includes(who);
        const refusals = who === 'nobody' ? [303, 401, 404] : [isHidden ? 404 : 403];
        const base = `/ada/${repository}/settings/mirrors`;
        expect(refusals, `${who} ${base}`).to.include((await actors[who]!.inject(base)).statusCode);
        for (const [path, fields] of forms) {
          const answer = await submitForm(actors[who]!, `${base}${path}`, fields);
          expect(refusals, `${who} ${base}${path}`).to.include(answer.statusCode);
          expect(String(answer.headers.location ?? '/user/login')).to.contain('/user/login');
        }
      }
    expect(await rows()).to.equal(had);
    for (const who of ['keeper', 'owner', 'root'])
      expect((await actors[who]!.inject('/ada/pond/settings/mirrors')).statusCode, who).to.equal(200);
    // of one repository nothing is done by the name that another one has
    const foreign = await submitForm(scene.ada, `/ada/hidden/settings/mirrors/push/${name}/delete`);
    expect(foreign.statusCode).to.equal(422);
    expect((await send(scene.ada, 'DELETE', `/repos/ada/hidden/push_mirrors/${name}`)).statusCode).to.equal(204);
    expect((await send(scene.ada, 'GET', `/repos/ada/pond/push_mirrors/${name}`)).statusCode).to.equal(200);
  });

  it('of new ones: for oneself and for organizations in which one may make repositories, hidden ones are not there', async () => {
    const chief = users['chief']!;
    for (const [username, visibility] of [
      ['works', 'public'],
      ['vault', 'private'],
    ])
      expect((await send(chief, 'POST', '/orgs', { username, visibility })).statusCode).to.equal(201);
    const team = await send(chief, 'POST', '/orgs/works/teams', { name: 'crew', units_map: { 'repo.code': 'read' } });
    await send(chief, 'PUT', `/teams/${team.json.id}/members/member`);
    let made = 0;
    const form = (who: TestClient, owner: string) =>
      submitForm(who, '/repo/mirror', {
        owner,
        address: scene.remote.url('spring'),
        repo_name: `made${++made}`,
        interval: '0',
      });
    const make = async (who: TestClient, owner: string) => (await form(who, owner)).statusCode;
    expect(await make(chief, 'works')).to.equal(303);
    expect(await make(users['root']!, 'works')).to.equal(303);
    // the form again, with the reason
    expect(await make(users['member']!, 'works')).to.equal(422);
    expect(await make(scene.ben, 'works')).to.equal(422);
    expect(await make(scene.ben, 'ada')).to.equal(422);
    const reason = async (owner: string) =>
      /class="flash[^"]*"[^>]*>(.*?)<\/div>/s.exec((await form(scene.ben, owner)).payload)?.[1]?.replaceAll(owner, '');
    expect(await reason('vault')).to.be.a.string();
    expect(await reason('vault')).to.equal(await reason('nowhere'));
    expect([303, 401]).to.include(await make(scene.host, ''));
    const { json } = await send(users['root']!, 'GET', '/repos/search?limit=50');
    const names = json.data
      .map((one: { full_name: string }) => one.full_name)
      .filter((name: string) => /made/.test(name));
    expect(names.sort()).to.equal(['works/made1', 'works/made2']);
  });

  it('of an archived repository nothing is added, removed or sent', async () => {
    const api = '/repos/ada/still';
    await send(scene.ada, 'POST', '/user/repos', { name: 'still', auto_init: true });
    const name = await mirrorOf(api);
    expect((await send(scene.ada, 'PATCH', api, { archived: true })).statusCode).to.equal(200);
    const status = async (method: string, path: string, payload?: object) =>
      (await send(scene.ada, method, `${api}${path}`, payload)).statusCode;
    expect(await status('GET', '/push_mirrors')).to.equal(200);
    expect(
      await status('POST', '/push_mirrors', { remote_address: scene.remote.url('spring'), interval: '0' }),
    ).to.equal(423);
    expect(await status('POST', '/push_mirrors-sync')).to.equal(423);
    expect(await status('DELETE', `/push_mirrors/${name}`)).to.equal(423);
    for (const path of ['/push', `/push/${name}/sync`, `/push/${name}/delete`])
      expect((await submitForm(scene.ada, `/ada/still/settings/mirrors${path}`)).statusCode, path).to.be.within(
        403,
        423,
      );
    expect((await send(scene.ada, 'GET', `${api}/push_mirrors/${name}`)).statusCode).to.equal(200);
  });

  it('with the code switched off nobody but administrators asks for a run', async () => {
    await scene.mirror(scene.ada, 'closed', { address: scene.remote.url('spring'), interval: '0' });
    await send(scene.ada, 'PUT', '/repos/ada/closed/collaborators/writer', { permission: 'write' });
    const edited = await send(scene.ada, 'PATCH', '/repos/ada/closed', { has_code: false });
    expect(edited.statusCode, edited.payload).to.equal(200);
    const sync = async (who: TestClient) => (await send(who, 'POST', '/repos/ada/closed/mirror-sync')).statusCode;
    expect([await sync(scene.ben), await sync(scene.host)]).to.equal([403, 403]);
    await scene.host.settle();
  });

  it('where mirrors are off, or new ones are for administrators of the site', async () => {
    const off = await startMirrorScene([], { mirror: { ENABLED: false } });
    const few = await startMirrorScene([], { mirror: { DISABLE_NEW_PULL: true, DISABLE_NEW_PUSH: true } });
    const body = { remote_address: 'https://git.example/x', interval: '0' };
    try {
      for (const one of [off, few]) await send(one.ada, 'POST', '/user/repos', { name: 'plain' });
      for (const [method, path] of [
        ['GET', 'push_mirrors'],
        ['POST', 'push_mirrors'],
        ['POST', 'push_mirrors-sync'],
        ['GET', 'push_mirrors/x'],
        ['DELETE', 'push_mirrors/x'],
      ] as const)
        for (const who of [off.ada, off.root]) {
          const answer = await send(
            who,
            method,
            `/repos/ada/plain/${path}`,
            path === 'push_mirrors' ? body : undefined,
          );
          expect(answer.statusCode, `${method} ${path}`).to.equal(400);
        }
      expect((await off.root.inject('/repo/mirror')).statusCode).to.equal(403);
      const add = (who: SignedIn) => send(who, 'POST', '/repos/ada/plain/push_mirrors', body);
      expect([(await add(few.ada)).statusCode, (await add(few.root)).statusCode]).to.equal([403, 200]);
      const page = async (who: SignedIn) => (await who.inject('/repo/mirror')).statusCode;
      expect([await page(few.ada), await page(few.root)]).to.equal([403, 200]);
      const form = { push_address: 'https://git.example/x', push_interval: '0' };
      expect((await submitForm(few.ada, '/ada/plain/settings/mirrors/push', form)).statusCode).to.equal(422);
      const { json } = await send(few.ada, 'GET', '/repos/ada/plain/push_mirrors');
      expect(json).to.have.length(1);
    } finally {
      for (const one of [off, few]) {
        await one.remote.close();
        await one.host.close();
      }
    }
  });
});
