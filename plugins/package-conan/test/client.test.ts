import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { installedClient } from '@mortise/packages/testing';
import { readRecipe } from '../services/descriptions.js';
import { fits } from '../services/references.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
// from PyPI: where test/services/install.mjs puts it, or of the system
const program = [installedClient('conan', 'bin', 'conan') ?? 'conan', 'conan'].find(
  (one) => spawnSync(one, ['--version']).status === 0,
);

describe('Conan', { timeout: 120_000 }, () => {
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
  const send = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, payload?: string | object) =>
    host.inject({
      method,
      url: at + path,
      payload,
      headers: {
        authorization: ada.authorization,
        ...(typeof payload === 'string' && { 'content-type': 'application/octet-stream' }),
      },
    });
  const json = async (path: string) => (await send('GET', path)).json;

  it('fits patterns', () => {
    for (const [pattern, text, does] of [
      ['*', '', true],
      ['to*', 'tool', true],
      ['t?ol', 'tool', true],
      ['t?', 'tool', false],
      ['*/1.0', 'tool/1.0', true],
      ['*/1.0', 'tool/1.0@a/b', false],
      [`${'*a'.repeat(100)}b`, 'a'.repeat(5000), false],
    ] as const)
      expect(fits(pattern, text), `${pattern} ${text}`).to.equal(does);
  });

  it('reads recipes without running them', () => {
    const text =
      'class A(ConanFile):\n    license = ("MIT", "BSD")\n    author = \'Ada\'\n    topics = ("one", "two")\n    url = f(x)\n    description = """\n';
    expect(readRecipe(text)).to.equal({ license: 'MIT, BSD', author: 'Ada', topics: ['one', 'two'], description: '' });
  });

  it('deletes what one user and channel has, and nothing else', async () => {
    for (const who of ['_/_', 'ada/old'])
      for (const revision of ['r1', 'r2'])
        expect(
          (await send('PUT', `/v2/conans/tool/1.0/${who}/revisions/${revision}/files/conanfile.py`, '#')).statusCode,
        ).to.equal(201);
    const binary = '/v2/conans/tool/1.0/_/_/revisions/r2/packages';
    for (const id of ['p1', 'p2'])
      expect(
        (await send('PUT', `${binary}/${id}/revisions/b1/files/conaninfo.txt`, '[settings]\nos=Linux\n')).statusCode,
      ).to.equal(201);
    expect((await json('/v2/conans/tool/1.0/_/_/latest')).revision).to.equal('r2');
    expect(Object.keys(await json('/v2/conans/tool/1.0/_/_/search'))).to.equal(['p1', 'p2']);
    expect(
      (await send('POST', '/v1/conans/tool/1.0/_/_/packages/delete', { package_ids: ['p1'] })).statusCode,
    ).to.equal(200);
    expect(Object.keys(await json('/v2/conans/tool/1.0/_/_/search'))).to.equal(['p2']);
    expect((await send('DELETE', binary)).statusCode).to.equal(200);
    expect(await json('/v2/conans/tool/1.0/_/_/search')).to.equal({});
    expect((await send('DELETE', '/v2/conans/tool/1.0/_/_')).statusCode).to.equal(200);
    expect((await json('/v2/conans/search?q=TOOL')).results).to.equal(['tool/1.0@ada/old']);
    expect((await json('/v2/conans/search?q=TOOL&ignorecase=False')).results).to.equal([]);
    expect((await send('DELETE', '/v1/conans/tool/1.0/ada/old')).statusCode).to.equal(200);
    expect((await send('GET', '/v1/conans/tool/1.0/ada/old')).statusCode).to.equal(404);
  });

  it('serves conan', { skip: !program, timeout: 110_000 }, async () => {
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
