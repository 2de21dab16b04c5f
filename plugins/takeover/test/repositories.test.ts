import { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitReader, gitStore } from '@mortise/git/api';
import { SourceFixture } from './source.js';
import { git, SourceRepositories } from './source-git.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };
const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIBUW6ZzpHfYqHYfWN9mmuA1cwd5kq2a4hLwBqV4Lf4bq';

describe('issue 28: repositories of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  let repositories: SourceRepositories;
  const folder = (name: string) => repositories.folder(name);
  const commit: SourceRepositories['commit'] = (...args) => repositories.commit(...args);
  const take = () => host.command('takeover', { from: source.folder });
  const get = async (path: string, id = 7) =>
    (await host.as({ id, name: 'ada', isAdmin: true }).inject(`/api/v1${path}`)).json;
  const branches = async (id: number, kind?: 'wiki') =>
    (await host.services.get(gitReader).open(id, kind).branches()).map(({ name, oid }) => [name, oid]);

  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'organizations', 'stars', 'issues', 'pulls', 'wiki'] });
    source = new SourceFixture();
    repositories = new SourceRepositories(source);
    source.rows(
      'user',
      {
        id: 7,
        lower_name: 'ada',
        name: 'Ada',
        type: 0,
        email: 'ada@example.com',
        is_active: 1,
        visibility: 0,
        ...time,
      },
      {
        id: 9,
        lower_name: 'ben',
        name: 'ben',
        type: 0,
        email: 'ben@example.com',
        is_active: 1,
        visibility: 0,
        ...time,
      },
    );
    const plain = { owner_id: 7, owner_name: 'Ada', default_branch: 'trunk', num_watches: 1, ...time };
    source.rows(
      'repository',
      { id: 40, lower_name: 'mill', name: 'Mill', is_private: 1, topics: '["grain"]', num_stars: 1, ...plain },
      { id: 41, lower_name: 'fork', name: 'fork', is_fork: 1, fork_id: 40, object_format_name: 'sha1', ...plain },
      { id: 42, lower_name: 'lost', name: 'lost', is_fork: 1, fork_id: 11, ...plain },
      { id: 43, lower_name: '../etc', name: '../etc', ...plain },
      { id: 44, lower_name: 'wide', name: 'wide', object_format_name: 'sha256', is_template: 1, ...plain },
    );
    source.rows(
      'repo_unit',
      { id: 1, repo_id: 40, type: 1, config: null, everyone_access_mode: 0 },
      { id: 2, repo_id: 40, type: 3, config: '{"AllowMerge":false,"AllowRebase":true,"DefaultMergeStyle":"rebase"}' },
      { id: 3, repo_id: 40, type: 6, config: '{"ExternalWikiURL":"https://wiki.example.com"}' },
    );
    source.rows('collaboration', { id: 1, repo_id: 40, user_id: 9, mode: 2, ...time });
    source.rows('repo_redirect', { id: 1, owner_id: 7, lower_name: 'old', redirect_repo_id: 40 });
    source.rows('topic', { id: 3, name: 'grain', repo_count: 1, ...time });
    source.rows('repo_topic', { repo_id: 40, topic_id: 3 });
    source.rows('public_key', { id: 6, owner_id: 0, type: 2, content: `ssh-ed25519 ${key} a comment`, name: 'robot' });
    source.rows('deploy_key', {
      id: 2,
      key_id: 6,
      repo_id: 40,
      name: 'robot',
      fingerprint: 'SHA256:x',
      mode: 1,
      ...time,
    });
    source.rows('star', { id: 5, uid: 9, repo_id: 41, ...time });
    source.rows(
      'watch',
      { id: 5, user_id: 9, repo_id: 40, mode: 1, ...time },
      { id: 6, user_id: 9, repo_id: 41, mode: 2, ...time },
    );
    for (const name of ['ada/mill', 'ada/fork', 'ada/mill.wiki']) repositories.make(name);
    repositories.make('ada/wide', '--object-format=sha256');
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('come with ids, units, rights, topics, former names, deploy keys, stars and watches', async () => {
    const lines = await take();
    expect(lines).to.include('repositories.repositories: 5 read, 4 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines.join('\n')).to.contain('repository Ada/lost has no folder');
    expect(await get('/repos/ada/mill')).to.include({
      id: 40,
      full_name: 'Ada/Mill',
      private: true,
      default_branch: 'trunk',
      empty: false,
      has_code: true,
      has_issues: false,
      has_pull_requests: true,
      allow_merge_commits: false,
      allow_rebase: true,
      default_merge_style: 'rebase',
      has_wiki: true,
      external_wiki: { external_wiki_url: 'https://wiki.example.com' },
    });
    expect((await get('/repos/ada/fork')).parent).to.include({ id: 40 });
    expect(await get('/repos/ada/lost')).to.include({ id: 42, fork: false, empty: true });
    expect(await get('/repos/ada/wide')).to.include({ object_format_name: 'sha256', template: true });
    expect(await get('/repositories/40')).to.include({ id: 40 });
    expect((await get('/repos/ada/mill/topics')).topics).to.equal(['grain']);
    expect(await get('/repos/ada/mill/collaborators/ben/permission')).to.include({ permission: 'write' });
    expect((await get('/repos/ada/mill/keys'))[0]).to.include({ id: 2, title: 'robot', read_only: true });
    expect((await get('/repos/ada/fork/stargazers')).map(({ login }: { login: string }) => login)).to.equal(['ben']);
    expect(await host.database.knex()('watch').pluck('repository_id')).to.equal([40]);
    expect(await host.database.knex()('repository_redirect').pluck('lower_name')).to.equal(['old']);
    expect((await host.database.knex()('user').where('id', 9).first()).public_starred_count).to.equal(1);
  });

  it('have the objects of the source by hard link, and borrow from nobody', async () => {
    git(folder('ada/mill'), 'repack', '-adq');
    const packs = join('objects', 'pack');
    const [pack = ''] = readdirSync(join(folder('ada/mill'), packs)).filter((name) => name.endsWith('.pack'));
    writeFileSync(join(folder('ada/fork'), 'objects', 'info', 'alternates'), join(folder('ada/mill'), 'objects'));
    const shared = git(folder('ada/mill'), 'rev-parse', 'trunk').trim();
    git(folder('ada/fork'), 'update-ref', 'refs/heads/shared', shared);
    await take();
    const store = host.services.get(gitStore);
    const inode = (path: string) => statSync(join(path, packs, pack)).ino;
    expect(inode(store.path(40))).to.equal(inode(folder('ada/mill')));
    renameSync(folder('ada/mill'), `${folder('ada/mill')}.away`);
    expect(git(store.path(41), 'fsck', '--full', '--strict').trim()).to.equal('');
    expect((await branches(41)).map(([name]) => name)).to.equal(['shared', 'trunk']);
    expect(await branches(40, 'wiki')).to.have.length(1);
  });

  it('follow what is pushed there, and keep what was pushed here alone', async () => {
    await take();
    const store = host.services.get(gitStore);
    const here = git(store.path(40), 'commit-tree', 'trunk^{tree}', '-m', 'here').trim();
    git(store.path(40), 'update-ref', 'refs/heads/ours', here);
    git(store.path(40), 'update-ref', 'refs/heads/trunk', here);
    const side = commit('ada/mill', 'second', 'side');
    git(folder('ada/mill'), 'tag', 'v1', side);
    expect(await take()).to.include('repositories.repositories: 5 read, 0 written, 4 unchanged, 0 removed, 1 skipped');
    const now = await host.restart();
    host = now;
    expect(await branches(40)).to.equal([
      ['ours', here],
      ['side', side],
      ['trunk', here],
    ]);
    git(folder('ada/mill'), 'update-ref', '-d', 'refs/heads/side');
    const next = commit('ada/mill', 'third');
    await take();
    host = await host.restart();
    expect(await branches(40)).to.equal([
      ['ours', here],
      ['trunk', next],
    ]);
    expect((await get('/repos/ada/mill')).branch_count).to.equal(2);
  });

  it('are reported where they are broken, and the rest comes', async () => {
    rmSync(join(folder('ada/mill'), 'objects'), { recursive: true });
    writeFileSync(join(folder('ada/fork'), 'refs', 'heads', 'trunk'), `${'1'.repeat(40)}\n`);
    const lines = await take();
    expect(lines.join('\n')).to.contain('repository Ada/Mill has no folder');
    expect(await get('/repos/ada/fork')).to.include({ id: 41 });
    expect(await branches(44)).to.have.length(1);
  });

  it('leaves the folder of a repository of this site alone whose id another has there', async () => {
    const user = { id: 1, name: 'local', lower_name: 'local', created_at: 1, updated_at: 1 };
    const names = { name: 'own', lower_name: 'own', owner_name: 'local', lower_owner_name: 'local' };
    const repository = { ...names, topics: '[]', units: '{}', default_branch: 'main', created_at: 1, updated_at: 1 };
    await host.database.write(async () => {
      await host.database.knex()('user').insert(user);
      await host.database
        .knex()('repository')
        .insert({ ...repository, id: 40, owner_id: 1 });
    });
    await host.services.get(gitStore).create(40, { defaultBranch: 'main' });
    expect(await take()).to.include('  1 skipped: another row has the same id or name');
    expect(await branches(40)).to.equal([]);
  });

  it('follows no link for the picture of a repository', async () => {
    const pictures = join(source.folder, 'data', 'repo-avatars');
    mkdirSync(pictures);
    symlinkSync(join(source.folder, 'custom', 'conf', 'app.ini'), join(pictures, 'link'));
    source.run(`alter table "repository" add "avatar"`);
    source.run(`update "repository" set avatar = 'link' where id = 40`);
    expect(await take()).to.include('the avatar of repository 40 cannot be read');
  });
});
