// Database: SQLite alone. Proved is that real clients take the answers; kit.test.ts asks for the same on each database.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const has = (command: string) => spawnSync(command, ['--version']).status === 0;
const skip = !has('dnf') || !has('rpmbuild');

describe('dnf and an RPM repository (PKG-09)', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let folder: string;
  before(async () => {
    if (skip) return;
    host = await startHost({
      plugins: ['package-rpm', 'auth-basic', 'auth-token'],
    });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    folder = await mkdtemp(join(tmpdir(), 'mortise-dnf-'));
  });
  after(async () => {
    await host?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const env = { ...process.env, LC_ALL: 'C', no_proxy: '127.0.0.1,localhost' };
  const send = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, payload?: Buffer | object) =>
    host.inject({ method, url, payload, headers: { authorization: ada.authorization } });
  const build = async (version: string): Promise<Buffer> => {
    const spec = [
      `Name: hello\nVersion: ${version}\nRelease: 1\nSummary: a test\nLicense: MIT\nBuildArch: noarch`,
      '%description\na test\n%install\nmkdir -p %{buildroot}/usr/share\necho hi > %{buildroot}/usr/share/hello',
      '%files\n/usr/share/hello\n',
    ].join('\n');
    await writeFile(join(folder, 'hello.spec'), spec);
    await run('rpmbuild', ['-bb', '--define', `_topdir ${folder}/build`, join(folder, 'hello.spec')], { env });
    return readFile(join(folder, `build/RPMS/noarch/hello-${version}-1.noarch.rpm`));
  };
  const publish = async (version: string) => {
    const answer = await send('PUT', '/api/packages/ada/rpm/el9/upload?sign=true', await build(version));
    expect(answer.statusCode).to.equal(201);
  };

  it('finds, verifies and downloads what was published privately', { skip, timeout: 110_000 }, async () => {
    const address = await host.url();
    const made = await send('POST', '/api/v1/users/ada/tokens', { name: 'dnf', scopes: ['read:package'] });
    const { sha1: token } = made.json as { sha1: string };
    await publish('1.0');
    for (const path of ['repos', 'cache', 'root', 'keys']) await mkdir(join(folder, path));
    await writeFile(join(folder, 'dnf.conf'), `[main]\nreposdir=${folder}/repos\ncachedir=${folder}/cache\n`);
    const described = (await send('GET', '/api/packages/ada/rpm/el9.repo')).payload
      .replace(/^(baseurl=)https?:\/\/[^/]+/m, `$1${address}`)
      .replace(/^gpgkey=.*$/m, `gpgkey=file://${folder}/key.asc`);
    await writeFile(join(folder, 'key.asc'), (await send('GET', '/api/packages/ada/rpm/repository.key')).payload);
    const repository = (more: string) =>
      writeFile(join(folder, 'repos/m.repo'), `${described}\nrepo_gpgcheck=1\n${more}`);
    const dnf = async (...args: string[]) => {
      const all = ['-y', '-c', join(folder, 'dnf.conf'), `--installroot=${folder}/root`, '--releasever=9', ...args];
      const { stdout, stderr } = await run('dnf', all, { cwd: folder, env });
      return stdout + stderr;
    };
    await repository('');
    await expect(dnf('makecache')).to.reject(/401/);
    await repository(`username=ada\npassword=${token}\n`);
    await dnf('makecache', '--refresh');
    expect(await dnf('repoquery', '--whatprovides', 'hello')).to.contain('hello-0:1.0-1.noarch');
    expect(await dnf('repoquery', '-l', 'hello')).to.contain('/usr/share/hello');
    await dnf('install', '--downloadonly', `--downloaddir=${folder}/taken`, 'hello');
    expect(await readdir(join(folder, 'taken'))).to.equal(['hello-1.0-1.noarch.rpm']);
    await run('rpm', ['--dbpath', join(folder, 'keys'), '--import', join(folder, 'key.asc')], { env });
    const checked = await run(
      'rpm',
      ['--dbpath', join(folder, 'keys'), '-K', join(folder, 'taken/hello-1.0-1.noarch.rpm')],
      { env },
    );
    expect(checked.stdout).to.contain('digests signatures OK');
    await publish('1.1');
    expect(await dnf('--refresh', 'repoquery', 'hello')).to.contain('hello-0:1.1-1.noarch');
    const gone = await send('DELETE', '/api/packages/ada/rpm/el9/package/hello/1.1-1/noarch');
    expect(gone.statusCode).to.equal(204);
    expect(await dnf('--refresh', 'repoquery', 'hello'))
      .to.contain('hello-0:1.0-1')
      .and.not.contain('1.1-1');
  });
});
