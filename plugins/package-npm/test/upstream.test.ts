import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { downloadPolicy } from '@mortise/plugin-sdk';
import { makeUser, startHost } from '@mortise/plugin-sdk/testing';
import { publishBody } from './publish-body.js';
import { ProxyKit } from './proxy-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach, afterEach } = lab;
const run = promisify(execFile);

const { path: at, content, tarball } = ProxyKit;

describe('PKG-20: npm packages of another registry', { timeout: 60_000 }, () => {
  let kit: ProxyKit;
  beforeEach(async () => {
    kit = await ProxyKit.open();
  });
  afterEach(() => kit.close());

  it('serves and keeps documents and tarballs, with addresses of its own', async () => {
    await kit.start();
    const document = await kit.read('/far');
    expect(document.statusCode).to.equal(200);
    expect(document.headers['content-security-policy']).to.equal(downloadPolicy);
    expect(document.json.versions['1.0.0'].dist.tarball).to.equal(kit.host.site.url(`${at}${tarball}`));
    for (let time = 0; time < 2; time++) {
      const got = await kit.read(tarball);
      expect(got.statusCode).to.equal(200);
      expect(got.rawPayload).to.equal(content);
      expect(Number(got.headers['content-length'])).to.equal(content.length);
    }
    const part = await kit.read(tarball, { range: 'bytes=1-4' });
    expect(part.statusCode).to.equal(206);
    expect(part.rawPayload).to.equal(content.subarray(1, 5));
    expect((await kit.read('/far/-/far-1.0.0.tgz')).rawPayload).to.equal(content);
    expect(kit.upstream.asked('/far/-/far-1.0.0.tgz').length).to.equal(1);
    expect((await kit.read('/-/package/far/dist-tags')).json).to.equal({ latest: '1.0.0' });
    const again = await kit.read('/far', { 'if-none-match': String(document.headers.etag) });
    expect(again.statusCode).to.equal(304);
    expect(kit.upstream.asked('/far').length).to.equal(2);
    // what is kept outlives the process
    kit.host = await kit.host.restart();
    await kit.upstream.close();
    expect((await kit.read(tarball)).rawPayload).to.equal(content);
  });

  it('knows what is nowhere, and what names no package', async () => {
    await kit.start();
    for (let time = 0; time < 2; time++) expect((await kit.read('/nowhere')).statusCode).to.equal(404);
    expect(kit.upstream.asked('/nowhere').length).to.equal(1);
    for (const path of [
      '/far/-/1.0.0/other.tgz',
      '/far/-/2.0.0/far-1.0.0.tgz',
      '/far/-/constructor',
      '/..%2fadmin',
      '/_x',
    ])
      expect((await kit.read(path)).statusCode, path).to.equal(404);
    expect(kit.upstream.asked().length).to.equal(2);
  });

  it('never asks for a name that is here, whichever version is wanted', async () => {
    await kit.start();
    kit.give('@kit/hello', { '9.9.9': content });
    const put = await kit.host.inject({
      method: 'PUT',
      url: `${at}/@kit%2fhello`,
      headers: { authorization: kit.ada.authorization },
      payload: publishBody('1.0.0'),
    });
    expect(put.statusCode).to.equal(201);
    expect(Object.keys((await kit.read('/@kit%2fhello')).json.versions)).to.equal(['1.0.0']);
    for (const path of ['/@kit%2fhello/-/9.9.9/hello-9.9.9.tgz', '/@kit/hello/-/hello-9.9.9.tgz'])
      expect((await kit.read(path)).statusCode).to.equal(404);
    expect(kit.upstream.asked().length).to.equal(0);
  });

  it('never asks for names that are told to be its own', async () => {
    await kit.start({}, { UPSTREAM_OWN_NAMES: 'secret, @acme/*' });
    for (const name of ['secret', '@acme%2ftool', '@acme/tool'])
      expect((await kit.read(`/${name}`)).statusCode).to.equal(404);
    expect(kit.upstream.asked().length).to.equal(0);
    expect((await kit.read('/far')).statusCode).to.equal(200);
  });

  it('tells the versions of a registry apart whose tarballs all have one name', async () => {
    await kit.start();
    const contents = { '1.0.0': content, '1.1.0': Buffer.from('another') };
    const versions = Object.entries(contents).map(([version, data]) => {
      const path = `/same/${version}/package.tgz`;
      kit.upstream.has(path, { body: data });
      const integrity = `sha512-${createHash('sha512').update(data).digest('base64')}`;
      return [version, { name: 'same', version, dist: { tarball: kit.upstream.url + path, integrity } }] as const;
    });
    kit.upstream.has('/same', { body: { name: 'same', versions: Object.fromEntries(versions) } });
    const { json } = await kit.read('/same');
    for (const [version, data] of Object.entries(contents)) {
      const address = json.versions[version].dist.tarball;
      expect(address).to.equal(kit.host.site.url(`${at}/same/-/${version}/package.tgz`));
      expect((await kit.read(new URL(address).pathname.slice(at.length))).rawPayload, version).to.equal(data);
    }
    // which of them is not said
    expect((await kit.read('/same/-/package.tgz')).statusCode).to.equal(404);
  });

  it('asks visitors to sign in, unless a setting says otherwise', async () => {
    await kit.start();
    for (const path of ['/far', tarball]) {
      const refused = await kit.host.inject(`${at}${path}`);
      expect(refused.statusCode).to.equal(401);
      expect(refused.headers['www-authenticate']).to.include('Basic');
    }
    expect(kit.upstream.asked().length).to.equal(0);
    kit.host = await kit.host.restart({
      settings: { packages: { UPSTREAM_ANONYMOUS: true }, 'package-npm': { UPSTREAM: kit.upstream.url } },
    });
    expect((await kit.host.inject(`${at}/far`)).statusCode).to.equal(200);
  });

  it('asks nobody where there is no upstream', async () => {
    await kit.start({}, { UPSTREAM: '' });
    expect((await kit.read('/far')).statusCode).to.equal(404);
    expect((await kit.host.inject(`${at}/far`)).statusCode).to.equal(404);
    expect(kit.upstream.asked().length).to.equal(0);
  });

  it('gives and keeps nothing whose checksum is wrong', async () => {
    await kit.start();
    kit.give('far', { '1.0.0': content }, Buffer.from('something else'));
    for (let time = 1; time <= 2; time++) {
      const refused = await kit.read(tarball);
      expect(refused.statusCode).to.equal(502);
      expect(refused.json.error).to.include('other content');
      expect(kit.upstream.asked('/far/-/far-1.0.0.tgz').length).to.equal(time);
    }
    kit.give('far', { '1.0.0': content });
    expect((await kit.read(tarball)).rawPayload).to.equal(content);
  });

  it('breaks a large file off whose checksum is wrong, before its last byte', async () => {
    await kit.start();
    const large = Buffer.alloc(3 * 1024 * 1024, 7);
    const bad = Buffer.from(large).fill(8, 5, 6);
    kit.give('large', { '1.0.0': large }, bad);
    const address = `${await kit.host.url()}${at}/large/-/1.0.0/large-1.0.0.tgz`;
    const get = () => fetch(address, { headers: { authorization: kit.ada.authorization } });
    await expect(get().then((answer) => answer.arrayBuffer())).to.reject();
    kit.give('large', { '1.0.0': large });
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
    await kit.start({ UPSTREAM_FRESH_SECONDS: 0 });
    const first = await kit.read('/far');
    expect((await kit.read('/far')).headers.etag).to.equal(first.headers.etag);
    expect(kit.upstream.asked('/far').at(-1)!.headers['if-none-match']).to.exist();
    kit.give('far', { '1.0.0': content, '1.1.0': content });
    expect(Object.keys((await kit.read('/far')).json.versions)).to.equal(['1.0.0', '1.1.0']);
    await kit.upstream.close();
    expect(Object.keys((await kit.read('/far')).json.versions)).to.equal(['1.0.0', '1.1.0']);
    const other = await kit.read('/other');
    expect(other.statusCode).to.equal(502);
    expect(other.json.error).to.include('upstream');
  });

  it('serves nothing that is too old', async () => {
    await kit.start({ UPSTREAM_FRESH_SECONDS: 0, UPSTREAM_STALE_HOURS: 0 });
    await kit.read('/far');
    await kit.upstream.close();
    expect((await kit.read('/far')).statusCode).to.equal(502);
  });

  it('tells failures of the upstream as such', async () => {
    await kit.start({ UPSTREAM_FILE_SIZE: '10 B' });
    kit.upstream.has('/broken', { body: 'no JSON' }).has('/wrong', { body: { name: 'other', versions: {} } });
    kit.upstream.has('/busy', { status: 503 }).has('/loop', { status: 302, headers: { location: '/loop' } });
    kit.upstream.has('/refused', { status: 403 });
    for (const name of ['broken', 'wrong', 'busy', 'loop'])
      expect((await kit.read(`/${name}`)).statusCode, name).to.equal(502);
    expect((await kit.read('/refused')).statusCode).to.equal(404);
    expect((await kit.read(tarball)).statusCode).to.equal(502);
    await kit.host.close();
    kit.host = await startHost({
      plugins: ['package-npm', 'auth-basic'],
      settings: { security: { ALLOWED_HOST_LIST: 'external' }, 'package-npm': { UPSTREAM: kit.upstream.url } },
    });
    kit.ada = await makeUser(kit.host, 'ada');
    const forbidden = await kit.read('/far');
    expect(forbidden.statusCode).to.equal(502);
    expect(forbidden.json.error).to.include('not allowed');
  });

  it('an upstream registry that does not answer is not waited for without end', async () => {
    await kit.start({ UPSTREAM_TIMEOUT_SECONDS: 1 });
    await kit.read('/-/package/far/dist-tags');
    const release = kit.upstream.hold();
    const late = await kit.read(tarball);
    expect(late.statusCode).to.equal(504);
    expect(late.json.error).to.include('in time');
    release();
    expect((await kit.read(tarball)).rawPayload).to.equal(content);
  });

  it('a HEAD of a tarball asks the upstream registry by HEAD', async () => {
    await kit.start();
    const path = '/far/-/far-1.0.0.tgz';
    const head = () =>
      kit.host.inject({ method: 'HEAD', url: at + tarball, headers: { authorization: kit.ada.authorization } });
    const asked = () => kit.upstream.asked(path).map(({ method }) => method);
    const first = await head();
    expect(first.statusCode).to.equal(200);
    expect(Number(first.headers['content-length'])).to.equal(content.length);
    expect(asked()).to.equal(['HEAD']);
    const whole = await kit.read(tarball, { range: 'bytes=0-' });
    expect(whole.rawPayload).to.equal(content);
    expect((await head()).headers.etag).to.equal(first.headers.etag);
    expect(asked()).to.equal(['HEAD', 'GET']);
    kit.upstream.lacks(path);
    kit.give('gone', { '1.0.0': content });
    kit.upstream.lacks('/gone/-/gone-1.0.0.tgz');
    const gone = { url: `${at}/gone/-/1.0.0/gone-1.0.0.tgz`, headers: { authorization: kit.ada.authorization } };
    expect((await kit.host.inject({ method: 'HEAD', ...gone })).statusCode).to.equal(404);
  });

  it('rewrites long documents as short ones', async () => {
    await kit.start();
    const tarballs = Object.fromEntries(Array.from({ length: 2500 }, (_, n) => [`1.0.${n}`, content]));
    kit.give('@far/long', tarballs);
    const { json } = await kit.read('/@far%2flong', { accept: 'application/vnd.npm.install-v1+json' });
    expect(Object.keys(json.versions).length).to.equal(2500);
    expect(json.versions['1.0.7'].dist.tarball).to.equal(
      kit.host.site.url(`${at}/%40far%2Flong/-/1.0.7/long-1.0.7.tgz`),
    );
    expect((await kit.read('/@far%2flong/-/1.0.7/long-1.0.7.tgz')).rawPayload).to.equal(content);
  });

  describe('with the client', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mortise-npm-'));
    });
    after(() => rm(folder, { recursive: true, force: true }));

    it('npm installs packages of the upstream registry', { timeout: 50_000 }, async () => {
      await kit.start();
      const root = await kit.host.url();
      const auth = kit.ada.authorization.replace('Basic ', '');
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
