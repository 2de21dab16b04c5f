// Database: SQLite alone. Proved is that real clients take the answers; kit.test.ts asks for the same on each database.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { freePort, makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { tgz } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const skip = spawnSync('sh', ['-c', 'command -v vagrant']).status !== 0;

describe('vagrant (PKG-01)', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let folder: string;
  let root: string;
  before(async () => {
    if (skip) return;
    const port = await freePort();
    root = `http://127.0.0.1:${port}`;
    host = await startHost({
      plugins: ['package-vagrant', 'auth-basic', 'auth-token'],
      settings: { server: { HTTP_PORT: port, ROOT_URL: `${root}/` } },
    });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    await host.url();
    folder = await mkdtemp(join(tmpdir(), 'mortise-vagrant-'));
  });
  after(async () => {
    await host?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const at = '/api/packages/ada/vagrant/tool';
  const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: Buffer | object) =>
    host.inject({ method, url, payload, headers: { authorization: ada.authorization } });

  it('adds boxes that were published privately, the newest that is left', { skip, timeout: 110_000 }, async () => {
    const made = await send('POST', '/api/v1/users/ada/tokens', { name: 'vagrant', scopes: ['read:package'] });
    for (const version of ['1.9.0', '1.10.0']) {
      const box = tgz({ 'metadata.json': '{"provider":"virtualbox"}', Vagrantfile: `# ${version}\n` });
      expect((await send('PUT', `${at}/${version}/virtualbox.box`, box)).statusCode).to.equal(201);
    }
    const vagrant = async (token: string | undefined, ...args: string[]) => {
      const env = {
        ...process.env,
        HOME: folder,
        VAGRANT_HOME: join(folder, 'vagrant'),
        VAGRANT_CHECKPOINT_DISABLE: '1',
        VAGRANT_SERVER_URL: root,
        ...(token && { VAGRANT_CLOUD_TOKEN: token }),
      };
      await run('vagrant', args, { cwd: folder, env });
    };
    const add = ['box', 'add', '--provider', 'virtualbox', root + at];
    const boxes = async () => {
      const [box = 'none'] = await readdir(join(folder, 'vagrant', 'boxes'));
      return (await readdir(join(folder, 'vagrant', 'boxes', box))).filter((name) => /^\d/.test(name)).sort();
    };
    await expect(vagrant(undefined, ...add)).to.reject();
    await vagrant(made.json.sha1, ...add);
    expect(await boxes()).to.equal(['1.10.0']);
    expect((await send('DELETE', '/api/v1/packages/ada/vagrant/tool/1.10.0')).statusCode).to.equal(204);
    await vagrant(made.json.sha1, ...add);
    expect(await boxes()).to.equal(['1.10.0', '1.9.0']);
  });
});
