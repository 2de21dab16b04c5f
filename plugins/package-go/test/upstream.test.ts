// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { downloadPolicy, storage } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { FakeUpstream } from '@mortise/packages/testing';
import { moduleZip, name } from './samples.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const hasGo = spawnSync('go', ['version']).status === 0;
const at = '/api/packages/ada/go';
const path = `/${name.replace('K', '!k')}`;

describe('PKG-20: modules of another proxy', { timeout: 60_000 }, () => {
  let far: TestHost;
  let host: TestHost;
  let ada: KitUser;
  const upload = async (to: TestHost, who: KitUser, version: string, module = name) => {
    const headers = { authorization: who.authorization };
    const url = `${at}/upload`;
    const put = await to.inject({ method: 'PUT', url, payload: moduleZip(version, module), headers });
    expect(put.statusCode).to.equal(201);
  };
  const read = (url: string) => host.inject({ url: at + url, headers: { authorization: ada.authorization } });

  before(async () => {
    far = await startHost({ plugins: ['package-go', 'auth-basic'] });
    const other = await makeUser(far, 'ada');
    for (const version of ['v1.0.0', 'v1.1.0']) await upload(far, other, version);
    await upload(far, other, 'v1.0.0', 'example.com/mine/below');
    host = await startHost({
      plugins: ['package-go', 'auth-basic'],
      settings: { 'package-go': { UPSTREAM: `${await far.url()}${at}` }, packages: { UPSTREAM_ANONYMOUS: true } },
    });
    ada = await makeUser(host, 'ada');
  });
  after(async () => {
    await host.close();
    await far.close();
  });

  it('go fetches modules of the upstream proxy', { skip: !hasGo, timeout: 50_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mortise-go-'));
    const env = {
      ...process.env,
      GOPROXY: `${await host.url()}${at},off`,
      GOSUMDB: 'off',
      GOFLAGS: '-modcacherw',
      GOTOOLCHAIN: 'local',
      GOMODCACHE: join(folder, 'cache'),
    };
    try {
      await writeFile(join(folder, 'go.mod'), 'module example.com/app\n\ngo 1.19\n');
      await run('go', ['get', `${name}@latest`], { cwd: folder, env });
      expect((await run('go', ['list', '-m', name], { cwd: folder, env })).stdout.trim()).to.equal(`${name} v1.1.0`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('serves lists, descriptions and zips', async () => {
    expect((await read(`${path}/@v/list`)).payload.trim().split('\n').sort()).to.equal(['v1.0.0', 'v1.1.0']);
    expect((await read(`${path}/@v/v1.0.0.info`)).json.Version).to.equal('v1.0.0');
    for (const file of ['list', 'v1.0.0.info', 'v1.0.0.mod', 'v1.0.0.zip'])
      expect((await read(`${path}/@v/${file}`)).headers['content-security-policy'], file).to.equal(downloadPolicy);
    expect((await read(`${path}/@v/v1.0.0.mod`)).payload).to.include(`module ${name}`);
    expect((await read(`${path}/@v/v1.0.0.zip`)).rawPayload).to.equal(moduleZip('v1.0.0'));
    const missing = [
      `${path}/@v/v9.0.0.zip`,
      `${path}/@v/main.zip`,
      `${path}/@v/..%2fx.mod`,
      `/${name}/@v/list`,
      '/nothing/@v/list',
    ];
    for (const url of missing) expect((await read(url)).statusCode, url).to.equal(404);
  });

  it('never asks for a module that is here, nor for one below it', async () => {
    const url = '/example.com/mine/below/@v/v1.0.0.zip';
    expect((await read(url)).statusCode).to.equal(200);
    await upload(host, ada, 'v1.2.3', 'example.com/mine');
    expect((await read('/example.com/mine/@v/list')).payload).to.equal('v1.2.3\n');
    for (const gone of [url, '/example.com/mine/below/@v/list', '/example.com/mine/@v/v1.0.0.zip'])
      expect((await read(gone)).statusCode).to.equal(404);
  });

  it('keeps what never changes for good, and asks again for the rest', async () => {
    const upstream = await FakeUpstream.start();
    const other = await startHost({
      plugins: ['package-go', 'auth-basic'],
      settings: { 'package-go': { UPSTREAM: upstream.url }, packages: { UPSTREAM_FRESH_SECONDS: 0 } },
    });
    try {
      const { authorization } = await makeUser(other, 'ada');
      const info = { body: { Version: 'v1.0.0' } };
      for (const version of ['v1.0.0', 'main']) {
        upstream.has(`/example.com/kit/@v/${version}.info`, info);
        for (let time = 0; time < 2; time++) {
          const url = `${at}/example.com/kit/@v/${version}.info`;
          expect((await other.inject({ url, headers: { authorization } })).json).to.equal(info.body);
        }
      }
      expect(upstream.asked('/example.com/kit/@v/v1.0.0.info').length).to.equal(1);
      expect(upstream.asked('/example.com/kit/@v/main.info').length).to.equal(2);
    } finally {
      await other.close();
      await upstream.close();
    }
  });

  it('keeps nothing that does not look like what was asked for, and fetches again what an operator removes', async () => {
    const upstream = await FakeUpstream.start();
    const other = await startHost({
      plugins: ['package-go', 'auth-basic'],
      settings: { 'package-go': { UPSTREAM: upstream.url } },
    });
    try {
      const { authorization } = await makeUser(other, 'ada');
      const get = (file: string) => other.inject({ url: at + file, headers: { authorization } });
      const page = { 'content-type': 'text/html; charset=utf-8' };
      const file = '/example.com/kit/@v/v1.0.0';
      const zip = moduleZip('v1.0.0', 'example.com/kit');
      const goMod = '// a comment\nmodule example.com/kit\n';
      const info = '{"Version":"v1.0.0"}';
      const wrong = {
        zip: [
          { body: '<html>Sign in</html>' },
          { body: zip.subarray(0, 2) },
          { body: '' },
          { body: zip, headers: page },
        ],
        mod: [{ body: '<html>Sign in</html>' }, { body: 'go 1.19\n' }, { body: goMod, headers: page }],
        info: [{ body: '{"Version":"v1.0.1"}' }, { body: '{}' }, { body: info, headers: page }],
      };
      const right = { zip, mod: goMod, info };
      for (const kind of ['zip', 'mod', 'info'] as const) {
        for (const [which, answer] of wrong[kind].entries()) {
          upstream.has(`${file}.${kind}`, answer);
          expect((await get(`${file}.${kind}`)).statusCode, `${kind} ${which}`).to.equal(502);
        }
        upstream.has(`${file}.${kind}`, { body: right[kind] });
        expect((await get(`${file}.${kind}`)).rawPayload, kind).to.equal(Buffer.from(right[kind]));
      }
      upstream.has('/example.com/kit/@v/list', { body: 'v1.0.0\n', headers: page });
      expect((await get('/example.com/kit/@v/list')).statusCode).to.equal(502);
      // as docs/operating.md tells it
      const asked = upstream.asked(`${file}.zip`).length;
      const name = JSON.stringify(['file', 'go', `${upstream.url}${file}.zip`]);
      const key = createHash('sha256').update(name).digest('hex');
      const area = other.services.get(storage).area('package-upstreams');
      const place = `${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;
      // it is kept a moment after it was answered
      while (!(await area.stat(place))) await new Promise((resolve) => setImmediate(resolve));
      await area.delete(place);
      expect((await get(`${file}.zip`)).rawPayload).to.equal(zip);
      expect(upstream.asked(`${file}.zip`).length).to.equal(asked + 1);
    } finally {
      await other.close();
      await upstream.close();
    }
  });
});
