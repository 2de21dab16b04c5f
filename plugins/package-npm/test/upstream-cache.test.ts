import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { jobs, scheduledTasks } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { cleanUpPackages, packageStore } from '@mortise/packages/api';
import { publishBody } from './publish-body.js';
import { ProxyKit } from './proxy-kit.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const { path: at, content, tarball } = ProxyKit;

describe('PKG-20: what is kept of an upstream npm registry', { timeout: 60_000 }, () => {
  let kit: ProxyKit;
  beforeEach(async () => {
    kit = await ProxyKit.open();
  });
  afterEach(() => kit.close());

  it('fetches once what a hundred want', async () => {
    await kit.start();
    const release = kit.upstream.hold();
    const documents = Array.from({ length: 100 }, () => kit.read('/far'));
    const files = Array.from({ length: 100 }, () => kit.read(tarball));
    while (kit.upstream.asked('/far').length < 2) await new Promise((resolve) => setImmediate(resolve));
    release();
    for (const answer of await Promise.all(documents)) expect(answer.statusCode).to.equal(200);
    for (const answer of await Promise.all(files)) expect(answer.rawPayload.equals(content)).to.be.true();
    // the whole document, the short one and the tarball
    expect(kit.upstream.asked('/far').length).to.equal(2);
    expect(kit.upstream.asked('/far/-/far-1.0.0.tgz').length).to.equal(1);
  });

  it('keeps what was used last when there is more than may be', async () => {
    await kit.start({ UPSTREAM_SIZE: '2500 KiB' });
    const names = ['one', 'two', 'three'];
    const big = (name: string) => Buffer.alloc(1024 * 1024, name);
    for (const name of names) kit.give(name, { '1.0.0': big(name) });
    const path = (name: string) => `/${name}/-/1.0.0/${name}-1.0.0.tgz`;
    const asked = (name: string) => kit.upstream.asked(`/${name}/-/${name}-1.0.0.tgz`).length;
    for (const name of [...names, 'one']) {
      expect((await kit.read(path(name))).rawPayload.equals(big(name))).to.be.true();
      // answered when it is kept
      await kit.read(path(name), { range: 'bytes=0-0' });
      const now = Date.now();
      while (Date.now() === now) await new Promise((resolve) => setImmediate(resolve));
    }
    await kit.host.settle();
    for (const name of ['one', 'three', 'two']) await kit.read(path(name));
    expect(names.map(asked)).to.equal([1, 2, 1]);
  });

  it('keeps the name of a package that was deleted, until its owner goes', async () => {
    await kit.start();
    kit.give('@kit/hello', { '9.9.9': content });
    const authorization = { authorization: kit.ada.authorization };
    const put = {
      method: 'PUT',
      url: `${at}/@kit%2fhello`,
      headers: authorization,
      payload: publishBody('1.0.0'),
    } as const;
    const remove = async () => {
      expect((await kit.host.inject(put)).statusCode).to.equal(201);
      const url = `/api/v1/packages/ada/npm/${encodeURIComponent('@kit/hello')}`;
      expect((await kit.host.inject({ method: 'DELETE', url, headers: authorization })).statusCode).to.equal(204);
    };
    const cleanUp = async () => {
      await kit.host.services.get(jobs).enqueue(cleanUpPackages, {});
      await kit.host.settle();
    };
    await remove();
    for (let time = 0; time < 2; time++) {
      for (const path of ['/@kit%2fhello', '/@kit%2fhello/-/9.9.9/hello-9.9.9.tgz'])
        expect((await kit.read(path)).statusCode, path).to.equal(404);
      await cleanUp();
    }
    expect(kit.upstream.asked().length).to.equal(0);
    // published anew, and deleted again
    await remove();
    expect((await kit.read('/@kit%2fhello')).statusCode).to.equal(404);
    // without an upstream the names that stayed go
    kit.host = await kit.host.restart({ settings: { 'package-npm': { UPSTREAM: '' } } });
    await cleanUp();
    kit.host = await kit.host.restart({ settings: { 'package-npm': { UPSTREAM: kit.upstream.url } } });
    expect(Object.keys((await kit.read('/@kit%2fhello')).json.versions)).to.equal(['9.9.9']);
    await remove();
    const { id } = (await kit.host.services.get(accounts).byName('ada'))!;
    await kit.host.services.get(accounts).delete(id);
    expect(await kit.host.services.get(packageStore).find(id, 'npm', '@kit/hello')).to.be.undefined();
  });

  it('gives a file up when all who wanted it have gone, and only then', async () => {
    await kit.start();
    const large = Buffer.alloc(3 * 1024 * 1024, 7);
    kit.give('large', { '1.0.0': large });
    const path = '/large/-/large-1.0.0.tgz';
    const address = `${await kit.host.url()}${at}/large/-/1.0.0/large-1.0.0.tgz`;
    const get = async () => {
      const client = new AbortController();
      const answer = await fetch(address, { headers: { authorization: kit.ada.authorization }, signal: client.signal });
      return { answer, leave: () => client.abort() };
    };
    let release!: () => void;
    kit.upstream.has(path, { body: large, rest: new Promise((resolve) => (release = resolve)) });
    const [one, other] = [await get(), await get()];
    one.leave();
    await expect(one.answer.arrayBuffer()).to.reject();
    release();
    expect(Buffer.from(await other.answer.arrayBuffer()).equals(large)).to.be.true();
    expect(kit.upstream.asked(path).length).to.equal(1);

    kit.give('left', { '1.0.0': large });
    kit.upstream.has('/left/-/left-1.0.0.tgz', { body: large, rest: new Promise(() => undefined) });
    const left = new AbortController();
    await fetch(address.replaceAll('large', 'left'), {
      headers: { authorization: kit.ada.authorization },
      signal: left.signal,
    });
    const [{ socket }] = kit.upstream.asked('/left/-/left-1.0.0.tgz') as [IncomingMessage];
    const closed = socket.destroyed || new Promise((resolve) => socket.once('close', resolve));
    left.abort();
    await closed;
    kit.upstream.has('/left/-/left-1.0.0.tgz', { body: large });
    expect((await kit.read('/left/-/1.0.0/left-1.0.0.tgz')).rawPayload.equals(large)).to.be.true();
  });

  it('says nothing of folders of the server, and recovers from a disk that failed', async () => {
    await kit.start();
    const folder = join(kit.host.workDir, 'tmp', 'package-upstreams');
    await rm(folder, { recursive: true, force: true });
    await mkdir(join(kit.host.workDir, 'tmp'), { recursive: true });
    await writeFile(folder, '');
    const failed = await kit.read(tarball);
    expect(failed.statusCode).to.equal(503);
    expect(failed.payload).not.to.include('package-upstreams');
    await rm(folder);
    expect((await kit.read(tarball)).rawPayload).to.equal(content);
  });

  it('removes files on their way that a killed process left', async () => {
    await kit.start();
    const folder = join(kit.host.workDir, 'tmp', 'package-upstreams');
    await mkdir(folder, { recursive: true });
    for (const name of ['old', 'young']) await writeFile(join(folder, name), '');
    const yesterday = Date.now() / 1000 - 86_400;
    await utimes(join(folder, 'old'), yesterday, yesterday);
    // every night, not with the first file alone
    await kit.read(tarball, { range: 'bytes=0-0' });
    await writeFile(join(folder, 'older'), '');
    await utimes(join(folder, 'older'), yesterday, yesterday);
    expect(await kit.host.services.get(scheduledTasks).run('trim_package_upstreams')).to.be.true();
    await kit.host.settle();
    expect(await readdir(folder)).to.equal(['young']);
  });
});
