/** Every operation as every kind of actor: the walk over all routes runs no handler, and knows nothing of imports. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { RemoteServer } from '@mortise/git/testing';
import { send } from '@mortise/repositories/testing';
import { startTarget } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('MIG-01: who may do what with imports', { timeout: 120_000 }, () => {
  let host: TestHost;
  let remote: RemoteServer;
  const users: Record<string, SignedIn> = {};
  let count = 0;
  before(async () => {
    remote = await RemoteServer.start();
    await remote.repository('spring');
    await remote.commit('spring', 'main', { 'a.txt': 'a' });
    host = await startTarget();
    for (const name of ['ada', 'ben', 'chief', 'member', 'keeper', 'writer', 'reader'])
      users[name] = await signUp(host, name);
    users['root'] = await signUp(host, 'root', { isAdmin: true });
    for (const [username, visibility] of [
      ['works', 'public'],
      ['vault', 'private'],
    ])
      expect((await send(users['chief']!, 'POST', '/orgs', { username, visibility })).statusCode).to.equal(201);
    const crew = { name: 'crew', units_map: { 'repo.code': 'write' } };
    const team = await send(users['chief']!, 'POST', '/orgs/works/teams', crew);
    await send(users['chief']!, 'PUT', `/teams/${team.json.id}/members/member`);
  });
  after(async () => {
    await remote.close();
    await host?.close();
  });
  const by = (who: SignedIn, scopes: object, more: object = {}) =>
    host.as({ ...who.actor, method: 'token', credentialId: 1, scopes, ...more } as typeof who.actor);
  const body = (more: object = {}) => ({
    clone_addr: remote.url('spring'),
    service: 'git',
    repo_name: `r${++count}`,
    ...more,
  });
  const migrate = async (who: TestClient, more: object = {}) =>
    (await send(who, 'POST', '/repos/migrate', body(more))).statusCode;
  const names = async () =>
    ((await send(users['root']!, 'GET', '/repos/search?limit=50')).json.data as { full_name: string }[])
      .map((one) => one.full_name)
      .sort();

  it('begin: for oneself with the right to write, for others where one may make repositories', async () => {
    const { ada, ben, chief, member, root } = users as Record<string, SignedIn>;
    expect(await migrate(host)).to.equal(401);
    expect(await migrate(by(ada!, { repository: 'read' }))).to.equal(403);
    expect(await migrate(by(ada!, { issue: 'write', user: 'write' }))).to.equal(403);
    expect(await migrate(by(ada!, { repository: 'write' }, { publicOnly: true }))).to.equal(403);
    for (const mirror of [false, true]) {
      expect(await migrate(ben!, { repo_owner: 'ada', mirror })).to.equal(403);
      expect(await migrate(ben!, { uid: ada!.account.id, mirror })).to.equal(403);
      expect(await migrate(ben!, { repo_owner: 'works', mirror })).to.equal(403);
      expect(await migrate(member!, { repo_owner: 'works', mirror })).to.equal(403);
      // hidden ones are not there, by name and by id
      const vault = (await send(chief!, 'GET', '/orgs/vault')).json.id;
      expect([
        await migrate(ben!, { repo_owner: 'vault', mirror }),
        await migrate(ben!, { repo_owner: 'nowhere', mirror }),
      ]).to.equal([404, 404]);
      expect([await migrate(ben!, { uid: vault, mirror }), await migrate(ben!, { uid: 99_999, mirror })]).to.equal([
        404, 404,
      ]);
    }
    expect(await names()).to.equal([]);
    expect(await migrate(by(ada!, { repository: 'write' }), { repo_name: 'own' })).to.equal(201);
    expect(await migrate(chief!, { repo_name: 'a', repo_owner: 'works' })).to.equal(201);
    expect(await migrate(chief!, { repo_name: 'b', repo_owner: 'vault', private: true })).to.equal(201);
    expect(await migrate(root!, { repo_name: 'c', repo_owner: 'ada' })).to.equal(201);
    expect(await names()).to.equal(['ada/c', 'ada/own', 'vault/b', 'works/a']);
  });

  it('watch and stop: who may not see the repository hears that it is not there, only its administrators stop it', async () => {
    const { ada, ben, keeper, writer, reader, root } = users as Record<string, SignedIn>;
    for (const [name, isPrivate] of [
      ['open', false],
      ['closed', true],
    ] as const) {
      expect(await migrate(ada!, { repo_name: name, private: isPrivate })).to.equal(201);
      for (const [who, permission] of [
        ['keeper', 'admin'],
        ['writer', 'write'],
        ['reader', 'read'],
      ])
        await send(ada!, 'PUT', `/repos/ada/${name}/collaborators/${who}`, { permission });
    }
    // as one that failed: then it can be repeated, and stopped again
    await host.database.write(() =>
      host.database.knex()('repository_import').update({ state: 'failed', error: 'as told' }),
    );
    const publicOnly = by(ada!, { repository: 'write' }, { publicOnly: true });
    const state = async () =>
      (await host.database.knex()('repository_import').select('state')).map((row: { state: string }) => row.state);
    const before = await state();
    for (const [name, hidden] of [
      ['open', 200],
      ['closed', 404],
    ] as const) {
      const look = async (who: TestClient) => (await send(who, 'GET', `/repos/ada/${name}/migration`)).statusCode;
      expect([await look(host), await look(ben!), await look(publicOnly)], name).to.equal([hidden, hidden, hidden]);
      expect([await look(reader!), await look(keeper!), await look(ada!), await look(root!)]).to.equal([
        200, 200, 200, 200,
      ]);
      expect(await look(by(ada!, { issue: 'read' }))).to.equal(403);
      for (const action of ['retry', 'cancel']) {
        const stop = async (who: TestClient) =>
          (await submitForm(who, `/ada/${name}/migration`, { action })).statusCode;
        expect([303, 401, 404]).to.include(await stop(host));
        expect([await stop(ben!), await stop(reader!), await stop(writer!)]).to.equal([
          hidden === 404 ? 404 : 403,
          403,
          403,
        ]);
      }
    }
    expect(await state()).to.equal(before);
    for (const who of [keeper!, ada!, root!]) {
      await host.database.write(() => host.database.knex()('repository_import').update({ state: 'failed' }));
      expect((await submitForm(who, '/ada/open/migration', { action: 'retry' })).statusCode).to.equal(303);
    }
    // the list shows each their own
    expect((await ben!.inject('/user/migrations')).payload).to.not.contain(['ada/open', 'ada/closed']);
    expect((await ada!.inject('/user/migrations')).payload).to.contain(['ada/open', 'ada/closed']);
    expect([303, 401]).to.include((await host.inject('/user/migrations')).statusCode);
  });

  it('pages refuse as the API does, and say of hidden owners what they say of missing ones', async () => {
    const { ben } = users as Record<string, SignedIn>;
    const form = async (fields: Record<string, string>) => {
      const answer = await submitForm(ben!, '/repo/migrate', {
        service: 'git',
        clone_addr: remote.url('spring'),
        repo_name: `p${++count}`,
        ...fields,
      });
      const [, reason = ''] = /class="flash[^"]*"[^>]*>(.*?)<\/div>/s.exec(answer.payload) ?? [];
      return { status: answer.statusCode, reason: reason.replaceAll(fields['owner'] ?? '-', '') };
    };
    const had = await names();
    expect([403, 422]).to.include((await form({ owner: 'works' })).status);
    expect(await form({ owner: 'vault' })).to.equal(await form({ owner: 'nowhere' }));
    expect(await names()).to.equal(had);
    for (const path of ['/repo/migrate', '/repo/migrate?service=git', '/repo/migrate/owner'])
      expect([303, 401], path).to.include((await host.inject(path)).statusCode);
  });

  it('where imports are off nobody begins one', async () => {
    const off = await startTarget({ settings: { repository: { DISABLE_MIGRATIONS: true } } });
    try {
      for (const name of ['ada', 'root']) {
        const who = await signUp(off, name, { isAdmin: name === 'root' });
        for (const mirror of [false, true])
          expect((await send(who, 'POST', '/repos/migrate', body({ mirror }))).statusCode).to.equal(403);
        expect((await who.inject('/repo/migrate')).statusCode).to.equal(403);
        const fields = { service: 'git', clone_addr: remote.url('spring'), repo_name: 'x' };
        expect((await submitForm(who, '/repo/migrate', fields)).statusCode).to.be.within(403, 422);
        const owner = { service: 'gitea', owner_addr: 'https://git.example/a', action: 'list' };
        expect((await submitForm(who, '/repo/migrate/owner', owner)).statusCode).to.be.within(403, 422);
      }
      expect((await off.database.knex()('repository').select()).length).to.equal(0);
    } finally {
      await off.close();
    }
  });
});
