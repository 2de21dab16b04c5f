import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { freePort, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Reads, and refusals before anything is read: that the real client takes them is the same on each database. */
const once = { skip: process.env.MORTISE_TEST_ENGINE === 'mysql' };

describe('the npm client', { timeout: 300_000 }, () => {
  let host: TestHost;
  let folder: string;
  let root: string;

  before(async () => {
    const port = await freePort();
    root = `http://127.0.0.1:${port}`;
    host = await startHost({
      plugins: ['package-npm', 'auth-basic', 'auth-token'],
      settings: { server: { HTTP_PORT: port, ROOT_URL: `${root}/` } },
    });
    await createAccount(host, 'ada', { password: 'correct horse', visibility: 'private' });
    await host.url();
    folder = await mkdtemp(join(tmpdir(), 'mortise-npm-'));
    const registry = `${root}/api/packages/ada/npm/`;
    await writeFile(
      join(folder, 'npmrc'),
      `registry=${registry}\n//127.0.0.1:${port}/api/packages/ada/npm/:_auth=${Buffer.from('ada:correct horse').toString('base64')}\nupdate-notifier=false\n`,
    );
    for (const name of ['pkg', 'app']) await mkdir(join(folder, name));
    await writeFile(join(folder, 'pkg', 'index.js'), 'module.exports = 42;\n');
    await writeFile(join(folder, 'app', 'package.json'), '{"name":"app","version":"0.0.0","private":true}');
  });
  after(async () => {
    await host?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const npm = (where: 'pkg' | 'app', ...args: string[]) =>
    new Promise<{ code: number; out: string; errors: string }>((resolve) => {
      const environment = {
        // Nothing of an npm that runs these tests: of a setting in both cases either may win.
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
        NPM_CONFIG_USERCONFIG: join(folder, 'npmrc'),
        NPM_CONFIG_CACHE: join(folder, 'cache'),
        NPM_CONFIG_GLOBALCONFIG: join(folder, 'none'),
      };
      execFile('npm', args, { cwd: join(folder, where), env: environment }, (error, out, errors) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, out, errors }),
      );
    });
  const publish = async (version: string, ...more: string[]) => {
    const manifest = {
      name: '@ada/hello',
      version,
      description: 'says hello',
      engines: { node: '>=1' },
      bin: './index.js',
      keywords: ['greeting'],
    };
    await writeFile(join(folder, 'pkg', 'package.json'), JSON.stringify(manifest));
    return npm('pkg', 'publish', ...more);
  };
  const expectDone = (result: { code: number; errors: string }) => expect(result.code, result.errors).to.equal(0);

  it('publishes, also with a tag, and not twice', async () => {
    expectDone(await publish('1.0.0'));
    expectDone(await publish('1.1.0', '--tag', 'next'));
    expect((await publish('1.1.0')).code).to.not.equal(0);
  });

  it('installs by tag and from the lock file, without warnings about audits', once, async () => {
    const done = await npm('app', 'install', '@ada/hello');
    expectDone(done);
    expect(done.out).to.include('found 0 vulnerabilities');
    expect(JSON.parse(await readFile(join(folder, 'app/node_modules/@ada/hello/package.json'), 'utf8'))).to.include({
      version: '1.0.0',
    });
    expectDone(await npm('app', 'ci'));
    expect(JSON.parse((await npm('app', 'view', '@ada/hello', '--json')).out)).to.include({ engines: { node: '>=1' } });
  });

  it('is refused without credentials', once, async () => {
    await writeFile(join(folder, 'npmrc-nobody'), `registry=${root}/api/packages/ada/npm/\n`);
    const nobody = ['--userconfig', join(folder, 'npmrc-nobody')];
    const { code, errors } = await npm('app', 'view', '@ada/hello', ...nobody);
    expect([code, /E401/.test(errors)]).to.equal([1, true]);
    expect((await publish('9.0.0', ...nobody)).code).to.not.equal(0);
  });

  it('knows whose packages there are, and says who decides on them', once, async () => {
    expect(JSON.parse((await npm('app', 'access', 'list', 'packages', 'ada', '--json')).out)).to.equal({
      '@ada/hello': 'read-write',
    });
    expect((await npm('app', 'owner', 'ls', '@ada/hello')).out).to.contain('ada');
    const added = await npm('app', 'owner', 'add', 'ada', '@ada/hello');
    expect([added.code, /rights on the owner/.test(added.errors)]).to.equal([1, true]);
    expect((await npm('app', 'token', 'list')).code).to.equal(0);
    expect((await npm('app', 'audit')).out).to.contain('found 0 vulnerabilities');
  });

  it('npm dist-tag adds, moves and removes tags', async () => {
    expectDone(await npm('app', 'dist-tag', 'add', '@ada/hello@1.1.0', 'beta'));
    expect((await npm('app', 'dist-tag', 'ls', '@ada/hello')).out.trim().split('\n').sort()).to.equal([
      'beta: 1.1.0',
      'latest: 1.0.0',
      'next: 1.1.0',
    ]);
    expectDone(await npm('app', 'dist-tag', 'rm', '@ada/hello', 'beta'));
    expect((await npm('app', 'dist-tag', 'ls', '@ada/hello')).out).to.not.include('beta');
  });

  it('deprecates and takes it back', async () => {
    expectDone(await npm('app', 'deprecate', '@ada/hello@1.0.0', 'too old'));
    expect((await npm('app', 'view', '@ada/hello@1.0.0', 'deprecated')).out.trim()).to.equal('too old');
    expectDone(await npm('app', 'deprecate', '@ada/hello@1.0.0', ''));
    expect((await npm('app', 'view', '@ada/hello@1.0.0', 'deprecated')).out.trim()).to.equal('');
  });

  it('searches, stars, pings and knows who it is', async () => {
    expect(JSON.parse((await npm('app', 'search', 'hello', '--json')).out)[0]).to.include({
      name: '@ada/hello',
      description: 'says hello',
    });
    expectDone(await npm('app', 'star', '@ada/hello'));
    expect((await npm('app', 'stars', 'ada')).out.trim()).to.equal('@ada/hello');
    expect((await npm('app', 'whoami')).out.trim()).to.equal('ada');
    expectDone(await npm('app', 'ping'));
  });

  it('unpublishes a version, moving its tag, and then everything', async () => {
    expectDone(await npm('app', 'unpublish', '@ada/hello@1.0.0'));
    expect((await npm('app', 'dist-tag', 'ls', '@ada/hello')).out).to.include('latest: 1.1.0');
    expectDone(await npm('app', 'unpublish', '@ada/hello', '--force'));
    expect((await npm('app', 'view', '@ada/hello')).code).to.not.equal(0);
  });

  it(
    'U2: unpublishes by a registry of the scope, and has the tags after each command that the client expects',
    once,
    async () => {
      const scope = `@ada:registry=${root}/api/packages/ada/npm/\n//127.0.0.1:${new URL(root).port}/api/packages/ada/npm/:_auth=${Buffer.from('ada:correct horse').toString('base64')}\nupdate-notifier=false\n`;
      const tags = async () => {
        const { out } = await npm('app', 'dist-tag', 'ls', '@ada/hello', '--userconfig', join(folder, 'npmrc-scope'));
        return out.trim().split('\n').sort();
      };
      // the client repeats all of our path, or its end, by the length of the path of its default registry
      for (const other of [`${root}/`, `${root}/registry/`]) {
        await writeFile(join(folder, 'npmrc-scope'), `registry=${other}\n${scope}`);
        const run = async (...args: string[]) =>
          expectDone(await npm('app', ...args, '--force', '--userconfig', join(folder, 'npmrc-scope')));
        for (const [version, tag] of [
          ['1.0.0', 'latest'],
          ['1.1.0', 'latest'],
          ['2.0.0-beta.1', 'beta'],
        ] as const)
          expectDone(await publish(version, '--tag', tag, '--userconfig', join(folder, 'npmrc-scope')));
        expect(await tags()).to.equal(['beta: 2.0.0-beta.1', 'latest: 1.1.0']);
        await run('unpublish', '@ada/hello@1.1.0');
        expect(await tags()).to.equal(['beta: 2.0.0-beta.1', 'latest: 1.0.0']);
        await run('unpublish', '@ada/hello@2.0.0-beta.1');
        expect(await tags()).to.equal(['latest: 1.0.0']);
        const shown = await npm('app', 'view', '@ada/hello', 'versions', '--json');
        expect(JSON.parse(shown.out)).to.equal(['1.0.0']);
        await run('unpublish', '@ada/hello');
        expect((await npm('app', 'view', '@ada/hello')).code).to.not.equal(0);
      }
    },
  );

  it('bounds the body of a tag, and answers conditions (LIM-11)', async () => {
    expectDone(await publish('2.0.0'));
    const authorization = `Basic ${Buffer.from('ada:correct horse').toString('base64')}`;
    const tag = {
      method: 'PUT',
      url: '/api/packages/ada/npm/-/package/@ada%2fhello/dist-tags/big',
      headers: { authorization, 'content-type': 'application/json' },
    } as const;
    const large = await host.inject({ ...tag, payload: JSON.stringify('x'.repeat(5000)) });
    expect(large.statusCode).to.equal(413);
    expect(large.json.error).to.be.a.string();
    for (const [payload, status] of [
      ['""', 400],
      ['', 400],
      ['"9.9.9"', 404],
      ['{}', 400],
    ] as const)
      expect((await host.inject({ ...tag, payload })).statusCode).to.equal(status);
    const url = '/api/packages/ada/npm/@ada%2fhello';
    const short = await host.inject({
      url,
      headers: { authorization, accept: 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8' },
    });
    expect(short.headers['content-type']).to.equal('application/vnd.npm.install-v1+json');
    expect(short.json).to.include(['modified', 'dist-tags']).and.not.include('readme');
    const again = await host.inject({
      url,
      headers: {
        authorization,
        accept: 'application/vnd.npm.install-v1+json',
        'if-none-match': String(short.headers.etag),
      },
    });
    expect(again.statusCode).to.equal(304);
  });
});
