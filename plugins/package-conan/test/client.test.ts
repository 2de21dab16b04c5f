// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { readRecipe } from '../services/descriptions.js';
import { fits } from '../services/references.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('Conan', () => {
  let host: TestHost;
  let ada: KitUser;
  const at = '/api/packages/ada/conan';
  before(async () => {
    host = await startHost({ plugins: ['package-conan', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
  });
  after(() => host.close());
  const send = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, payload?: string | object) =>
    host.inject({
      method,
      url: at + path,
      payload,
      headers: {
        authorization: ada.authorization,
        ...(typeof payload === 'string' && { 'content-type': 'application/octet-stream' }),
      },
    });
  const json = async (path: string) => (await send('GET', path)).json;

  it('searches of Conan fit patterns with * and any case', () => {
    for (const [pattern, text, does] of [
      ['*', '', true],
      ['to*', 'tool', true],
      ['t?ol', 'tool', true],
      ['t?', 'tool', false],
      ['*/1.0', 'tool/1.0', true],
      ['*/1.0', 'tool/1.0@a/b', false],
      [`${'*a'.repeat(100)}b`, 'a'.repeat(5000), false],
    ] as const)
      expect(fits(pattern, text), `${pattern} ${text}`).to.equal(does);
  });

  it('reads recipes without running them', () => {
    const text =
      'class A(ConanFile):\n    license = ("MIT", "BSD")\n    author = \'Ada\'\n    topics = ("one", "two")\n    url = f(x)\n    description = """\n';
    expect(readRecipe(text)).to.equal({ license: 'MIT, BSD', author: 'Ada', topics: ['one', 'two'], description: '' });
  });

  it('deletes what one user and channel has, and nothing else', async () => {
    for (const who of ['_/_', 'ada/old'])
      for (const revision of ['r1', 'r2'])
        expect(
          (await send('PUT', `/v2/conans/tool/1.0/${who}/revisions/${revision}/files/conanfile.py`, '#')).statusCode,
        ).to.equal(201);
    const binary = '/v2/conans/tool/1.0/_/_/revisions/r2/packages';
    for (const id of ['p1', 'p2'])
      expect(
        (await send('PUT', `${binary}/${id}/revisions/b1/files/conaninfo.txt`, '[settings]\nos=Linux\n')).statusCode,
      ).to.equal(201);
    expect((await json('/v2/conans/tool/1.0/_/_/latest')).revision).to.equal('r2');
    expect(Object.keys(await json('/v2/conans/tool/1.0/_/_/search'))).to.equal(['p1', 'p2']);
    expect(
      (await send('POST', '/v1/conans/tool/1.0/_/_/packages/delete', { package_ids: ['p1'] })).statusCode,
    ).to.equal(200);
    expect(Object.keys(await json('/v2/conans/tool/1.0/_/_/search'))).to.equal(['p2']);
    expect((await send('DELETE', binary)).statusCode).to.equal(200);
    expect(await json('/v2/conans/tool/1.0/_/_/search')).to.equal({});
    expect((await send('DELETE', '/v2/conans/tool/1.0/_/_')).statusCode).to.equal(200);
    expect((await json('/v2/conans/search?q=TOOL')).results).to.equal(['tool/1.0@ada/old']);
    expect((await json('/v2/conans/search?q=TOOL&ignorecase=False')).results).to.equal([]);
    expect((await send('DELETE', '/v1/conans/tool/1.0/ada/old')).statusCode).to.equal(200);
    expect((await send('GET', '/v1/conans/tool/1.0/ada/old')).statusCode).to.equal(404);
  });
});
