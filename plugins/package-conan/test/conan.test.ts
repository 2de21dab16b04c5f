// Database: SQLite alone. Proved is that the real client takes the answers; kit.test.ts and client.test.ts ask on each.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { installedClient } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
// from PyPI: where test/services/install.mjs puts it, or of the system
const program = [installedClient('conan', 'bin', 'conan') ?? 'conan', 'conan'].find(
  (one) => spawnSync(one, ['--version']).status === 0,
);

describe('the conan client', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let folder: string;
  const at = '/api/packages/ada/conan';
  before(async () => {
    host = await startHost({ plugins: ['package-conan', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    folder = await mkdtemp(join(tmpdir(), 'mortise-conan-'));
  });
  after(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });
  const json = async (path: string) =>
    (await host.inject({ url: at + path, headers: { authorization: ada.authorization } })).json;

  it('uploads, finds, installs and removes', { skip: !program, timeout: 110_000 }, async () => {
    const base = (await host.url()) + at;
    const [recipe, home] = ['recipe', 'home'].map((name) => join(folder, name)) as [string, string];
    for (const one of [recipe, home]) await mkdir(one, { recursive: true });
    await writeFile(
      join(recipe, 'conanfile.py'),
      'import os\nfrom conan import ConanFile\nfrom conan.tools.files import save\n\n\nclass Hello(ConanFile):\n    name = "hello"\n    version = "1.2.3"\n    license = "MIT"\n    description = "says hello"\n    settings = "os"\n\n    def package(self):\n        save(self, os.path.join(self.package_folder, "hello.txt"), "hello")\n',
    );
    // who is not signed in is not asked
    await writeFile(join(home, 'global.conf'), 'core:non_interactive=True\ncore.net.http:max_retries=0\n');
    const conan = (...args: string[]) =>
      run(program!, args, { cwd: recipe, env: { ...process.env, CONAN_HOME: home } });
    await conan('profile', 'detect');
    await conan('remote', 'disable', '*');
    await conan('remote', 'add', 'mine', base);
    await conan('create', '.');
    await expect(conan('upload', 'hello/1.2.3', '-r', 'mine', '-c')).to.reject();
    await expect(conan('remote', 'login', 'mine', 'ada', '-p', 'wrong')).to.reject();
    await conan('remote', 'login', 'mine', 'ada', '-p', ada.password);
    await conan('upload', 'hello/1.2.3', '-r', 'mine', '-c');
    expect((await json('/v2/conans/search?q=hello')).results).to.equal(['hello/1.2.3']);
    expect((await conan('search', 'hello*', '-r', 'mine')).stdout).to.contain('hello/1.2.3');
    const listed = JSON.parse((await conan('list', 'hello/1.2.3:*', '-r', 'mine', '-f', 'json')).stdout);
    const [revision] = Object.values(listed.mine['hello/1.2.3'].revisions) as [
      { packages: Record<string, { info: { settings: object } }> },
    ];
    expect(Object.values(revision.packages)[0]!.info.settings).to.include({ os: 'Linux' });
    await conan('remove', 'hello/*', '-c');
    await conan('install', '--requires', 'hello/1.2.3', '-r', 'mine');
    expect((await conan('cache', 'path', 'hello/1.2.3')).stdout).to.contain(home);
    await conan('remove', 'hello/1.2.3', '-r', 'mine', '-c');
    expect((await json('/v2/conans/search?q=hello')).results).to.equal([]);
    await conan('remote', 'logout', 'mine');
    await conan('remove', 'hello/*', '-c');
    await expect(conan('install', '--requires', 'hello/1.2.3', '-r', 'mine')).to.reject();
  });
});
