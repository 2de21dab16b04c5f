import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, systemActor } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, loginSources } from '@mortise/accounts/api';
import { createAccount, signIn } from '@mortise/accounts/testing';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { signInFlow } from '@mortise/sessions/api';
import { secondFactors } from '../api.js';
import { TotpRow } from '../models/totp.js';
import { addressBook, arrive, basic, Browser, enrol, isSignedIn } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('[security] TWO_FACTOR_AUTH = enforced', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({
      plugins: [
        'sessions',
        'auth-basic',
        'auth-token',
        'git-http',
        'lfs',
        addressBook,
        'files',
        'refs',
        'admin',
        'activity',
        'forks',
        'package-generic',
        'package-npm',
        'auth-two-factor',
      ],
      settings: { security: { TWO_FACTOR_AUTH: 'enforced' } },
    });
    const ada = await createAccount(host, 'ada');
    const wheel = { name: 'wheel', autoInit: true, isTemplate: true };
    await host.services.get(repositories).create(ada, wheel, systemActor('test'));
  });
  after(() => host.close());

  /** Sees everything, and needs no factor. */
  const systemRoot = { ...systemActor('test'), isAdmin: true };

  const tokenOf = async (authorization: string, name: string) => {
    const made = await host.inject({
      method: 'POST',
      url: `/api/v1/users/${name}/tokens`,
      headers: { authorization },
      payload: { name: 'machine', scopes: ['all'] },
    });
    return `token ${made.json.sha1 as string}`;
  };

  it('TFA-02: takes no other word', async () => {
    const start = startHost({ plugins: ['auth-two-factor'], settings: { security: { TWO_FACTOR_AUTH: 'maybe' } } });
    await expect(start).to.reject(/TWO_FACTOR_AUTH/);
  });

  it('TFA-03 to TFA-05, ERR-16: closes every repository to people without a second factor, in records and lists', async () => {
    const token = await tokenOf(basic('ada'), 'ada');
    const api = (url: string, method = 'GET', payload?: object) =>
      host.inject({ method, url, headers: { authorization: token }, payload });
    const git = (authorization: string) =>
      host.inject({ url: '/ada/wheel.git/info/refs?service=git-upload-pack', headers: { authorization } });
    const lists = async () => [
      ((await api('/api/v1/user/repos')).json as unknown[]).length,
      ((await api('/api/v1/repos/search')).json as { data: unknown[] }).data.length,
      ((await api('/api/v1/users/ada/repos')).json as unknown[]).length,
    ];

    // the account itself and pages outside repositories stay open
    expect((await api('/api/v1/user')).statusCode).to.equal(200);
    const browser = await arrive(host, 'ada');
    expect(await isSignedIn(browser)).to.be.true();
    for (const url of ['/', '/explore/users', '/ada', '/user/settings/security'])
      expect((await browser.go(url)).statusCode, url).to.equal(200);
    expect((await browser.go('/user/settings/security')).payload).to.contain('Repositories stay closed to you');

    const closed: [string, string, object?][] = [
      ['GET', '/api/v1/repos/ada/wheel'],
      ['GET', '/api/v1/repos/ada/wheel/branches'],
      ['GET', '/api/v1/repos/ada/none'],
      ['PATCH', '/api/v1/repos/ada/wheel', { description: 'round' }],
      ['DELETE', '/api/v1/repos/ada/wheel'],
    ];
    for (const [method, url, payload] of closed)
      expect((await api(url, method, payload)).statusCode, `${method} ${url}`).to.equal(404);
    const hint = 'requires two-factor authentication';
    for (const authorization of [token, basic('ada')])
      for (const path of ['wheel', 'none']) {
        const url = `/ada/${path}.git/info/refs?service=git-upload-pack`;
        const refused = await host.inject({ url, headers: { authorization } });
        // git shows texts
        expect([refused.statusCode, refused.headers['content-type']]).to.equal([404, 'text/plain; charset=utf-8']);
        expect(refused.payload).to.include(hint);
        const lfs = await host.inject({
          method: 'POST',
          url: `/ada/${path}.git/info/lfs/objects/batch`,
          headers: {
            authorization,
            accept: 'application/vnd.git-lfs+json',
            'content-type': 'application/vnd.git-lfs+json',
          },
          payload: JSON.stringify({ operation: 'download', objects: [] }),
        });
        expect([lfs.statusCode, String(lfs.json.message).includes(hint)]).to.equal([404, true]);
      }
    for (const url of ['/ada/wheel', '/ada/wheel/settings', '/ada/none']) {
      const page = await browser.go(url);
      expect([page.statusCode, /requires two-factor authentication/.test(page.payload)], url).to.equal([404, true]);
    }
    expect(await lists()).to.equal([0, 0, 0]);
    const feed = async () => ((await api('/api/v1/users/ada/activities/feeds')).json as unknown[]).length;
    await host.settle();
    expect(await feed()).to.equal(0);
    // visitors see what is public
    expect((await host.inject('/api/v1/repos/ada/wheel')).statusCode).to.equal(200);

    await enrol(browser);
    for (const [method, url] of closed.slice(0, 2)) expect((await api(url, method)).statusCode, url).to.equal(200);
    expect((await git(token)).statusCode).to.equal(200);
    expect((await browser.go('/ada/wheel')).statusCode).to.equal(200);
    expect(await lists()).to.equal([1, 1, 1]);
    for (const name of ['barrow', 'wheel'])
      expect(
        (await api(`/api/v1/repos/ada/${name === 'wheel' ? 'barrow' : 'wheel'}`, 'PATCH', { name })).statusCode,
      ).to.equal(200);
    await host.settle();
    expect(await feed()).to.be.above(0);
  });

  it('S7, TFA-04: makes no repository and reaches no package for people without a second factor, in no way', async () => {
    const eva = signIn(host, await createAccount(host, 'eva'));
    const root = signIn(host, await createAccount(host, 'root', { isAdmin: true }));
    const hint = 'requires two-factor authentication';
    const send = (by: typeof eva, method: string, url: string, payload?: object | string) =>
      by.inject({ method: method as 'GET', url, ...(payload !== undefined && { payload }) });
    const made: [typeof eva, string, object][] = [
      [eva, '/api/v1/user/repos', { name: 'own' }],
      [eva, '/api/v1/user/repos', { name: 'filled', auto_init: true, readme: 'Default' }],
      [root, '/api/v1/admin/users/eva/repos', { name: 'given' }],
    ];
    for (const [by, url, payload] of made) {
      const refused = await send(by, 'POST', url, payload);
      expect([refused.statusCode, String(refused.json.message).includes(hint)], url).to.equal([403, true]);
    }
    for (const [url, payload] of [
      ['/api/v1/repos/ada/wheel/forks', {}],
      ['/api/v1/repos/ada/wheel/generate', { owner: 'eva', name: 'copy', git_content: true }],
    ] as const)
      expect((await send(eva, 'POST', url, payload)).statusCode, url).to.equal(404);
    const page = { owner: 'eva', name: 'page', default_branch: 'main' };
    expect((await send(eva, 'POST', '/repo/create', page)).statusCode).to.be.within(403, 422);
    const push = '/eva/pushed.git/info/refs?service=git-receive-pack';
    expect((await host.inject({ url: push, headers: { authorization: basic('eva') } })).statusCode).to.equal(404);

    for (const by of [eva, root]) {
      const upload = await send(by, 'PUT', '/api/packages/eva/generic/cog/1.0/cog.bin', 'content');
      expect([upload.statusCode, upload.payload.includes(hint)]).to.equal([403, true]);
      const published = await send(by, 'PUT', '/api/packages/eva/npm/cog', { name: 'cog' });
      expect([published.statusCode, published.payload.includes(hint)]).to.equal([403, true]);
      for (const url of [
        '/api/packages/eva/generic/cog/1.0/cog.bin',
        '/api/packages/eva/npm/cog',
        '/api/v1/packages/eva',
        '/eva/-/packages',
      ])
        expect((await send(by, 'GET', url)).statusCode, url).to.equal(404);
    }
    const owned = async () => (await host.services.get(repositories).search({ limit: 9, offset: 0 }, systemRoot)).total;
    expect(await owned()).to.equal(1);
  });

  it('holds for administrators, and for those who act for others', async () => {
    const service = host.services.get(accounts);
    const root = (await service.byName('root'))!;
    const asRoot = signIn(host, root);
    expect((await asRoot.inject('/api/v1/repos/ada/wheel')).statusCode).to.equal(404);
    const adas = (await service.byName('ada'))!;
    const sudo = host.as(service.actorOf(adas, 'test', { sudoBy: root.id }));
    expect((await sudo.inject('/api/v1/repos/ada/wheel')).statusCode).to.equal(404);
    expect((await sudo.inject('/api/v1/repos/search')).json.data).to.be.empty();
    const wheel = (await host.services.get(repositories).byPath('ada', 'wheel'))!;
    const browser = await Browser.signedIn(host, 'root');
    await browser.go('/-/admin/repos');
    const sent = await browser.submit('/-/admin/repos', { id: String(wheel.id) });
    expect(sent.statusCode).to.be.above(400);
    expect((await asRoot.inject('/api/v1/users/ada/activities/feeds')).json).to.be.empty();
  });

  it('exempts accounts whose source asks for a second factor itself', async () => {
    const sources = host.services.get(loginSources);
    const source = await sources.create({ kind: 'book', name: 'Book', settings: {} });
    const hugo = signIn(host, await createAccount(host, 'hugo', { sourceId: source.id, loginName: 'hugo' }));
    const seen = async () => [
      (await hugo.inject('/api/v1/repos/ada/wheel')).statusCode,
      ((await hugo.inject('/api/v1/repos/search')).json.data as unknown[]).length,
    ];
    expect(await seen()).to.equal([404, 0]);
    await sources.update(source.id, { skipsSecondFactor: true });
    expect(await seen()).to.equal([200, 1]);
    // who comes in through another one has been asked by nobody
    const other = await sources.create({ kind: 'book', name: 'Other book', settings: {} });
    const begin = (sourceId: number) =>
      host.services
        .get(signInFlow)
        .begin(
          { headers: {}, cookies: {}, remoteAddress: '127.0.0.1' },
          { account: hugo.account, remember: false, redirectTo: '', by: 'test', sourceId },
        );
    expect((await begin(source.id)).cookies).to.have.length(1);
    for (const id of [other.id, 0]) await expect(begin(id)).to.reject(/sign in with Book/);
    await sources.update(source.id, { skipsSecondFactor: false });
    expect(await seen()).to.equal([404, 0]);
    // the plugin of the source is off: nobody has asked
    const data = host.services.get(database);
    const row = { skips_second_factor: true, kind: 'gone' };
    await data.write(() => data.knex()('login_source').where({ id: source.id }).update(row));
    expect(await seen()).to.equal([404, 0]);
  });

  it('takes nothing from people: what they have is there when they enrol', async () => {
    const access = host.services.get(repositoryAccess);
    const wheel = (await host.services.get(repositories).byPath('ada', 'wheel'))!;
    const eva = (await host.services.get(accounts).byName('eva'))!;
    expect((await access.contexts(signIn(host, eva).actor, [wheel])).get(wheel.id)?.mode).to.equal('none');
    expect((await access.rightsOf(eva, [wheel])).get(wheel.id)?.mode).to.equal('read');
  });

  it('administrators see who has a second factor, and take it from who lost it', async () => {
    const root = signIn(host, (await host.services.get(accounts).byName('root'))!);
    const logins = async (query: string) =>
      ((await root.inject(`/api/v1/admin/users?${query}`)).json as { login: string }[]).map(({ login }) => login);
    expect(await logins('is_2fa_enabled=true')).to.equal(['ada']);
    expect(await logins('is_2fa_enabled=false'))
      .to.include('root')
      .and.not.include('ada');
    expect(await logins('')).to.include(['root', 'ada']);
    const { id } = (await host.services.get(accounts).byName('ada'))!;
    const browser = await Browser.signedIn(host, 'root');
    expect((await browser.go(`/-/admin/users/${id}`)).payload).to.contain('Two-factor authentication is set up.');
    expect((await browser.submit(`/-/admin/users/${id}/two_factor/reset`)).statusCode).to.equal(303);
    expect(await host.services.get(secondFactors).has(id)).to.be.false();
    expect((await browser.go(`/-/admin/users/${id}`)).payload).to.contain('Two-factor authentication is not set up.');
    const plain = signIn(host, await createAccount(host, 'eve'));
    const refused = await plain.inject({ method: 'POST', url: `/-/admin/users/${id}/two_factor/reset` });
    expect(refused.statusCode).to.equal(403);
    expect((await host.inject({ url: '/api/v1/user', headers: { authorization: basic('ada') } })).statusCode).to.equal(
      200,
    );
    await enrol(await Browser.signedIn(host, 'eve'));
    await host.command('admin user reset-two-factor', { username: 'eve' });
    expect(await host.services.get(database).query(TotpRow)).to.be.empty();
    await expect(host.command('admin user reset-two-factor', { username: 'eve' })).to.reject(/no second factor/);
    await expect(host.command('admin user reset-two-factor', { username: 'none' })).to.reject(/does not exist/);
  });
});
