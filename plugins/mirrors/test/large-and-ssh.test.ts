/** What goes beside the references: LFS objects both ways, keys for ssh, and those who are told. */
import { randomBytes } from 'node:crypto';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { publicKeys } from '@mortise/accounts/api';
import { password } from '@mortise/accounts/testing';
import { sshAddresses } from '@mortise/git-ssh/api';
import { gitReader } from '@mortise/git/api';
import { formatPointer, lfsObjects } from '@mortise/lfs/api';
import { base64, createRepository, remoteUrl, send } from '@mortise/repositories/testing';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { startMirrorScene, type MirrorScene } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('mirrors with LFS, over ssh, and told', { timeout: 180_000 }, () => {
  let scene: MirrorScene;

  before(async () => {
    scene = await startMirrorScene(['lfs', 'git-ssh', 'activity'], {
      server: { SSH_PORT: 0, SSH_LISTEN_HOST: '127.0.0.1', SSH_DOMAIN: '127.0.0.1', LFS_START_SERVER: true },
    });
  });
  after(async () => {
    await scene.remote.close();
    await scene.host.close();
  });

  /** A repository of ben with one large file, whose content is there. */
  const withLarge = async (name: string) => {
    const repository = await createRepository(scene.host, scene.ben.account, {
      name,
      autoInit: true,
      defaultBranch: 'main',
    });
    const bytes = randomBytes(5000);
    const pointer = { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
    const objects = scene.host.services.get(lfsObjects);
    await objects.receive(repository.id, pointer, Readable.from([bytes]));
    const content = base64(formatPointer(pointer));
    expect((await send(scene.ben, 'POST', `/repos/ben/${name}/contents/big.bin`, { content })).statusCode).to.equal(
      201,
    );
    return { repository, bytes, pointer };
  };
  const read = async (repositoryId: number, oid: string) => {
    const found = await scene.host.services.get(lfsObjects).open(repositoryId, oid);
    return found && Buffer.concat((await found.stream.toArray()) as Buffer[]);
  };

  it('brings LFS objects before the references that lead to them, and sends them before', async () => {
    const { bytes, pointer } = await withLarge('large');
    const address = await remoteUrl(scene.host, 'ben/large.git');
    const login = { username: 'ben', password };
    const mirror = await scene.mirror(scene.ada, 'large', { address, ...login, lfs: true, interval: '0' });
    expect(await read(mirror.id, pointer.oid)).to.equal(bytes);
    const target = await createRepository(scene.host, scene.ben.account, 'echo');
    const body = {
      remote_address: await remoteUrl(scene.host, 'ben/echo.git'),
      remote_username: 'ben',
      remote_password: password,
      interval: '0',
    };
    expect((await send(scene.ada, 'POST', '/repos/ada/large/push_mirrors', body)).statusCode).to.equal(200);
    const synced = await send(scene.ada, 'POST', '/repos/ada/large/push_mirrors-sync');
    expect(
      synced.statusCode,
      JSON.stringify(await scene.host.database.knex()('push_mirror').select('last_error')),
    ).to.equal(200);
    expect(await read(target.id, pointer.oid)).to.equal(bytes);
    expect(await scene.host.services.get(gitReader).open(target.id).branch('main')).to.exist();
    // an object that the source has not is no reason to stop
    const gone = base64(formatPointer({ oid: 'a'.repeat(64), size: 12 }));
    await send(scene.ben, 'POST', '/repos/ben/large/contents/gone.bin', { content: gone });
    await send(scene.ada, 'POST', '/repos/ada/large/mirror-sync');
    await scene.host.settle();
    const record = (await send(scene.ada, 'GET', '/repos/ada/large/contents/gone.bin')).statusCode;
    expect(record).to.equal(200);
  });

  it('pushes over ssh with a key that was made here, and knows the host again', async () => {
    await createRepository(scene.host, scene.ada.account, { name: 'mast', autoInit: true, defaultBranch: 'main' });
    const target = await createRepository(scene.host, scene.ben.account, 'over-ssh');
    const { port } = scene.host.services.get(sshAddresses);
    const body = { remote_address: `ssh://git@127.0.0.1:${port}/ben/over-ssh.git`, use_ssh: true, interval: '0' };
    const made = await send(scene.ada, 'POST', '/repos/ada/mast/push_mirrors', body);
    expect(made.statusCode, made.payload).to.equal(200);
    expect(made.json.public_key).to.match(/^ssh-ed25519 /);
    expect(made.payload).to.not.contain('PRIVATE');
    expect((await send(scene.ada, 'POST', '/repos/ada/mast/push_mirrors-sync')).statusCode).to.equal(422);
    const key = { title: 'mirror', key: made.json.public_key as string, readOnly: false };
    await scene.host.services.get(publicKeys).add(scene.ben.account.id, key);
    const again = await send(scene.ada, 'POST', '/repos/ada/mast/push_mirrors-sync');
    const row = await scene.host.database.knex()('push_mirror').where('name', made.json.remote_name).first();
    expect(again.statusCode, row.last_error).to.equal(200);
    expect(row.known_hosts).to.contain('127.0.0.1');
    expect(JSON.stringify(row)).to.not.contain('PRIVATE');
    expect(await scene.host.services.get(gitReader).open(target.id).branch('main')).to.exist();
    // another host at that address is not the one that was seen
    const other = row.known_hosts.replace(
      / ssh-\S+ .*|ecdsa-\S+ .*/g,
      ' ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIu7dP1sS7k5m0c1J8v7Jm2n2y3c0i4aV9q3yqk5d1Xz',
    );
    await scene.host.database.write(() =>
      scene.host.database.knex()('push_mirror').where('id', row.id).update({ known_hosts: other }),
    );
    expect((await send(scene.ada, 'POST', '/repos/ada/mast/push_mirrors-sync')).statusCode).to.equal(422);
  });

  it('announces what came as synchronized', async () => {
    await scene.remote.repository('told');
    await scene.remote.commit('told', 'main', { 'a.txt': 'a' });
    await scene.mirror(scene.ada, 'told', { address: scene.remote.url('told'), interval: '0' });
    await scene.host.settle();
    await scene.remote.commit('told', 'main', { 'b.txt': 'b' });
    await scene.remote.commit('told', 'more', { 'c.txt': 'c' });
    await send(scene.ada, 'POST', '/repos/ada/told/mirror-sync');
    await scene.host.settle();
    await scene.remote.git('told', 'update-ref', '-d', 'refs/heads/more');
    await send(scene.ada, 'POST', '/repos/ada/told/mirror-sync');
    await scene.host.settle();
    const feed = (await send(scene.ada, 'GET', '/repos/ada/told/activities/feeds')).json;
    const kinds = feed.map((one: { op_type: string }) => one.op_type);
    expect(kinds).to.include(['mirror_sync_push', 'mirror_sync_create', 'mirror_sync_delete']);
  });
});
