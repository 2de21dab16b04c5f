import { request as rawRequest } from 'node:http';
import { Readable } from 'node:stream';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import {
  Conflict,
  defineRoute,
  defineSubject,
  Forbidden,
  Joi,
  NotFound,
  Problem,
  reply,
  webPage,
  type Route,
  type SubjectResolver,
  type UploadedFile,
} from '@mortise/plugin-sdk';
import { h } from 'preact';
import { until } from './data-kit.js';
import { as, headerAuth, httpKit, type KitOptions } from './http-kit.js';

export const lab = Lab.script();
const { describe, it } = lab;

const thing = defineSubject<{ name: string }>('fixture.thing');
const things: SubjectResolver = {
  key: 'fixture.thing',
  resolve: async ({ params }) => {
    if (params.thing === 'old') return reply.redirect('/api/v1/things/new', 301);
    if (params.thing !== 'new') throw NotFound('thing');
    return { name: 'new' };
  },
};

const routes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/v1/open',
    access: { actor: 'anyone' },
    handler: ({ actor }) => ({ name: actor.name }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/mine',
    access: { actor: 'user', scope: 'user' },
    handler: ({ actor }) => ({ name: actor.name }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/v1/mine',
    access: { actor: 'user', scope: ['user', 'repository'], noPublicOnly: true },
    handler: () => reply.created({}),
  }),
  defineRoute({ method: 'GET', path: '/api/v1/admin/all', access: { actor: 'admin' }, handler: () => [] }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/things/{thing}',
    access: { actor: 'anyone', subject: thing },
    handler: ({ subject }) => subject,
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/files/{filepath*}',
    access: { actor: 'anyone' },
    handler: ({ params }) => params,
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/one/{name}',
    access: { actor: 'anyone' },
    handler: ({ params }) => params,
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/numbers/{id}',
    access: { actor: 'anyone' },
    request: { params: Joi.object({ id: Joi.number().integer().min(0) }) },
    handler: ({ params }) => params,
  }),
  defineRoute({
    method: 'POST',
    path: '/api/v1/records',
    access: { actor: 'anyone' },
    request: {
      payload: Joi.object({
        name: Joi.string().required(),
        private: Joi.boolean(),
        names: Joi.array().items(Joi.string()),
      }),
      query: Joi.object({ deep: Joi.boolean() }),
    },
    handler: ({ payload, query }) => reply.created({ payload, query }),
  }),
  defineRoute({ method: 'PUT', path: '/api/v1/bodiless', access: { actor: 'anyone' }, handler: () => undefined }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/list',
    access: { actor: 'anyone' },
    handler: ({ page }) => reply.list([page], 120, true),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/tagged',
    access: { actor: 'anyone' },
    handler: () => reply.json({ a: 1 }).tag('abc', true),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/fault',
    access: { actor: 'anyone' },
    handler: () => {
      throw new Error('secret detail');
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/conflict',
    access: { actor: 'anyone' },
    handler: () => {
      throw Conflict('taken', { fields: { invalidTopics: ['a'] } });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/page',
    access: { actor: 'anyone' },
    handler: ({ csrf }) =>
      webPage({ title: 'A <page>', body: h('form', {}, h('input', { name: '_csrf', value: csrf })) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/page',
    access: { actor: 'anyone' },
    request: { payload: Joi.object({ text: Joi.string() }) },
    handler: ({ payload }) => reply.json(payload),
  }),
  defineRoute({
    method: 'GET',
    path: '/private',
    access: { actor: 'user' },
    handler: () => webPage({ title: 'Private', body: h('p', {}, 'x') }),
  }),
  defineRoute({
    method: 'GET',
    path: '/costly',
    access: { actor: 'anyone', expensive: true },
    handler: () => webPage({ title: 'Costly', body: h('p', {}, 'x') }),
  }),
  defineRoute({
    method: 'GET',
    path: '/{owner}/{repo}',
    access: { actor: 'anyone' },
    handler: () => {
      throw NotFound('repository');
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/protocol/closed',
    surface: 'protocol',
    access: { actor: 'user' },
    handler: () => 'x',
  }),
  defineRoute({
    method: 'PUT',
    path: '/protocol/stream',
    surface: 'protocol',
    access: { actor: 'anyone' },
    payload: { as: 'stream', maxBytes: 10 },
    handler: async ({ payload }: { payload: Readable }) =>
      reply.text(Buffer.concat((await payload.toArray()) as Buffer[]).toString()),
  }),
  defineRoute({
    method: 'POST',
    path: '/protocol/upload',
    surface: 'protocol',
    access: { actor: 'anyone' },
    payload: { as: 'multipart' },
    handler: async ({ payload }: { payload: { file: UploadedFile; after: string } }) => ({
      after: payload.after,
      name: payload.file.fileName,
      size: payload.file.size,
      text: Buffer.concat((await payload.file.toArray()) as Buffer[]).toString(),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/protocol/bytes',
    surface: 'protocol',
    access: { actor: 'anyone' },
    handler: () => reply.bytes(Buffer.from('0123456789'), 'application/octet-stream'),
  }),
];

const kit = (options: KitOptions = {}) =>
  httpKit({ routes, contributions: { 'core.authMethods': [headerAuth], 'core.subjects': [things] }, ...options });
const form = { 'content-type': 'application/x-www-form-urlencoded' };

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
    expect((await inject({ url: '/costly' })).statusCode).to.equal(303);
    expect((await inject({ url: '/costly', headers: as() })).statusCode).to.equal(200);
  });

  it('does not load routes without access, nor two for one address', async () => {
    await expect(httpKit({ routes: [{ method: 'GET', path: '/x', handler: () => 1 } as unknown as Route] })).to.reject(
      /declares no access/,
    );
    const twice = ['{a}', '{b}'].map((name) =>
      defineRoute({ method: 'GET', path: `/x/${name}`, access: { actor: 'anyone' }, handler: () => 1 }),
    );
    await expect(httpKit({ routes: twice })).to.reject(/already answered/);
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

  it('reads escaped segments whole, and slashes at the end not at all', async () => {
    const { inject } = await kit();
    expect(JSON.parse((await inject({ url: '/api/v1/one/a%2Fb' })).payload)).to.equal({ name: 'a/b' });
    expect(JSON.parse((await inject({ url: '/api/v1/files/a/b%20c' })).payload)).to.equal({ filepath: 'a/b c' });
    expect((await inject({ url: '/api/v1/version/' })).statusCode).to.equal(200);
  });

  it('never fails on odd addresses', async () => {
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
    const bad = await inject({ url: '/api/v1/one/%ff' });
    expect([bad.statusCode, JSON.parse(bad.payload).url]).to.equal([400, 'http://code.example/api/swagger']);
  });

  it('serves below a sub-path', async () => {
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

describe('http: what is sent in', () => {
  const post = async (
    payload: string | undefined,
    headers: Record<string, string> = { 'content-type': 'application/json' },
    url = '/api/v1/records',
  ) => {
    const { inject } = await kit();
    const answer = await inject({ method: 'POST', url, payload, headers });
    return { status: answer.statusCode, body: JSON.parse(answer.payload) as { payload: unknown; query: unknown } };
  };

  it('ERR-20: answers 422 to bodies that do not fit', async () => {
    for (const body of [
      '{"name": [',
      '["a"]',
      '{"name":5}',
      '{"name":"a","private":"yes"}',
      '{"name":"a","names":"b"}',
      undefined,
      'null',
      '{"name":"a","name":{}}',
      `${'['.repeat(100_000)}`,
    ]) {
      expect((await post(body)).status, body?.slice(0, 30)).to.equal(422);
    }
    expect((await post('{"name":"a"}', {})).status).to.equal(422);
    expect((await post('{"name":"a"}', { 'content-type': 'text/plain' })).status).to.equal(422);
    expect((await post('{"name":"a"}', undefined, '/api/v1/records?deep=perhaps')).status).to.equal(422);
  });

  it('takes JSON, forms and unknown keys', async () => {
    expect((await post('{"name":"a","colour":"red","__proto__":{"x":1}}')).body.payload).to.equal({ name: 'a' });
    expect((await post('{"name":"a\\ud800\\u0041\\ud83d\\ude00"}')).body.payload).to.equal({ name: 'a\ufffdA😀' });
    expect((await post('{"name":"a"}', { 'content-type': 'application/json; charset=utf-8' })).status).to.equal(201);
    expect((await post('name=a+b&private=true&more=1', form)).body.payload).to.equal({ name: 'a b', private: true });
    expect((await post('{"name":"a"}', undefined, '/api/v1/records?deep=true&other=1')).body.query).to.equal({
      deep: true,
    });
  });

  it('ignores bodies that nobody reads', async () => {
    const { inject } = await kit();
    const answer = await inject({
      method: 'PUT',
      url: '/api/v1/bodiless',
      payload: 'nonsense',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.statusCode).to.equal(204);
  });

  it('answers 404 to path parameters of the wrong kind', async () => {
    const { inject } = await kit();
    for (const id of ['abc', '-1', '99999999999999999999'])
      expect((await inject({ url: `/api/v1/numbers/${id}` })).statusCode).to.equal(404);
  });

  it('bounds bodies and streams', async () => {
    const { inject } = await kit({ settings: { server: { MAX_JSON_BODY: 50 } } });
    const large = await inject({
      method: 'POST',
      url: '/api/v1/records',
      payload: JSON.stringify({ name: 'a'.repeat(100) }),
      headers: { 'content-type': 'application/json' },
    });
    expect(large.statusCode).to.equal(413);
    expect((await inject({ method: 'PUT', url: '/protocol/stream', payload: 'a'.repeat(11) })).statusCode).to.equal(
      413,
    );
    expect((await inject({ method: 'PUT', url: '/protocol/stream', payload: 'abc' })).payload).to.equal('abc');
  });

  it('gives files of multipart forms as streams, also before later fields', async () => {
    const { inject } = await kit();
    const payload = [
      '--b',
      'content-disposition: form-data; name="file"; filename="../a.txt"',
      'content-type: text/plain',
      '',
      'hello',
      '--b',
      'content-disposition: form-data; name="after"',
      '',
      'yes',
      '--b--',
      '',
    ].join('\r\n');
    const answer = await inject({
      method: 'POST',
      url: '/protocol/upload',
      payload,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect(JSON.parse(answer.payload)).to.equal({ after: 'yes', name: 'a.txt', size: 5, text: 'hello' });
    const broken = await inject({
      method: 'POST',
      url: '/protocol/upload',
      payload: payload.slice(0, 60),
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect(broken.statusCode).to.equal(400);
  });
});

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
    const room = await kit();
    const anyone = await room.inject({ url: '/api/v1/fault', headers: { 'x-request-id': 'request-0001' } });
    expect([anyone.statusCode, anyone.headers['x-request-id']]).to.equal([500, 'request-0001']);
    expect(anyone.payload).not.to.contain('secret');
    expect(room.lines.at(-1)).to.include({ level: 'error', message: 'secret detail' });
    expect(room.lines.at(-1)?.fields?.requestId).to.equal('request-0001');
    expect((await room.inject({ url: '/api/v1/fault', headers: as({ isAdmin: true }) })).payload).to.contain(
      'secret detail',
    );
  });

  it('adds fields to errors', async () => {
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

  it('serves ranges', async () => {
    const { inject } = await kit();
    const part = await inject({ url: '/protocol/bytes', headers: { range: 'bytes=2-4' } });
    expect([part.statusCode, part.payload, part.headers['content-range']]).to.equal([206, '234', 'bytes 2-4/10']);
    expect((await inject({ url: '/protocol/bytes', headers: { range: 'bytes=20-' } })).statusCode).to.equal(416);
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

  it('validates answers when told to', async () => {
    const bad = defineRoute({
      method: 'GET',
      path: '/api/v1/bad',
      access: { actor: 'anyone' },
      answers: { 200: Joi.object({ id: Joi.number().required() }) },
      handler: () => ({ id: 'x' }),
    });
    const { inject } = await kit({ routes: [bad], validateAnswers: true });
    const answer = await inject({ url: '/api/v1/bad' });
    expect(answer.statusCode).to.equal(500);
    expect(JSON.parse(answer.payload).message).to.contain('"id" must be a number');
  });

  it('answers the same over a socket as when injected', async () => {
    const room = await kit();
    const address = await room.listen();
    let finished = 0;
    room.server.events.on('response', () => void finished++);
    const own = ['date', 'connection', 'keep-alive', 'x-request-id', 'accept-ranges'];
    for (const [method, url] of [
      ['GET', '/api/v1/version'],
      ['HEAD', '/api/v1/version'],
      ['GET', '/api/v1/none'],
      ['GET', '/api/v1/list'],
      ['PUT', '/api/v1/bodiless'],
      ['GET', '/api/v1/tagged'],
    ] as const) {
      const injected = await room.inject({ method, url });
      const answer = await fetch(address + url, { method, headers: { 'accept-encoding': 'identity' } });
      expect([answer.status, await answer.text()], url).to.equal([injected.statusCode, injected.payload]);
      for (const [name, value] of Object.entries(injected.headers))
        if (!own.includes(name) && name !== 'set-cookie' && name !== 'vary')
          expect(answer.headers.get(name), `${url} ${name}`).to.equal(String(value));
    }
    await room.stop();
    expect(finished).to.be.above(7);
  });

  it('answers a refusal to clients that are still sending', async () => {
    const room = await kit();
    const address = await room.listen();
    // Closing while the client sends would show it a broken pipe instead of the answer, if it is unlucky.
    const headers = { 'content-type': 'application/json' };
    const refused = (size: number) =>
      fetch(`${address}/api/v1/mine`, { method: 'POST', headers, body: 'x'.repeat(size) });
    const small = await refused(1_000_000);
    expect([small.status, small.headers.get('connection')]).to.equal([401, 'keep-alive']);
    await room.stop();
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
    const room = await kit({ routes: [slow] });
    const address = await room.listen();
    const answer = fetch(`${address}/api/v1/slow`);
    const leaving = rawRequest(`${address}/api/v1/slow`);
    await until(() => releases.length === 1);
    leaving.on('error', () => {});
    leaving.end();
    await until(() => releases.length === 2);
    leaving.destroy();
    await until(() => aborted);
    const stopped = room.stop();
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

  it('escapes titles and shows errors as pages', async () => {
    const { inject } = await kit();
    expect((await inject({ url: '/page' })).payload).to.contain('A &lt;page');
    const missing = await inject({ url: '/some/repository' });
    expect(missing.statusCode).to.equal(404);
    expect(missing.payload).to.contain(['404', 'repository does not exist']);
  });
});

describe('problems', () => {
  it('are told apart from faults', () => {
    expect(Problem.is(Forbidden('x'))).to.be.true();
    expect(Problem.is(new Error('x'))).to.be.false();
  });
});
