// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { makeUser, startHost, type TestHost, type KitUser } from '@mortise/plugin-sdk/testing';
import { tarEntries } from '@mortise/packages/api';
import { packXz, tar, zstd, type TarFile } from '@mortise/packages/testing';
import { pkg } from './packages.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const has = (command: string) => spawnSync(command, ['--version']).status === 0;

describe('an Arch repository (PKG-14)', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  before(async () => {
    host = await startHost({
      plugins: ['package-arch', 'auth-basic', 'auth-token'],
    });
    ada = await makeUser(host, 'ada', { visibility: 'private' });
  });
  after(() => host.close());

  const send = (method: 'GET' | 'PUT' | 'DELETE', path: string, payload?: Buffer) =>
    host.inject({
      method,
      url: `/api/packages/ada/arch${path}`,
      payload,
      headers: { authorization: ada.authorization },
    });
  const publish = async (payload: Buffer, path = '/core') =>
    expect((await send('PUT', path, payload)).statusCode).to.equal(201);
  const database = async (path: string) => {
    const answer = await send('GET', path);
    const entries = new Map<string, string>();
    if (answer.statusCode === 200)
      for await (const entry of tarEntries(Readable.from([gunzipSync(answer.rawPayload)])))
        entries.set(entry.name, (await entry.content(1e6)).toString());
    return entries;
  };
  const listed = async (path: string) =>
    [...(await database(path)).keys()].filter((name) => name.endsWith('/desc')).map((name) => name.slice(0, -5));

  it('has what a package says of itself, signed, in its database', async () => {
    const bytes = pkg(
      { license: ['MIT', 'custom'], depend: ['glibc', 'zlib>=1.2'], optdepend: 'bash: a shell', conflict: 'old' },
      {
        pack: zstd,
        files: [{ name: 'usr/', type: '5' }, { name: 'usr/bin/tool' }, { name: 'usr/lib/a.so', type: '2' }],
      },
    );
    await publish(bytes);
    const entries = await database('/core/x86_64/core.db');
    const desc = entries.get('tool-1.0-1/desc')!;
    expect(desc).to.contain([
      '%FILENAME%\ntool-1.0-1-x86_64.pkg.tar.zst\n\n',
      `%CSIZE%\n${bytes.length}\n\n`,
      '%LICENSE%\nMIT\ncustom\n\n',
      '%DEPENDS%\nglibc\nzlib>=1.2\n\n',
      '%CONFLICTS%\nold\n\n',
    ]);
    expect(entries.get('tool-1.0-1/files')).to.equal('%FILES%\nusr/bin/tool\nusr/lib/a.so\n\n');
    const signature = await send('GET', '/core/x86_64/tool-1.0-1-x86_64.pkg.tar.zst.sig');
    expect(desc).to.contain(`%PGPSIG%\n${signature.rawPayload.toString('base64')}\n`);
    expect(signature.rawPayload.length).to.be.above(100);
  });

  it('takes a version once, however it is packed, and one file of those that come at once', async () => {
    const xz = await packXz(gunzipSync(pkg({ pkgname: 'twice' })));
    const both = await Promise.all([send('PUT', '/core', xz), send('PUT', '/core', pkg({ pkgname: 'twice' }))]);
    expect(both.map(({ statusCode }) => statusCode).sort()).to.equal([201, 409]);
    const again = await send('PUT', '/core', pkg({}));
    expect([again.statusCode, again.payload]).to.equal([409, 'package file already exists\n']);
    const unknown = await send('PUT', '/core', pkg({}, { pack: (data) => data }));
    expect([unknown.statusCode, unknown.payload]).to.equal([400, 'unsupported package container format\n']);
    await publish(pkg({}), '/extra/testing');
  });

  it('LIM-13: refuses a package with more than 100,000 files, or with more than 16 MiB of their names', async () => {
    const publishAs = (files: readonly TarFile[], name: string) =>
      send('PUT', '/crowded', pkg({ pkgname: name }, { pack: (data) => gzipSync(data, { level: 1 }), files }));
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `usr/${at}` }));
    // in the way of GNU, which has room for them
    const long = (count: number) =>
      Array.from({ length: count }, (_, at) => [
        { name: '././@LongLink', type: 'L', data: `usr/${at}/${'n'.repeat(4000)}` },
        { name: `usr/${at}` },
      ]).flat();
    for (const files of [many(100_001), long(4300)]) {
      const refused = await publishAs(files, 'crowd');
      expect([refused.statusCode, refused.payload]).to.equal([400, 'package contains too many file entries\n']);
    }
    expect((await publishAs(long(40), 'few')).statusCode).to.equal(201);
  });

  it('has packages for any architecture in all databases, and finds files by their whole name', async () => {
    await publish(pkg({ pkgname: 'docs', arch: 'any' }));
    await publish(pkg({ pkgname: 'libtool', arch: 'aarch64' }));
    expect(await listed('/core/aarch64/core.files')).to.equal(['docs-1.0-1', 'libtool-1.0-1']);
    expect(await listed('/core/riscv64/core.db.tar.gz')).to.equal(['docs-1.0-1']);
    expect((await send('GET', '/core/x86_64/docs-1.0-1-any.pkg.tar.gz')).statusCode).to.equal(200);
    expect((await send('GET', '/core/aarch64/tool-1.0-1-aarch64.pkg.tar.gz')).statusCode).to.equal(404);
    expect((await send('DELETE', '/core/docs/1.0-1/aarch64')).statusCode).to.equal(404);
    expect((await send('DELETE', '/core/docs/1.0-1/any')).statusCode).to.equal(204);
    expect(await listed('/core/aarch64/core.files')).to.equal(['libtool-1.0-1']);
    expect((await send('GET', '/core/riscv64/core.db')).statusCode).to.equal(404);
  });

  it('tells the newest version alone; the one before comes back', async () => {
    for (const pkgver of ['1.10rc1-1', '1.10-1', '1.9-2']) await publish(pkg({ pkgname: 'old', pkgver }), '/old');
    expect(await listed('/old/x86_64/old.db')).to.equal(['old-1.10-1']);
    const url = '/api/v1/packages/ada/arch/old/1.10-1';
    await host.inject({ method: 'DELETE', url, headers: { authorization: ada.authorization } });
    expect(await listed('/old/x86_64/old.db')).to.equal(['old-1.10rc1-1']);
    expect((await send('GET', '/old/x86_64/old-1.9-2-x86_64.pkg.tar.gz')).statusCode).to.equal(200);
  });

  it('says on its page how to install', async () => {
    const { payload } = await host.as(ada).inject({ url: '/ada/-/packages/arch/tool/1.0-1' });
    expect(payload).to.contain(['[core]', '/ada/arch/$repo/$arch', '/ada/arch/extra/$repo/$arch', 'pacman -Sy tool']);
  });

  it(
    'is a private repository that pacman trusts',
    { skip: !has('pacman') || !has('pacman-key'), timeout: 110_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mortise-pacman-'));
      const site = await host.url();
      const made = await host.inject({
        method: 'POST',
        url: '/api/v1/users/ada/tokens',
        payload: { name: 'pacman', scopes: ['read:package'] },
        headers: { authorization: ada.authorization },
      });
      const { sha1 } = made.json as { sha1: string };
      const server = `${site.replace('://', `://ada:${sha1}@`)}/api/packages/ada/arch/$repo/$arch`;
      const configure = (address: string) =>
        writeFile(
          join(folder, 'pacman.conf'),
          [
            '[options]',
            `RootDir = ${folder}/root`,
            `DBPath = ${folder}/db`,
            `CacheDir = ${folder}/cache`,
            `GPGDir = ${folder}/gpg`,
            `LogFile = ${folder}/log`,
            'Architecture = x86_64',
            'SigLevel = Required',
            '[real]',
            `Server = ${address}`,
            '',
          ].join('\n'),
        );
      const env = { ...process.env, LC_ALL: 'C', no_proxy: '127.0.0.1,localhost' };
      const pacman = async (...args: string[]) => {
        const all = ['--config', join(folder, 'pacman.conf'), '--noconfirm', ...args];
        const { stdout, stderr } = await run('pacman', all, { cwd: folder, env });
        return stdout + stderr;
      };
      const trust = (...args: string[]) => run('pacman-key', ['--gpgdir', join(folder, 'gpg'), ...args], { env });
      try {
        for (const path of ['root', 'db', 'cache', 'gpg']) await mkdir(join(folder, path));
        const data = { name: 'usr/bin/hello-a', data: 'hello' };
        const first = zstd(tar([]));
        expect((await send('PUT', '/real', first)).statusCode).to.equal(400);
        await publish(pkg({ pkgname: 'hello-a' }, { pack: zstd, files: [data] }), '/real');
        await writeFile(join(folder, 'key.asc'), (await send('GET', '/repository.key')).payload);
        await configure(server.replace(/\/\/.*@/, '//'));
        await expect(pacman('-Sy')).to.reject(/401/);
        await configure(server);
        await trust('--init');
        await expect(pacman('-Sy')).to.reject(/signature|key/);
        await trust('--add', join(folder, 'key.asc'));
        const { stdout } = await run('gpg', [
          '--homedir',
          join(folder, 'gpg'),
          '--with-colons',
          '--show-keys',
          join(folder, 'key.asc'),
        ]);
        await trust('--lsign-key', /^fpr:+(\w+):/m.exec(stdout)![1]!);
        await pacman('-Sy');
        expect(await pacman('-Sl')).to.contain('real hello-a 1.0-1');
        await pacman('-Swdd', 'hello-a');
        expect((await readFile(join(folder, 'cache/hello-a-1.0-1-x86_64.pkg.tar.zst'))).length).to.be.above(1000);
        await pacman('-Fy');
        expect(await pacman('-F', 'usr/bin/hello-a')).to.contain('hello-a 1.0-1');
        await publish(pkg({ pkgname: 'hello-a', pkgver: '1.1-1' }, { pack: zstd, files: [data] }), '/real');
        await pacman('-Sy');
        expect(await pacman('-Sl')).to.contain('real hello-a 1.1-1');
        expect((await send('DELETE', '/real/hello-a/1.1-1/x86_64')).statusCode).to.equal(204);
        await pacman('-Syy');
        expect(await pacman('-Sl')).to.contain('real hello-a 1.0-1');
      } finally {
        await run('gpgconf', ['--homedir', join(folder, 'gpg'), '--kill', 'all']).catch(() => undefined);
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});
