import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { publicKeys } from '@mortise/accounts/api';
import { sshAddresses } from '@mortise/git-ssh/api';
import { haveClient, LfsClient } from './client-kit.js';
import { LfsBench, lfsType } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const able = haveClient();

describe('LFS behind SSH, with the real client', { timeout: 300_000, skip: !able }, () => {
  let bench: LfsBench;
  let client: LfsClient;
  let reader: LfsClient;

  const keyFile = (name: string) => join(bench.host.workDir, `key-${name}`);
  const makeKey = async (name: string) => {
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', keyFile(name)]);
    return (await readFile(`${keyFile(name)}.pub`, 'utf8')).trim();
  };
  const options = (name: string) => {
    const words = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentitiesOnly=yes', 'LogLevel=ERROR'];
    return ['-F', 'none', ...words.flatMap((word) => ['-o', word]), '-i', keyFile(name)];
  };
  const clientOf = (name: string) => new LfsClient(bench, { GIT_SSH_COMMAND: `ssh ${options(name).join(' ')}` });
  const address = (path: string) => bench.host.services.get(sshAddresses).address(path);
  const authenticate = async (name: string, ...args: string[]) => {
    const port = String(bench.host.services.get(sshAddresses).port);
    const command = ['git-lfs-authenticate', ...args].join(' ');
    return run('ssh', [...options(name), '-p', port, 'git@127.0.0.1', command]);
  };

  before(async () => {
    bench = await LfsBench.start({
      plugins: ['lfs', 'auth-basic', 'git-http', 'git-ssh'],
      settings: { server: { SSH_PORT: 0, SSH_LISTEN_HOST: '127.0.0.1', SSH_DOMAIN: '127.0.0.1' } },
      background: true,
    });
    await bench.host.url();
    for (const name of ['ada', 'ben'] as const)
      await bench.host.services
        .get(publicKeys)
        .add(bench.users[name].id, { title: name, key: await makeKey(name), readOnly: false });
    [client, reader] = [clientOf('ada'), clientOf('machine')];
  });
  after(() => bench.host.close());

  it('pushes, clones and locks', async () => {
    await bench.repository('files', { isPrivate: true });
    const content = randomBytes(1 << 20);
    const dir = await client.source(address('ada/files'), { 'a.bin': content });
    await client.git(dir, 'push', '-q', 'origin', 'main');
    const copy = await client.clone(address('ada/files'));
    expect((await readFile(join(copy, 'a.bin'))).equals(content)).to.be.true();
    await client.git(copy, 'lfs', 'lock', 'a.bin');
    expect((await client.git(copy, 'lfs', 'locks', '--verify')).stdout).to.match(/^O a\.bin\s+ada/);
    await client.git(copy, 'lfs', 'unlock', 'a.bin');
  });

  it('serves deploy keys as far as they reach', async () => {
    const answer = await bench.host.as(bench.actor(bench.users.ada)).inject({
      method: 'POST',
      url: '/api/v1/repos/ada/files/keys',
      payload: { title: 'machine', key: await makeKey('machine'), read_only: true },
    });
    expect(answer.statusCode).to.equal(201);
    const copy = await reader.clone(address('ada/files'));
    expect((await readFile(join(copy, 'a.bin'))).length).to.equal(1 << 20);
    await expect(authenticate('machine', 'ada/files.git', 'upload')).to.reject();
  });

  it('hands out tokens only to who may, and says what is wrong', async () => {
    const { stdout } = await authenticate('ada', "'/ada/files.git'", 'download');
    const given = JSON.parse(stdout) as { href: string; header: Record<string, string>; expires_in: number };
    expect(given.href).to.match(/\/ada\/files\.git\/info\/lfs$/);
    expect(given.expires_in).to.equal(86_400);
    const batch = (operation: string) =>
      fetch(`${given.href}/objects/batch`, {
        method: 'POST',
        headers: { ...given.header, accept: lfsType, 'content-type': lfsType },
        body: JSON.stringify({ operation, objects: [] }),
      });
    expect((await batch('download')).status).to.equal(200);
    expect((await batch('upload')).status).to.equal(401);
    await expect(authenticate('ben', 'ada/files.git', 'download')).to.reject(/Authentication required/);
    await expect(authenticate('ada', 'ada/none.git', 'download')).to.reject(/does not exist/);
    await expect(authenticate('ada', 'ada/files.git', 'destroy')).to.reject(/must be download or upload/);
    await expect(authenticate('ada', 'files', 'download')).to.reject();
    await expect(authenticate('ada')).to.reject();
  });
});
