// Database: SQLite alone. Proved is that real clients take the answers; kit.test.ts asks for the same on each database.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { freePort, makeUser, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { zip } from '@mortise/packages/testing';
import { moduleZip, name } from './samples.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const hasGo = spawnSync('go', ['version']).status === 0;
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe('PKG-12: go', { timeout: 60_000 }, () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: ['package-go', 'auth-basic'] });
    const ada = await makeUser(host, 'ada');
    for (const version of ['v1.2.0', 'v1.10.0', 'v1.9.0', 'v1.11.0-rc.1']) {
      const url = '/api/packages/ada/go/upload';
      const headers = { authorization: ada.authorization };
      const put = await host.inject({ method: 'PUT', url, payload: moduleZip(version), headers });
      expect(put.statusCode).to.equal(201);
    }
  });
  after(() => host.close());

  it('keeps a go.mod of any length up to 16 MiB', async () => {
    const ben = await makeUser(host, 'ben');
    const headers = { authorization: ben.authorization };
    const goMod = `module example.com/big\n\n${'// a long comment 😀\n'.repeat(30_000)}`;
    const put = (text: string, version: string) => {
      const payload = zip({ [`example.com/big@${version}/go.mod`]: text });
      return host.inject({ method: 'PUT', url: '/api/packages/ben/go/upload', payload, headers });
    };
    expect((await put(goMod, 'v1.0.0')).statusCode).to.equal(201);
    const { payload } = await host.inject('/api/packages/ben/go/example.com/big/@v/v1.0.0.mod');
    expect(payload === goMod).to.be.true();
    expect((await host.inject('/api/packages/ben/go/example.com/big/@latest')).json.Version).to.equal('v1.0.0');
    const page = await host.inject(`/ben/-/packages/go/${encodeURIComponent('example.com/big')}/v1.0.0`);
    expect([page.statusCode, page.payload.includes('go get example.com/big@v1.0.0')]).to.equal([200, true]);
    expect((await put(goMod + '\n'.repeat(16 * 1024 * 1024), 'v1.0.1')).statusCode).to.equal(400);
  });

  it(
    'lists and gets modules with capitals, the highest release as the latest',
    { skip: !hasGo, timeout: 50_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mortise-go-'));
      const env = {
        ...process.env,
        GOPROXY: `${await host.url()}/api/packages/ada/go,off`,
        GOSUMDB: 'off',
        GOFLAGS: '-modcacherw',
        GOTOOLCHAIN: 'local',
        GOMODCACHE: join(folder, 'cache'),
      };
      const go = async (...args: string[]) => (await run('go', args, { cwd: folder, env })).stdout.trim();
      try {
        await writeFile(join(folder, 'go.mod'), 'module example.com/app\n\ngo 1.19\n');
        expect(await go('list', '-m', '-versions', name)).to.equal(`${name} v1.2.0 v1.9.0 v1.10.0 v1.11.0-rc.1`);
        await go('get', `${name}@latest`);
        expect(await go('list', '-m', name)).to.equal(`${name} v1.10.0`);
        await go('get', `${name}@v1.11.0-rc.1`);
        await expect(go('get', 'example.com/kit/tool@latest')).to.reject(/lookup disabled/);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});

/** The client sends credentials by https alone. */
describe('PKG-12: go and a private owner', { timeout: 60_000 }, () => {
  const skip = !hasGo || !hasOpenssl;
  let host: TestHost | undefined;
  let folder: string;
  before(async () => {
    if (skip) return;
    folder = await mkdtemp(join(tmpdir(), 'mortise-go-'));
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
    ]);
    const port = await freePort();
    host = await startHost({
      plugins: ['package-go', 'auth-basic', 'auth-token'],
      settings: {
        server: {
          PROTOCOL: 'https',
          HTTP_PORT: port,
          ROOT_URL: `https://127.0.0.1:${port}/`,
          CERT_FILE: certificate,
          KEY_FILE: key,
        },
      },
    });
    await host.url();
  });
  after(async () => {
    await host?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('is read with a token, refused without, and right after a deletion', { skip, timeout: 50_000 }, async () => {
    const ada = await makeUser(host!, 'ada', { visibility: 'private' });
    const headers = { authorization: ada.authorization };
    for (const version of ['v1.0.0', 'v1.1.0']) {
      const url = '/api/packages/ada/go/upload';
      expect((await host!.inject({ method: 'PUT', url, payload: moduleZip(version), headers })).statusCode).to.equal(
        201,
      );
    }
    const made = await host!.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      payload: { name: 'go', scopes: ['read:package'] },
      headers,
    });
    const netrc = join(folder, 'netrc');
    const go = async (isSigned: boolean, ...args: string[]) => {
      const { host: machine } = new URL(host!.site.rootUrl);
      await writeFile(netrc, isSigned ? `machine ${machine} login ada password ${made.json.sha1}\n` : '');
      await writeFile(join(folder, 'go.mod'), 'module example.com/app\n\ngo 1.19\n');
      const env = {
        ...process.env,
        NETRC: netrc,
        SSL_CERT_FILE: join(folder, 'certificate.pem'),
        GOPROXY: `${host!.site.rootUrl}/api/packages/ada/go`,
        GOSUMDB: 'off',
        GOFLAGS: '-modcacherw',
        GOTOOLCHAIN: 'local',
        GOMODCACHE: join(folder, 'cache'),
      };
      return (await run('go', args, { cwd: folder, env })).stdout.trim();
    };
    await expect(go(false, 'list', '-m', '-versions', name)).to.reject(/401/);
    expect(await go(true, 'list', '-m', '-versions', name)).to.equal(`${name} v1.0.0 v1.1.0`);
    await go(true, 'get', `${name}@latest`);
    const url = `/api/v1/packages/ada/go/${encodeURIComponent(name)}/v1.1.0`;
    expect((await host!.inject({ method: 'DELETE', url, headers })).statusCode).to.equal(204);
    await rm(join(folder, 'cache'), { recursive: true, force: true });
    expect(await go(true, 'list', '-m', '-versions', name)).to.equal(`${name} v1.0.0`);
    await expect(go(true, 'get', `${name}@v1.1.0`)).to.reject(/404/);
  });
});
