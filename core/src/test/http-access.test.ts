import { Agent, get } from 'node:http';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineResource, defineRoute, type AuthConnection, type AuthMethod, type Route } from '@mortise/plugin-sdk';
import { as, headerAuth, httpKit } from './http-kit.js';
import { kit } from './http-routes.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('http: who may do what', () => {
  it('GEN-11: refuses the anonymous where sign-in is needed', async () => {
    const { inject } = await kit();
    const answer = await inject({ url: '/api/v1/mine' });
    expect(answer.statusCode).to.equal(401);
    expect(JSON.parse(answer.payload)).to.equal({
      message: 'token is required',
      url: 'http://code.example/api/swagger',
    });
  });

  it('refuses wrong credentials everywhere, with the headers of the method', async () => {
    const { inject } = await kit();
    for (const url of ['/api/v1/open', '/api/v1/mine', '/api/v1/version']) {
      const answer = await inject({ url, headers: { authorization: 'refused' } });
      expect(answer.statusCode).to.equal(401);
      expect(answer.headers.warning).to.equal('299 - "old"');
    }
  });

  it('lets only administrators to their operations', async () => {
    const { inject } = await kit();
    expect((await inject({ url: '/api/v1/admin/all', headers: as() })).statusCode).to.equal(403);
    expect((await inject({ url: '/api/v1/admin/all', headers: as({ isAdmin: true }) })).statusCode).to.equal(200);
  });

  it('TOK-14: checks the scopes by method and names them', async () => {
    const { inject } = await kit();
    expect((await inject({ url: '/api/v1/mine', headers: as({ scopes: { user: 'read' } }) })).statusCode).to.equal(200);
    const refused = await inject({
      method: 'POST',
      url: '/api/v1/mine',
      headers: as({ scopes: { user: 'write', repository: 'read' } }),
    });
    expect(refused.statusCode).to.equal(403);
    expect(JSON.parse(refused.payload).message).to.contain(['write:repository', 'read:repository']);
    expect(
      (
        await inject({
          method: 'POST',
          url: '/api/v1/mine',
          headers: as({ scopes: { user: 'write', repository: 'delete' } }),
        })
      ).statusCode,
    ).to.equal(201);
    expect(
      (await inject({ method: 'POST', url: '/api/v1/mine', headers: as({ publicOnly: true }) })).statusCode,
    ).to.equal(403);
  });

  it('resolves subjects and follows renames', async () => {
    const { inject } = await kit();
    expect((await inject({ url: '/api/v1/things/new' })).payload).to.equal('{"name":"new"}');
    expect((await inject({ url: '/api/v1/things/none' })).statusCode).to.equal(404);
    const moved = await inject({ url: '/api/v1/things/old' });
    expect([moved.statusCode, moved.headers.location]).to.equal([301, '/api/v1/things/new']);
  });

  it('GEN-12: REQUIRE_SIGNIN_VIEW closes everything', async () => {
    const { inject } = await kit({ settings: { service: { REQUIRE_SIGNIN_VIEW: 'true' } } });
    const api = await inject({ url: '/api/v1/open' });
    expect([api.statusCode, JSON.parse(api.payload).message]).to.equal([
      403,
      'Only signed in user is allowed to call APIs.',
    ]);
    const page = await inject({ url: '/page?a=1' });
    expect([page.statusCode, page.headers.location]).to.equal([303, '/user/login?redirect_to=%2Fpage%3Fa%3D1']);
    expect((await inject({ url: '/api/healthz' })).statusCode).to.equal(200);
  });

  it('GEN-13: REQUIRE_SIGNIN_VIEW = expensive closes costly pages only', async () => {
    const { inject } = await kit({ settings: { service: { REQUIRE_SIGNIN_VIEW: 'expensive' } } });
    expect((await inject({ url: '/page' })).statusCode).to.equal(200);
    for (const url of ['/costly', '/costly-file']) {
      expect((await inject({ url })).statusCode).to.equal(303);
      expect((await inject({ url, headers: as() })).statusCode).to.equal(200);
    }
  });

  it('does not load routes without access, nor two for one address', async () => {
    await expect(httpKit({ routes: [{ method: 'GET', path: '/x', handler: () => 1 } as unknown as Route] })).to.reject(
      /GET \/x of fixture does not say who may use it/,
    );
    const twice = ['{a}', '{b}'].map((name) =>
      defineRoute({ method: 'GET', path: `/x/${name}`, access: { actor: 'anyone' }, handler: () => 1 }),
    );
    await expect(httpKit({ routes: twice })).to.reject(/declares the route GET \/x\/\{b\} twice/);
  });

  it('does not load routes with words that nothing reads, such as those of an earlier SDK', async () => {
    const secret = defineResource('fixture.secret');
    const cases: [access: object, said: RegExp][] = [
      [{ subject: secret }, /has access\.subject, which nothing reads; it is called access\.resource now/],
      [{ resorce: secret }, /has access\.resorce, which nothing reads/],
      [{ resource: undefined }, /has no resource in access\.resource/],
      [{ resource: 'fixture.secret' }, /has no resource in access\.resource/],
      [{ mode: 'admin' }, /has a unit or mode in its access and no resource/],
      [{ resource: secret, mode: 'Admin' }, /has an unknown mode in its access: Admin/],
      [{ level: 'none' }, /has an unknown level in its access: none/],
      [{ scope: 'repo' }, /has an unknown scope in its access: repo/],
    ];
    const open = { method: 'GET', path: '/x', handler: () => 1 };
    for (const [access, said] of cases)
      await expect(
        httpKit({ routes: [{ ...open, access: { actor: 'anyone', ...access } } as unknown as Route] }),
      ).to.reject(said);
    await expect(
      httpKit({ routes: [{ ...open, access: { actor: 'anyone' }, answers: {} } as unknown as Route] }),
    ).to.reject(/has answers, which nothing reads; it is called responses now/);
  });

  it('shows why credentials are refused on a page, where signing in would be refused as well', async () => {
    const gate: AuthMethod = {
      key: 'gate',
      authenticate: ({ headers }) => (headers['x-gate'] ? { refuse: `nobody knows ${headers['x-gate']}` } : undefined),
    };
    const { inject } = await kit({ contributions: { 'core.authMethods': [gate] } });
    for (const url of ['/page', '/costly', '/user/login', '/']) {
      const answer = await inject({ url, headers: { 'x-gate': 'eve', accept: 'text/html' } });
      expect([answer.statusCode, answer.headers.location], url).to.equal([401, undefined]);
      expect(answer.payload).to.contain('nobody knows eve');
    }
    const api = await inject({ url: '/api/v1/open', headers: { 'x-gate': 'eve' } });
    expect([api.statusCode, JSON.parse(api.payload).message]).to.equal([401, 'nobody knows eve']);
  });

  it('asks methods on their surfaces only, and offers what they say there', async () => {
    const knock: AuthMethod = {
      key: 'knock',
      surfaces: ['page', 'protocol'],
      challenge: ({ surface, path }) => (surface === 'page' && path !== '/costly' ? 'Knock' : undefined),
      authenticate: ({ headers }) => (headers['x-knock'] ? { refuse: 'nobody there' } : undefined),
    };
    const { inject } = await kit({
      settings: { service: { REQUIRE_SIGNIN_VIEW: 'true' } },
      contributions: { 'core.authMethods': [knock] },
    });
    const headers = { accept: 'text/html' };
    const page = await inject({ url: '/page?a=1', headers });
    expect([page.statusCode, page.headers['www-authenticate']]).to.equal([401, 'Knock']);
    expect(page.payload).to.contain('/user/login?redirect_to=%2Fpage%3Fa%3D1');
    expect((await inject({ url: '/costly', headers })).statusCode).to.equal(303);
    expect((await inject({ url: '/page', headers: { 'x-knock': '1' } })).statusCode).to.equal(401);
    const api = await inject({ url: '/api/v1/version', headers: { 'x-knock': '1' } });
    expect(api.payload).not.to.contain('nobody there');
  });

  it('takes categories of scopes that plugins add', async () => {
    const board = defineRoute({
      method: 'GET',
      path: '/api/v1/board',
      access: { actor: 'user', scope: 'board' },
      handler: () => ({}),
    });
    await expect(httpKit({ routes: [board] })).to.reject(/unknown scope in its access: board/);
    const { inject } = await httpKit({
      routes: [board],
      contributions: {
        'core.authMethods': [headerAuth],
        'core.tokenCategories': [{ key: 'board', label: 'Boards', note: 'Boards.' }],
      },
    });
    const statusWith = async (scopes: Record<string, 'read' | 'write'>) =>
      (await inject({ url: '/api/v1/board', headers: as({ scopes }) })).statusCode;
    expect([await statusWith({ board: 'read' }), await statusWith({ user: 'write' })]).to.equal([200, 403]);
  });

  it('tells auth methods of the connection, whatever headers claim', async () => {
    const seen: AuthConnection[] = [];
    const method: AuthMethod = { key: 'spy', authenticate: ({ connection }) => void seen.push(connection) };
    const { listen, stop } = await kit({
      contributions: { 'core.authMethods': [method] },
      settings: { security: { REVERSE_PROXY_TRUSTED_PROXIES: '10.0.0.0/8' } },
    });
    const address = await listen();
    try {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let count = 0; count < 2; count++)
        await new Promise<void>((resolve, reject) =>
          get(`${address}/api/v1/open`, { agent, headers: { 'x-forwarded-for': '10.1.2.3' } }, (response) =>
            response.resume().once('end', resolve),
          ).once('error', reject),
        );
      agent.destroy();
      const [one, two] = seen;
      expect([one!.peerAddress, one!.isTrustedProxy, one!.isEncrypted, one!.clientCertificate]).to.equal([
        '127.0.0.1',
        false,
        false,
        undefined,
      ]);
      expect(one!.peerPort).to.be.above(0);
      expect(one!.key === two!.key).to.be.true();
    } finally {
      await stop();
    }
  });

  it('lets no plugin take the place of a route of the kernel', async () => {
    const version = defineRoute({
      method: 'GET',
      path: '/api/v1/version',
      access: { actor: 'anyone' },
      handler: () => ({ version: '99' }),
    });
    await expect(httpKit({ routes: [version] })).to.reject(
      /the route GET \/api\/v1\/version is the kernel's own; the plugin fixture cannot replace it/,
    );
  });
});

describe('http: addresses and methods', () => {
  it('answers unknown addresses with 404 in the right shape', async () => {
    const { inject } = await kit();
    for (const url of ['/api/v1/none', '/api/v2/version', '/api/v1', '/api/a/b/c']) {
      const answer = await inject({ url });
      expect([answer.statusCode, answer.headers['content-type']]).to.equal([404, 'application/json; charset=utf-8']);
    }
    const page = await inject({ url: '/none/at/all' });
    expect([page.statusCode, page.headers['content-type']]).to.equal([404, 'text/html; charset=utf-8']);
    expect((await inject({ method: 'HEAD', url: '/api/v1/none' })).statusCode).to.equal(404);
  });

  it('answers 405 with Allow where other methods exist', async () => {
    const { inject } = await kit();
    const answer = await inject({ method: 'POST', url: '/api/v1/version' });
    expect([answer.statusCode, answer.headers.allow]).to.equal([405, 'GET, HEAD']);
    expect((await inject({ method: 'HEAD', url: '/api/v1/records' })).statusCode).to.equal(405);
    const options = await inject({ method: 'OPTIONS', url: '/api/v1/mine' });
    expect([options.statusCode, options.headers.allow]).to.equal([204, 'GET, HEAD, POST, OPTIONS']);
  });

  it('GEN-04: answers HEAD like GET', async () => {
    const { inject } = await kit();
    const get = await inject({ url: '/api/v1/version' });
    const head = await inject({ method: 'HEAD', url: '/api/v1/version' });
    expect(head.statusCode).to.equal(200);
    expect(head.payload).to.equal('');
    expect(head.headers['content-type']).to.equal(get.headers['content-type']);
  });

  it('an escaped slash stays within its segment, and a slash at the end of a path counts for nothing', async () => {
    const { inject } = await kit();
    expect(JSON.parse((await inject({ url: '/api/v1/one/a%2Fb' })).payload)).to.equal({ name: 'a/b' });
    expect(JSON.parse((await inject({ url: '/api/v1/files/a/b%20c' })).payload)).to.equal({ filepath: 'a/b c' });
    expect((await inject({ url: '/api/v1/version/' })).statusCode).to.equal(200);
  });

  it('never fails on odd addresses, and W: says once what is wrong with them', async () => {
    const { inject } = await kit();
    for (const url of [
      '/api/v1/one/%00',
      '/api/v1/one/%ff',
      '/api/v1/one/%zz',
      '/%ff',
      '/%00',
      '/a/%e0%80',
      '/%2e%2e/x',
      '/api/v1/open?x=%ff&%00=1',
      '//',
      '/?%',
    ]) {
      expect((await inject({ url })).statusCode, url).to.be.below(500);
    }
    const page = await inject({ url: '/%ff', headers: { accept: 'text/html' } });
    expect(page.payload.match(/Bad request/gi)).to.have.length(1);
    expect(page.payload).to.contain('The address or the request is malformed.');
    const bad = await inject({ url: '/api/v1/one/%ff' });
    expect([bad.statusCode, JSON.parse(bad.payload).url]).to.equal([400, 'http://code.example/api/swagger']);
  });

  it('a site below a sub-path answers there and nowhere else', async () => {
    const { inject } = await kit({ rootUrl: 'http://code.example/git' });
    expect((await inject({ url: '/git/api/v1/version' })).statusCode).to.equal(200);
    expect((await inject({ url: '/git' })).statusCode).to.equal(200);
    expect((await inject({ url: '/git/private?x=1' })).headers.location).to.equal(
      '/git/user/login?redirect_to=%2Fgit%2Fprivate%3Fx%3D1',
    );
    expect((await inject({ url: '/git/api/v1/list' })).headers.link).to.contain(
      '<http://code.example/git/api/v1/list?page=2>',
    );
  });
});
