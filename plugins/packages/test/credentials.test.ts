import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const owners = ['open', 'limited', 'hidden'] as const;

describe('C6: credentials at package addresses', () => {
  let host: TestHost;
  const of: Partial<Record<(typeof owners)[number], KitUser>> = {};
  before(async () => {
    host = await startHost({
      plugins: ['packages', 'package-generic', 'package-nuget', 'package-container', 'auth-basic', 'auth-token'],
    });
    for (const [name, visibility] of [
      ['open', 'public'],
      ['limited', 'limited'],
      ['hidden', 'private'],
    ] as const) {
      const user = await makeUser(host, name, { visibility });
      of[name] = user;
      expect(await status(`/api/packages/${name}/generic/tool/1.0/tool.bin`, user.authorization, 'PUT')).to.equal(201);
    }
  });
  after(() => host.close());

  const ask = (url: string, authorization?: string, method = 'GET') =>
    host.inject({
      method: method as 'GET',
      url,
      headers: { 'content-type': 'application/octet-stream', ...(authorization !== undefined && { authorization }) },
      ...(method === 'GET' ? {} : { payload: 'bytes' }),
    });
  const status = async (...request: Parameters<typeof ask>) => (await ask(...request)).statusCode;
  const wrong = `Basic ${Buffer.from('open:wrong').toString('base64')}`;
  let tokens = 0;
  const tokenOf = async ({ name, authorization }: KitUser) => {
    const made = await host.inject({
      method: 'POST',
      url: `/api/v1/users/${name}/tokens`,
      payload: { name: `token ${++tokens}`, scopes: ['write:package'] },
      headers: { authorization },
    });
    return made.json.sha1 as string;
  };
  const addresses = [
    '/api/packages/open/generic/tool/1.0/tool.bin',
    '/api/packages/open/nuget/index.json',
    '/api/packages/open/NuGet/query',
    '/v2',
    '/v2/token',
    '/v2/_catalog',
    '/v2/open/image/tags/list',
  ];

  it('of accounts that may not sign in are answered as wrong ones are: 401', async () => {
    for (const [name, state] of [
      ['banned', { prohibitLogin: true }],
      ['inactive', { isActive: false }],
      ['renewing', { mustChangePassword: true }],
    ] as const) {
      const user = await makeUser(host, name);
      const token = await tokenOf(user);
      const exchanged = (await ask('/v2/token', user.authorization)).json.token as string;
      await host.services.get(accounts).update(user.id, state);
      for (const url of addresses) {
        const refused = await ask(url, wrong);
        expect(refused.statusCode, url).to.equal(401);
        const ways = [user.authorization, `Bearer ${token}`, `token ${token}`];
        for (const way of [...ways, ...(url.startsWith('/v2/open') ? [`Bearer ${exchanged}`] : [])]) {
          const answer = await ask(url, way);
          expect([answer.statusCode, answer.headers['content-type']], `${name} ${url} ${way}`).to.equal([
            401,
            refused.headers['content-type'],
          ]);
        }
      }
      expect(await status('/api/packages/open/generic/tool/1.0/other.bin', user.authorization, 'PUT')).to.equal(401);
      // elsewhere they hear the reason
      expect(await status('/api/v1/user', user.authorization)).to.equal(name === 'banned' ? 401 : 403);
    }
  });

  it('are refused where the header is empty, and not asked for where there is none', async () => {
    for (const url of addresses) expect(await status(url, ''), url).to.equal(401);
    expect(await status(addresses[0]!)).to.equal(200);
    expect(await status(`${addresses[0]!}?token=${await tokenOf(of.open!)}`, '')).to.equal(200);
    expect(await status('/api/v1/version', '')).to.equal(200);
  });

  it('let a restricted account read what limited accounts publish, but not limited organizations', async () => {
    const user = await makeUser(host, 'narrow');
    const all = host.services.get(accounts);
    await all.update(user.id, { isRestricted: true });
    const as = { open: 200, limited: 200, hidden: 401 };
    for (const name of owners)
      for (const way of [user.authorization, `Bearer ${await tokenOf(user)}`]) {
        const url = `/api/packages/${name}/generic/tool/1.0/tool.bin`;
        expect(await status(url, way), name).to.equal(as[name]);
        expect(await status(url, way, 'PUT'), name).to.equal(401);
      }
    expect(await status('/api/packages/limited/generic/tool/1.0/tool.bin')).to.equal(401);
    const about = { email: 'guild@example.com', kind: 'organization', visibility: 'limited' } as const;
    await all.create({ name: 'guild', ...about });
    expect(await status('/api/packages/guild/generic/tool/1.0/tool.bin', user.authorization)).to.equal(401);
    expect(await status('/api/packages/guild/generic/tool/1.0/tool.bin', of.open!.authorization)).to.equal(404);
  });

  it('are not asked for by what clients of NuGet read before they sign in, of whomever', async () => {
    for (const name of owners) {
      for (const path of ['', '/index.json', '/$metadata']) {
        expect(await status(`/api/packages/${name}/nuget${path}`), `${name} ${path}`).to.equal(200);
        expect(await status(`/api/packages/${name}/nuget${path}`, wrong), `${name} ${path}`).to.equal(401);
      }
      expect(await status(`/api/packages/${name}/nuget/query`)).to.equal(name === 'open' ? 200 : 401);
    }
    expect(await status('/api/packages/nobody/nuget/index.json')).to.equal(404);
  });
});
