import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineRoute, reply, type AuthMethod } from '@mortise/plugin-sdk';
import { headerAuth, httpKit, person } from './http-kit.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** A cookie, as browsers send it whichever page asks. */
const cookieAuth: AuthMethod = {
  key: 'fixture-cookie',
  ambient: true,
  authenticate: ({ cookies }) =>
    cookies.me ? { actor: person({ method: 'fixture-cookie', name: cookies.me }) } : undefined,
};
/** A method that acts through the cookie's, as `sudo` does. */
const throughCookie: AuthMethod = {
  key: 'fixture-through',
  order: -1,
  authenticate: ({ cookies, query }) =>
    query.as && cookies.me ? { actor: person({ method: 'fixture-cookie', name: query.as }) } : undefined,
};

let written = 0;
const routes = (['POST', 'PUT', 'PATCH', 'DELETE'] as const).flatMap((method) =>
  (['api', 'protocol', 'page'] as const).map((surface) =>
    defineRoute({
      method,
      path: surface === 'api' ? '/api/v1/things' : `/${surface}`,
      surface,
      access: { actor: 'anyone' },
      payload: { as: 'json' },
      handler: () => {
        written++;
        return {};
      },
    }),
  ),
);
const page = defineRoute({
  method: 'GET',
  path: '/page',
  access: { actor: 'anyone' },
  handler: ({ csrf }) => reply.text(csrf),
});
const kit = () =>
  httpKit({
    routes: [...routes, page],
    contributions: { 'core.authMethods': [throughCookie, headerAuth, cookieAuth] },
  });

/** What was once taken for a sign that no cookie acts. */
const disguises: [what: string, query: string, headers: Record<string, string>][] = [
  ['nothing else', '', {}],
  ['token= without a token', '?token=', {}],
  ['token=', '?token=abc', {}],
  ['access_token=', '?access_token=abc', {}],
  ['another name', '?as=eve', {}],
  ['Authorization that nobody understands', '', { authorization: 'Unknown abc' }],
  ['Authorization without anything', '', { authorization: ' ' }],
  ['Basic without a name', '', { authorization: 'Basic Og==' }],
];

describe('S6: forged requests are told by who acted', () => {
  for (const [what, query, more] of disguises) {
    it(`refuses what a cookie writes, with ${what}`, async () => {
      const { inject } = await kit();
      const csrf = (await inject({ url: '/page', headers: { cookie: 'me=ada' } })).payload;
      for (const { method, path, surface } of routes) {
        const post = async (headers: Record<string, string>) => {
          const before = written;
          const { statusCode } = await inject({
            method: method as 'POST',
            url: `${path}${query}`,
            payload: '{}',
            headers: { cookie: 'me=ada', 'content-type': 'application/json', ...more, ...headers },
          });
          expect(written - before, `${method} ${path}`).to.equal(statusCode === 200 ? 1 : 0);
          return statusCode;
        };
        const where = `${method} ${path} ${query}`;
        const foreigners: Record<string, string>[] = [
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'same-site' },
          { origin: 'https://evil.example' },
          { origin: 'null' },
        ];
        for (const foreign of foreigners) {
          expect(await post(foreign), where).to.equal(403);
          expect(await post({ ...foreign, 'x-csrf-token': csrf }), where).to.equal(403);
        }
        const own = { 'sec-fetch-site': 'same-origin' };
        expect(await post(own), `${where} without the token`).to.equal(surface === 'protocol' ? 200 : 403);
        expect(await post({ ...own, 'x-csrf-token': 'wrong' }), where).to.equal(surface === 'protocol' ? 200 : 403);
        // with the token of somebody else it is refused just as without one
        if (!query.includes('as=')) expect(await post({ ...own, 'x-csrf-token': csrf }), where).to.equal(200);
      }
    });
  }

  it('takes forms without a token from who names this site as their origin, and tells nothing more', async () => {
    const { inject } = await kit();
    const post = async (path: string, headers: Record<string, string>) => {
      const sent = { cookie: 'me=ada', 'content-type': 'application/json', ...headers };
      return (await inject({ method: 'POST', url: path, payload: '{}', headers: sent })).statusCode;
    };
    const own = { origin: 'http://code.example' };
    expect(await post('/page', own)).to.equal(200);
    expect(await post('/page', { ...own, 'x-csrf-token': 'wrong' })).to.equal(403);
    expect(await post('/api/v1/things', own)).to.equal(403);
    for (const site of ['same-origin', 'same-site', 'cross-site', 'none'])
      expect(await post('/page', { ...own, 'sec-fetch-site': site }), site).to.equal(403);
    for (const origin of ['https://code.example', 'http://code.example:8080', 'http://code.example.evil', 'null'])
      expect(await post('/page', { origin }), origin).to.equal(403);
    // the site by another name that it answers to
    expect(await post('/page', { origin: 'http://other.example', host: 'other.example' })).to.equal(403);
    expect(await post('/page', {})).to.equal(403);
  });

  it('leaves credentials alone that a client has to send', async () => {
    const { inject } = await kit();
    for (const { method, path, surface } of routes) {
      if (surface === 'page') continue;
      const sent = await inject({
        method: method as 'POST',
        url: path,
        payload: '{}',
        headers: {
          authorization: 'actor {"method":"fixture"}',
          cookie: 'me=ada',
          origin: 'https://elsewhere.example',
          'content-type': 'application/json',
        },
      });
      expect(sent.statusCode).to.equal(200);
    }
  });
});
