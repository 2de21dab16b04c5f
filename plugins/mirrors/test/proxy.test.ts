import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { password } from '@mortise/accounts/testing';
import { gitReader } from '@mortise/git/api';
import { CountingProxy } from '@mortise/git/testing';
import { formatPointer, lfsObjects } from '@mortise/lfs/api';
import { base64, createRepository, send } from '@mortise/repositories/testing';
import { startMirrorScene, type MirrorScene } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('[proxy]: mirrors go by the proxy of the operator', { timeout: 120_000 }, () => {
  let scene: MirrorScene;
  let proxy: CountingProxy;
  before(async () => {
    proxy = await CountingProxy.start();
    scene = await startMirrorScene(['lfs'], {
      proxy: { PROXY_ENABLED: true, PROXY_URL: proxy.url, PROXY_HOSTS: '127.0.0.1:*' },
      server: { LFS_START_SERVER: true },
    });
  });
  after(async () => {
    proxy.close();
    await scene.remote.close();
    await scene.host.close();
  });

  it('both ways, with their LFS objects', async () => {
    const source = await createRepository(scene.host, scene.ben.account, {
      name: 'large',
      autoInit: true,
      defaultBranch: 'main',
    });
    const bytes = randomBytes(5000);
    const pointer = { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
    const objects = scene.host.services.get(lfsObjects);
    await objects.receive(source.id, pointer, Readable.from([bytes]));
    const content = base64(formatPointer(pointer));
    expect((await send(scene.ben, 'POST', '/repos/ben/large/contents/big.bin', { content })).statusCode).to.equal(201);
    const root = await scene.host.url();
    const login = { username: 'ben', password };
    const mirror = await scene.mirror(scene.ada, 'large', {
      address: `${root}/ben/large.git`,
      ...login,
      lfs: true,
      interval: '0',
    });
    const has = async (id: number) => Boolean(await objects.open(id, pointer.oid));
    expect(await has(mirror.id)).to.be.true();
    const asked = () => proxy.requests.splice(0).map((one) => one.replace(root, '').replace(/\?.*/, ''));
    const pulled = asked();
    expect(pulled).to.include(['GET /ben/large.git/info/refs', 'POST /ben/large.git/info/lfs/objects/batch']);
    expect(
      pulled.some((one) => /^GET .*lfs.*[0-9a-f]{64}/.test(one)),
      pulled.join('\n'),
    ).to.be.true();
    const target = await createRepository(scene.host, scene.ben.account, 'echo');
    const body = { remote_username: 'ben', remote_password: password, interval: '0' };
    const made = await send(scene.ada, 'POST', '/repos/ada/large/push_mirrors', {
      ...body,
      remote_address: `${root}/ben/echo.git`,
    });
    expect(made.statusCode, made.payload).to.equal(200);
    expect((await send(scene.ada, 'POST', '/repos/ada/large/push_mirrors-sync')).statusCode).to.equal(200);
    expect(await has(target.id)).to.be.true();
    expect(await scene.host.services.get(gitReader).open(target.id).branch('main')).to.exist();
    const pushed = asked();
    expect(pushed).to.include(['POST /ben/echo.git/git-receive-pack', 'POST /ben/echo.git/info/lfs/objects/batch']);
    expect(
      pushed.some((one) => /^PUT .*lfs.*[0-9a-f]{64}/.test(one)),
      pushed.join('\n'),
    ).to.be.true();
  });
});
