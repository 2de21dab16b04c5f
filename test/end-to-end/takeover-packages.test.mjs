// Database: SQLite alone. Proved is that real clients install packages of a server that was taken over.
//
//   MORTISE_TEST_FULL=1   nine clients install from the work folder of a real server, where it lies beside the project
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { freePort, startHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const archive = new URL('../../../shared/takeover/sqlite.tar.xz', import.meta.url).pathname;
const isFull =
  Boolean(process.env.MORTISE_TEST_FULL) && process.env.MORTISE_TEST_ENGINE !== 'mysql' && existsSync(archive);
const without = (...commands) =>
  !isFull || commands.some((command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0);
const mavenRepository = '/usr/share/maven-repo';
const formats = ['cargo', 'composer', 'container', 'cran', 'debian', 'go', 'maven', 'npm', 'pypi', 'rpm', 'rubygems'];

describe('issue 28: packages of a server that was taken over', { timeout: 1_200_000 }, () => {
  let host;
  let site;
  let folder;
  const source = () => join(folder, 'source');

  before(async () => {
    if (!isFull) return;
    folder = mkdtempSync(join(tmpdir(), 'mortise-taken-packages-'));
    mkdirSync(source());
    execFileSync('tar', ['xf', archive, '-C', source(), 'custom', 'data/gitea.db', 'data/packages']);
    const port = await freePort();
    site = `http://127.0.0.1:${port}`;
    host = await startHost({
      plugins: ['takeover', 'organizations', 'package-vagrant', ...formats.map((format) => `package-${format}`)],
      settings: { server: { HTTP_PORT: port, ROOT_URL: `${site}/` } },
    });
    await host.command('takeover', { from: source() });
    await host.url();
  });
  after(async () => {
    await host?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  /** A folder of its own for a client, with these files. */
  function workFolder(name, files = {}) {
    const path = join(folder, name);
    mkdirSync(path);
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(path, file, '..'), { recursive: true });
      writeFileSync(join(path, file), text);
    }
    return path;
  }
  /** Runs a client that has nothing of the account that runs these tests. */
  async function client(path, command, args, env = {}) {
    const clean = Object.entries(process.env).filter(([name]) => !/^(npm_|GO|CARGO_HOME|GEM_)/i.test(name));
    try {
      return await run(command, args, { cwd: path, env: { ...Object.fromEntries(clean), HOME: path, ...env } });
    } catch (error) {
      throw new Error(`${command} ${args.join(' ')}: ${error.stdout}${error.stderr}`);
    }
  }
  const registry = (owner, format) => `${site}/api/packages/${owner}/${format}`;

  it('npm finds their versions, tags and digests', { skip: without('npm') }, async () => {
    const path = workFolder('npm');
    const args = ['--json', '--registry', `${registry('public-xa57ffbx', 'npm')}/`, '--cache', join(path, 'cache')];
    const { stdout } = await client(path, 'npm', ['view', 'tool', 'versions', 'dist-tags', 'dist.shasum', ...args]);
    const shown = JSON.parse(stdout);
    expect(shown.versions).to.include(['5.0.0', '10.0.0', '17.0.0']);
    expect(shown['dist-tags']).to.equal({ latest: '17.0.0' });
    expect(shown['dist.shasum']).to.match(/^[0-9a-f]{40}$/);
  });

  it('pip finds their versions', { skip: without('pip') }, async () => {
    const index = `${registry('public-xe8ddc4x', 'pypi')}/simple/`;
    const args = ['index', 'versions', 'tool', '--index-url', index, '--disable-pip-version-check'];
    const { stdout } = await client(workFolder('pip'), 'pip', args);
    expect(stdout).to.contain('Available versions: 11.0.0, 7.0.0, 6.0.0, 5.0.0');
  });

  it('cargo resolves them with their checksums', { skip: without('cargo') }, async () => {
    const path = workFolder('cargo', {
      'home/config.toml': `[registries.taken]\nindex = "sparse+${registry('public-xe8ddc4x', 'cargo')}/"\n`,
      'Cargo.toml':
        '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ntool = { version = "7", registry = "taken" }\n',
      'src/main.rs': 'fn main() {}\n',
    });
    await client(path, 'cargo', ['generate-lockfile'], {
      CARGO_HOME: join(path, 'home'),
      RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(process.env.HOME, '.rustup'),
    });
    const lock = readFileSync(join(path, 'Cargo.lock'), 'utf8');
    expect(lock).to.match(/name = "tool"\nversion = "7\.0\.0"\n.*\nchecksum = "[0-9a-f]{64}"/);
  });

  it('composer installs them', { skip: without('composer') }, async () => {
    const repositories = [{ type: 'composer', url: registry('public-xe8ddc4x', 'composer') }, { packagist: false }];
    const path = workFolder('composer', {
      'composer.json': JSON.stringify({ repositories, config: { 'secure-http': false } }),
    });
    await client(path, 'composer', ['require', 'acme/tool:7.0.0', '--no-interaction'], {
      COMPOSER_HOME: join(path, 'home'),
      COMPOSER_CACHE_DIR: '/dev/null',
      COMPOSER_ALLOW_SUPERUSER: '1',
    });
    expect(existsSync(join(path, 'vendor/acme/tool/composer.json'))).to.be.true();
  });

  it('go downloads modules of several major versions', { skip: without('go') }, async () => {
    const path = workFolder('go', { 'go.mod': 'module app\n\ngo 1.20\n' });
    for (const [owner, module] of [
      ['public-xa57ffbx', 'example.com/tool@v1.17.0'],
      ['ada-x8efa97x', 'example.com/acme/tool@v1.0.0'],
      ['ada-x8efa97x', 'example.com/acme/tool/v2@v2.0.0'],
    ]) {
      const { stdout } = await client(path, 'go', ['mod', 'download', '-modcacherw', '-json', module], {
        GOPATH: join(path, 'gopath'),
        GOCACHE: join(path, 'cache'),
        GOSUMDB: 'off',
        GOTOOLCHAIN: 'local',
        GOPROXY: registry(owner, 'go'),
      });
      expect(readdirSync(JSON.parse(stdout).Dir), module).to.include('go.mod');
    }
  });

  it('gem installs the one for this platform', { skip: without('gem') }, async () => {
    const path = workFolder('gem');
    const args = ['--clear-sources', '--source', `${registry('ada-xda9a1ax', 'rubygems')}/`, '--no-document'];
    const { stdout } = await client(path, 'gem', ['install', 'other_tool', ...args], { GEM_HOME: join(path, 'gems') });
    expect(stdout).to.contain('Successfully installed other_tool-0.1.0');
  });

  it('skopeo copies images with their layers', { skip: without('skopeo') }, async () => {
    const path = workFolder('skopeo');
    const image = `docker://${new URL(site).host}/public-x945dc4x/tool:v1`;
    await client(path, 'skopeo', ['copy', '--src-tls-verify=false', image, `dir:${join(path, 'image')}`]);
    const { config, layers } = JSON.parse(readFileSync(join(path, 'image', 'manifest.json'), 'utf8'));
    expect(readdirSync(join(path, 'image'))).to.include(
      [config, ...layers].map(({ digest }) => digest.replace('sha256:', '')),
    );
  });

  it('mvn fetches artifacts', { skip: without('mvn') || !existsSync(mavenRepository) }, async () => {
    const mirror = `<mirror><id>here</id><mirrorOf>central</mirrorOf><url>file://${mavenRepository}</url></mirror>`;
    const path = workFolder('mvn', { 'settings.xml': `<settings><mirrors>${mirror}</mirrors></settings>` });
    const remote = `taken::default::${registry('ada-x28a662x', 'maven')}`;
    const place = ['-B', '-q', '-s', 'settings.xml', `-Dmaven.repo.local=${join(path, 'local')}`];
    const what = [`-DremoteRepositories=${remote}`, '-Dartifact=com.example.app:tool:1.0.0', '-Dtransitive=false'];
    await client(path, 'mvn', [...place, 'dependency:get', ...what]);
    expect(readdirSync(join(path, 'local/com/example/app/tool/1.0.0'))).to.include([
      'tool-1.0.0.jar',
      'tool-1.0.0.pom',
    ]);
  });

  it('R installs the newest version', { skip: without('Rscript') }, async () => {
    const path = workFolder('cran', { 'library/.keep': '' });
    const call = `install.packages('tool', repos='${registry('public-xa57ffbx', 'cran')}', lib='library', type='source')`;
    await client(path, 'Rscript', ['-e', call]);
    expect(readFileSync(join(path, 'library/tool/DESCRIPTION'), 'utf8')).to.contain('Version: 17.0.0');
  });

  it('vagrant adds a box whose checksum it compares', { skip: without('vagrant') }, async () => {
    const path = workFolder('vagrant');
    const address = `${registry('ada-x707183x', 'vagrant')}/tool`;
    await client(path, 'vagrant', ['box', 'add', address, '--provider', 'virtualbox'], {
      VAGRANT_HOME: join(path, 'home'),
      VAGRANT_CHECKPOINT_DISABLE: '1',
    });
    const [box] = readdirSync(join(path, 'home/boxes'));
    expect(readdirSync(join(path, 'home/boxes', box))).to.include('1.0.0');
  });

  it('apt trusts the key of before, and downloads', { skip: without('apt-get', 'gpgv') }, async () => {
    const address = registry('ada-xb7a89dx', 'debian');
    const key = await (await fetch(`${address}/repository.key`)).text();
    const path = workFolder('apt', {
      ...Object.fromEntries(
        ['lib/apt/lists/partial', 'lib/dpkg', 'cache/apt/archives/partial', 'log/apt'].map((name) => [
          `var/${name}/.keep`,
          '',
        ]),
      ),
      'var/lib/dpkg/status': '',
      'key.asc': key,
    });
    const sources = `deb [signed-by=${join(path, 'key.asc')}] ${address} stable main\n`;
    for (const name of ['preferences.d', 'apt.conf.d', 'sources.list.d', 'trusted.gpg.d'])
      mkdirSync(join(path, 'etc/apt', name), { recursive: true });
    writeFileSync(join(path, 'etc/apt/sources.list'), sources);
    const options = [
      `Dir=${path}`,
      `Dir::State::status=${path}/var/lib/dpkg/status`,
      'APT::Sandbox::User=root',
      'APT::Architecture=amd64',
      'Acquire::Languages=none',
      'APT::Update::Error-Mode=any',
    ].flatMap((option) => ['-o', option]);
    await client(path, 'apt-get', [...options, 'update']);
    await client(path, 'apt-get', [...options, 'download', 'tool']);
    expect(readdirSync(path)).to.include('tool_1%3a1.1-2_all.deb');
  });

  it('dnf trusts the index by the key of before, and downloads', { skip: without('dnf') }, async () => {
    const path = workFolder('dnf');
    const text = await (await fetch(`${registry('ada-x91f5dfx', 'rpm')}/el9.repo`)).text();
    mkdirSync(join(path, 'repos'));
    // its packages were never signed, but their index was
    writeFileSync(join(path, 'repos/taken.repo'), `${text.replace('gpgcheck=1', 'gpgcheck=0')}\nrepo_gpgcheck=1\n`);
    const args = ['-y', `--setopt=reposdir=${path}/repos`, `--setopt=cachedir=${path}/cache`, '--downloadonly'];
    await client(path, 'dnf', [...args, `--installroot=${path}/root`, '--releasever=9', 'install', 'tool']);
    const downloaded = readdirSync(join(path, 'cache'), { recursive: true }).filter((name) => name.endsWith('.rpm'));
    expect(downloaded.map((name) => name.split('/').at(-1))).to.equal(['tool-1-2.0-1.x86_64.rpm']);
  });
});
