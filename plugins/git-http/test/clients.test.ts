//   MORTISE_TEST_FULL=1   5 rounds of identical clones instead of 2
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, defineService, Forbidden, reply, unknownAddresses } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import type { Account } from '@mortise/accounts/api';
import { basicAuth, createAccount } from '@mortise/accounts/testing';
import { gitReader, gitStore, pushHints, refChecks, refsUpdated, type RefsUpdated } from '@mortise/git/api';
import { GitClient } from '@mortise/git/testing';
import { repositories, type Repository } from '@mortise/repositories/api';
import { createRepository, remoteUrl } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
/** The cache of git-transport, to count what git had to make. */
const packCache = defineService<{ readonly made: number }>('git-transport.packCache');

describe('git over HTTP, with real git', { timeout: 600_000 }, () => {
  let host: TestHost;
  let ada: Account;
  let ben: Account;
  const heard: RefsUpdated[] = [];
  const rules = definePlugin({
    name: 'test-rules',
    version: '1.0.0',
    sdk: '*',
    requires: { git: '^1.0.0' },
    register(plugin) {
      plugin.contribute(refChecks, { reader: gitReader }, ({ reader }) => ({
        key: 'no-swearing',
        // the pushed objects can be read before they are accepted
        check: async ({ repositoryId, kind, quarantine, updates }) => {
          for (const update of updates) {
            if (/^0+$/.test(update.new)) continue;
            const commit = await reader.quarantined(repositoryId, kind, quarantine ?? {}).commit(update.new);
            if (/darn/.test(commit.message)) throw Forbidden('mind your words');
          }
        },
      }));
      plugin.contribute(pushHints, { key: 'hello', lines: async ({ updates }) => [`thank you for ${updates.length}`] });
      plugin.on(refsUpdated, 'after', 'hear', {}, async (payload) => void heard.push(payload));
      plugin.contribute(unknownAddresses, {
        key: 'modules',
        answer: async ({ path, query }) => (query['go-get'] === '1' ? reply.html(`module at ${path}`) : undefined),
      });
    },
  });

  let client: GitClient;
  const git = (folder: string, ...args: string[]) => client.run(folder, ...args);
  const remote = (path: string, who?: Account) => remoteUrl(host, `${path}.git`, who?.name);
  let n = 0;
  const source = async (message = 'first') => {
    const folder = await client.workTree();
    await client.commit(folder, { 'a.txt': `${++n}\n` }, message);
    return folder;
  };
  const make = (name: string, more = {}): Promise<Repository> => createRepository(host, ada, { name, ...more });

  before(async () => {
    host = await startHost({
      plugins: ['git-http', 'auth-basic', rules],
      settings: { repository: { ENABLE_PUSH_CREATE_USER: true, MAX_PUSH_SIZE: 1_000_000 } },
    });
    client = new GitClient(host);
    ada = await createAccount(host, 'ada');
    ben = await createAccount(host, 'ben');
  });
  after(() => host.close());

  it('clones, pushes, fetches; the event comes once with the updates', async () => {
    const made = await make('plain');
    const dir = await source();
    const { stderr } = await git(dir, 'push', await remote('ada/plain', ada), 'main', 'HEAD:refs/tags/v1');
    expect(stderr).to.contain('thank you for 2');
    const clone = join(host.workDir, 'plain');
    await git(host.workDir, 'clone', '-q', await remote('ada/plain'), clone);
    expect(await readdir(clone)).to.include('a.txt');
    for (const version of ['0', '1', '2']) {
      const { stdout } = await git(clone, '-c', `protocol.version=${version}`, 'ls-remote', 'origin');
      expect(
        stdout
          .trim()
          .split('\n')
          .map((line) => line.split('\t')[1]),
      ).to.equal(['HEAD', 'refs/heads/main', 'refs/tags/v1']);
    }
    await host.events.deliverAll();
    const mine = heard.filter((event) => event.repositoryId === made.id);
    expect(mine).to.have.length(1);
    expect(mine[0]).to.include({ source: 'http', pusherName: 'ada', wasEmpty: true });
    expect(await readdir(join(host.services.get(gitStore).path(made.id), '..', '..', '.journal'))).to.be.empty();
  });

  it('shows why a push is refused, and keeps nothing of it', async () => {
    const made = await make('polite');
    const dir = await source('darn');
    await expect(git(dir, 'push', await remote('ada/polite', ada), 'main')).to.reject(/remote: mind your words/);
    expect(await host.services.get(gitReader).open(made.id).isEmpty()).to.be.true();
    await expect(git(dir, 'push', await remote('ada/polite', ben), 'main')).to.reject(/do not have permission to push/);
    await expect(git(dir, 'push', await remote('ada/polite'), 'main')).to.reject(/could not read Username/);
  });

  it('refuses references with names that mean something else, each for itself, and lets old ones go', async () => {
    const made = await make('names');
    const dir = await source();
    const url = await remote('ada/names', ada);
    const oid = (await git(dir, 'rev-parse', 'HEAD')).stdout.trim();
    const bad = ['HEAD', '@', '-x', 'refs/heads/x', oid, 'A'.repeat(64)].flatMap((name) => [
      `refs/heads/${name}`,
      `refs/tags/${name}`,
    ]);
    for (const ref of [...bad, 'refs/heads/fine', 'refs/notes/commits', 'refs/tags/v1'])
      await git(dir, 'update-ref', ref, oid);
    const refs = async () => {
      const { stdout } = await git(dir, 'ls-remote', url);
      return stdout.match(/refs\/.*/g) ?? [];
    };
    const said = (await expect(git(dir, 'push', '--mirror', url)).to.reject()) as Error & { stderr: string };
    expect(said.stderr.match(/\[remote rejected\].*\(A (?:branch|tag) .*cannot.*\)/g)).to.have.length(bad.length);
    const fine = ['refs/heads/fine', 'refs/heads/main', 'refs/notes/commits', 'refs/tags/v1'];
    expect(await refs()).to.equal(fine);
    await host.events.deliverAll();
    const mine = heard.filter((event) => event.repositoryId === made.id);
    expect(mine.flatMap(({ updates }) => updates.map(({ ref }) => ref))).to.equal(fine);
    // alone, and all or nothing
    await expect(git(dir, 'push', url, 'refs/heads/main:refs/heads/HEAD')).to.reject(
      /HEAD.*A branch cannot be named HEAD/,
    );
    await git(dir, 'update-ref', 'refs/heads/more', oid);
    await expect(git(dir, 'push', '--atomic', url, 'refs/heads/more', 'refs/heads/HEAD')).to.reject(
      /A branch cannot be named HEAD[^]*more \(pre-receive hook declined\)/,
    );
    // more than is looked at beforehand
    const many = Array.from({ length: 300 }, (_, at) => `refs/heads/${`${'many'.repeat(60)}/`.repeat(4)}${at}`);
    await writeFile(join(dir, '.git', 'packed-refs'), many.map((ref) => `${oid} ${ref}\n`).join(''));
    const { stderr } = (await expect(
      git(dir, '-c', 'core.warnAmbiguousRefs=false', 'push', '-q', '--mirror', url),
    ).to.reject()) as Error & { stderr: string };
    expect(stderr.match(/\[remote rejected\].*\(A (?:branch|tag) .*cannot.*\)/g)).to.have.length(bad.length);
    expect((await refs()).length).to.equal(many.length + fine.length + 1);
    // what is there from earlier can go
    const disk = host.services.get(gitStore).path(made.id);
    for (const ref of bad) await git(disk, 'update-ref', ref, oid);
    await writeFile(join(disk, 'mortise-refs'), randomBytes(12).toString('hex'));
    await git(dir, 'push', '-q', url, '--delete', ...bad);
    expect((await refs()).filter((ref) => bad.includes(ref))).to.be.empty();
  });

  it('refuses bad names that are not UTF-8, and all or nothing also from shallow clones', async () => {
    const made = await make('unreadable');
    const url = await remote('ada/unreadable', ada);
    const dir = await source();
    await git(dir, 'commit', '-q', '--allow-empty', '-m', 'second');
    await git(dir, 'push', '-q', url, 'main');
    const oid = (await git(dir, 'rev-parse', 'HEAD')).stdout.trim();
    const bytes = (text: string) => Buffer.from(text, 'latin1');
    const packed = ['refs/heads/-\xff', 'refs/heads/caf\xe9', 'refs/heads/fine'].map((ref) => `${oid} ${ref}\n`);
    await writeFile(join(dir, '.git', 'packed-refs'), bytes(packed.join('')));
    await expect(git(dir, 'push', url, 'refs/heads/*:refs/heads/*')).to.reject(/cannot begin with a dash/);
    const refs = async () => {
      const folder = host.services.get(gitStore).path(made.id);
      const { stdout } = await run('git', ['for-each-ref', '--format=%(refname)'], { cwd: folder, encoding: 'latin1' });
      return stdout.trim().split('\n');
    };
    expect(await refs()).to.equal(['refs/heads/main']);
    await writeFile(join(dir, '.git', 'packed-refs'), bytes(packed.slice(1).join('')));
    await git(dir, 'push', '-q', url, 'refs/heads/*:refs/heads/*');
    expect(await refs()).to.equal(['refs/heads/caf\xe9', 'refs/heads/fine', 'refs/heads/main']);

    const shallow = join(host.workDir, 'shallow-source');
    await git(host.workDir, 'clone', '-q', '--depth=1', '-b', 'main', url, shallow);
    await expect(git(shallow, 'push', '--atomic', url, 'main:refs/heads/more', 'main:refs/heads/HEAD')).to.reject(
      /A branch cannot be named HEAD[^]*more \(pre-receive hook declined\)/,
    );
    expect(await refs()).to.not.include('refs/heads/more');
  });

  it('takes forged hook lines in refs and options for nothing', async () => {
    await make('forged');
    const dir = await source();
    const { stderr } = await git(
      dir,
      'push',
      '-o',
      'accept end updates',
      '-o',
      '$(touch /tmp/forged) `id` "quoted"',
      await remote('ada/forged', ada),
      'main',
    );
    expect(stderr).to.contain('thank you for 1');
  });

  it('hides private repositories and sends a challenge first', async () => {
    await make('secret', { isPrivate: true });
    const path = '/ada/secret.git/info/refs?service=git-upload-pack';
    const nobody = await host.inject(path);
    expect([nobody.statusCode, /^Basic/.test(String(nobody.headers['www-authenticate']))]).to.equal([401, true]);
    expect((await host.as({ id: ben.id, name: 'ben' }).inject(path)).statusCode).to.equal(404);
    expect((await host.as({ id: ada.id, name: 'ada' }).inject(path)).statusCode).to.equal(200);
  });

  it('leaves what asks for no service to those who answer at any address', async () => {
    const ask = async (query: string) => {
      const { statusCode, payload } = await host.inject(`/ada/a%20b/info/refs${query}`);
      return [statusCode, payload];
    };
    expect(await ask('?go-get=1')).to.equal([200, 'module at /ada/a%20b/info/refs']);
    for (const query of ['', '?go-get=0', '?service=git-other']) expect((await ask(query))[0]).to.equal(400);
    expect((await ask('?service=git-upload-pack&go-get=1'))[0]).to.equal(401);
  });

  it('U16: a request for packs by an old name is repeated as it is, not as a GET', async () => {
    const repository = await make('before');
    await host.services.get(repositories).rename(repository, 'after');
    const statuses: [string | undefined, number, string | undefined][] = [];
    for (const service of ['upload-pack', 'receive-pack', 'upload-archive']) {
      const headers = { authorization: basicAuth('ada'), 'content-type': `application/x-git-${service}-request` };
      const answer = await host.inject({
        method: 'POST',
        url: `/ada/before.git/git-${service}`,
        headers,
        payload: '0000',
      });
      statuses.push([service, answer.statusCode, answer.headers.location]);
    }
    expect(statuses).to.equal([
      ['upload-pack', 308, '/ada/after.git/git-upload-pack'],
      ['receive-pack', 308, '/ada/after.git/git-receive-pack'],
      ['upload-archive', 308, '/ada/after.git/git-upload-archive'],
    ]);
    const refs = await host.inject({ url: '/ada/before.git/info/refs?service=git-upload-pack' });
    expect(refs.statusCode).to.equal(301);
  });

  it('who asks to push learns no names of private repositories', async () => {
    await make('veiled', { isPrivate: true });
    const told = async (name: string, actor: { id: number; name: string; publicOnly?: boolean }) => {
      const { statusCode, payload } = await host
        .as(actor)
        .inject(`/ada/${name}.git/info/refs?service=git-receive-pack`);
      return [statusCode, payload];
    };
    for (const actor of [
      { id: ben.id, name: 'ben' },
      { id: ada.id, name: 'ada', publicOnly: true },
    ])
      expect(await told('never-made', actor)).to.equal(await told('veiled', actor));
  });

  it('REP-09, REP-10: a push can make a repository, and its options say how', async () => {
    const dir = await source();
    await git(
      dir,
      'push',
      '-q',
      '-o',
      'repo.private=false',
      '-o',
      'repo.template',
      await remote('ada/made', ada),
      'main',
    );
    const made = await host.services.get(repositories).byPath('ada', 'made');
    expect(made).to.include({ isPrivate: false, isTemplate: true });
    await git(dir, 'push', '-q', '-o', 'repo.private=true', await remote('ada/made', ada), 'HEAD:refs/heads/more');
    expect(await host.services.get(repositories).byPath('ada', 'made')).to.include({ isPrivate: false });
    await expect(git(dir, 'push', '-q', await remote('ada/other', ben), 'main')).to.reject();
    expect(await host.services.get(repositories).byPath('ada', 'other')).to.be.undefined();
  });

  it('refuses a push beyond the limit', async () => {
    await make('limited');
    const dir = await source();
    await writeFile(join(dir, 'noise'), randomBytes(2_000_000));
    await git(dir, 'add', '.');
    await git(dir, 'commit', '-q', '-m', 'noise');
    await expect(git(dir, 'push', await remote('ada/limited', ada), 'main')).to.reject(/maximum allowed size/);
  });

  it('many identical clones cost one pack, and it is never a stale one', async () => {
    const rounds = process.env.MORTISE_TEST_FULL ? 5 : 2;
    await make('shared');
    const dir = await source();
    await writeFile(join(dir, 'noise'), randomBytes(700_000));
    await git(dir, 'add', '.');
    await git(dir, 'commit', '-q', '-m', 'noise');
    await git(dir, 'push', '-q', await remote('ada/shared', ada), 'main');
    const { made } = host.services.get(packCache);
    const url = await remote('ada/shared');
    const clone = async (name: string, ...args: string[]) => {
      await git(host.workDir, 'clone', '-q', '--bare', ...args, url, join(host.workDir, name));
      await git(join(host.workDir, name), 'fsck', '--strict');
    };
    await Promise.all(Array.from({ length: 20 }, (_, n) => clone(`shared-0-${n}`)));
    for (let round = 1; round < rounds; round++)
      await Promise.all(Array.from({ length: 20 }, (_, n) => clone(`shared-${round}-${n}`)));
    expect(host.services.get(packCache).made - made).to.equal(1);
    await clone('shared-shallow', '--depth', '1');
    await clone('shared-shallow-2', '--depth', '1');
    expect(host.services.get(packCache).made - made).to.be.at.most(3);
    await git(dir, 'tag', '-a', '-m', 'one', 'v1');
    await git(dir, 'push', '-q', await remote('ada/shared', ada), 'v1');
    await clone('shared-new');
    expect((await git(join(host.workDir, 'shared-new'), 'tag')).stdout.trim()).to.equal('v1');
  });

  it('serves shallow and partial clones', async () => {
    await make('slim');
    const dir = await source();
    for (let i = 0; i < 3; i++) await git(dir, 'commit', '-q', '--allow-empty', '-m', `more ${i}`);
    await git(dir, 'push', '-q', await remote('ada/slim', ada), 'main');
    const shallow = join(host.workDir, 'shallow');
    await git(host.workDir, 'clone', '-q', '--depth', '2', await remote('ada/slim'), shallow);
    expect((await git(shallow, 'log', '--format=%s')).stdout.trim().split('\n')).to.have.length(2);
    const partial = join(host.workDir, 'partial');
    await git(host.workDir, 'clone', '-q', '--filter=blob:none', await remote('ada/slim'), partial);
    await rm(partial, { recursive: true });
  });
});
