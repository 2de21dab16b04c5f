import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { moduleZip, name } from './samples.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const hasGo = spawnSync('go', ['version']).status === 0;

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
