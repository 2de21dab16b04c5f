// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { createHash } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { pub, upload } from './uploads.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What `dart pub` asks, in its order: the client is not packaged where this runs. */
describe('Pub', () => {
  let host: TestHost;
  let ada: KitUser;
  let token: string;
  const at = '/api/packages/ada/pub';
  before(async () => {
    host = await startHost({ plugins: ['package-pub', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    const made = await host.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      headers: { authorization: ada.authorization },
      payload: { name: 'pub', scopes: ['write:package'] },
    });
    token = made.json.sha1;
  });
  after(() => host.close());
  const media = 'application/vnd.pub.v2+json';
  const get = (url: string, isSigned = true) =>
    host.inject({ url, headers: { accept: media, ...(isSigned && { authorization: `Bearer ${token}` }) } });
  const publish = async (version: string) => {
    const where = await get(`${at}/api/packages/versions/new`);
    expect(where.headers['content-type']).to.contain(media);
    const { payload, headers } = upload(pub(version, 'dependencies:\n  path: ^1.8.0\n'));
    const sent = await host.inject({
      method: 'POST',
      url: new URL(where.json.url).pathname,
      payload,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    if (sent.statusCode !== 204) return sent;
    return get(new URL(sent.headers.location as string).pathname);
  };

  it('publishes in three steps', async () => {
    expect((await get(`${at}/api/packages/versions/new`, false)).statusCode).to.equal(401);
    for (const version of ['1.10.0', '1.9.0', '2.0.0-dev.1', '1.10.0+1']) {
      const done = await publish(version);
      expect(done.statusCode).to.equal(200);
      expect(done.json.success.message).to.contain(version);
    }
    const again = await publish('1.9.0');
    expect(again.statusCode).to.equal(409);
    expect(again.headers['content-type']).to.contain(media);
    expect(again.json.error).to.include({ code: 'Conflict' });
  });

  it('tells versions with the highest as the latest', async () => {
    expect((await get(`${at}/api/packages/kit_tool`, false)).statusCode).to.equal(401);
    const { latest, versions } = (await get(`${at}/api/packages/kit_tool`)).json;
    expect(latest.version).to.match(/^1\.10\.0/);
    expect(versions[0].version).to.equal('1.9.0');
    expect(versions.at(-1).version).to.equal('2.0.0-dev.1');
    expect(latest.pubspec.dependencies).to.equal({ path: '^1.8.0' });
    for (const one of versions) {
      const archive = await get(new URL(one.archive_url).pathname);
      expect(createHash('sha256').update(archive.rawPayload).digest('hex')).to.equal(one.archive_sha256);
    }
  });
});
