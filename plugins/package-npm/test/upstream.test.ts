import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { downloadPolicy } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost, type TestHostOptions } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { jobs, scheduledTasks } from '@mortise/plugin-sdk';
import { cleanUpPackages, packageStore } from '@mortise/packages/api';
import { FakeUpstream, tgz } from '@mortise/packages/testing';
import { publishBody } from './publish-body.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;
const run = promisify(execFile);

const at = '/api/packages/ada/npm';

/** Gives the upstream a package with these contents of its tarballs. */
function give(upstream: FakeUpstream, name: string, tarballs: Readonly<Record<string, Buffer>>, wrong?: Buffer): void {
  const plain = name.slice(name.indexOf('/') + 1);
  const versions = Object.entries(tarballs).map(([version, content]) => {
    const path = `/${name}/-/${plain}-${version}.tgz`;
    upstream.has(path, { body: wrong ?? content });
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
    const shasum = createHash('sha1').update(content).digest('hex');
    return [version, { name, version, dist: { tarball: `${upstream.url}${path}`, integrity, shasum } }] as const;
  });
  const document = { name, 'dist-tags': { latest: versions.at(-1)![0] }, versions: Object.fromEntries(versions) };
  upstream.has(`/${name.replace('/', '%2f')}`, { body: document });
}

describe('PKG-20: npm packages of another registry', { timeout: 60_000 }, () => {
  let upstream: FakeUpstream;
  let host: TestHost;
  let ada: KitUser;

  const start = async (
    packages: Readonly<Record<string, unknown>> = {},
    npm: Readonly<Record<string, unknown>> = {},
  ) => {
    const settings: TestHostOptions['settings'] = { packages, 'package-npm': { UPSTREAM: `${upstream.url}/`, ...npm } };
    host = await startHost({ plugins: ['package-npm', 'auth-basic'], settings });
    ada = await makeUser(host, 'ada');
  };
  const read = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    host.inject({ url: at + path, headers: { authorization: ada.authorization, ...headers } });
  const content = tgz({ 'package/package.json': '{"name":"far","version":"1.0.0"}', 'package/index.js': '' });
  const tarball = '/far/-/1.0.0/far-1.0.0.tgz';

  beforeEach(async () => {
    upstream = await FakeUpstream.start();
    give(upstream, 'far', { '1.0.0': content });
  });
  afterEach(async () => {
    await host?.close();
    await upstream.close();
  });

  it('serves and keeps documents and tarballs, with addresses of its own', async () => {
    await start();
    const document = await read('/far');
    expect(document.statusCode).to.equal(200);
    expect(document.headers['content-security-policy']).to.equal(downloadPolicy);
    expect(document.json.versions['1.0.0'].dist.tarball).to.equal(host.site.url(`${at}${tarball}`));
    for (let time = 0; time < 2; time++) {
      const got = await read(tarball);
      expect(got.statusCode).to.equal(200);
      expect(got.rawPayload).to.equal(content);
      expect(Number(got.headers['content-length'])).to.equal(content.length);
    }
    const part = await read(tarball, { range: 'bytes=1-4' });
    expect(part.statusCode).to.equal(206);
    expect(part.rawPayload).to.equal(content.subarray(1, 5));
    expect((await read('/far/-/far-1.0.0.tgz')).rawPayload).to.equal(content);
    expect(upstream.asked('/far/-/far-1.0.0.tgz').length).to.equal(1);
    expect((await read('/-/package/far/dist-tags')).json).to.equal({ latest: '1.0.0' });
    const again = await read('/far', { 'if-none-match': String(document.headers.etag) });
    expect(again.statusCode).to.equal(304);
    expect(upstream.asked('/far').length).to.equal(2);
    // what is kept outlives the process
    host = await host.restart();
    await upstream.close();
    expect((await read(tarball)).rawPayload).to.equal(content);
  });

  it('knows what is nowhere, and what names no package', async () => {
    await start();
    for (let time = 0; time < 2; time++) expect((await read('/nowhere')).statusCode).to.equal(404);
    expect(upstream.asked('/nowhere').length).to.equal(1);
    for (const path of [
      '/far/-/1.0.0/other.tgz',
      '/far/-/2.0.0/far-1.0.0.tgz',
      '/far/-/constructor',
      '/..%2fadmin',
      '/_x',
    ])
      expect((await read(path)).statusCode, path).to.equal(404);
    expect(upstream.asked().length).to.equal(2);
  });

  it('never asks for a name that is here, whichever version is wanted', async () => {
    await start();
    give(upstream, '@kit/hello', { '9.9.9': content });
    const put = await host.inject({
      method: 'PUT',
      url: `${at}/@kit%2fhello`,
      headers: { authorization: ada.authorization },
      payload: publishBody('1.0.0'),
    });
    expect(put.statusCode).to.equal(201);
    expect(Object.keys((await read('/@kit%2fhello')).json.versions)).to.equal(['1.0.0']);
    for (const path of ['/@kit%2fhello/-/9.9.9/hello-9.9.9.tgz', '/@kit/hello/-/hello-9.9.9.tgz'])
      expect((await read(path)).statusCode).to.equal(404);
    expect(upstream.asked().length).to.equal(0);
  });

  it('never asks for names that are told to be its own', async () => {
    await start({}, { UPSTREAM_OWN_NAMES: 'secret, @acme/*' });
    for (const name of ['secret', '@acme%2ftool', '@acme/tool'])
      expect((await read(`/${name}`)).statusCode).to.equal(404);
    expect(upstream.asked().length).to.equal(0);
    expect((await read('/far')).statusCode).to.equal(200);
  });

  it('tells the versions of a registry apart whose tarballs all have one name', async () => {
    await start();
    const contents = { '1.0.0': content, '1.1.0': Buffer.from('another') };
    const versions = Object.entries(contents).map(([version, data]) => {
      const path = `/same/${version}/package.tgz`;
      upstream.has(path, { body: data });
      const integrity = `sha512-${createHash('sha512').update(data).digest('base64')}`;
      return [version, { name: 'same', version, dist: { tarball: upstream.url + path, integrity } }] as const;
    });
    upstream.has('/same', { body: { name: 'same', versions: Object.fromEntries(versions) } });
    const { json } = await read('/same');
    for (const [version, data] of Object.entries(contents)) {
      const address = json.versions[version].dist.tarball;
      expect(address).to.equal(host.site.url(`${at}/same/-/${version}/package.tgz`));
      expect((await read(new URL(address).pathname.slice(at.length))).rawPayload, version).to.equal(data);
    }
    // which of them is not said
    expect((await read('/same/-/package.tgz')).statusCode).to.equal(404);
  });

  it('asks visitors to sign in, unless a setting says otherwise', async () => {
    await start();
    for (const path of ['/far', tarball]) {
      const refused = await host.inject(`${at}${path}`);
      expect(refused.statusCode).to.equal(401);
      expect(refused.headers['www-authenticate']).to.include('Basic');
    }
    expect(upstream.asked().length).to.equal(0);
    host = await host.restart({
      settings: { packages: { UPSTREAM_ANONYMOUS: true }, 'package-npm': { UPSTREAM: upstream.url } },
    });
    expect((await host.inject(`${at}/far`)).statusCode).to.equal(200);
  });

  it('asks nobody where there is no upstream', async () => {
    await start({}, { UPSTREAM: '' });
    expect((await read('/far')).statusCode).to.equal(404);
    expect((await host.inject(`${at}/far`)).statusCode).to.equal(404);
    expect(upstream.asked().length).to.equal(0);
  });

  it('gives and keeps nothing whose checksum is wrong', async () => {
    await start();
    give(upstream, 'far', { '1.0.0': content }, Buffer.from('something else'));
    for (let time = 1; time <= 2; time++) {
      const refused = await read(tarball);
      expect(refused.statusCode).to.equal(502);
      expect(refused.json.error).to.include('other content');
      expect(upstream.asked('/far/-/far-1.0.0.tgz').length).to.equal(time);
    }
    give(upstream, 'far', { '1.0.0': content });
    expect((await read(tarball)).rawPayload).to.equal(content);
  });

  it('breaks a large file off whose checksum is wrong, before its last byte', async () => {
    await start();
    const large = Buffer.alloc(3 * 1024 * 1024, 7);
    const bad = Buffer.from(large).fill(8, 5, 6);
    give(upstream, 'large', { '1.0.0': large }, bad);
    const address = `${await host.url()}${at}/large/-/1.0.0/large-1.0.0.tgz`;
    const get = () => fetch(address, { headers: { authorization: ada.authorization } });
    await expect(get().then((answer) => answer.arrayBuffer())).to.reject();
    give(upstream, 'large', { '1.0.0': large });
    // who comes while the wrong one is still being thrown away hears of it too: by a 502, or by an answer that breaks off
    let file: Buffer | undefined;
    for (let tries = 0; !file && tries < 50; tries++) {
      if (tries > 0) await sleep(100);
      const answer = await get().catch(() => undefined);
      if (answer?.status === 200) file = await answer.arrayBuffer().then(Buffer.from, () => undefined);
    }
    expect(file?.equals(large)).to.be.true();
  });

  it('asks again whether a document has changed, and serves it old while nobody answers', async () => {
    await start({ UPSTREAM_FRESH_SECONDS: 0 });
    const first = await read('/far');
    expect((await read('/far')).headers.etag).to.equal(first.headers.etag);
    expect(upstream.asked('/far').at(-1)!.headers['if-none-match']).to.exist();
    give(upstream, 'far', { '1.0.0': content, '1.1.0': content });
    expect(Object.keys((await read('/far')).json.versions)).to.equal(['1.0.0', '1.1.0']);
    await upstream.close();
    expect(Object.keys((await read('/far')).json.versions)).to.equal(['1.0.0', '1.1.0']);
    const other = await read('/other');
    expect(other.statusCode).to.equal(502);
    expect(other.json.error).to.include('upstream');
  });

  it('serves nothing that is too old', async () => {
    await start({ UPSTREAM_FRESH_SECONDS: 0, UPSTREAM_STALE_HOURS: 0 });
    await read('/far');
    await upstream.close();
    expect((await read('/far')).statusCode).to.equal(502);
  });

  it('tells failures of the upstream as such', async () => {
    await start({ UPSTREAM_FILE_SIZE: '10 B' });
    upstream.has('/broken', { body: 'no JSON' }).has('/wrong', { body: { name: 'other', versions: {} } });
    upstream.has('/busy', { status: 503 }).has('/loop', { status: 302, headers: { location: '/loop' } });
    upstream.has('/refused', { status: 403 });
    for (const name of ['broken', 'wrong', 'busy', 'loop'])
      expect((await read(`/${name}`)).statusCode, name).to.equal(502);
    expect((await read('/refused')).statusCode).to.equal(404);
    expect((await read(tarball)).statusCode).to.equal(502);
    await host.close();
    host = await startHost({
      plugins: ['package-npm', 'auth-basic'],
      settings: { security: { ALLOWED_HOST_LIST: 'external' }, 'package-npm': { UPSTREAM: upstream.url } },
    });
    ada = await makeUser(host, 'ada');
    const forbidden = await read('/far');
    expect(forbidden.statusCode).to.equal(502);
    expect(forbidden.json.error).to.include('not allowed');
  });

  it('an upstream registry that does not answer is not waited for without end', async () => {
    await start({ UPSTREAM_TIMEOUT_SECONDS: 1 });
    await read('/-/package/far/dist-tags');
    const release = upstream.hold();
    const late = await read(tarball);
    expect(late.statusCode).to.equal(504);
    expect(late.json.error).to.include('in time');
    release();
    expect((await read(tarball)).rawPayload).to.equal(content);
  });

  it('fetches once what a hundred want', async () => {
    await start();
    const release = upstream.hold();
    const documents = Array.from({ length: 100 }, () => read('/far'));
    const files = Array.from({ length: 100 }, () => read(tarball));
    while (upstream.asked('/far').length < 2) await new Promise((resolve) => setImmediate(resolve));
    release();
    for (const answer of await Promise.all(documents)) expect(answer.statusCode).to.equal(200);
    for (const answer of await Promise.all(files)) expect(answer.rawPayload.equals(content)).to.be.true();
    // the whole document, the short one and the tarball
    expect(upstream.asked('/far').length).to.equal(2);
    expect(upstream.asked('/far/-/far-1.0.0.tgz').length).to.equal(1);
  });

  it('keeps what was used last when there is more than may be', async () => {
    await start({ UPSTREAM_SIZE: '2500 KiB' });
    const names = ['one', 'two', 'three'];
    const big = (name: string) => Buffer.alloc(1024 * 1024, name);
    for (const name of names) give(upstream, name, { '1.0.0': big(name) });
    const path = (name: string) => `/${name}/-/1.0.0/${name}-1.0.0.tgz`;
    const asked = (name: string) => upstream.asked(`/${name}/-/${name}-1.0.0.tgz`).length;
    for (const name of [...names, 'one']) {
      expect((await read(path(name))).rawPayload.equals(big(name))).to.be.true();
      // answered when it is kept
      await read(path(name), { range: 'bytes=0-0' });
      const now = Date.now();
      while (Date.now() === now) await new Promise((resolve) => setImmediate(resolve));
    }
    await host.settle();
    for (const name of ['one', 'three', 'two']) await read(path(name));
    expect(names.map(asked)).to.equal([1, 2, 1]);
  });

  it('keeps the name of a package that was deleted, until its owner goes', async () => {
    await start();
    give(upstream, '@kit/hello', { '9.9.9': content });
    const authorization = { authorization: ada.authorization };
    const put = {
      method: 'PUT',
      url: `${at}/@kit%2fhello`,
      headers: authorization,
      payload: publishBody('1.0.0'),
    } as const;
    const remove = async () => {
      expect((await host.inject(put)).statusCode).to.equal(201);
      const url = `/api/v1/packages/ada/npm/${encodeURIComponent('@kit/hello')}`;
      expect((await host.inject({ method: 'DELETE', url, headers: authorization })).statusCode).to.equal(204);
    };
    const cleanUp = async () => {
      await host.services.get(jobs).enqueue(cleanUpPackages, {});
      await host.settle();
    };
    await remove();
    for (let time = 0; time < 2; time++) {
      for (const path of ['/@kit%2fhello', '/@kit%2fhello/-/9.9.9/hello-9.9.9.tgz'])
        expect((await read(path)).statusCode, path).to.equal(404);
      await cleanUp();
    }
    expect(upstream.asked().length).to.equal(0);
    // published anew, and deleted again
    await remove();
    expect((await read('/@kit%2fhello')).statusCode).to.equal(404);
    // without an upstream the names that stayed go
    host = await host.restart({ settings: { 'package-npm': { UPSTREAM: '' } } });
    await cleanUp();
    host = await host.restart({ settings: { 'package-npm': { UPSTREAM: upstream.url } } });
    expect(Object.keys((await read('/@kit%2fhello')).json.versions)).to.equal(['9.9.9']);
    await remove();
    const { id } = (await host.services.get(accounts).byName('ada'))!;
    await host.services.get(accounts).delete(id);
    expect(await host.services.get(packageStore).find(id, 'npm', '@kit/hello')).to.be.undefined();
  });

  it('a HEAD of a tarball asks the upstream registry by HEAD', async () => {
    await start();
    const path = '/far/-/far-1.0.0.tgz';
    const head = () =>
      host.inject({ method: 'HEAD', url: at + tarball, headers: { authorization: ada.authorization } });
    const asked = () => upstream.asked(path).map(({ method }) => method);
    const first = await head();
    expect(first.statusCode).to.equal(200);
    expect(Number(first.headers['content-length'])).to.equal(content.length);
    expect(asked()).to.equal(['HEAD']);
    const whole = await read(tarball, { range: 'bytes=0-' });
    expect(whole.rawPayload).to.equal(content);
    expect((await head()).headers.etag).to.equal(first.headers.etag);
    expect(asked()).to.equal(['HEAD', 'GET']);
    upstream.lacks(path);
    give(upstream, 'gone', { '1.0.0': content });
    upstream.lacks('/gone/-/gone-1.0.0.tgz');
    const gone = { url: `${at}/gone/-/1.0.0/gone-1.0.0.tgz`, headers: { authorization: ada.authorization } };
    expect((await host.inject({ method: 'HEAD', ...gone })).statusCode).to.equal(404);
  });

  it('gives a file up when all who wanted it have gone, and only then', async () => {
    await start();
    const large = Buffer.alloc(3 * 1024 * 1024, 7);
    give(upstream, 'large', { '1.0.0': large });
    const path = '/large/-/large-1.0.0.tgz';
    const address = `${await host.url()}${at}/large/-/1.0.0/large-1.0.0.tgz`;
    const get = async () => {
      const client = new AbortController();
      const answer = await fetch(address, { headers: { authorization: ada.authorization }, signal: client.signal });
      return { answer, leave: () => client.abort() };
    };
    let release!: () => void;
    upstream.has(path, { body: large, rest: new Promise((resolve) => (release = resolve)) });
    const [one, other] = [await get(), await get()];
    one.leave();
    await expect(one.answer.arrayBuffer()).to.reject();
    release();
    expect(Buffer.from(await other.answer.arrayBuffer()).equals(large)).to.be.true();
    expect(upstream.asked(path).length).to.equal(1);

    give(upstream, 'left', { '1.0.0': large });
    upstream.has('/left/-/left-1.0.0.tgz', { body: large, rest: new Promise(() => undefined) });
    const left = new AbortController();
    await fetch(address.replaceAll('large', 'left'), {
      headers: { authorization: ada.authorization },
      signal: left.signal,
    });
    const [{ socket }] = upstream.asked('/left/-/left-1.0.0.tgz') as [IncomingMessage];
    const closed = socket.destroyed || new Promise((resolve) => socket.once('close', resolve));
    left.abort();
    await closed;
    upstream.has('/left/-/left-1.0.0.tgz', { body: large });
    expect((await read('/left/-/1.0.0/left-1.0.0.tgz')).rawPayload.equals(large)).to.be.true();
  });

  it('says nothing of folders of the server, and recovers from a disk that failed', async () => {
    await start();
    const folder = join(host.workDir, 'tmp', 'package-upstreams');
    await rm(folder, { recursive: true, force: true });
    await mkdir(join(host.workDir, 'tmp'), { recursive: true });
    await writeFile(folder, '');
    const failed = await read(tarball);
    expect(failed.statusCode).to.equal(503);
    expect(failed.payload).not.to.include('package-upstreams');
    await rm(folder);
    expect((await read(tarball)).rawPayload).to.equal(content);
  });

  it('removes files on their way that a killed process left', async () => {
    await start();
    const folder = join(host.workDir, 'tmp', 'package-upstreams');
    await mkdir(folder, { recursive: true });
    for (const name of ['old', 'young']) await writeFile(join(folder, name), '');
    const yesterday = Date.now() / 1000 - 86_400;
    await utimes(join(folder, 'old'), yesterday, yesterday);
    // every night, not with the first file alone
    await read(tarball, { range: 'bytes=0-0' });
    await writeFile(join(folder, 'older'), '');
    await utimes(join(folder, 'older'), yesterday, yesterday);
    expect(await host.services.get(scheduledTasks).run('trim_package_upstreams')).to.be.true();
    await host.settle();
    expect(await readdir(folder)).to.equal(['young']);
  });

  it('rewrites long documents as short ones', async () => {
    await start();
    const tarballs = Object.fromEntries(Array.from({ length: 2500 }, (_, n) => [`1.0.${n}`, content]));
    give(upstream, '@far/long', tarballs);
    const { json } = await read('/@far%2flong', { accept: 'application/vnd.npm.install-v1+json' });
    expect(Object.keys(json.versions).length).to.equal(2500);
    expect(json.versions['1.0.7'].dist.tarball).to.equal(host.site.url(`${at}/%40far%2Flong/-/1.0.7/long-1.0.7.tgz`));
    expect((await read('/@far%2flong/-/1.0.7/long-1.0.7.tgz')).rawPayload).to.equal(content);
  });

  describe('with the client', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mortise-npm-'));
    });
    after(() => rm(folder, { recursive: true, force: true }));

    it('npm installs packages of the upstream registry', { timeout: 50_000 }, async () => {
      await start();
      const root = await host.url();
      const auth = ada.authorization.replace('Basic ', '');
      const npmrc = `registry=${root}${at}/\n//${new URL(root).host}${at}/:_auth=${auth}\nupdate-notifier=false\n`;
      await writeFile(join(folder, 'npmrc'), npmrc);
      await writeFile(join(folder, 'package.json'), '{"name":"app","version":"0.0.0","dependencies":{"far":"^1.0.0"}}');
      const env = {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
        NPM_CONFIG_USERCONFIG: join(folder, 'npmrc'),
        NPM_CONFIG_GLOBALCONFIG: join(folder, 'none'),
        NPM_CONFIG_CACHE: join(folder, 'cache'),
      };
      await run('npm', ['install'], { cwd: folder, env });
      const installed = await readFile(join(folder, 'node_modules/far/package.json'), 'utf8');
      expect(JSON.parse(installed)).to.include({ name: 'far', version: '1.0.0' });
    });
  });
});
