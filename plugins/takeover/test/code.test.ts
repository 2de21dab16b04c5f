import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';
import { git, SourceRepositories } from './source-git.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };
const content = 'a large picture';
const oid = createHash('sha256').update(content).digest('hex');

describe('issue 28: what belongs to the code of a taken-over repository', () => {
  let host: TestHost;
  let source: SourceFixture;
  let head: string;
  const take = () => host.command('takeover', { from: source.folder });
  const api = async (method: string, path: string, payload?: object) =>
    host
      .as({ id: 7, name: 'ada' })
      .inject({ method, url: `/api/v1/repos/ada/mill${path}`, ...(payload && { payload }) });
  const get = async (path: string) => (await api('GET', path)).json;

  beforeEach(async () => {
    host = await startHost({
      plugins: ['takeover', 'organizations', 'branch-protection', 'commit-status', 'lfs', 'releases', 'refs'],
    });
    source = new SourceFixture();
    const user = { type: 0, is_active: 1, visibility: 0, ...time };
    source.rows(
      'user',
      { id: 7, lower_name: 'ada', name: 'ada', email: 'ada@example.com', ...user },
      { id: 9, lower_name: 'ben', name: 'ben', email: 'ben@example.com', ...user },
    );
    source.rows('repository', {
      ...{ id: 40, lower_name: 'mill', name: 'mill', owner_id: 7, owner_name: 'ada', default_branch: 'trunk', ...time },
    });
    source.rows('repo_unit', { id: 1, repo_id: 40, type: 1 }, { id: 2, repo_id: 40, type: 4 });
    const repositories = new SourceRepositories(source);
    head = repositories.make('ada/mill');
    git(repositories.folder('ada/mill'), 'tag', 'v1', head);
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('branches that were deleted come from the table that earlier versions had', async () => {
    source.rows('deleted_branch', {
      ...{ id: 6, repo_id: 40, name: 'old', commit: head, deleted_by_id: 9, deleted_unix: 1700000005 },
    });
    await take();
    const rows = await host.database.knex()('deleted_branch').select('id', 'name', 'oid', 'deleted_by', 'deleted_at');
    expect(rows.map(Object.values)).to.equal([[6, 'old', head, 9, 1700000005000]]);
  });

  it('links to branches that were renamed lead on', async () => {
    source.rows('renamed_branch', { id: 4, repo_id: 40, from: 'master', to: 'main', created_unix: 1700000005 });
    source.rows('renamed_branch', { id: 5, repo_id: 40, from: 'main', to: 'trunk', created_unix: 1700000006 });
    await take();
    const ada = host.as({ id: 7, name: 'ada' });
    const { statusCode, headers } = await ada.inject('/ada/mill/commits/branch/master');
    expect([statusCode, headers.location]).to.equal([302, '/ada/mill/commits/branch/trunk']);
  });

  it('rules for branches say the same, with the people and checks that they name', async () => {
    source.rows(
      'protected_branch',
      {
        ...{ id: 5, repo_id: 40, branch_name: 'trunk', priority: 2, can_push: 1, enable_whitelist: 1 },
        ...{ whitelist_user_i_ds: '[9,70]', whitelist_team_i_ds: '[8]', whitelist_deploy_keys: 1 },
        ...{ can_force_push: 1, enable_force_push_allowlist: 1, force_push_allowlist_user_i_ds: '[7]' },
        ...{ enable_merge_whitelist: 1, merge_whitelist_user_i_ds: '[9,7]', enable_approvals_whitelist: 1 },
        ...{ approvals_whitelist_user_i_ds: '[7]', required_approvals: 2, enable_status_check: 1 },
        ...{ status_check_contexts: '["build","test*"]', block_on_rejected_reviews: 1, dismiss_stale_approvals: 1 },
        ...{ protected_file_patterns: '*.md', block_admin_merge_override: 1, require_signed_commits: 1, ...time },
      },
      { id: 6, repo_id: 40, branch_name: 'rel/*', priority: 1, status_check_contexts: 'null', ...time },
      { id: 7, repo_id: 41, branch_name: 'lost', ...time },
    );
    source.rows('protected_tag', { id: 3, repo_id: 40, name_pattern: 'v*', allowlist_user_i_ds: '[7,70]', ...time });
    const lines = await take();
    expect(lines).to.include(
      'branch-protection.branch_protections: 3 read, 2 written, 0 unchanged, 0 removed, 1 skipped',
    );
    const [first, second] = await get('/branch_protections');
    expect(first).to.include({ rule_name: 'rel/*', priority: 1, enable_push: false, status_check_contexts: null });
    expect(second).to.include({
      rule_name: 'trunk',
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['ben'],
      push_whitelist_deploy_keys: true,
      enable_force_push_allowlist: true,
      force_push_allowlist_usernames: ['ada'],
      enable_merge_whitelist: true,
      approvals_whitelist_username: ['ada'],
      required_approvals: 2,
      enable_status_check: true,
      status_check_contexts: ['build', 'test*'],
      block_on_rejected_reviews: true,
      block_on_official_review_requests: false,
      dismiss_stale_approvals: true,
      require_signed_commits: true,
      protected_file_patterns: '*.md',
      block_admin_merge_override: true,
      created_at: '2023-11-14T22:13:20Z',
    });
    // others may get the numbers of those who are gone
    const { push_list: list } = await host.database.knex()('branch_protection').where('id', 5).first('push_list');
    expect(JSON.parse(list)).to.equal({ users: [9], teams: [] });
    expect(await host.database.knex()('tag_protection').pluck('allowlist')).to.equal(['{"users":[7],"teams":[]}']);
    expect(await get('/tag_protections')).to.equal([
      {
        id: 3,
        name_pattern: 'v*',
        whitelist_usernames: ['ada'],
        whitelist_teams: [],
        created_at: '2023-11-14T22:13:20Z',
        updated_at: '2023-11-14T22:13:21Z',
      },
    ]);
  });

  it('statuses stay with their commits, and the next one follows on them', async () => {
    const status = { repo_id: 40, sha: head, target_url: 'https://ci.example.com/1', ...time };
    source.rows(
      'commit_status',
      { id: 4, index: 1, state: 'pending', context: 'build', description: 'waits', creator_id: 9, ...status },
      { id: 5, index: 2, state: 'success', context: 'build', description: 'done', creator_id: -2, ...status },
      { id: 6, index: 3, state: 'odd', context: 'build', description: '', creator_id: 9, ...status },
    );
    source.rows('commit_status_index', { id: 1, repo_id: 40, sha: head, max_index: 3 });
    expect(await take()).to.include('  1 skipped: the state odd is not known');
    const statuses = await get(`/commits/${head}/statuses`);
    expect(
      statuses.map(({ id, status: state, creator }: Record<string, never>) => [id, state, creator]),
    ).to.have.length(2);
    expect(statuses[0]).to.include({ id: 5, status: 'success', context: 'build', description: 'done' });
    expect(statuses[1].creator.login).to.equal('ben');
    expect(await host.database.knex()('commit_status').where('id', 5).pluck('creator_id')).to.equal([-2]);
    expect((await get(`/commits/${head}/status`)).state).to.equal('success');
    expect((await api('POST', `/statuses/${head}`, { state: 'failure', context: 'test' })).statusCode).to.equal(201);
    expect(await host.database.knex()('commit_status').max('position as last').first()).to.equal({ last: 4 });
  });

  it('objects come with their content, locks with whose they are', async () => {
    const path = join(source.folder, 'data', 'lfs', oid.slice(0, 2), oid.slice(2, 4), oid.slice(4));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    source.rows(
      'lfs_meta_object',
      { id: 2, oid, size: content.length, repository_id: 40, ...time },
      { id: 3, oid: '../../custom/conf/app.ini', size: 4, repository_id: 40, ...time },
      { id: 4, oid: 'a'.repeat(64), size: 4, repository_id: 40, ...time },
    );
    source.rows('lfs_lock', { id: 8, repo_id: 40, owner_id: 9, path: 'art/one.psd', created: '2023-11-14 22:13:20' });
    const lines = await take();
    expect(lines).to.include('  1 skipped: it is no pointer of LFS');
    expect(lines.join('\n')).to.match(/file .*a{60} cannot be read \(ENOENT\)/);
    const lfs = (path: string) =>
      host.as({ id: 7, name: 'ada' }).inject({
        url: `/ada/mill.git/info/lfs/${path}`,
        headers: { accept: 'application/vnd.git-lfs+json' },
      });
    expect((await lfs(`objects/${oid}`)).payload).to.equal(content);
    expect((await lfs('locks')).json.locks).to.equal([
      { id: '8', path: 'art/one.psd', locked_at: '2023-11-14T22:13:20Z', owner: { name: 'ben' } },
    ]);
  });

  it('releases and drafts come and are counted; tags alone are those of git', async () => {
    const release = { repo_id: 40, publisher_id: 9, target: 'trunk', note: 'What is *new*', is_tag: 0, is_draft: 0 };
    source.rows(
      'release',
      { id: 3, tag_name: 'v1', lower_tag_name: 'v1', title: 'One', is_prerelease: 1, ...release, ...time },
      { id: 4, tag_name: 'v2', title: 'Two', ...release, is_draft: 1, publisher_id: 70, ...time },
      { id: 5, tag_name: 'old', title: '', ...release, is_tag: 1, ...time },
    );
    const uuid = 'f8ef34cb-b43b-4a9a-b112-0c33a2c9cff5';
    const file = join(source.folder, 'data', 'attachments', 'f', '8', uuid);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    source.rows('attachment', {
      ...{ id: 6, uuid, repo_id: 40, issue_id: 0, release_id: 3, comment_id: 0, uploader_id: 9, name: 'mill.zip' },
      ...{ download_count: 4, size: content.length, created_unix: 1700000000 },
    });
    await take();
    const [draft, published] = await get('/releases');
    expect(published.assets[0]).to.include({ id: 6, uuid, name: 'mill.zip', size: content.length, download_count: 4 });
    const download = await host.as({ id: 7, name: 'ada' }).inject('/ada/mill/releases/download/v1/mill.zip');
    expect(download.payload).to.equal(content);
    expect(draft).to.include({ id: 4, tag_name: 'v2', draft: true });
    expect(draft.author.login).to.equal('Ghost');
    expect(published).to.include({ id: 3, name: 'One', body: 'What is *new*', draft: false, prerelease: true });
    expect(published).to.include({ created_at: '2023-11-14T22:13:20Z', published_at: '2023-11-14T22:13:20Z' });
    expect(published.author.login).to.equal('ben');
    expect((await get('')).release_counter).to.equal(1);
    // deleting a release there leaves its tag in the same row
    source.run('update "release" set is_tag = 1 where id = 3');
    expect(await take()).to.include('releases.releases: 1 read, 0 written, 1 unchanged, 1 removed, 0 skipped');
    expect((await get('/releases')).map(({ id }: { id: number }) => id)).to.equal([4]);
    expect((await get('')).release_counter).to.equal(0);
  });

  it('branches that were deleted can be restored, and no longer once they are there again', async () => {
    const branch = { repo_id: 40, commit_id: head, commit_message: 'first', pusher_id: 7, ...time };
    source.rows(
      'branch',
      { id: 1, name: 'trunk', is_deleted: 0, deleted_by_id: 0, deleted_unix: 0, ...branch },
      { id: 2, name: 'side', is_deleted: 1, deleted_by_id: 9, deleted_unix: 1700000002, ...branch },
    );
    const stored = () => host.database.knex()('deleted_branch').select('id', 'name', 'oid', 'deleted_by', 'deleted_at');
    await take();
    expect(await stored()).to.equal([{ id: 2, name: 'side', oid: head, deleted_by: 9, deleted_at: 1700000002000 }]);
    source.run('update "branch" set is_deleted = 0 where id = 2');
    await take();
    expect(await stored()).to.equal([]);
  });
});
