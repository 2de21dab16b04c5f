import { request } from 'node:http';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('addresses of registries', () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['packages', 'package-generic', 'package-npm', 'auth-basic'] });
    ada = await makeUser(host, 'ada');
    const put = await host.inject({
      method: 'PUT',
      url: '/api/packages/ada/generic/tool/1.0/tool.bin',
      headers: { authorization: ada.authorization, 'content-type': 'application/octet-stream' },
      payload: 'bytes',
    });
    expect(put.statusCode).to.equal(201);
  });
  after(() => host.close());

  it('may have slashes twice and at the end', async () => {
    for (const url of [
      '/api//packages/ada//generic/tool/1.0/tool.bin',
      '//api/packages/ada/generic///tool/1.0/tool.bin?a=//b',
      '/api/packages/ada/generic/tool/1.0/tool.bin/',
    ]) {
      const { statusCode, payload } = await host.inject(url);
      expect([statusCode, payload], url).to.equal([200, 'bytes']);
    }
  });

  it('name owners that are there; else they say so in plain words, whatever the format', async () => {
    for (const format of ['generic/tool/1.0/tool.bin', 'npm/tool', 'none/tool']) {
      const { statusCode, headers, payload } = await host.inject(`/api/packages/nobody/${format}`);
      expect(statusCode, format).to.equal(404);
      expect(headers['content-type'], format).to.contain('text/plain');
      expect(payload.trim(), format).to.equal('Not found.');
    }
  });

  it('are checked before a client that asks first sends its body', async () => {
    const base = await host.url();
    const ask = (name: string, authorization: string) =>
      new Promise<[number, boolean]>((resolve, reject) => {
        let told = false;
        const headers = { authorization, expect: '100-continue', 'content-length': '5' };
        const url = `${base}/api/packages/ada/generic/tool/${name}/tool.bin`;
        const asked = request(url, { method: 'PUT', headers }, (answer) => {
          answer.resume();
          resolve([answer.statusCode!, told]);
          asked.destroy();
        });
        asked.once('error', reject).once('continue', () => {
          told = true;
          asked.end('bytes');
        });
        asked.flushHeaders();
      });
    const wrong = `Basic ${Buffer.from('ada:wrong').toString('base64')}`;
    const ben = await makeUser(host, 'ben');
    for (const authorization of [wrong, ben.authorization])
      expect(await ask('2.0', authorization)).to.equal([401, false]);
    expect(await ask('2.0', ada.authorization)).to.equal([201, true]);
  });
});
