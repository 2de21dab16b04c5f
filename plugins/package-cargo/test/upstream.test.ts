// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { downloadPolicy } from '@mortise/plugin-sdk';
import { freePort, makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { FakeUpstream, tgz } from '@mortise/packages/testing';
import { frame } from './frame.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const hasCargo = spawnSync('cargo', ['--version']).status === 0;
const plugins = ['package-cargo', 'auth-basic', 'auth-token'];
const at = '/api/packages/ada/cargo';

describe('PKG-20: crates of another registry', { timeout: 120_000 }, () => {
  let far: TestHost;
  let host: TestHost;
  let ada: KitUser;
  let root: string;

  const listening = async (settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {}) => {
    const port = await freePort();
    const started = await startHost({
      plugins,
      settings: { server: { HTTP_PORT: port, ROOT_URL: `http://127.0.0.1:${port}/` }, ...settings },
    });
    return { started, user: await makeUser(started, 'ada'), root: await started.url() };
  };
  const crate = (name: string) => {
    const top = `${name}-1.0.0`;
    const manifest = `[package]\nname = "${name}"\nversion = "1.0.0"\nedition = "2021"\n`;
    return tgz({ [`${top}/Cargo.toml`]: manifest, [`${top}/src/lib.rs`]: 'pub fn hello() {}\n' });
  };
  const publish = async (to: TestHost, who: KitUser, name: string) => {
    const put = await to.inject({
      method: 'PUT',
      url: `${at}/api/v1/crates/new`,
      headers: { authorization: who.authorization },
      payload: frame({ name, vers: '1.0.0' }, crate(name)),
    });
    expect(put.json).to.equal({ ok: true });
  };
  const read = (path: string) => host.inject({ url: at + path, headers: { authorization: ada.authorization } });

  before(async () => {
    const other = await listening();
    far = other.started;
    for (const name of ['distant', 'my-tool']) await publish(far, other.user, name);
    const own = await listening({ 'package-cargo': { UPSTREAM: `${other.root}${at}/` } });
    ({ started: host, user: ada, root } = own);
  });
  after(async () => {
    await host.close();
    await far.close();
  });

  it('serves the index and crates, and keeps them', async () => {
    const index = await read('/di/st/distant');
    expect(JSON.parse(index.payload)).to.include({ name: 'distant', vers: '1.0.0' });
    expect(index.headers['content-security-policy']).to.equal(downloadPolicy);
    const file = await read('/api/v1/crates/distant/1.0.0/download');
    expect(file.statusCode).to.equal(200);
    expect(file.rawPayload).to.equal(crate('distant'));
    for (const path of [
      '/no/wh/nowhere',
      '/api/v1/crates/distant/2.0.0/download',
      '/api/v1/crates/distant/toString/download',
    ])
      expect((await read(path)).statusCode, path).to.equal(404);
    expect((await read('/config.json')).json['auth-required']).to.be.true();
    expect((await host.inject(`${at}/di/st/distant`)).statusCode).to.equal(401);
  });

  it('never asks for a name that is here, or looks like one', async () => {
    await publish(host, ada, 'my_tool');
    expect(JSON.parse((await read('/my/_t/my_tool')).payload)).to.include({ name: 'my_tool' });
    expect((await read('/my/-t/my-tool')).statusCode).to.equal(404);
    expect((await read('/api/v1/crates/my-tool/1.0.0/download')).statusCode).to.equal(404);
    await publish(host, ada, 'my-own_crate');
    for (const name of ['my_own-crate', 'my_own_crate', 'my-own-crate', 'MY_own-Crate'])
      expect((await read(`/my/_o/${name}`)).statusCode, name).to.equal(404);
  });

  it('never asks for what is like a name of its own by setting, or has too many signs to tell', async () => {
    const upstream = await FakeUpstream.start();
    const other = await startHost({
      plugins,
      settings: { 'package-cargo': { UPSTREAM: upstream.url, UPSTREAM_OWN_NAMES: 'acme-*, corp_*' } },
    });
    try {
      const { authorization } = await makeUser(other, 'ada');
      for (const name of ['acme-tool', 'acme_tool', 'corp-tool', 'a-b-c-d-e-f-g-h-i-j'])
        expect((await other.inject({ url: `${at}/xx/xx/${name}`, headers: { authorization } })).statusCode).to.equal(
          404,
        );
      expect(upstream.asked().length).to.equal(0);
      await other.inject({ url: `${at}/xx/xx/a-b-c-d-e-f-g-h-i`, headers: { authorization } });
      expect(upstream.asked().length).to.equal(1);
    } finally {
      await other.close();
      await upstream.close();
    }
  });

  it('refuses crates that are not what the index names', async () => {
    const upstream = await FakeUpstream.start();
    const other = await startHost({ plugins, settings: { 'package-cargo': { UPSTREAM: upstream.url } } });
    try {
      const { authorization } = await makeUser(other, 'ada');
      const line = { name: 'wrong', vers: '1.0.0', deps: [], features: {}, cksum: '0'.repeat(64), yanked: false };
      upstream.has('/wr/on/wrong', { body: `${JSON.stringify(line)}\n` });
      upstream.has('/config.json', { body: { dl: `${upstream.url}/{lowerprefix}/{crate}-{version}` } });
      upstream.has('/wr/on/wrong-1.0.0', { body: crate('wrong') });
      const url = `${at}/api/v1/crates/wrong/1.0.0/download`;
      const answer = await other.inject({ url, headers: { authorization } });
      expect(answer.statusCode).to.equal(502);
      expect(answer.json.errors[0].detail).to.include('other content');
    } finally {
      await other.close();
      await upstream.close();
    }
  });

  it('reads long indexes as short ones, within bounds', async () => {
    const upstream = await FakeUpstream.start();
    const other = await startHost({ plugins, settings: { 'package-cargo': { UPSTREAM: upstream.url } } });
    try {
      const { authorization } = await makeUser(other, 'ada');
      const get = (path: string) => other.inject({ url: at + path, headers: { authorization } });
      const entry = {
        name: 'Long',
        deps: [],
        features: { a: ['b'.repeat(100)] },
        cksum: '1'.repeat(64),
        yanked: false,
      };
      const lines = Array.from({ length: 3000 }, (_, n) => JSON.stringify({ ...entry, vers: `1.0.${n}` }));
      const foreign = JSON.stringify({ ...entry, name: 'other', vers: '9.0.0' });
      upstream.has('/lo/ng/long', { body: [foreign, ...lines, ''].join('\n') });
      upstream.has('/config.json', { body: { dl: `${upstream.url}/dl` } });
      const index = await get('/lo/ng/long');
      expect(index.statusCode).to.equal(200);
      expect(index.payload).to.equal(lines.map((line) => `${line}\n`).join(''));
      await get('/api/v1/crates/long/1.0.7/download');
      expect(upstream.asked('/dl/Long/1.0.7/download').length).to.equal(1);
      upstream.has('/hu/ge/huge', {
        body: `${JSON.stringify({ ...entry, name: 'huge', vers: '1.0.0' })}\n`.repeat(40_000),
      });
      expect((await get('/hu/ge/huge')).statusCode).to.equal(502);
    } finally {
      await other.close();
      await upstream.close();
    }
  });

  it('cargo fetches crates of the upstream registry', { skip: !hasCargo, timeout: 100_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mortise-cargo-'));
    try {
      const made = await host.inject({
        method: 'POST',
        url: '/api/v1/users/ada/tokens',
        headers: { authorization: ada.authorization },
        payload: { name: 'cargo', scopes: ['read:package'] },
      });
      const home = join(folder, 'home');
      const app = join(folder, 'app');
      for (const path of [home, join(app, 'src')]) await mkdir(path, { recursive: true });
      const config = `[registry]\nglobal-credential-providers = ["cargo:token"]\n[registries.mine]\nindex = "sparse+${root}${at}/"\n`;
      await writeFile(join(home, 'config.toml'), config);
      const manifest =
        '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ndistant = { version = "1", registry = "mine" }\n';
      await writeFile(join(app, 'Cargo.toml'), manifest);
      await writeFile(join(app, 'src/main.rs'), 'fn main() { distant::hello() }\n');
      const env = { ...process.env, CARGO_HOME: home, CARGO_NET_RETRY: '0' };
      await expect(run('cargo', ['fetch'], { cwd: app, env })).to.reject();
      await run('cargo', ['fetch'], { cwd: app, env: { ...env, CARGO_REGISTRIES_MINE_TOKEN: made.json.sha1 } });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
