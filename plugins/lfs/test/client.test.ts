import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Account } from '@mortise/accounts/api';
import { haveClient, LfsClient } from './client-kit.js';
import { LfsBench } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const able = haveClient();

describe('the real git-lfs client', { timeout: 300_000, skip: !able }, () => {
  let bench: LfsBench;
  let client: LfsClient;
  const git = (cwd: string, ...args: string[]) => client.git(cwd, ...args);
  const source = async (name: string, who: Account, files: Record<string, Buffer>) =>
    client.source(await bench.address(`ada/${name}`, who), files);
  const clone = async (name: string, who?: Account) => client.clone(await bench.address(`ada/${name}`, who));

  before(async () => {
    bench = await LfsBench.start({ background: true });
    client = new LfsClient(bench);
  });
  after(() => bench.host.close());

  it('git-lfs pushes objects, and a clone gets them', async () => {
    const { ada } = bench.users;
    await bench.repository('files');
    const [large, small] = [randomBytes(64 << 20), randomBytes(1000)];
    const dir = await source('files', ada, { 'large.bin': large, 'small.bin': small, 'empty.bin': Buffer.alloc(0) });
    await git(dir, 'push', '-q', 'origin', 'main');
    const copy = await clone('files');
    expect((await readFile(join(copy, 'large.bin'))).equals(large)).to.be.true();
    expect((await readFile(join(copy, 'small.bin'))).equals(small)).to.be.true();
    expect((await git(copy, 'lfs', 'fsck')).stdout).to.contain('OK');
    // pushed again there is nothing to do
    await git(dir, 'push', '-q', '-f', 'origin', 'main:again');
  });

  it('pushes to a private repository with a name only', async () => {
    const { ada, ben } = bench.users;
    await bench.repository('private', { isPrivate: true });
    const content = randomBytes(10_000);
    const dir = await source('private', ada, { 'a.bin': content });
    await git(dir, 'push', '-q', 'origin', 'main');
    expect((await readFile(join(await clone('private', ada), 'a.bin'))).equals(content)).to.be.true();
    await expect(clone('private')).to.reject();
    await expect(clone('private', ben)).to.reject();
  });

  it('is refused without the right to write', async () => {
    await bench.repository('closed');
    const dir = await source('closed', bench.users.ben, { 'a.bin': randomBytes(100) });
    await expect(git(dir, 'lfs', 'push', 'origin', 'main')).to.reject();
  });

  it('locks and unlocks, and keeps to the locks of others', async () => {
    const { ada, ben } = bench.users;
    await bench.repository('locks');
    const invite = {
      method: 'PUT',
      url: '/api/v1/repos/ada/locks/collaborators/ben',
      payload: { permission: 'write' },
    } as const;
    expect((await bench.host.as(bench.actor(ada)).inject(invite)).statusCode).to.equal(204);
    const dir = await source('locks', ada, { 'a.bin': randomBytes(100), 'b.bin': randomBytes(100) });
    await git(dir, 'config', 'lfs.locksverify', 'true');
    await git(dir, 'push', '-q', '-u', 'origin', 'main');
    await git(dir, 'lfs', 'lock', 'a.bin');
    expect((await git(dir, 'lfs', 'locks', '--verify')).stdout).to.match(/^O a\.bin\s+ada/);
    const other = await clone('locks', ben);
    await git(other, 'config', 'lfs.locksverify', 'true');
    expect((await git(other, 'lfs', 'locks')).stdout).to.match(/a\.bin\s+ada/);
    await expect(git(other, 'lfs', 'lock', 'a.bin')).to.reject();
    await expect(git(other, 'lfs', 'unlock', 'a.bin')).to.reject();
    await run('chmod', ['u+w', join(other, 'a.bin')]);
    await writeFile(join(other, 'a.bin'), randomBytes(10));
    await git(other, 'commit', '-q', '-a', '-m', 'changed');
    await expect(git(other, 'push', '-q', 'origin', 'main')).to.reject(/locked/);
    await git(dir, 'lfs', 'unlock', 'a.bin');
    await git(other, 'push', '-q', 'origin', 'main');
  });
});
