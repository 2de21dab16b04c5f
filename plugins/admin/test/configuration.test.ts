import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestClient, TestHost } from '@mortise/plugin-sdk/testing';
import { startAdmin } from './user-fixtures.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the configuration, for administrators', () => {
  let host: TestHost;
  let root: TestClient;
  let ada: TestClient;
  const url = '/-/admin/configuration';

  before(async () => {
    const settings = { DEFAULT: { APP_NAME: 'Joinery' }, redis: { PREFIX: 'joint:' }, metrics: { TOKEN: 'hushhush' } };
    ({ host, root, ada } = await startAdmin({ settings }));
  });
  after(() => host.close());

  it('shows what holds and where it comes from, and no secrets', async () => {
    const { payload } = await root.inject(url);
    expect(payload).to.match(/APP_NAME<.*?<code[^>]*>Joinery<.*?Command line/s);
    expect(payload).to.match(/HTTP_PORT<.*?Default|Command line/s);
    expect(payload).to.match(/SECRET_KEY<.*?Set \(hidden\)/s);
    expect(payload).not.to.include('hushhush');
    expect(payload).not.to.match(/[0-9a-f]{64}/);
    expect((await ada.inject(url)).statusCode).to.equal(403);
    expect((await host.inject(url)).statusCode).to.be.within(302, 403);
  });

  it('is searched by words, and for what was changed', async () => {
    const found = (await root.inject(`${url}?q=redis+prefix`)).payload;
    expect(found).to.include(['PREFIX', 'joint:']);
    expect(found).not.to.include('HTTP_PORT');
    const changed = (await root.inject(`${url}?changed=1`)).payload;
    expect(changed).to.include(['APP_NAME', 'joint:']);
    expect(changed).not.to.include('ENABLE_GZIP');
    expect((await root.inject(`${url}?q=nosuchsetting`)).payload).to.include('No matching settings');
  });

  it('speaks the language of its visitor', async () => {
    const german = await root.inject({ url, headers: { 'accept-language': 'de' } });
    expect(german.payload).to.include(['Konfiguration', 'Gesetzt (verborgen)']);
  });
});
