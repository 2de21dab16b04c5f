import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, parseSize, type Actor } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, type Account } from '@mortise/accounts/api';
import { packageStore, type PackageForm, type PackageStore } from '../api.js';
import { cleanUpPackages } from '../contract/packages.js';
import { readBody } from '../services/request-body.js';
import { RouteMatcher } from '../services/route-matcher.js';
import { jobs, storage } from '@mortise/plugin-sdk';
import { createAccount } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('sizes of settings', () => {
  it('reads plain, decimal and binary ones', () => {
    expect(parseSize('1000')).to.equal(1000);
    expect(parseSize('1 MB')).to.equal(1_000_000);
    expect(parseSize('1 GiB')).to.equal(1024 ** 3);
    expect(parseSize('1.5 KiB')).to.equal(1536);
    expect(parseSize('-1')).to.equal(-1);
    expect(parseSize('much')).to.equal(-1);
  });
});

describe('routes of registries', () => {
  const route = (method: 'GET' | 'PUT', path: string) => ({
    method,
    path,
    needs: 'read' as const,
    handler: () => path,
  });
  const matcher = new RouteMatcher([
    route('GET', '/-/ping'),
    route('GET', '/@{scope}/{name}'),
    route('GET', '/{pkg}'),
    route('GET', '/{module+}/@v/{version}.info'),
    route('PUT', '/upload'),
    route('GET', '/any/{rest*}'),
  ]);
  const params = (path: string): object | undefined => {
    const found = matcher.find('GET', path);
    return found && 'params' in found ? { path: found.route.path, ...found.params } : found;
  };

  it('keeps an encoded slash inside its segment', () => {
    expect(params('/@a%2fb')).to.equal({ path: '/{pkg}', pkg: '@a/b' });
    expect(params('/@a/b')).to.equal({ path: '/@{scope}/{name}', scope: 'a', name: 'b' });
  });
  it('takes several segments and text around a parameter', () => {
    expect(params('/example.com/a/b/@v/v1.0.0.info')).to.equal({
      path: '/{module+}/@v/{version}.info',
      module: 'example.com/a/b',
      version: 'v1.0.0',
    });
    expect(params('/any')).to.equal({ path: '/{pkg}', pkg: 'any' });
    expect(params('/any/x/y')).to.equal({ path: '/any/{rest*}', rest: 'x/y' });
  });
  it('answers HEAD for GET, and tells which methods there are', () => {
    expect(matcher.find('HEAD', '/-/ping')).to.include({ params: {} });
    expect(matcher.find('DELETE', '/-/ping')).to.equal({ allowed: ['GET', 'HEAD'] });
    expect(matcher.find('GET', '/x/y/z')).to.be.undefined();
    expect(matcher.find('GET', '/%zz')).to.be.undefined();
  });
});

describe('forms of registries', () => {
  const read = (text: string) => {
    const route = { method: 'POST', path: '/', needs: 'write', body: 'form', handler: () => '' } as const;
    const form = readBody(route, { stream: Readable.from([Buffer.from(text)]), headers: {} });
    return form.then((one) => (one as PackageForm).read());
  };
  it('have some fields, not hundreds of thousands', async () => {
    expect(await read('a=1&b=2&a=3')).to.equal(
      new Map([
        ['a', ['1', '3']],
        ['b', ['2']],
      ]),
    );
    await expect(read('a&'.repeat(1001))).to.reject(/at most 1000 fields/);
  });
});

describe('the store of packages', () => {
  let host: TestHost;
  let store: PackageStore;
  let ada: Account;
  let actor: Actor;

  before(async () => {
    host = await startHost({
      plugins: ['packages', 'package-generic'],
      settings: {
        packages: { LIMIT_SIZE_GENERIC: '64', LIMIT_TOTAL_OWNER_COUNT: 3 },
        'cron.cleanup_packages': { OLDER_THAN_HOURS: 0 },
      },
    });
    store = host.services.get(packageStore);
    ada = await createAccount(host, 'ada');
    actor = { ...anonymous, kind: 'user', id: ada.id, name: 'ada' };
  });
  after(() => host.close());

  const publish = async (version: string, text: string, more: object = {}) =>
    store.publish({
      owner: ada,
      actor,
      type: 'generic',
      name: 'Box',
      version,
      files: [{ name: 'Data.txt', blob: await store.receive('generic', Buffer.from(text), actor) }],
      ...more,
    });
  const blobs = async () => {
    const keys: string[] = [];
    for await (const { key } of host.services.get(storage).area('packages').list()) keys.push(key);
    return keys;
  };
  const sweep = async () => {
    await host.services.get(jobs).enqueue(cleanUpPackages, {});
    await host.settle();
  };

  it('stores the same content once, and finds names without case', async () => {
    await publish('1.0', 'same');
    await publish('1.1', 'same');
    expect(await blobs()).to.have.length(1);
    const found = await store.find(ada.id, 'generic', 'bOX');
    expect(found?.name).to.equal('Box');
    expect(await store.findAll(ada.id, 'generic', ['none', 'bOX', 'box'])).to.equal([found!]);
    expect(await store.findAll(ada.id, 'npm', ['box'])).to.equal([]);
    const files = await store.files((await store.versions(found!.id)).map((version) => version.id));
    expect([...files.values()].flat().map((file) => file.name)).to.equal(['Data.txt', 'Data.txt']);
  });

  it('refuses a version that is there, and leaves nothing of it', async () => {
    await expect(publish('1.0', 'other')).to.reject('package version already exists');
    const failing = publish('9.9', 'other', { within: () => Promise.reject(new Error('no')) });
    await expect(failing).to.reject('no');
    expect((await store.search({ ownerId: ada.id, limit: 10, offset: 0 })).total).to.equal(2);
  });

  it('refuses a version that says too much of itself, at once and later', async () => {
    const metadata = { text: 'x'.repeat(256 * 1024) };
    await expect(publish('9.9', 'other', { metadata })).to.reject(/longer than 256 KiB/);
    const { items } = await store.search({ ownerId: ada.id, limit: 10, offset: 0 });
    expect(items).to.have.length(2);
    // lists leave it out unless asked for it
    await store.setMetadata(items[0]!.version.id, { text: 'short' });
    const listed = async (more: object) =>
      (await store.search({ ownerId: ada.id, limit: 1, offset: 0, ...more })).items[0]!.version.metadata;
    expect([await listed({}), await listed({ metadata: true })]).to.equal([{}, { text: 'short' }]);
    const [whole] = await store.versions(items[0]!.package.id);
    const [bare] = await store.bareVersions(items[0]!.package.id);
    expect([whole!.metadata, bare]).to.equal([{ text: 'short' }, { ...whole, metadata: {} }]);
    await expect(store.setMetadata(items[0]!.version.id, metadata)).to.reject(/longer than 256 KiB/);
  });

  it('keeps the limits of format and owner, but not for administrators', async () => {
    await expect(store.receive('generic', Buffer.alloc(65), actor)).to.reject(
      'maximum allowed package type size exceeded',
    );
    await store.receive('generic', Buffer.alloc(65), { ...actor, isAdmin: true });
    await publish('1.2', 'third');
    await expect(publish('1.3', 'fourth')).to.reject('maximum allowed package count exceeded');
    const root = { ...actor, isAdmin: true };
    await store.publish({
      owner: ada,
      actor: root,
      type: 'generic',
      name: 'box',
      version: '1.3',
      files: [{ name: 'a', blob: await store.receive('generic', Buffer.from('4'), root) }],
    });
  });

  it('answers ranges, conditions and HEAD', async () => {
    const url = '/api/packages/ada/generic/box/1.0/data.txt';
    const whole = await host.inject(url);
    expect(whole.payload).to.equal('same');
    expect(whole.headers['content-disposition']).to.equal('attachment; filename=Data.txt');
    const part = await host.inject({ url, headers: { range: 'bytes=1-2' } });
    expect(part.statusCode).to.equal(206);
    expect(part.payload).to.equal('am');
    expect(part.headers['content-range']).to.equal('bytes 1-2/4');
    expect((await host.inject({ url, headers: { range: 'bytes=9-' } })).statusCode).to.equal(416);
    expect((await host.inject({ url, headers: { 'if-none-match': String(whole.headers.etag) } })).statusCode).to.equal(
      304,
    );
    const head = await host.inject({ method: 'HEAD', url });
    expect(head.headers['content-length']).to.equal('4');
  });

  it('sweeps what nothing refers to, also bytes whose row was never written', async () => {
    await host.services.get(storage).area('packages').putByHash(Buffer.from('killed between the two'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await sweep();
    // same, third and 4 are in use
    expect(await blobs()).to.have.length(3);
    const package_ = (await store.find(ada.id, 'generic', 'box'))!;
    await store.deletePackage(package_, actor);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await sweep();
    expect(await blobs()).to.have.length(0);
  });

  it('keeps a package without versions until the clean-up', async () => {
    const { package: package_, version } = await publish('1.0', 'again');
    await store.deleteVersion(package_, version, actor);
    expect(await store.find(ada.id, 'generic', 'box')).to.exist();
    await sweep();
    expect(await store.find(ada.id, 'generic', 'box')).to.be.undefined();
  });

  it('holds an account that owns packages, unless everything is to go', async () => {
    await publish('1.0', 'again');
    const accountService = host.services.get(accounts);
    await expect(accountService.delete(ada.id)).to.reject();
    await accountService.delete(ada.id, { purge: true });
    expect((await store.search({ limit: 1, offset: 0 })).total).to.equal(0);
  });
});
