import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, Forbidden, Invalid } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import type { Account } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import {
  gitReader,
  pushOptionValues,
  receivePoints,
  refsUpdated,
  refUpdates,
  zeroOid,
  type RefsUpdated,
} from '@mortise/git/api';
import { GitClient } from '@mortise/git/testing';
import { createRepository, remoteUrl } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Takes what is pushed to `refs/for/…` as `refs/pull/<n>/head`; the topic says what goes wrong. */
const proposals = (seen: string[][]) =>
  definePlugin({
    name: 'test-proposals',
    version: '1.0.0',
    sdk: '*',
    requires: { git: '^1.0.0' },
    register(host) {
      let next = 0;
      host.contribute(receivePoints, { updates: refUpdates, reader: gitReader }, ({ updates, reader }) => ({
        key: 'proposals',
        prefixes: ['refs/for/'],
        check: async ({ repositoryId, kind, quarantine }, update) => {
          // the pushed objects can be read before they are accepted
          const { message } = await reader.quarantined(repositoryId, kind, quarantine ?? {}).commit(update.new);
          if (/darn/.test(message)) throw Forbidden('mind your words');
        },
        receive: async (change, update) => {
          seen.push(pushOptionValues(change, 'reviewer'));
          if (update.ref.endsWith('/bad')) throw Invalid('bad topic\nchoose another one');
          if (update.ref.endsWith('/broken')) throw new Error('some secret');
          if (update.ref.endsWith('/slow')) await new Promise((resolve) => setTimeout(resolve, 1500));
          await reader.open(change.repositoryId).commit(update.new);
          const ref = `refs/pull/${++next}/head`;
          await updates.apply({
            repositoryId: change.repositoryId,
            updates: [{ ref, old: zeroOid, new: update.new }],
            pusher: change.pusher,
            source: 'agit',
          });
          return { ok: true, ref, message: `Made pull request ${next}` };
        },
      }));
    },
  });

describe('receive points, with real git', { timeout: 600_000 }, () => {
  let host: TestHost;
  let client: GitClient;
  let ada: Account;
  let ben: Account;
  const seen: string[][] = [];
  const heard: RefsUpdated[] = [];

  before(async () => {
    const listener = definePlugin({
      name: 'test-listener',
      version: '1.0.0',
      sdk: '*',
      requires: { git: '^1.0.0' },
      register: (plugin) => plugin.on(refsUpdated, 'after', 'hear', {}, async (moved) => void heard.push(moved)),
    });
    host = await startHost({ plugins: ['git-http', 'auth-basic', proposals(seen), listener] });
    client = new GitClient(host);
    ada = await createAccount(host, 'ada');
    ben = await createAccount(host, 'ben');
  });
  after(() => host.close());

  let made = 0;
  /** A repository with a first commit on main, and a clone with one more. */
  const world = async () => {
    const name = `box-${++made}`;
    const repository = await createRepository(host, ada, { name });
    const dir = await client.workTree({ a: 'a' });
    await client.run(dir, 'push', '-q', await remoteUrl(host, `ada/${name}.git`, 'ada'), 'main');
    const oid = await client.commit(dir, { b: 'b' });
    const git = host.services.get(gitReader).open(repository.id);
    return {
      dir,
      oid,
      git,
      repository,
      push: async (who: Account, ...args: string[]) => {
        const address = await remoteUrl(host, `ada/${name}.git`, who.name);
        const options = args.filter((arg) => arg.startsWith('-'));
        const refs = args.filter((arg) => !arg.startsWith('-'));
        return client.run(dir, 'push', ...options, address, ...refs).then(
          ({ stderr }) => ({ ok: true, text: stderr }),
          (error: { stderr: string }) => ({ ok: false, text: error.stderr }),
        );
      },
    };
  };

  it('take a push from who may only read, and say what was made of it', async () => {
    const { push, git, oid } = await world();
    const done = await push(
      ben,
      '--push-option=reviewer=ada',
      '--push-option=reviewer=cid',
      'HEAD:refs/for/main/topic',
    );
    expect(done.ok).to.be.true();
    expect(done.text)
      .to.match(/remote: Made pull request 1/)
      .and.to.match(/new reference.*HEAD -> refs\/pull\/1\/head/);
    expect(seen.at(-1)).to.equal(['ada', 'cid']);
    expect((await git.ref('refs/pull/1/head'))?.oid).to.equal(oid);
    expect((await git.refs()).map(({ ref }) => ref)).to.equal(['refs/heads/main', 'refs/pull/1/head']);
    const refused = await push(ben, 'HEAD:refs/for/main', 'HEAD:refs/heads/mine');
    expect(refused.text).to.contain('permission to push');
    expect(seen).to.have.length(1);
  });

  it('share a push with branches, each told once', async () => {
    const { push, git, oid, repository } = await world();
    const done = await push(ada, 'HEAD:refs/for/main', 'HEAD:main', 'HEAD:refs/heads/-bad');
    expect(done.text)
      .to.match(/HEAD -> main/)
      .and.to.match(/HEAD -> refs\/pull\/\d+\/head/)
      .and.to.contain('a dash');
    expect((await git.branch('main'))?.oid).to.equal(oid);
    await host.events.deliverAll();
    const mine = heard.filter((one) => one.repositoryId === repository.id).slice(1);
    expect(mine.flatMap(({ updates }) => updates.map(({ ref }) => ref.replace(/\d+/, 'N'))).sort()).to.equal([
      'refs/heads/main',
      'refs/pull/N/head',
    ]);
  });

  it('refuse one, and the branch beside it moves; atomic ones stay together', async () => {
    const { push, git, oid } = await world();
    const done = await push(ada, 'HEAD:refs/for/main/bad', 'HEAD:refs/heads/one');
    expect(done.text)
      .to.match(/refs\/for\/main\/bad \(bad topic\)/)
      .and.to.contain('remote: choose another one');
    expect((await git.branch('one'))?.oid).to.equal(oid);
    const before = seen.length;
    const atomic = await push(ada, '--atomic', 'HEAD:refs/for/main/bad', 'HEAD:refs/for/main', 'HEAD:refs/heads/two');
    expect(atomic.ok).to.be.false();
    expect(await git.branch('two')).to.be.undefined();
    expect(seen).to.have.length(before + 1);
    expect((await push(ada, '--atomic', 'HEAD:refs/for/main', 'HEAD:refs/heads/two')).ok).to.be.true();
    expect((await git.branch('two'))?.oid).to.equal(oid);
  });

  it('refuse before anything is kept, and tell nothing of their faults', async () => {
    const { push, git, dir } = await world();
    const broken = await push(ada, 'HEAD:refs/for/main/broken');
    expect(broken.text).to.contain('The server failed').and.not.to.contain('secret');
    const oid = await client.commit(dir, { c: 'c' }, 'darn');
    const refused = await push(ada, 'HEAD:refs/for/main', 'HEAD:refs/heads/three');
    expect(refused.text).to.contain('mind your words');
    expect(await git.info(oid)).to.be.undefined();
    expect(await git.branch('three')).to.be.undefined();
  });

  it('are not there for other names for review and for wikis', async () => {
    const { push, git, dir } = await world();
    for (const ref of ['refs/draft/main', 'refs/for-review/3', 'refs/for'])
      expect((await push(ada, `HEAD:${ref}`)).text).to.contain('takes no pull requests by push');
    const wiki = await remoteUrl(host, `ada/box-${made}.wiki.git`, 'ada');
    await expect(client.run(dir, 'push', wiki, 'HEAD:refs/for/main')).to.reject(/takes no pull requests by push/);
    expect((await git.refs()).map(({ ref }) => ref)).to.equal(['refs/heads/main']);
  });

  it('finish what they began when the client goes away', async () => {
    const { push, git, oid, dir } = await world();
    const { spawn } = await import('node:child_process');
    const address = await remoteUrl(host, `ada/box-${made}.git`, 'ada');
    const child = spawn('git', ['push', address, 'HEAD:refs/for/main/slow', 'HEAD:refs/heads/late'], {
      cwd: dir,
      env: client.environment,
      detached: true,
      stdio: 'ignore',
    });
    const before = seen.length;
    while (seen.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill(-(child.pid as number), 'SIGKILL');
    const refs = async () => (await git.refs()).map(({ ref }) => ref.replace(/\d+/, 'N'));
    for (let turn = 0; turn < 200 && (await refs()).length < 3; turn++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await refs()).to.equal(['refs/heads/late', 'refs/heads/main', 'refs/pull/N/head']);
    expect((await git.branch('late'))?.oid).to.equal(oid);
    expect((await push(ada, 'HEAD:main')).ok).to.be.true();
  });
});
