import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { registrationTokens } from '@mortise/actions/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** The work folder of a real server lies beside the project where somebody has put it. */
const archive = fileURLToPath(new URL('../../../../../shared/takeover/sqlite.tar.xz', import.meta.url));
const isThere = existsSync(archive);

const work = () => {
  let host: TestHost;
  let folder: string;
  let first: readonly string[] = [];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-source-'));
    execFileSync('tar', [
      'xf',
      archive,
      '-C',
      folder,
      'custom',
      'data/gitea.db',
      'data/attachments',
      'data/avatars',
      'data/gitea-repositories',
      'data/lfs',
    ]);
    host = await startHost({
      plugins: [
        'takeover',
        'organizations',
        'stars',
        'auth-basic',
        'auth-token',
        'git-http',
        'issues',
        'pulls',
        'actions-runner-protocol',
        'notifications',
        'time-tracking',
        'reviews',
        'branch-protection',
        'commit-status',
        'lfs',
        'releases',
      ],
    });
    first = await host.command('takeover', { from: folder });
  });
  after(async () => {
    await host.close();
    rmSync(folder, { recursive: true });
  });
  it('comes whole, and a second pass changes nothing', async () => {
    expect(first).to.include('accounts.users: 887 read, 887 written, 0 unchanged, 0 removed, 0 skipped');
    expect(first).to.include('organizations.teams: 265 read, 265 written, 0 unchanged, 0 removed, 0 skipped');
    expect(first).to.include('repositories.repositories: 364 read, 364 written, 0 unchanged, 0 removed, 0 skipped');
    expect(first).to.include(
      'organizations.team_repositories: 277 read, 277 written, 0 unchanged, 0 removed, 0 skipped',
    );
    expect(first).to.include('issues.issues: 369 read, 369 written, 0 unchanged, 0 removed, 0 skipped');
    expect(first).to.include('issues.comments: 1193 read, 1192 written, 0 unchanged, 0 removed, 1 skipped');
    expect(first).to.include('attachments.files_of_comments: 19 read, 19 written, 0 unchanged, 0 removed, 0 skipped');
    expect(first).to.include('time-tracking.times: 48 read, 48 written, 0 unchanged, 0 removed, 0 skipped');
    // of two offers of one repository there is one thread
    expect(first).to.include('notifications.notifications: 406 read, 405 written, 0 unchanged, 0 removed, 1 skipped');
    for (const [kind, rows] of [
      ['branch-protection.branch_protections', 263],
      ['commit-status.statuses', 123],
      ['lfs.objects', 11],
      ['lfs.locks', 5],
      ['releases.releases', 16],
      ['pulls.pulls', 162],
      ['reviews.reviews', 163],
      ['reviews.comments', 10],
    ] as const)
      expect(first).to.include(`${kind}: ${rows} read, ${rows} written, 0 unchanged, 0 removed, 0 skipped`);
    expect(first).to.include('stars.watches: 518 read, 518 written, 0 unchanged, 0 removed, 0 skipped');
    const second = await host.command('takeover', { from: folder });
    for (const line of second.filter((one) => / read, /.test(one))) expect(line).to.match(/, 0 written, .*, 0 removed/);
  });

  it('is the same in a comparison, but for what cannot come', async () => {
    const code = process.exitCode;
    const lines = await host.command('takeover verify', { from: folder });
    process.exitCode = code;
    expect(lines.filter((line) => /\d differ/.test(line))).to.equal([]);
    expect(lines).to.include('  1 with reason: issue_id refers to a row of issues.issues that was not taken over');
  });

  it('shows issues with their timelines and files', async () => {
    const get = async (path: string) => (await host.as({ id: 1, name: 'root', isAdmin: true }).inject(path)).json;
    const at = '/api/v1/repos/owner-x0a2094x/public/issues/1';
    const types = new Map<string, number>();
    for (const page of [1, 2, 3])
      for (const { type } of await get(`${at}/timeline?limit=50&page=${page}`))
        types.set(type, (types.get(type) ?? 0) + 1);
    expect(types.get('comment')).to.equal(15);
    expect(types.get('label')).to.equal(8);
    expect(types.get('pin')).to.equal(6);
    expect(types.get('added_deadline')).to.equal(1);
    const [file] = await get(`${at}/assets`);
    expect(file).to.include({ id: 1, name: 'renamed.txt', size: 9 });
    const content = await host.as({ id: 1, name: 'root', isAdmin: true }).inject(`/attachments/${file.uuid}`);
    expect(content.payload).to.have.length(9);
    const greenfly = await get('/api/v1/repos/issues/search?state=all&q=greenfly');
    expect(greenfly.map(({ id }: { id: number }) => id)).to.include(224);
  });

  it('shows what pull requests change and where reviews stand as they were, and merges an open one', async () => {
    const root = host.as({ id: 1, name: 'root', isAdmin: true });
    const get = async (path: string) => (await root.inject(`/api/v1/repos/${path}`)).json;
    const comments: Record<string, unknown>[] = [];
    for (const { id } of await get('ada-xf30795x/poem/pulls/1/reviews'))
      comments.push(...(await get(`ada-xf30795x/poem/pulls/1/reviews/${id}/comments`)));
    const pink = comments.find(({ id }) => id === 1200)!;
    expect(pink).to.include({ path: 'poem.txt', position: 2, original_position: 0, body: 'pink?' });
    expect(comments.find(({ id }) => id === 1201)).to.include({ position: 0, original_position: 4 });
    const pulls = await host.database
      .knex()('pull_request')
      .join('repository', 'repository.id', 'pull_request.repository_id')
      .select('owner_name', 'name', 'number', 'changed_files', 'head_oid');
    expect(pulls.filter((pull) => !pull.head_oid)).to.equal([]);
    for (const { owner_name: owner, name, number, changed_files: changed } of pulls.slice(-20))
      expect(await get(`${owner}/${name}/pulls/${number}/files`), `${owner}/${name}#${number}`).to.have.length(changed);
    await host.settle();
    expect(await get('ada-x41a746x/tool/pulls/3')).to.include({ state: 'open', mergeable: true });
    const merged = await root.inject({
      method: 'POST',
      url: '/api/v1/repos/ada-x41a746x/tool/pulls/3/merge',
      payload: { do: 'merge' },
    });
    expect(merged.statusCode, merged.payload).to.equal(200);
    expect(await get('ada-x41a746x/tool/pulls/3')).to.include({ state: 'closed', merged: true });
  });

  it('serves objects of LFS, and shows rules and releases of repositories', async () => {
    const root = host.as({ id: 1, name: 'root', isAdmin: true });
    const oid = '8bf6095f638f0fb120f79b92abef28bf80841b9a0f23fa120e95fa2b416083ef';
    const object = await root.inject(`/keeper/kept.git/info/lfs/objects/${oid}`);
    expect(createHash('sha256').update(object.rawPayload).digest('hex')).to.equal(oid);
    const [rule] = (await root.inject('/api/v1/repos/ada-xf4a12ex/moat/branch_protections')).json;
    expect(rule).to.include({ rule_name: 'main', status_check_contexts: ['build / *'] });
    expect(rule.push_whitelist_usernames).to.have.length(1);
    expect((await root.inject('/api/v1/repos/keeper/kept/commits/main/status')).json.state).to.equal('pending');
  });

  it('lets keeper clone a private repository with the token of before, whose hash gives way to ours', async () => {
    execFileSync('tar', ['xf', archive, '-C', folder, 'token.json']);
    const { sha1: token, id } = JSON.parse(readFileSync(join(folder, 'token.json'), 'utf8'));
    const address = new URL(`${await host.url()}/keeper/kept.git`);
    address.username = 'keeper';
    address.password = token;
    const clone = join(folder, 'clone');
    await promisify(execFile)('git', ['clone', '-q', address.href, clone], {
      env: { ...process.env, GIT_LFS_SKIP_SMUDGE: '1' },
    });
    expect(execFileSync('git', ['log', '--oneline'], { cwd: clone, encoding: 'utf8' }).trim()).to.not.equal('');
    const row = await host.database.knex()('access_token').where('id', id).first('token_hash');
    expect(row.token_hash).to.equal(createHash('sha256').update(token).digest('hex'));
    address.password = `${'0'.repeat(32)}${token.slice(-8)}`;
    await expect(
      promisify(execFile)('git', ['clone', '-q', address.href, `${clone}2`], {
        env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
      }),
    ).to.reject();
  });

  it('gives a runner the job that waits in keeper/kept, with its secret and variable', async () => {
    const call = async (method: string, message: object, headers = {}) =>
      (
        await host.inject({
          method: 'POST',
          url: `/api/actions/runner.v1.RunnerService/${method}`,
          payload: JSON.stringify(message),
          headers: { 'content-type': 'application/json', 'connect-protocol-version': '1', ...headers },
        })
      ).json;
    const token = await host.services.get(registrationTokens).current({ ownerId: 894, repositoryId: 0 });
    const { runner } = await call('Register', { name: 'new', labels: ['ubuntu-latest'], version: 'v1', token });
    const headers = { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token };
    const { task } = await call('FetchTask', { tasksVersion: '0' }, headers);
    expect(task.secrets).to.include({ DEPLOY: 's3cr3t-of-kept' });
    expect(task.vars).to.include({ COLOR: 'blue' });
    expect(Buffer.from(task.workflowPayload, 'base64').toString()).to.contain('echo hi');
  });

  it('lets its users sign in with PBKDF2, Argon2, scrypt and bcrypt hashes', async () => {
    const users = host.services.get(accounts);
    for (const [name, password] of [
      ['root', 'password'],
      ['keeper', 'Passw0rd!x'],
      ['hash-pbkdf2-hi', 'Passw0rd-pbkdf2_hi'],
      ['hash-pbkdf2-v1', 'Passw0rd-pbkdf2_v1'],
      ['hash-argon2', 'Passw0rd-argon2'],
      ['hash-scrypt', 'Passw0rd-scrypt'],
      ['hash-bcrypt', 'Passw0rd-bcrypt'],
    ] as const)
      expect((await users.checkPassword(name, password))?.name, name).to.equal(name);
    expect(await users.checkPassword('keeper', 'another')).to.be.undefined();
    expect(await users.checkPassword('hash-bcrypt', 'Passw0rd-scrypt')).to.be.undefined();
  });
};

if (isThere) describe('issue 28: the work folder of a real server', work);
else console.log(`left out: there is no ${archive}`);
