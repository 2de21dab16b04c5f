// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { frame } from './frame.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const hasCargo = spawnSync('cargo', ['--version']).status === 0;

describe('cargo', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let folder: string;
  let token: string;
  before(async () => {
    host = await startHost({ plugins: ['package-cargo', 'package-generic', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    folder = await mkdtemp(join(tmpdir(), 'mortise-cargo-'));
    const made = await host.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      headers: { authorization: ada.authorization },
      payload: { name: 'cargo', scopes: ['write:package'] },
    });
    token = made.json.sha1;
  });
  after(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });
  const index = async () => {
    const url = '/api/packages/ada/cargo/he/ll/hello';
    const { payload } = await host.inject({ url, headers: { authorization: token } });
    return payload
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { vers: string; yanked: boolean });
  };

  it('TOK-10: a token by itself is for cargo, and for no other format', async () => {
    const statuses = ['cargo/config.json', 'generic/box/1/data.txt'].map(async (path) => {
      const url = `/api/packages/ada/${path}`;
      const ask = async (authorization: string) => (await host.inject({ url, headers: { authorization } })).statusCode;
      return [await ask(token), await ask(`Bearer ${token}`)];
    });
    expect(await Promise.all(statuses)).to.equal([
      [200, 200],
      [401, 404],
    ]);
  });

  it('keeps features in the two lists that its versions can read', async () => {
    const features = { std: [], json: ['dep:serde'], both: ['serde?/std'] };
    const payload = frame({ name: 'featured', vers: '1.0.0', features, rust_version: '1.70' });
    const headers = { authorization: token };
    const put = await host.inject({
      method: 'PUT',
      url: '/api/packages/ada/cargo/api/v1/crates/new',
      headers,
      payload,
    });
    expect(put.json).to.equal({ ok: true });
    const line = JSON.parse((await host.inject({ url: '/api/packages/ada/cargo/fe/at/featured', headers })).payload);
    expect(line.features).to.equal({ std: [] });
    expect(line.features2).to.equal({ json: ['dep:serde'], both: ['serde?/std'] });
    expect(line).to.include({ v: 2, rust_version: '1.70' });
  });

  it('publishes privately, adds, yanks and searches', { skip: !hasCargo, timeout: 100_000 }, async () => {
    const base = await host.url();
    const home = join(folder, 'home');
    const crate = join(folder, 'hello');
    const app = join(folder, 'app');
    for (const at of [home, join(crate, 'src'), join(app, 'src')]) await mkdir(at, { recursive: true });
    await writeFile(
      join(home, 'config.toml'),
      `[registry]\nglobal-credential-providers = ["cargo:token"]\n[registries.mine]\nindex = "sparse+${base}/api/packages/ada/cargo/"\n`,
    );
    await writeFile(
      join(crate, 'Cargo.toml'),
      '[package]\nname = "hello"\nversion = "1.2.3"\nedition = "2021"\ndescription = "says hello"\nlicense = "MIT"\n',
    );
    await writeFile(join(crate, 'src/lib.rs'), 'pub fn hello() {}\n');
    await writeFile(join(app, 'Cargo.toml'), '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n');
    await writeFile(join(app, 'src/main.rs'), 'fn main() { hello::hello() }\n');
    const env = { ...process.env, CARGO_HOME: home, CARGO_REGISTRIES_MINE_TOKEN: token, CARGO_NET_RETRY: '0' };
    const cargo = (cwd: string, ...args: string[]) => run('cargo', args, { cwd, env });

    await cargo(crate, 'publish', '--registry', 'mine', '--no-verify', '--allow-dirty');
    expect((await index()).map(({ vers }) => vers)).to.equal(['1.2.3']);
    await expect(cargo(crate, 'publish', '--registry', 'mine', '--no-verify', '--allow-dirty')).to.reject(/already/);
    await cargo(app, 'add', 'hello', '--registry', 'mine');
    await cargo(app, 'fetch');
    expect((await cargo(app, 'search', 'hello', '--registry', 'mine')).stdout).to.contain('hello = "1.2.3"');
    await cargo(crate, 'yank', '--version', '1.2.3', '--registry', 'mine');
    expect((await index()).map(({ vers, yanked }) => [vers, yanked])).to.equal([['1.2.3', true]]);
    const { CARGO_REGISTRIES_MINE_TOKEN: _token, ...without } = env;
    await rm(join(home, 'registry'), { recursive: true, force: true });
    await expect(run('cargo', ['fetch'], { cwd: app, env: without })).to.reject();
  });
});
