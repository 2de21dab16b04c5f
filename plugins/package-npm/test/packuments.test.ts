import { gunzipSync, gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, jobs } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { renewDocuments } from '../jobs/renew-documents.js';
import { DocumentRow } from '../models/document.js';
import { publishBody } from './publish-body.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const shortType = 'application/vnd.npm.install-v1+json';
const at = '/api/packages/ada/npm';

describe('documents of packages (PKG-13)', { timeout: 60_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({ plugins: ['package-npm', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada');
  });
  after(() => host.close());

  const send = (method: string, path: string, payload?: object | string) =>
    host.inject({
      method: method as 'GET',
      url: at + path,
      payload,
      headers: { authorization: ada.authorization, 'content-type': 'application/json' },
    });
  const done = async (...request: Parameters<typeof send>) => {
    const answer = await send(...request);
    expect(answer.statusCode, answer.payload).to.be.within(200, 201);
  };
  const publish = (version: string, tag = 'latest') =>
    done(
      'PUT',
      '/@kit%2fhello',
      publishBody(version, (body) => (body['dist-tags'] = { [tag]: version })),
    );
  const read = (headers: Record<string, string> = {}) => host.inject({ url: `${at}/@kit%2fhello`, headers });
  const packument = async (accept = 'application/json') => (await read({ accept })).json;
  const nightly = async () => {
    await host.services.get(jobs).enqueue(renewDocuments, {});
    await host.settle();
  };
  const rows = () => host.services.get(database).query(DocumentRow);
  const change = (what: Partial<Pick<DocumentRow, 'whole' | 'whole_tag' | 'built'>>) =>
    host.services.get(database).write(() => rows().patch(what));

  it('are kept packed, and sent as they are kept, with a tag', async () => {
    for (const version of ['1.0.0', '1.1.0']) await publish(version);
    for (const accept of ['application/json', shortType]) {
      const plain = await read({ accept });
      const packed = await read({ accept, 'accept-encoding': 'gzip, br' });
      expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).to.equal([undefined, 'gzip']);
      expect(gunzipSync(packed.rawPayload).toString()).to.equal(plain.payload);
      expect(Object.keys(plain.json.versions)).to.equal(['1.0.0', '1.1.0']);
      expect(packed.headers.vary).to.equal('accept, accept-encoding, authorization');
      for (const [answer, encoding] of [
        [plain, 'identity'],
        [packed, 'gzip'],
      ] as const) {
        const tag = String(answer.headers.etag);
        const again = await read({ accept, 'accept-encoding': encoding, 'if-none-match': tag });
        expect([again.statusCode, again.payload]).to.equal([304, '']);
      }
      expect(
        (await read({ accept, 'accept-encoding': 'gzip;q=0, identity' })).headers['content-encoding'],
      ).to.not.equal('gzip');
    }
  });

  it('have a change as soon as the client is answered', async () => {
    await publish('2.0.0-rc.1', 'next');
    expect((await packument(shortType))['dist-tags']).to.equal({ latest: '1.1.0', next: '2.0.0-rc.1' });
    await done('PUT', '/-/package/@kit%2fhello/dist-tags/beta', '"1.0.0"');
    expect((await packument())['dist-tags'].beta).to.equal('1.0.0');
    await done('DELETE', '/-/package/@kit%2fhello/dist-tags/beta');
    expect((await packument())['dist-tags'].beta).to.be.undefined();
    await done('PUT', '/@kit%2fhello', { versions: { '1.0.0': { deprecated: 'too old' } } });
    expect((await packument(shortType)).versions['1.0.0'].deprecated).to.equal('too old');
    await done('PUT', '/@kit%2fhello', { users: { ada: true } });
    expect((await packument()).users).to.equal({ ada: true });
    const before = await packument();
    expect(before._rev).to.match(/^3-[0-9a-f]{32}$/);
    expect(before.time).to.include(['created', 'modified', '1.0.0', '2.0.0-rc.1']);
    expect(before.maintainers[0].name).to.equal('ada');
    await host.inject({
      method: 'DELETE',
      url: '/api/v1/packages/ada/npm/@kit%2fhello/1.1.0',
      headers: { authorization: ada.authorization },
    });
    // what is left of a package keeps a latest version
    expect((await packument())['dist-tags']).to.equal({ latest: '1.0.0', next: '2.0.0-rc.1' });
    expect(Object.keys((await packument(shortType)).versions)).to.equal(['1.0.0', '2.0.0-rc.1']);
  });

  it('are not made from the versions when somebody reads', async () => {
    const kept = gzipSync('{"kept":true}');
    await change({ whole: kept, whole_tag: 'another' });
    expect(await packument()).to.equal({ kept: true });
    await publish('3.0.0');
    expect((await packument())['dist-tags'].latest).to.equal('3.0.0');
  });

  it('are made for readers where a killed process left old ones, and kept again by the nightly job', async () => {
    await change({ whole: gzipSync('{"old":true}'), built: 0 });
    expect(Object.keys((await packument()).versions)).to.equal(['1.0.0', '2.0.0-rc.1', '3.0.0']);
    expect((await rows().first())!.built).to.equal(0);
    await nightly();
    const row = (await rows().first())!;
    expect(row.built).to.equal(row.revision);
    expect(JSON.parse(gunzipSync(row.whole!).toString())).to.include({ name: '@kit/hello' });
  });

  it('tell the new address and name of an owner who was renamed', async () => {
    const accountsOf = host.services.get(accounts);
    await accountsOf.rename((await accountsOf.byName('ada'))!.id, 'lovelace');
    const renamed = async () =>
      (await host.inject({ url: '/api/packages/lovelace/npm/@kit%2fhello', headers: { accept: 'application/json' } }))
        .json;
    for (const renew of [false, true]) {
      if (renew) await nightly();
      const { versions, maintainers } = await renamed();
      expect(versions['3.0.0'].dist.tarball).to.contain('/api/packages/lovelace/npm/');
      expect(maintainers[0].name).to.equal('lovelace');
    }
  });

  it('cached packuments go with the package', async () => {
    const authorization = `Basic ${Buffer.from(`lovelace:${ada.password}`).toString('base64')}`;
    const url = '/api/packages/lovelace/npm/@kit%2fhello';
    expect(
      (await host.inject({ method: 'DELETE', url: `${url}/-rev/1`, headers: { authorization } })).statusCode,
    ).to.equal(200);
    expect(await rows().resultSize()).to.equal(0);
    expect((await host.inject({ url })).statusCode).to.equal(404);
  });
});
