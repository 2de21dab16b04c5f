// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { createHash } from 'node:crypto';
import { execFile, spawnSync } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, inflateSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { compareGemVersions } from '../services/versions.js';
import { dependency, gem } from './gems.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const hasGem = spawnSync('gem', ['--version']).status === 0;
const hasBundle = hasGem && spawnSync('bundle', ['--version']).status === 0;

describe('RubyGems', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let folder: string;
  let token: string;
  const at = '/api/packages/ada/rubygems';
  before(async () => {
    host = await startHost({ plugins: ['package-rubygems', 'auth-basic', 'auth-token'] });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
    folder = await mkdtemp(join(tmpdir(), 'mortise-gem-'));
    const made = await host.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      headers: { authorization: ada.authorization },
      payload: { name: 'gem', scopes: ['write:package'] },
    });
    token = made.json.sha1;
  });
  after(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });
  const headers = () => ({ authorization: ada.authorization });
  const get = (path: string) => host.inject({ url: at + path, headers: headers() });
  const push = (payload: Buffer) =>
    host.inject({
      method: 'POST',
      url: `${at}/api/v1/gems`,
      headers: { authorization: token, 'content-type': 'application/octet-stream' },
      payload,
    });
  const yank = (fields: Record<string, string>) =>
    host.inject({
      method: 'DELETE',
      url: `${at}/api/v1/gems/yank`,
      headers: { authorization: token, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    });

  it('orders versions as Ruby does', () => {
    const sorted = ['1.0.a', '1.0.a2', '1.0.b1', '1.0', '1.0.1', '1.2', '1.10', '2.0.0.rc1', '2'];
    expect([...sorted].reverse().sort(compareGemVersions)).to.equal(sorted);
    expect(compareGemVersions('1.0', '1.0.0')).to.equal(0);
  });

  it('lists platforms and pre-releases where they belong', async () => {
    for (const one of [
      gem('multi', '1.0.0', { dependencies: dependency('rack', '~>', '2.0') }),
      gem('multi', '1.0.0', { platform: 'x86_64-linux' }),
      gem('multi', '1.1.0.pre1'),
    ])
      expect((await push(one)).statusCode).to.equal(201);
    expect((await push(gem('multi', '1.0.0', { platform: 'x86_64-linux' }))).statusCode).to.equal(409);
    expect((await push(gem('MULTI', '9.0.0'))).statusCode).to.equal(409);
    const info = await get('/info/multi');
    expect(info.payload.replace(/checksum:\w+/g, 'sum')).to.equal(
      '---\n1.0.0 rack:~> 2.0|sum,ruby:>= 2.7.0\n1.0.0-x86_64-linux |sum,ruby:>= 2.7.0\n1.1.0.pre1 |sum,ruby:>= 2.7.0\n',
    );
    const md5 = createHash('md5').update(info.rawPayload).digest('hex');
    expect(info.headers.etag).to.equal(`"${md5}"`);
    const versions = await get('/versions');
    expect(versions.payload).to.contain(`multi 1.0.0,1.0.0-x86_64-linux,1.1.0.pre1 ${md5}\n`);
    const again = await host.inject({
      url: `${at}/versions`,
      headers: { ...headers(), 'if-none-match': versions.headers.etag as string },
    });
    expect(again.statusCode).to.equal(304);
    const read = async (name: string) => gunzipSync((await get(`/${name}.4.8.gz`)).rawPayload).toString('latin1');
    expect(await read('specs'))
      .to.contain('x86_64-linux')
      .and.not.to.contain('pre1');
    expect(await read('prerelease_specs')).to.contain('1.1.0.pre1');
    const quick = await get('/quick/Marshal.4.8/multi-1.0.0.gemspec.rz');
    expect(inflateSync(quick.rawPayload).toString('latin1')).to.contain([
      'Gem::Specification',
      'rack',
      'Gem::Dependency',
    ]);
  });

  it('yanks one platform alone', async () => {
    expect((await yank({ gem_name: 'multi', version: '1.0.0', platform: 'java' })).statusCode).to.equal(404);
    expect((await yank({ gem_name: 'multi', version: '1.0.0', platform: 'x86_64-linux' })).statusCode).to.equal(200);
    expect((await get('/info/multi')).payload)
      .to.match(/^1\.0\.0 /m)
      .and.not.to.contain('linux');
    expect((await yank({ gem_name: 'multi', version: '1.0.0' })).statusCode).to.equal(200);
    expect((await get('/gems/multi-1.0.0.gem')).statusCode).to.equal(404);
    expect((await yank({ gem_name: 'multi' })).statusCode).to.equal(400);
  });

  it('gem and bundler install a gem that was pushed', { skip: !hasGem, timeout: 110_000 }, async () => {
    const base = (await host.url()) + at;
    const signed = base.replace('//', `//ada:${encodeURIComponent(token)}@`);
    const [source, home, app] = ['source', 'home', 'app'].map((name) => join(folder, name));
    for (const one of [join(source!, 'lib'), home!, app!]) await mkdir(one, { recursive: true });
    const { GEM_HOME: _home, GEM_PATH: _path, RUBYOPT: _options, ...inherited } = process.env;
    const env = {
      ...inherited,
      HOME: home!,
      GEM_HOST_API_KEY: token,
      BUNDLE_PATH: join(app!, 'vendor'),
      BUNDLE_SILENCE_ROOT_WARNING: '1',
    };
    const gemRun = (...args: string[]) => run('gem', args, { cwd: source!, env });
    const build = async (name: string, version: string, more = '') => {
      await writeFile(join(source!, 'lib', `${name}.rb`), `module ${name.toUpperCase()}\nend\n`);
      await writeFile(
        join(source!, `${name}.gemspec`),
        `Gem::Specification.new do |s|\n  s.name = "${name}"\n  s.version = "${version}"\n  s.summary = "says hello"\n  s.authors = ["Ada"]\n  s.license = "MIT"\n  s.homepage = "https://example.com"\n  s.files = ["lib/${name}.rb"]\n${more}end\n`,
      );
      await gemRun('build', `${name}.gemspec`);
      return `${name}-${version}.gem`;
    };
    const needed = await build('needed', '0.3.0');
    const hello = await build('hello', '1.2.3', '  s.add_runtime_dependency "needed", "~> 0.3"\n');
    await gemRun('push', '--host', base, needed);
    await gemRun('push', '--host', base, hello);
    await expect(gemRun('push', '--host', base, hello)).to.reject();
    await gemRun('push', '--host', base, await build('hello', '2.0.0.beta1'));

    const install = join(folder, 'installed');
    // what was built lies in the folder
    const flags = ['--remote', '--no-document', '--clear-sources', '--install-dir'];
    await gemRun('install', 'hello', ...flags, install, '--source', `${signed}/`);
    for (const name of ['hello-1.2.3', 'needed-0.3.0'])
      await access(join(install, 'gems', name, 'lib', `${name.split('-')[0]}.rb`));
    const early = join(folder, 'early');
    await gemRun('install', 'hello', '--pre', ...flags, early, '--source', `${signed}/`);
    await access(join(early, 'gems', 'hello-2.0.0.beta1'));
    await expect(gemRun('install', 'needed', ...flags, join(folder, 'none'), '--source', `${base}/`)).to.reject();

    if (hasBundle) {
      await writeFile(join(app!, 'Gemfile'), `source "${signed}/"\ngem "hello"\n`);
      await run('bundle', ['install', '--jobs', '1', '--retry', '0'], { cwd: app!, env });
      const { stdout } = await run('bundle', ['list'], { cwd: app!, env });
      expect(stdout).to.contain(['hello (1.2.3)', 'needed (0.3.0)']);
    }

    await gemRun('yank', '--host', base, 'hello', '-v', '1.2.3');
    expect((await get('/info/hello')).payload).to.not.contain('1.2.3');
  });
});
