// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { execFile, spawnSync } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { packBzip2 } from '@mortise/packages/api';
import { tar, tgz, zip } from '@mortise/packages/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const hasComposer =
  spawnSync('composer', ['--version'], { env: { ...process.env, COMPOSER_ALLOW_SUPERUSER: '1' } }).status === 0;

describe('Composer', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let folder: string;
  const at = '/api/packages/ada/composer';
  before(async () => {
    host = await startHost({ plugins: ['package-composer', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    folder = await mkdtemp(join(tmpdir(), 'mortise-composer-'));
  });
  after(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });
  const put = (payload: Buffer, query = '') =>
    host.inject({
      method: 'PUT',
      url: at + query,
      headers: { authorization: ada.authorization, 'content-type': 'application/octet-stream' },
      payload,
    });
  const get = async (path: string) =>
    (await host.inject({ url: at + path, headers: { authorization: ada.authorization } })).json;

  it('says of each version what it has not', async () => {
    const full = { name: 'acme/tool', description: 'first', require: { php: '>=7' }, license: 'MIT' };
    expect((await put(zip({ 'tool-1/composer.json': JSON.stringify(full) }), '?version=v1.0')).statusCode).to.equal(
      201,
    );
    expect(
      (await put(tgz({ './composer.json': '{"name":"acme/tool","type":"metapackage"}' }), '?version=0.9.0')).statusCode,
    ).to.equal(201);
    const versions = (await get('/p2/acme/tool.json')).packages['acme/tool'];
    expect(versions.map((one: { version: string }) => one.version)).to.equal(['1.0.0', '0.9.0']);
    expect(versions[0]).to.include({ description: 'first', license: ['MIT'] });
    expect(versions[1]).to.include({
      description: '__unset',
      require: '__unset',
      license: '__unset',
      type: 'metapackage',
    });
    expect(versions[1].dist.type).to.equal('tar');
    expect((await get('/p2/acme/tool~dev.json')).packages).to.equal({ 'acme/tool': [] });
    const packed = await packBzip2(tar({ 'composer.json': '{"name":"packed/tool","version":"1.0.0"}' }));
    expect((await put(packed)).statusCode).to.equal(201);
    const [{ dist }] = (await get('/p2/packed/tool.json')).packages['packed/tool'];
    expect([dist.type, (dist.url as string).endsWith('/packed-tool.1.0.0.tar.bz2')]).to.equal(['tar', true]);
  });

  it('leads on to a page only where there is one', async () => {
    await put(zip({ 'composer.json': '{"name":"acme/other","version":"1.0.0","type":"project"}' }));
    const first = await get('/search.json?q=acme&per_page=1');
    expect(first.total).to.equal(2);
    expect(new URL(first.next).searchParams.get('page')).to.equal('2');
    expect((await get('/search.json?q=acme&per_page=1&page=2')).next).to.be.undefined();
    expect((await get('/search.json?type=project')).results.map((one: { name: string }) => one.name)).to.equal([
      'acme/other',
    ]);
  });

  it('composer installs packages that were uploaded', { skip: !hasComposer, timeout: 100_000 }, async () => {
    for (const version of ['1.0.0', '1.2.0', '2.0.0-beta.1'])
      expect(
        (
          await put(
            zip({
              'composer.json': JSON.stringify({
                name: 'acme/hello',
                version,
                ...(version === '1.0.0' && { require: { 'acme/none': '*' } }),
              }),
              'src/hello.php': `<?php // ${version}\n`,
            }),
          )
        ).statusCode,
      ).to.equal(201);
    const base = await host.url();
    const app = join(folder, 'app');
    await mkdir(app, { recursive: true });
    await writeFile(
      join(app, 'composer.json'),
      JSON.stringify({
        repositories: [{ type: 'composer', url: base + at }, { packagist: false }],
        config: { 'secure-http': false },
      }),
    );
    const auth = JSON.stringify({
      'http-basic': { [new URL(base).host]: { username: 'ada', password: ada.password } },
    });
    const composer = (given: string, ...args: string[]) =>
      run('composer', [...args, '--no-interaction'], {
        cwd: app,
        env: {
          ...process.env,
          HOME: folder,
          COMPOSER_HOME: join(folder, 'home'),
          COMPOSER_CACHE_DIR: '/dev/null',
          COMPOSER_ALLOW_SUPERUSER: '1',
          COMPOSER_AUTH: given,
        },
      });
    await expect(composer('{}', 'require', 'acme/hello')).to.reject();
    await composer(auth, 'require', 'acme/hello:^1.0');
    await access(join(app, 'vendor/acme/hello/src/hello.php'));
    const { stdout } = await composer(auth, 'show', 'acme/hello');
    expect(stdout).to.match(/versions\s*:\s*\* 1\.2\.0/);
    expect((await composer(auth, 'search', 'hello')).stdout).to.contain('acme/hello');
    expect((await composer(auth, 'show', '--all', 'acme/hello')).stdout).to.contain('2.0.0-beta.1');
  });
});
