// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';
import { tar } from '@mortise/packages/testing';
import { around, deb } from './debs.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const has = (command: string) => spawnSync(command, ['--version']).status === 0;
const digest = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('hex');

describe('a Debian repository (PKG-07)', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({
      plugins: ['package-debian', 'auth-basic', 'auth-token'],
    });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
  });
  after(() => host.close());

  const send = (method: 'GET' | 'PUT' | 'DELETE', path: string, payload?: Buffer) =>
    host.inject({
      method,
      url: `/api/packages/ada/debian${path}`,
      payload,
      headers: { authorization: ada.authorization },
    });
  const publish = async (fields: Readonly<Record<string, string>>, place = 'stable/main') =>
    expect((await send('PUT', `/pool/${place}/upload`, deb(fields))).statusCode).to.equal(201);
  const read = async (path: string) => (await send('GET', `/dists/${path}`)).payload;

  it('writes what only the index knows itself', async () => {
    const lie = { Filename: '../evil.deb', Size: '1', MD5sum: 'x', sha1: 'x', SHA256: 'x\n continued', SHA512: 'x' };
    const bytes = deb({ Section: 'utils', ...lie });
    expect((await send('PUT', '/pool/stable/main/upload', bytes)).statusCode).to.equal(201);
    const text = await read('stable/main/binary-all/Packages');
    expect(text).to.equal(
      [
        'Package: tool\nVersion: 1.0\nArchitecture: all\nMaintainer: Ada <ada@example.com>\nDescription: a tool',
        'Section: utils\nFilename: pool/stable/main/tool_1.0_all.deb',
        `Size: ${bytes.length}\nMD5sum: ${digest('md5', bytes)}\nSHA1: ${digest('sha1', bytes)}`,
        `SHA256: ${digest('sha256', bytes)}\nSHA512: ${digest('sha512', bytes)}\n\n`,
      ].join('\n'),
    );
  });

  it('tells in its Release the sums of the very bytes, and keeps those of before for a while', async () => {
    const packages = Buffer.from(await read('stable/main/binary-all/Packages'));
    const release = await read('stable/Release');
    for (const [kind, algorithm] of [
      ['MD5Sum', 'md5'],
      ['SHA1', 'sha1'],
      ['SHA256', 'sha256'],
      ['SHA512', 'sha512'],
    ]) {
      const sum = digest(algorithm!, packages);
      expect(release).to.contain(` ${sum} ${packages.length} main/binary-all/Packages\n`);
      expect(await read(`stable/main/binary-all/by-hash/${kind}/${sum}`)).to.equal(packages.toString());
    }
    const packed = (await send('GET', '/dists/stable/main/binary-all/Packages.gz')).rawPayload;
    expect(gunzipSync(packed).equals(packages)).to.be.true();
    await publish({ Package: 'other', Version: '2.0' });
    expect(await read(`stable/by-hash/SHA256/${digest('sha256', packages)}`)).to.equal(packages.toString());
    expect(await read('stable/main/binary-all/Packages')).to.contain('Package: other');
  });

  it('forgets components and distributions with their last package', async () => {
    await publish({ Architecture: 'amd64' }, 'testing/main');
    await publish({ Architecture: 'amd64' }, 'testing/contrib');
    expect(await read('testing/Release')).to.contain(['Components: contrib main\n', 'Architectures: amd64\n']);
    const url = '/api/v1/packages/ada/debian/tool/1.0';
    expect((await send('DELETE', '/pool/testing/contrib/tool/1.0/amd64')).statusCode).to.equal(204);
    expect(await read('testing/Release'))
      .to.contain('Components: main\n')
      .and.not.contain('contrib');
    await host.inject({ method: 'DELETE', url, headers: { authorization: ada.authorization } });
    for (const file of ['Release', 'InRelease', 'Release.gpg', 'main/binary-amd64/Packages'])
      expect((await send('GET', `/dists/testing/${file}`)).statusCode, file).to.equal(404);
    expect(await read('stable/Release')).to.contain('Architectures: all\n');
  });

  it('LIM-12: refuses a control archive that unpacks to more than 32 MiB', async () => {
    const padded = (bytes: number) => {
      const control = 'Package: padded\nVersion: 1\nArchitecture: all\nDescription: x\nMaintainer: Ada <a@b.c>\n';
      const files = { './padding': Buffer.alloc(bytes), './control': control };
      return send('PUT', '/pool/padded/main/upload', around(gzipSync(tar(files), { level: 1 }), '.gz'));
    };
    expect((await padded(33 * 1024 * 1024)).statusCode).to.equal(400);
    expect((await padded(1024 * 1024)).statusCode).to.equal(201);
  });

  it('LIM-12: takes one stanza of a control file, and shows how to install', async () => {
    const two = deb({ Package: 'two' }, { more: '\nPackage: smuggled\nVersion: 1\nArchitecture: all\n' });
    expect((await send('PUT', '/pool/stable/main/upload', two)).statusCode).to.equal(201);
    expect(await read('stable/main/binary-all/Packages'))
      .to.contain('Package: two')
      .and.not.contain('smuggled');
    // by name, whichever came first
    await publish({ Package: 'early' });
    const again = await send('PUT', '/pool/stable/main/upload', deb({ Package: 'early' }));
    expect([again.statusCode, again.payload]).to.equal([409, 'package file already exists\n']);
    const names = [...(await read('stable/main/binary-all/Packages')).matchAll(/^Package: (.*)$/gm)];
    expect(names.map(([, name]) => name)).to.equal(['early', 'other', 'two']);
    const { payload } = await host.as(ada).inject({ url: '/ada/-/packages/debian/two/1.0' });
    expect(payload).to.contain(['ada/debian/repository.key', 'ada/debian stable main', 'apt install two=1.0']);
  });

  it(
    'is a source that apt trusts: private, updated, installed from, and refused when it was changed',
    { skip: !has('apt-get') || !has('dpkg-deb') || !has('gpgv'), timeout: 110_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mortise-apt-'));
      const site = await host.url();
      const address = `${site}/api/packages/ada/debian`;
      const options = ['-o', `Dir=${folder}`, '-o', `Dir::State::status=${folder}/var/lib/dpkg/status`];
      const apt = async (program: string, ...args: string[]) => {
        const { stdout, stderr } = await run(
          program,
          [...options, '-o', 'APT::Sandbox::User=root', '-o', 'Acquire::Languages=none', ...args],
          { cwd: folder, env: { ...process.env, LC_ALL: 'C', no_proxy: '127.0.0.1,localhost' } },
        );
        return stdout + stderr;
      };
      const build = async (version: string) => {
        const tree = join(folder, 'tree');
        await mkdir(join(tree, 'DEBIAN'), { recursive: true });
        await mkdir(join(tree, 'usr/share/hello'), { recursive: true });
        await writeFile(join(tree, 'usr/share/hello/text'), version);
        const control = `Package: hello\nVersion: ${version}\nArchitecture: all\nMaintainer: Ada <a@example.com>\nDescription: a test\n`;
        await writeFile(join(tree, 'DEBIAN/control'), control);
        await run('dpkg-deb', ['--root-owner-group', '-b', tree, join(folder, 'hello.deb')]);
        return readFile(join(folder, 'hello.deb'));
      };
      try {
        for (const path of [
          'etc/apt/sources.list.d',
          'etc/apt/preferences.d',
          'etc/apt/apt.conf.d',
          'etc/apt/trusted.gpg.d',
          'etc/apt/auth.conf.d',
          'var/lib/apt/lists/partial',
          'var/lib/dpkg',
          'var/cache/apt/archives/partial',
        ])
          await mkdir(join(folder, path), { recursive: true });
        await writeFile(join(folder, 'var/lib/dpkg/status'), '');
        const built = await build('1:1.0-1');
        expect((await send('PUT', '/pool/bookworm/main/upload', built)).statusCode).to.equal(201);
        await writeFile(join(folder, 'key.asc'), (await send('GET', '/repository.key')).payload);
        await writeFile(
          join(folder, 'etc/apt/sources.list.d/mortise.list'),
          `deb [signed-by=${folder}/key.asc] ${address} bookworm main\n`,
        );
        await expect(apt('apt-get', 'update', '-o', 'APT::Update::Error-Mode=any')).to.reject(/401|not signed/);
        const token = await host.inject({
          method: 'POST',
          url: '/api/v1/users/ada/tokens',
          payload: { name: 'apt', scopes: ['read:package'] },
          headers: { authorization: ada.authorization },
        });
        const { sha1 } = token.json as { sha1: string };
        await writeFile(
          join(folder, 'etc/apt/auth.conf.d/mortise.conf'),
          `machine ${site} login ada password ${sha1}\n`,
        );
        const update = () => apt('apt-get', 'update', '-o', 'APT::Update::Error-Mode=any');
        await update();
        expect(await apt('apt-cache', 'policy', 'hello')).to.contain('Candidate: 1:1.0-1');
        await apt('apt-get', 'download', 'hello');
        expect((await readFile(join(folder, 'hello_1%3a1.0-1_all.deb'))).equals(built)).to.be.true();
        expect((await send('PUT', '/pool/bookworm/main/upload', await build('1:1.1-1'))).statusCode).to.equal(201);
        await update();
        expect(await apt('apt-cache', 'policy', 'hello')).to.contain('Candidate: 1:1.1-1');
        expect((await send('DELETE', '/pool/bookworm/main/hello/1:1.1-1/all')).statusCode).to.equal(204);
        await update();
        expect(await apt('apt-cache', 'policy', 'hello'))
          .to.contain('Candidate: 1:1.0-1')
          .and.not.contain('1.1-1');
        // the key of somebody else is none
        const eve = await makeUser(host, 'eve');
        const other = await host.inject({
          url: '/api/packages/eve/debian/repository.key',
          headers: { authorization: eve.authorization },
        });
        await writeFile(join(folder, 'key.asc'), other.payload);
        await publish({ Package: 'next' }, 'bookworm/main');
        await expect(update()).to.reject(/NO_PUBKEY|not signed|signature/i);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});
