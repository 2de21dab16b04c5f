import { request as rawRequest } from 'node:http';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineRoute, Forbidden, Joi, PreparedJson, Problem } from '@mortise/plugin-sdk';
import { until } from './data-kit.js';
import { as } from './http-kit.js';
import { kit } from './http-routes.js';

export const lab = Lab.script();
const { describe, it } = lab;
const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('http: what goes out', () => {
  it('GEN-07, GEN-09: pages lists', async () => {
    const { inject } = await kit();
    const first = await inject({ url: '/api/v1/list?q=a%20b&token=x' });
    expect(JSON.parse(first.payload)).to.equal([{ page: 1, limit: 30, offset: 0 }]);
    expect(first.headers['x-total-count']).to.equal('120');
    expect(first.headers.link).to.equal(
      '<http://code.example/api/v1/list?q=a+b&page=2>; rel="next",<http://code.example/api/v1/list?q=a+b&page=4>; rel="last"',
    );
    expect(first.headers['x-hasmore']).to.equal('true');
    expect(first.headers['x-total']).to.be.undefined();
    expect(first.headers['access-control-expose-headers']).to.contain('X-Total-Count');
    const far = await inject({ url: '/api/v1/list?limit=1000&page=9' });
    expect(JSON.parse(far.payload)).to.equal([{ page: 9, limit: 50, offset: 400 }]);
    expect(far.headers.link).to.contain('rel="prev"').and.not.contain('rel="next"');
    for (const query of ['page=0', 'page=-1', 'page=x', 'limit=0', 'limit=x', 'page=1&page=2']) {
      expect(JSON.parse((await inject({ url: `/api/v1/list?${query}` })).payload)).to.equal([
        { page: 1, limit: 30, offset: 0 },
      ]);
    }
  });

  it('shows faults to administrators only, and logs them with the request id', async () => {
    const http = await kit();
    const anyone = await http.inject({ url: '/api/v1/fault', headers: { 'x-request-id': 'request-0001' } });
    expect([anyone.statusCode, anyone.headers['x-request-id']]).to.equal([500, 'request-0001']);
    expect(anyone.payload).not.to.contain('secret');
    expect(http.lines.at(-1)).to.include({ level: 'error', message: 'secret detail' });
    expect(http.lines.at(-1)?.fields?.requestId).to.equal('request-0001');
    expect((await http.inject({ url: '/api/v1/fault', headers: as({ isAdmin: true }) })).payload).to.contain(
      'secret detail',
    );
  });

  it('an error of the API carries the fields that its Problem has', async () => {
    const { inject } = await kit();
    const answer = await inject({ url: '/api/v1/conflict' });
    expect([answer.statusCode, JSON.parse(answer.payload).invalidTopics]).to.equal([409, ['a']]);
  });

  it('answers 304 to a known tag', async () => {
    const { inject } = await kit();
    const tag = String((await inject({ url: '/api/v1/tagged' })).headers.etag);
    const again = await inject({ url: '/api/v1/tagged', headers: { 'if-none-match': tag } });
    expect([tag, again.statusCode, again.payload]).to.equal(['W/"abc"', 304, '']);
  });

  it('serves the bytes that a Range header asks for', async () => {
    const { inject } = await kit();
    const part = await inject({ url: '/protocol/bytes', headers: { range: 'bytes=2-4' } });
    expect([part.statusCode, part.payload, part.headers['content-range']]).to.equal([206, '234', 'bytes 2-4/10']);
    expect((await inject({ url: '/protocol/bytes', headers: { range: 'bytes=20-' } })).statusCode).to.equal(416);
    const head = await inject({ method: 'HEAD', url: '/protocol/bytes', headers: { range: 'bytes=2-4' } });
    expect([head.statusCode, head.headers['content-length']]).to.equal([200, 10]);
  });

  it('challenges clients of protocols', async () => {
    const { inject } = await kit();
    const answer = await inject({ url: '/protocol/closed' });
    expect([answer.statusCode, answer.headers['www-authenticate']]).to.equal([401, 'Basic realm="fixture"']);
    expect((await inject({ url: '/api/v1/mine' })).headers['www-authenticate']).to.be.undefined();
  });

  it('says what other origins may do, when they may', async () => {
    const closed = await kit();
    const origin = { origin: 'https://app.example' };
    expect(
      (await closed.inject({ url: '/api/v1/open', headers: origin })).headers['access-control-allow-origin'],
    ).to.be.undefined();
    const open = await kit({
      settings: { cors: { ENABLED: true, ALLOW_DOMAIN: '*.example', ALLOW_CREDENTIALS: true } },
    });
    const answer = await open.inject({ url: '/api/v1/open', headers: origin });
    expect(answer.headers['access-control-allow-origin']).to.equal('https://app.example');
    const asked = await open.inject({
      method: 'OPTIONS',
      url: '/api/v1/mine',
      headers: { ...origin, 'access-control-request-method': 'POST' },
    });
    expect([asked.statusCode, asked.headers['access-control-max-age']]).to.equal([204, '600']);
    expect(
      (await open.inject({ url: '/api/v1/open', headers: { origin: 'https://evil.test' } })).headers[
        'access-control-allow-origin'
      ],
    ).to.be.undefined();
  });

  it('keeps answers as they are sent, short and long', async () => {
    for (const length of [10, 20_000]) {
      const value = { text: 'ü'.repeat(length) };
      const sealed = PreparedJson.serialized(value);
      expect(sealed.body.toString()).to.equal(JSON.stringify(value));
      expect(Buffer.isBuffer(sealed.body)).to.equal(length > 10_000);
      expect([sealed.text, sealed.value]).to.equal([JSON.stringify(value), value]);
    }
  });

  it('validates answers when told to', async () => {
    const bad = defineRoute({
      method: 'GET',
      path: '/api/v1/bad',
      access: { actor: 'anyone' },
      responses: { 200: Joi.object({ id: Joi.number().required() }) },
      handler: () => ({ id: 'x' }),
    });
    const { inject } = await kit({ routes: [bad], validateResponses: true });
    const answer = await inject({ url: '/api/v1/bad' });
    expect(answer.statusCode).to.equal(500);
    expect(JSON.parse(answer.payload).message).to.contain('"id" must be a number');
  });

  it('answers the same over a socket as when injected', async () => {
    const http = await kit();
    const address = await http.listen();
    let finished = 0;
    http.server.events.on('response', () => void finished++);
    const own = ['date', 'connection', 'keep-alive', 'x-request-id', 'set-cookie'];
    const named = (headers: Iterable<[string, unknown]>) =>
      [...headers]
        .filter(([name]) => !own.includes(name))
        .map(([name, value]) => `${name}: ${String(value)}`)
        .sort();
    for (const [method, url, range] of [
      ['GET', '/api/v1/version'],
      ['HEAD', '/api/v1/version'],
      ['GET', '/api/v1/none'],
      ['GET', '/api/v1/list'],
      ['PUT', '/api/v1/bodiless'],
      ['GET', '/api/v1/tagged'],
      ['GET', '/api/v1/long'],
      ['GET', '/api/v1/brief'],
      ['GET', '/protocol/bytes'],
      ['GET', '/protocol/bytes', 'bytes=2-4'],
    ] as const) {
      const headers = { 'accept-encoding': 'identity', ...(range && { range }) };
      const injected = await http.inject({ method, url, headers });
      const answer = await fetch(address + url, { method, headers });
      expect([answer.status, await answer.text()], url).to.equal([injected.statusCode, injected.payload]);
      expect(named(answer.headers), url).to.equal(named(Object.entries(injected.headers)));
    }
    await http.stop();
    expect(finished).to.be.above(7);
  });

  it('answers a refusal to clients that are still sending', async () => {
    const http = await kit();
    const address = await http.listen();
    // Closing while the client sends would show it a broken pipe instead of the answer, if it is unlucky.
    const headers = { 'content-type': 'application/json' };
    const refused = (size: number) =>
      fetch(`${address}/api/v1/mine`, { method: 'POST', headers, body: 'x'.repeat(size) });
    const small = await refused(1_000_000);
    expect([small.status, small.headers.get('connection')]).to.equal([401, 'keep-alive']);
    await http.stop();
  });

  it('drains open requests before it stops, and tells handlers who has left', async () => {
    let aborted = false;
    const releases: (() => void)[] = [];
    const slow = defineRoute({
      method: 'GET',
      path: '/api/v1/slow',
      access: { actor: 'anyone' },
      handler: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
          });
          releases.push(() => resolve({ done: true }));
        }),
    });
    const http = await kit({ routes: [slow] });
    const address = await http.listen();
    const answer = fetch(`${address}/api/v1/slow`);
    const leaving = rawRequest(`${address}/api/v1/slow`);
    await until(() => releases.length === 1);
    leaving.on('error', () => {});
    leaving.end();
    await until(() => releases.length === 2);
    leaving.destroy();
    await until(() => aborted);
    const stopped = http.stop();
    for (const release of releases) release();
    expect(await (await answer).json()).to.equal({ done: true });
    await stopped;
  });
});

describe('http: pages', () => {
  it('carries security headers', async () => {
    const { inject } = await kit();
    const { headers } = await inject({ url: '/page' });
    expect(headers['x-frame-options']).to.equal('SAMEORIGIN');
    expect(headers['x-content-type-options']).to.equal('nosniff');
    expect(headers['content-security-policy']).to.contain("script-src 'self'");
    expect(headers['referrer-policy']).to.equal('same-origin');
  });

  it('issue 30: sends cookies as [session] COOKIE_SECURE and SAME_SITE say', async () => {
    const sent = async (cookies: object, rootUrl = 'http://code.example') => {
      const { inject } = await kit({ rootUrl, settings: { cookies } });
      return String((await inject({ url: '/page' })).headers['set-cookie'])
        .split('; ')
        .slice(3);
    };
    expect(await sent({})).to.equal(['SameSite=Lax']);
    const https = 'https://code.example';
    expect(await sent({}, https)).to.equal(['Secure', 'SameSite=Lax']);
    expect(await sent({ COOKIE_SECURE: true, SAME_SITE: 'strict' })).to.equal(['Secure', 'SameSite=Strict']);
    expect(await sent({ COOKIE_SECURE: false, SAME_SITE: 'none' }, https)).to.equal(['SameSite=None']);
  });

  it('refuses forms without the token of the browser', async () => {
    const { inject } = await kit();
    const page = await inject({ url: '/page' });
    const token = /value="([\w-]+)"/.exec(page.payload)![1]!;
    const cookie = String(page.headers['set-cookie']).split(';')[0]!;
    const post = (payload: string, headers: Record<string, string>) =>
      inject({ method: 'POST', url: '/page', payload, headers: { ...form, ...headers } });
    expect((await post('text=a', { cookie })).statusCode).to.equal(403);
    expect((await post(`text=a&_csrf=${token}`, {})).statusCode).to.equal(403);
    expect((await post(`text=a&_csrf=${token}`, { cookie, origin: 'https://evil.test' })).statusCode).to.equal(403);
    expect((await post(`text=a&_csrf=${token}`, { cookie, 'sec-fetch-site': 'cross-site' })).statusCode).to.equal(403);
    const sent = await post(`text=a&_csrf=${token}`, { cookie, 'sec-fetch-site': 'same-origin' });
    expect([sent.statusCode, sent.payload]).to.equal([200, '{"text":"a"}']);
    expect((await post('text=a', { cookie, 'x-csrf-token': token })).statusCode).to.equal(200);
  });

  it('shows once more what was written in a form that it does not take', async () => {
    const { inject } = await kit();
    const payload = 'content=Words+of+an+%3Cb%3Ehour%3C%2Fb%3E&password=correct+horse+battery&sha=0123456789abcdef0123';
    const post = (url: string, headers: Record<string, string> = {}) =>
      inject({ method: 'POST', url, payload, headers: { ...form, host: 'here.test', ...headers } });
    const stale = await post('/page');
    expect(stale.statusCode).to.equal(403);
    expect(stale.payload).to.contain(['This form has expired', 'Words of an &lt;b>hour']);
    expect(stale.payload).not.to.contain(['horse', '0123456789abcdef']);
    const signedOut = await post('/private', { referer: 'http://here.test/private?a=1' });
    expect(signedOut.statusCode).to.equal(401);
    expect(signedOut.payload).to.contain(['Words of an &lt;b>hour', '/user/login?redirect_to=%2Fprivate%3Fa%3D1']);
    expect(signedOut.payload).not.to.contain('horse');
    const foreign = await post('/private', { 'sec-fetch-site': 'cross-site' });
    expect([foreign.statusCode, foreign.headers.location]).to.equal([303, '/user/login']);
  });

  it('escapes titles and shows errors as pages', async () => {
    const { inject } = await kit();
    expect((await inject({ url: '/page' })).payload).to.contain('A &lt;page');
    const missing = await inject({ url: '/some/repository' });
    expect(missing.statusCode).to.equal(404);
    expect(missing.payload).to.contain(['404', 'Page not found']);
  });
});

describe('problems', () => {
  it('are told apart from faults', () => {
    expect(Problem.is(Forbidden('x'))).to.be.true();
    expect(Problem.is(new Error('x'))).to.be.false();
  });
});
