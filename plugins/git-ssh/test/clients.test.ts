import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, Forbidden, type WriteBehind } from '@mortise/plugin-sdk';
import { accounts, publicKeys } from '@mortise/accounts/api';
import { gitReader, pushHints, receivePoints, refChecks, refsUpdated, type RefsUpdated } from '@mortise/git/api';
import { deployKeys, repositories } from '@mortise/repositories/api';
import { sshAddresses, sshCommands } from '../contract/git-ssh.js';
import { Kit } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('git over SSH, with real clients', { timeout: 600_000 }, () => {
  let kit: Kit;
  const heard: RefsUpdated[] = [];
  const rules = definePlugin({
    name: 'test-rules',
    version: '1.0.0',
    sdk: '*',
    requires: { git: '^1.0.0', 'git-ssh': '^1.0.0' },
    register(plugin) {
      plugin.contribute(refChecks, { reader: gitReader }, ({ reader }) => ({
        key: 'no-swearing',
        check: async ({ repositoryId, kind, quarantine, updates }) => {
          for (const update of updates) {
            if (/^0+$/.test(update.new)) continue;
            const commit = await reader.quarantined(repositoryId, kind, quarantine ?? {}).commit(update.new);
            if (/darn/.test(commit.message)) throw Forbidden('mind your words');
          }
        },
      }));
      plugin.contribute(pushHints, { key: 'hello', lines: async ({ updates }) => [`thank you for ${updates.length}`] });
      plugin.contribute(receivePoints, {
        key: 'letterbox',
        prefixes: ['refs/for/'],
        receive: async ({ pusher, source }, { ref }) => ({
          ok: true,
          ref: 'refs/pull/7/head',
          message: `${pusher.name} by ${source}: ${ref}`,
        }),
      });
      plugin.on(refsUpdated, 'after', 'hear', {}, async (payload) => void heard.push(payload));
      plugin.contribute(sshCommands, {
        key: 'test-echo',
        run: async ({ actor, args, write, err }) => {
          await err('to the side\n');
          await write(`${actor.kind} ${actor.name} ${args.join('|')}\n`);
          if (args.includes('fail')) throw Forbidden('not this one');
          if (args.includes('break')) throw new Error('secret detail');
          return args.includes('seven') ? 7 : undefined;
        },
      });
    },
  });

  before(async () => {
    kit = await Kit.start({ repository: { ENABLE_PUSH_CREATE_USER: true } }, [rules]);
  });
  after(() => kit.host.close());

  const make = (name: string, more = {}) => kit.repository(name, more);
  /** When ada's key was used; it is written once a minute, and here before it is asked. */
  const lastUse = async () => {
    const keys = kit.host.services.get(publicKeys);
    await (keys as unknown as { readonly uses: WriteBehind }).uses.flush();
    return (await keys.list({ userId: kit.ada.id, limit: 1, offset: 0 })).items[0]!.lastUsedAt;
  };
  const addDeployKey = async (repositoryId: number, name: string, readOnly: boolean) => {
    const key = await kit.newKey(name);
    const repository = await kit.host.services.get(repositories).byId(repositoryId);
    const owner = kit.host.as({ id: kit.ada.id, name: 'ada' });
    const answer = await owner.inject({
      method: 'POST',
      url: `/api/v1/repos/ada/${repository?.name}/keys`,
      payload: { title: name, key, read_only: readOnly },
    });
    expect(answer.statusCode).to.equal(201);
  };

  it('greets by name and refuses everything but git, with a sentence', async () => {
    const hello = await kit.ssh('ada');
    expect([hello.code, hello.err]).to.equal([0, '']);
    expect(hello.out).to.match(/^Hi there, ada!/);
    for (const [command, words] of [
      ['bash -i', /Unknown command "bash"/],
      ['ls; id', /Shell access is not available/],
      ['git-upload-pack', /Usage: git-upload-pack/],
      ["git-upload-pack '../../etc'", /Invalid repository path/],
      ["git-upload-pack 'ada/none.git'", /does not exist/],
      ["git-shell 'x'", /Unknown command/],
    ] as const) {
      const done = await kit.ssh('ada', command);
      expect([command, done.code, done.out]).to.equal([command, 1, '']);
      expect(done.err).to.match(words);
    }
    expect((await kit.ssh('stranger')).code).to.equal(255);
    expect((await kit.ssh('ada', '-s', 'sftp')).code).to.not.equal(0);
    const forward = await kit.ssh('ada', '-o', 'ExitOnForwardFailure=yes', '-R', '0:127.0.0.1:9', '-N');
    expect([forward.code, /forwarding failed/.test(forward.err)]).to.equal([255, true]);
  });

  it('signs in with keys of all kinds; RSA without SHA-1', async () => {
    for (const type of ['rsa', 'ecdsa']) {
      await kit.addKey(kit.ada, await kit.newKey(type, type));
      expect((await kit.ssh(type)).out).to.match(/Hi there, ada!/);
    }
    const old = await kit.ssh('rsa', '-o', 'PubkeyAcceptedAlgorithms=ssh-rsa');
    expect(old.code).to.equal(255);
  });

  it('runs commands of plugins with their exit code', async () => {
    const { code, out, err } = await kit.ssh('ada', "test-echo 'a b' c");
    expect({ code, out, err }).to.equal({ code: 0, out: 'user ada a b|c\n', err: 'to the side\n' });
    expect((await kit.ssh('ada', 'test-echo seven')).code).to.equal(7);
    expect(await kit.ssh('ada', 'test-echo fail')).to.include({
      code: 1,
      err: 'to the side\nMortise: not this one.\n',
    });
    const broken = await kit.ssh('ada', 'test-echo break');
    expect([broken.code, broken.err.includes('secret'), /Internal server error/.test(broken.err)]).to.equal([
      1,
      false,
      true,
    ]);
  });

  it('clones, pushes, fetches in every version; the event comes once, the key was used', async () => {
    const before = await lastUse();
    const made = await make('plain');
    const dir = await kit.source();
    expect(await kit.git(dir, 'push', kit.url('ada/plain'), 'main', 'HEAD:refs/tags/v1')).to.contain('thank you for 2');
    for (const version of ['0', '1', '2']) {
      const clone = kit.path(`plain-${version}`);
      await kit.git(dir, '-c', `protocol.version=${version}`, 'clone', '-q', kit.url('ada/plain'), clone);
      const said = await kit.git(clone, '-c', `protocol.version=${version}`, 'ls-remote', 'origin');
      expect(said.match(/refs\/\S+/g)).to.equal(['refs/heads/main', 'refs/tags/v1']);
      expect(await kit.git(clone, '-c', `protocol.version=${version}`, 'fetch', 'origin')).to.equal('');
      await kit.git(dir, 'commit', '-q', '--allow-empty', '-m', 'more');
      await kit.git(dir, 'push', '-q', kit.url('ada/plain'), 'main');
      expect(await kit.git(clone, '-c', `protocol.version=${version}`, 'pull')).to.contain('Fast-forward');
    }
    expect(await kit.git(dir, 'push', kit.url('ada/plain'), 'main')).to.contain('up-to-date');
    expect(await kit.git(dir, 'push', '-n', kit.url('ada/plain'), 'HEAD:refs/heads/x')).to.contain('new branch');
    await kit.host.events.deliverAll();
    expect(heard.filter((event) => event.repositoryId === made.id)).to.have.length(4);
    expect(heard[0]).to.include({ source: 'ssh', pusherName: 'ada', wasEmpty: true });
    expect(await lastUse()).to.be.above(before);
  });

  it('takes every usual spelling of the address', async () => {
    await make('spelled');
    const dir = await kit.source();
    await kit.git(dir, 'push', '-q', kit.url('ada/spelled'), 'main');
    const base = kit.url('x').replace(/\/x\.git$/, '');
    for (const path of ['/ada/spelled', '/ADA/Spelled.git', '/~ada/spelled.git', '/ada/spelled.git/'])
      expect(await kit.git(dir, 'ls-remote', `${base}${path}`)).to.contain('refs/heads/main');
    const port = String(kit.host.services.get(sshAddresses).port);
    const scp = { GIT_SSH_COMMAND: `ssh ${kit.options('ada').join(' ')}` };
    expect(port).to.not.equal('0');
    expect(scp.GIT_SSH_COMMAND).to.contain(port);
    expect(await kit.git(dir, 'ls-remote', 'git@127.0.0.1:ada/spelled.git')).to.contain('refs/heads/main');
  });

  it('shows why a push is refused, and keeps nothing of it', async () => {
    const made = await make('polite');
    const dir = await kit.source();
    await kit.git(dir, 'commit', '-q', '--allow-empty', '-m', 'darn');
    const rude = await kit.try('ada', dir, 'push', kit.url('ada/polite'), 'main');
    expect([rude.code, /remote: mind your words/.test(rude.err)]).to.equal([1, true]);
    expect(await kit.host.services.get(gitReader).open(made.id).isEmpty()).to.be.true();
    const stranger = await kit.try('ben', dir, 'push', kit.url('ada/polite'), 'HEAD~1:refs/heads/main');
    expect([stranger.code, /remote: You do not have permission to push/.test(stranger.err)]).to.equal([1, true]);
    await make('hidden', { isPrivate: true });
    const hidden = await kit.try('ben', dir, 'ls-remote', kit.url('ada/hidden'));
    expect([hidden.code, /Mortise: repository does not exist\.$/m.test(hidden.err)]).to.equal([128, true]);
  });

  it('hands what is pushed for review to whoever takes it', async () => {
    const repository = await kit.repository('reviewed');
    const dir = await kit.source();
    await kit.git(dir, 'push', kit.url('ada/reviewed'), 'main');
    const done = await kit.try('ben', dir, 'push', kit.url('ada/reviewed'), 'HEAD:refs/for/main/topic');
    expect(done.err).to.contain('ben by ssh: refs/for/main/topic').and.to.contain('refs/pull/7/head');
    expect(done.code).to.equal(0);
    expect(await kit.host.services.get(gitReader).open(repository.id).refs()).to.have.length(1);
  });

  it('REP-09, REP-10: a push can make a repository, and its options say how', async () => {
    const dir = await kit.source();
    await kit.git(dir, 'push', '-q', '-o', 'repo.private=false', '-o', 'repo.template', kit.url('ada/made'), 'main');
    expect(await kit.host.services.get(repositories).byPath('ada', 'made')).to.include({
      isPrivate: false,
      isTemplate: true,
    });
    await kit.git(dir, 'push', '-q', '-o', 'repo.private=true', kit.url('ada/made'), 'HEAD:refs/heads/more');
    expect(await kit.host.services.get(repositories).byPath('ada', 'made')).to.include({ isPrivate: false });
    const foreign = await kit.try('ben', dir, 'push', kit.url('ada/foreign'), 'main');
    expect([foreign.code, /Mortise: repository does not exist\.$/m.test(foreign.err)]).to.equal([128, true]);
    expect(await kit.host.services.get(repositories).byPath('ada', 'foreign')).to.be.undefined();
  });

  it('serves renamed repositories and says where they are', async () => {
    const made = await make('before');
    const dir = await kit.source();
    await kit.git(dir, 'push', '-q', kit.url('ada/before'), 'main');
    await kit.host.services.get(repositories).rename(made, 'afterwards');
    const said = await kit.git(dir, 'ls-remote', kit.url('ada/before'));
    expect(said).to.contain('refs/heads/main').and.to.contain(kit.url('ada/afterwards'));
  });

  it('clones and pushes the repository of a wiki', async () => {
    await make('lore');
    const dir = await kit.source();
    await kit.git(dir, 'push', '-q', kit.url('ada/lore.wiki'), 'main');
    expect(await kit.git(dir, 'ls-remote', kit.url('ada/lore.wiki'))).to.contain('refs/heads/main');
    expect(await kit.git(dir, 'ls-remote', kit.url('ada/lore'))).to.equal('');
  });

  it('git archive --remote gives an archive', async () => {
    await make('boxed');
    const dir = await kit.source();
    await kit.git(dir, 'push', '-q', kit.url('ada/boxed'), 'main');
    await kit.git(dir, 'archive', `--remote=${kit.url('ada/boxed')}`, '-o', kit.path('boxed.tar'), 'main');
    expect((await stat(kit.path('boxed.tar'))).size).to.be.above(1000);
  });

  it('deploy keys open their repository, for reading or for writing, and nothing else', async () => {
    const made = await make('served', { isPrivate: true });
    await make('next-door');
    const dir = await kit.source();
    await kit.git(dir, 'push', '-q', kit.url('ada/served'), 'main');
    await addDeployKey(made.id, 'reader', true);
    await addDeployKey(made.id, 'writer', false);
    for (const key of ['reader', 'writer'])
      expect((await kit.try(key, dir, 'ls-remote', kit.url('ada/served'))).out).to.contain('refs/heads/main');
    const refused = await kit.try('reader', dir, 'push', kit.url('ada/served'), 'HEAD:refs/heads/r');
    expect([refused.code, /do not have permission to push/.test(refused.err)]).to.equal([1, true]);
    expect((await kit.try('writer', dir, 'push', kit.url('ada/served'), 'HEAD:refs/heads/w')).code).to.equal(0);
    // S6: nor do they make references that no rule protects
    const odd = await kit.try('writer', dir, 'push', kit.url('ada/served'), 'HEAD:refs/replace/x', 'HEAD:refs/keep/1');
    expect([odd.code, odd.err.match(/takes references only below/g)?.length]).to.equal([1, 2]);
    for (const key of ['reader', 'writer']) {
      const other = await kit.try(key, dir, 'ls-remote', kit.url('ada/next-door'));
      expect([other.code, /does not exist/.test(other.err)]).to.equal([128, true]);
    }
    expect((await kit.ssh('reader')).out).to.contain('deploy key reader');
    expect((await kit.ssh('reader', "test-echo '/ada/served.git'")).out).to.match(/^deploy-key reader/);
    expect((await kit.ssh('reader', 'test-echo ada/next-door')).code).to.equal(1);
    await kit.host.services.get(repositories).rename(made, 'served-anew');
    expect((await kit.try('reader', dir, 'ls-remote', kit.url('ada/served'))).out).to.contain('refs/heads/main');
    const [row] = await kit.host.services
      .get(deployKeys)
      .byFingerprint(kit.host.services.get(publicKeys).parse(await kit.newKey('unused')).fingerprint);
    expect(row).to.be.undefined();
  });

  it('a key that may only read fetches and does not push', async () => {
    await make('careful');
    await kit.addKey(kit.ada, await kit.newKey('looking'), true);
    const dir = await kit.source();
    await kit.git(dir, 'push', '-q', kit.url('ada/careful'), 'main');
    expect((await kit.try('looking', dir, 'ls-remote', kit.url('ada/careful'))).code).to.equal(0);
    const push = await kit.try('looking', dir, 'push', kit.url('ada/careful'), 'HEAD:refs/heads/x');
    expect([push.code, /This key is read-only/.test(push.err)]).to.equal([128, true]);
  });

  it('refuses keys of accounts that may not act, and keys that are gone', async () => {
    const accountService = kit.host.services.get(accounts);
    await make('open');
    const dir = await kit.source();
    await kit.git(dir, 'push', '-q', kit.url('ada/open'), 'main');
    for (const state of [{ isActive: false }, { prohibitLogin: true }]) {
      await accountService.update(kit.ben.id, state);
      const done = await kit.try('ben', dir, 'ls-remote', kit.url('ada/open'));
      expect([done.code, /Sign-in is disabled|not been activated/.test(done.err), done.out]).to.equal([128, true, '']);
      expect((await kit.ssh('ben')).code).to.equal(1);
      await accountService.update(kit.ben.id, { isActive: true, prohibitLogin: false });
    }
    const key = await kit.addKey(kit.ben, await kit.newKey('short-lived'));
    expect((await kit.ssh('short-lived')).code).to.equal(0);
    await kit.host.services.get(publicKeys).remove(key.id);
    expect((await kit.ssh('short-lived')).code).to.equal(255);
  });

  it('keeps its host keys to itself', async () => {
    const names = (await readdir(kit.path('ssh'))).sort();
    expect(names).to.equal(['host.ecdsa', 'host.ed25519', 'host.rsa']);
    for (const name of names) expect((await stat(join(kit.path('ssh'), name))).mode & 0o777).to.equal(0o600);
    expect(
      kit.host.services
        .get(sshAddresses)
        .hostKeys()
        .map((key) => key.algorithm),
    ).to.equal(['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa']);
  });
});
