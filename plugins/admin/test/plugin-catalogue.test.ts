import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestClient, TestHost } from '@mortise/plugin-sdk/testing';
import { startAdmin } from './user-fixtures.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issue 30: the page that finds plugins', () => {
  const url = '/-/admin/plugins/catalogue';
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    asked.push(request.url!);
    const description = '<img src=x onerror=alert(1)> & more';
    const one = { name: '@acme/mortise-plugin-shelf', version: '1.2.0', description, publisher: { username: 'acme' } };
    const isFull = request.url!.includes('shelf');
    response.statusCode = request.url!.includes('broken') ? 500 : 200;
    response.end(JSON.stringify({ objects: isFull ? [{ package: one }] : [] }));
  });
  let host: TestHost;
  let root: TestClient;
  let ada: TestClient;

  before(async () => {
    await new Promise<void>((resolve) => {
      registry.listen(0, '127.0.0.1', resolve);
    });
    const { port } = registry.address() as AddressInfo;
    const settings = { plugins: { CATALOGUE_URL: `http://127.0.0.1:${port}` } };
    ({ host, root, ada } = await startAdmin({ settings }));
  });
  after(async () => {
    await host.close();
    registry.close();
  });

  it('is linked, and asks nobody before somebody looks for words', async () => {
    expect((await root.inject('/-/admin/plugins')).payload).to.include(`href="${url}"`);
    const page = await root.inject(url);
    expect([page.statusCode, asked]).to.equal([200, []]);
    for (const path of [url, '/api/v1/admin/plugin-catalogue', '/api/v1/admin/plugin-catalogue/updates'])
      expect((await ada.inject(path)).statusCode, path).to.equal(403);
    expect(asked).to.equal([]);
  });

  it('shows what the registry says as text, and its faults', async () => {
    const found = (await root.inject(`${url}?q=shelf`)).payload;
    expect(found).to.include(['@acme/mortise-plugin-shelf', '1.2.0', '&lt;img src=x onerror=alert(1)> &amp; more']);
    expect(found).to.not.include('<img src=x');
    expect((await root.inject(`${url}?q=nothing`)).payload).to.include('No plugin was found.');
    const broken = await root.inject(`${url}?q=broken`);
    expect([broken.statusCode, broken.payload.includes('did not answer as a registry does: status 500')]).to.equal([
      200,
      true,
    ]);
    expect((await root.inject('/api/v1/admin/plugin-catalogue?q=broken')).statusCode).to.equal(503);
  });

  it('answers programs', async () => {
    const list = await root.inject('/api/v1/admin/plugin-catalogue?q=shelf');
    expect(JSON.parse(list.payload)).to.equal([
      {
        package: '@acme/mortise-plugin-shelf',
        version: '1.2.0',
        description: '<img src=x onerror=alert(1)> & more',
        publisher: 'acme',
        update: false,
        allowed: true,
      },
    ]);
    expect((await root.inject('/api/v1/admin/plugin-catalogue/updates')).payload).to.equal('[]');
  });

  it('is off where the setting names no registry', async () => {
    const { host: other, root: admin } = await startAdmin();
    expect((await admin.inject(url)).payload).to.include('[plugins] CATALOGUE_URL');
    expect((await admin.inject('/-/admin/plugins')).payload).to.not.include(url);
    expect((await admin.inject('/api/v1/admin/plugin-catalogue')).statusCode).to.equal(403);
    await other.close();
  });
});
