import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { kit } from './http-routes.js';

export const lab = Lab.script();
const { describe, it } = lab;
const form = { 'content-type': 'application/x-www-form-urlencoded' };

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

  it('takes null for what is not given', async () => {
    const body = '{"name":"a","private":null,"names":null,"more":{"x":null}}';
    expect((await post(body)).body.payload).to.equal({ name: 'a' });
    expect((await post('{"name":null}')).status).to.equal(422);
    expect((await post('{"name":"a","names":[null]}')).status).to.equal(422);
  });

  it('takes JSON, forms and unknown keys', async () => {
    expect((await post('{"name":"a","colour":"red","__proto__":{"x":1}}')).body.payload).to.equal({ name: 'a' });
    const nested = (depth: number) => `{"name":"a","more":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect((await post(nested(99))).status).to.equal(201);
    for (const depth of [100, 100_000]) expect((await post(nested(depth))).status, `${depth}`).to.equal(422);
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
