import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous, type Actor } from '@mortise/plugin-sdk';
import { gitReader, refUpdates, zeroOid, type Facts } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import { merging, ProtectionKit } from './protection-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('rules at the gate, with real git', { timeout: 600_000 }, () => {
  let kit: ProtectionKit;
  let repository: Repository;
  let dir: string;
  let count = 0;

  before(async () => {
    kit = await ProtectionKit.open('ada', 'ben', 'cid');
    repository = await kit.repository('vault');
    dir = await kit.clone(repository, { 'a.txt': 'a\n', 'keys/one.pem': 'k\n', 'docs/read.md': 'r\n' });
  });
  after(() => kit?.host.close());

  /** A fresh branch under a rule. Gives its name. */
  const guarded = async (rule: object, name = `branch-${++count}`) => {
    await kit.git(dir, 'checkout', '-q', '-B', name, 'main');
    await kit.push(dir, repository, 'ada', `main:refs/heads/${name}`);
    const made = await kit.call('ada', 'POST', '/repos/ada/vault/branch_protections', { rule_name: name, ...rule });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    return name;
  };
  const change = (branch: string, body: object) =>
    kit.call('ada', 'PATCH', `/repos/ada/vault/branch_protections/${branch}`, body);
  const tip = async (branch: string) =>
    (await kit.host.services.get(gitReader).open(repository.id).branch(branch))?.oid;
  /** One more commit to the branch. */
  const pushes = async (branch: string, who: string, files: Record<string, string> = { 'a.txt': `${++count}\n` }) => {
    await kit.git(dir, 'checkout', '-q', branch);
    const was = await kit.git(dir, 'rev-parse', 'HEAD');
    const oid = await kit.commit(dir, files);
    try {
      await kit.push(dir, repository, who, `HEAD:refs/heads/${branch}`);
    } catch (error) {
      await kit.git(dir, 'reset', '-q', '--hard', was);
      throw error;
    }
    expect(await tip(branch)).to.equal(oid);
  };
  const rewrites = async (branch: string, who: string) => {
    await kit.git(dir, 'checkout', '-q', '-B', 'rewritten', 'main');
    await kit.git(dir, 'commit', '-q', '--amend', '-m', `other ${++count}`);
    await kit.push(dir, repository, who, '--force', `HEAD:refs/heads/${branch}`);
    await kit.git(dir, 'checkout', '-q', '-B', branch);
  };

  it('a closed branch takes no push, not even of the owner, and says why', async () => {
    const branch = await guarded({});
    const before_ = await tip(branch);
    for (const who of ['ada', 'ben'])
      await expect(pushes(branch, who)).to.reject(
        new RegExp(`remote: Branch ${branch} is protected: changes require a pull request.`),
      );
    expect(await tip(branch)).to.equal(before_);
    await expect(kit.push(dir, repository, 'ada', `:refs/heads/${branch}`)).to.reject(/cannot be deleted/);
  });

  it('an open branch takes pushes, and neither force nor deletion', async () => {
    const branch = await guarded({ enable_push: true });
    await pushes(branch, 'ben');
    await expect(rewrites(branch, 'ben')).to.reject(/force pushes are not allowed/);
    await expect(kit.push(dir, repository, 'ada', `:refs/heads/${branch}`)).to.reject(/cannot be deleted/);
  });

  it('a list lets those on it push, by name or by team, and nobody else', async () => {
    const branch = await guarded({ enable_push: true, enable_push_whitelist: true, push_whitelist_usernames: ['ben'] });
    await pushes(branch, 'ben');
    await expect(pushes(branch, 'ada')).to.reject(/you are not allowed to push to it/);
    await change(branch, { push_whitelist_usernames: [], push_whitelist_teams: ['even'] });
    const even = ['ada', 'ben', 'cid'].filter((name) => kit.account(name).id % 2 === 0);
    for (const name of ['ada', 'ben', 'cid']) {
      if (even.includes(name)) await pushes(branch, name);
      else await expect(pushes(branch, name)).to.reject(/not allowed to push/);
    }
  });

  it('force is for those whom the rule allows it', async () => {
    const branch = await guarded({ enable_push: true, enable_force_push: true });
    await rewrites(branch, 'ben');
    await change(branch, { enable_force_push_allowlist: true, force_push_allowlist_usernames: ['ben'] });
    await rewrites(branch, 'ben');
    await expect(rewrites(branch, 'cid')).to.reject(/force pushes are not allowed/);
    // who may not push may not force either
    await change(branch, { enable_push_whitelist: true, push_whitelist_usernames: ['cid'] });
    await expect(rewrites(branch, 'ben')).to.reject(/force pushes are not allowed/);
  });

  it('protected files stay as they are, also when they are new, removed or renamed', async () => {
    const branch = await guarded({ enable_push: true, protected_file_patterns: 'keys/**;*.lock' });
    await pushes(branch, 'ben');
    await expect(pushes(branch, 'ben', { 'keys/one.pem': 'stolen\n' })).to.reject(/a push cannot change keys\/one.pem/);
    await expect(pushes(branch, 'ada', { 'build.lock': 'x\n' })).to.reject(/build.lock/);
    await kit.git(dir, 'mv', 'keys/one.pem', 'moved.pem');
    await expect(pushes(branch, 'ben', {})).to.reject(/keys\/one.pem/);
    // in a commit before the last as well
    await kit.commit(dir, { 'keys/two.pem': 'x\n' });
    await expect(pushes(branch, 'ben')).to.reject(/keys\/two.pem/);
    await kit.git(dir, 'reset', '-q', '--hard', (await tip(branch))!);
  });

  it('unprotected files open a closed branch for themselves alone', async () => {
    const branch = await guarded({ unprotected_file_patterns: 'docs/**' });
    await pushes(branch, 'ben', { 'docs/read.md': 'better\n' });
    await expect(pushes(branch, 'ben')).to.reject(/changes require a pull request/);
    await expect(pushes(branch, 'ben', { 'docs/read.md': 'x\n', 'a.txt': 'y\n' })).to.reject(
      /changes require a pull request/,
    );
    // nothing changed is no change to them
    await expect(pushes(branch, 'ben', {})).to.reject(/changes require a pull request/);
    await kit.git(dir, 'checkout', '-q', '-B', 'rewritten', `${branch}~1`);
    await kit.commit(dir, { 'docs/read.md': 'again\n' });
    await expect(kit.push(dir, repository, 'ben', '-f', `HEAD:refs/heads/${branch}`)).to.reject(
      /force pushes are not allowed/,
    );
  });

  it('signed commits only: every one that comes is looked at', async () => {
    const branch = await guarded({ enable_push: true, require_signed_commits: true });
    const key = join(kit.host.workDir, 'signing');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const signing = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}`, '-c', 'commit.gpgsign=true'];
    await expect(pushes(branch, 'ben')).to.reject(/requires signed commits: [0-9a-f]{10} "more" is not signed/);
    await kit.commit(dir, { 's.txt': 's\n' }, 'signed', ...signing);
    await kit.push(dir, repository, 'ben', `HEAD:refs/heads/${branch}`);
    await kit.commit(dir, { 's.txt': 't\n' }, 'unsigned');
    await kit.commit(dir, { 's.txt': 'u\n' }, 'signed on top', ...signing);
    await expect(kit.push(dir, repository, 'ben', `HEAD:refs/heads/${branch}`)).to.reject(/"unsigned" is not signed/);
    await kit.git(dir, 'reset', '-q', '--hard', (await tip(branch))!);
    await kit.commit(dir, { 's.txt': 'v\n' }, 'bad one', ...signing);
    await expect(kit.push(dir, repository, 'ben', `HEAD:refs/heads/${branch}`)).to.reject(/cannot be verified/);
    await kit.git(dir, 'reset', '-q', '--hard', (await tip(branch))!);
    const direct = await kit.call('ben', 'POST', '/repos/ada/vault/contents/direct.txt', { content: 'eA==', branch });
    expect(direct.status).to.equal(403);
  });

  it('signed commits only: what another branch took without a look cannot become a new branch', async () => {
    const rule = { rule_name: 'signed/*', enable_push: true, require_signed_commits: true };
    expect((await kit.call('ada', 'POST', '/repos/ada/vault/branch_protections', rule)).status).to.equal(201);
    await kit.git(dir, 'checkout', '-q', '-B', 'sideways', 'main');
    await kit.commit(dir, { 'side.txt': 's\n' }, 'by nobody');
    await kit.push(dir, repository, 'ben', 'HEAD:refs/heads/sideways');
    await expect(kit.push(dir, repository, 'ben', 'HEAD:refs/heads/signed/1')).to.reject(/"by nobody" is not signed/);
    const made = { new_branch_name: 'signed/2', old_branch_name: 'sideways' };
    expect((await kit.call('ben', 'POST', '/repos/ada/vault/branches', made)).status).to.equal(403);
    const renamed = await kit.call('ben', 'PATCH', '/repos/ada/vault/branches/sideways', { name: 'signed/3' });
    expect(renamed.status).to.equal(403);
    // where all began is not asked for
    await kit.push(dir, repository, 'ben', 'main:refs/heads/signed/4');
  });

  it('a pattern also covers branches that are made, and the first rule that fits counts', async () => {
    await guarded({}, 'rel/0');
    await kit.call('ada', 'POST', '/repos/ada/vault/branch_protections', { rule_name: 'rel/*' });
    await expect(kit.push(dir, repository, 'ada', 'main:refs/heads/rel/1')).to.reject(/rel\/1 is protected/);
    await kit.push(dir, repository, 'ben', 'main:refs/heads/rel/deep/1');
    await kit.call('ada', 'POST', '/repos/ada/vault/branch_protections', { rule_name: 'rel/open', enable_push: true });
    await expect(kit.push(dir, repository, 'ben', 'main:refs/heads/rel/open')).to.reject(/protected/);
    expect((await change('rel/open', { priority: 1 })).status).to.equal(200);
    expect((await change('rel/*', { priority: 1000 })).status).to.equal(200);
    await kit.push(dir, repository, 'ben', 'main:refs/heads/rel/open');
    // a new branch is more than its files
    await change('rel/*', { unprotected_file_patterns: 'docs/**' });
    await kit.git(dir, 'checkout', '-q', '-B', 'reading', 'main');
    await kit.commit(dir, { 'docs/read.md': 'new\n' });
    await expect(kit.push(dir, repository, 'ben', 'HEAD:refs/heads/rel/docs')).to.reject(
      /changes require a pull request/,
    );
    // files of a new branch are those by which it differs from the default branch
    await change('rel/*', { enable_push: true, protected_file_patterns: 'keys/**' });
    await kit.push(dir, repository, 'ben', 'main:refs/heads/rel/2');
    await kit.git(dir, 'checkout', '-q', '-B', 'theft', 'main');
    await kit.commit(dir, { 'keys/one.pem': 'stolen\n' });
    await expect(kit.push(dir, repository, 'ben', 'HEAD:refs/heads/rel/3')).to.reject(/keys\/one.pem/);
  });

  it('one refusal keeps back the whole push', async () => {
    const branch = await guarded({});
    await kit.commit(dir, { 'w.txt': 'w\n' });
    await expect(kit.push(dir, repository, 'ben', 'HEAD:refs/heads/beside', `HEAD:refs/heads/${branch}`)).to.reject();
    expect(await tip('beside')).to.be.undefined();
  });

  it('the API and files written there pass the same gate', async () => {
    const branch = await guarded({});
    const at = '/repos/ada/vault';
    expect((await kit.call('ada', 'DELETE', `${at}/branches/${branch}`)).status).to.equal(403);
    expect((await kit.call('ben', 'POST', `${at}/contents/n.txt`, { content: 'eA==', branch })).status).to.equal(403);
    const forth = await kit.commit(dir, { 'v.txt': 'v\n' });
    await kit.push(dir, repository, 'ben', 'HEAD:refs/heads/feature');
    const moved = await kit.call('ada', 'PUT', `${at}/branches/${branch}`, { new_commit_id: forth });
    expect(moved.status).to.equal(403);
    expect(moved.body.message).to.contain('is protected');
  });

  it('deploy keys and merges have lists of their own', async () => {
    const branch = await guarded({ enable_push: true, enable_push_whitelist: true });
    const updates = kit.host.services.get(refUpdates);
    const key: Actor = { ...anonymous, kind: 'deploy-key', name: 'machine', credentialId: 1 };
    const step = async (pusher: Actor, source: 'ssh' | 'merge', facts?: Facts) => {
      const old = (await tip(branch))!;
      await kit.git(dir, 'checkout', '-q', '-B', 'stepping', old);
      const oid = await kit.commit(dir, {}, `step ${++count}`);
      await kit.push(dir, repository, 'ada', '-f', 'HEAD:refs/heads/parked');
      await updates.apply({
        repositoryId: repository.id,
        updates: [{ ref: `refs/heads/${branch}`, old, new: oid }],
        pusher,
        source,
        facts,
      });
    };
    await kit.git(dir, 'fetch', '-q', '.');
    await expect(step(key, 'ssh')).to.reject(/not allowed to push/);
    await change(branch, { push_whitelist_deploy_keys: true });
    await step(key, 'ssh');
    // a merge of a pull request is asked for its own list
    const merge = merging.with({ approvals: 1 });
    await step(kit.actor('ben'), 'merge', merge);
    await expect(step(kit.actor('ben'), 'merge')).to.reject(/not allowed to push/);
    await change(branch, { enable_merge_whitelist: true, merge_whitelist_usernames: ['cid'] });
    await expect(step(kit.actor('ben'), 'merge', merge)).to.reject(/not allowed to merge/);
    await step(kit.actor('cid'), 'merge', merge);
  });

  it('a merge meets the rule at the gate, and no word of a push makes one', async () => {
    const branch = await guarded({ required_approvals: 2 });
    const updates = kit.host.services.get(refUpdates);
    const old = (await tip(branch))!;
    await kit.git(dir, 'fetch', '-q', '.');
    await kit.git(dir, 'checkout', '-q', '-B', 'stepping', old);
    const oid = await kit.commit(dir, {}, `step ${++count}`);
    await kit.push(dir, repository, 'ada', '-f', 'HEAD:refs/heads/parked');
    const move = (facts?: Facts) =>
      updates.apply({
        repositoryId: repository.id,
        updates: [{ ref: `refs/heads/${branch}`, old, new: oid }],
        pusher: kit.actor('ada'),
        source: 'merge',
        facts,
      });
    await expect(move()).to.reject(/closed|not allowed|pull request/i);
    await expect(move(merging.with({ approvals: 1 }))).to.reject('approvals are missing');
    await move(merging.with({ approvals: 2 }));
    expect(await tip(branch)).to.equal(oid);
  });

  it('a rename takes the rule of that very name along, for administrators', async () => {
    const branch = await guarded({ required_approvals: 3 });
    const at = '/repos/ada/vault';
    expect((await kit.call('ben', 'PATCH', `${at}/branches/${branch}`, { name: 'renamed' })).status).to.equal(403);
    expect((await kit.call('ada', 'PATCH', `${at}/branches/${branch}`, { name: 'renamed' })).status).to.equal(204);
    expect((await kit.call('ada', 'GET', `${at}/branch_protections/${branch}`)).status).to.equal(404);
    expect((await kit.call('ada', 'GET', `${at}/branch_protections/renamed`)).body.required_approvals).to.equal(3);
    await kit.git(dir, 'checkout', '-q', '-B', 'renamed', 'main');
    await expect(pushes('renamed', 'ada')).to.reject(/protected/);
    // the two halves of a rename in a push are none
    await expect(
      kit.push(dir, repository, 'ada', `${(await tip('renamed'))!}:refs/heads/stolen`, ':refs/heads/renamed'),
    ).to.reject(/cannot be deleted/);
  });

  it('protected tags: create, move, delete; those on the list of any rule that fits', async () => {
    const at = '/repos/ada/vault';
    await kit.push(dir, repository, 'ben', 'main:refs/tags/v1');
    const rule = (body: object) => kit.call('ada', 'POST', `${at}/tag_protections`, body);
    const made = await rule({ name_pattern: 'v*', whitelist_usernames: ['cid'] });
    expect(made.status).to.equal(201);
    for (const who of ['ada', 'ben'])
      await expect(kit.push(dir, repository, who, 'main:refs/tags/v2')).to.reject(/Tag v2 is protected/);
    await expect(kit.push(dir, repository, 'ben', ':refs/tags/v1')).to.reject(/Tag v1 is protected/);
    await kit.git(dir, 'checkout', '-q', 'main');
    await expect(kit.push(dir, repository, 'ben', '-f', `${await kit.commit(dir, {})}:refs/tags/v1`)).to.reject(
      /Tag v1 is protected/,
    );
    await kit.push(dir, repository, 'cid', 'main:refs/tags/v2', ':refs/tags/v1');
    await kit.push(dir, repository, 'ben', 'main:refs/tags/w1', 'main:refs/heads/v3');
    expect((await kit.call('ada', 'POST', `${at}/tags`, { tag_name: 'v5' })).status).to.equal(422);
    expect((await kit.call('ada', 'DELETE', `${at}/tags/v2`)).status).to.equal(422);
    await rule({ name_pattern: '/^v9/', whitelist_usernames: ['ben'] });
    await kit.push(dir, repository, 'ben', 'main:refs/tags/v9');
    await kit.call('ada', 'DELETE', `${at}/tag_protections/${made.body.id}`);
    await kit.push(dir, repository, 'ben', ':refs/tags/v2');
  });

  it('what the site does by itself follows no rules', async () => {
    const branch = await guarded({});
    await kit.host.services.get(refUpdates).apply({
      repositoryId: repository.id,
      updates: [{ ref: `refs/heads/${branch}`, old: (await tip(branch))!, new: zeroOid }],
      pusher: anonymous,
      source: 'mirror',
    });
    expect(await tip(branch)).to.be.undefined();
  });
});
