import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestResponse } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { signUp } from '@mortise/accounts/testing';
import { attachments } from '@mortise/attachments/api';
import { gitFolders, gitReader, gitStore } from '@mortise/git/api';
import { lfsObjects } from '@mortise/lfs/api';
import { repositories, repositoryDefaults, repositoryCreator, type RepositoryCreator } from '@mortise/repositories/api';
import { base64, send } from '@mortise/repositories/testing';
import { repositoryImporter } from '../contract/importer.js';
import { dumpUnits } from '../dump/units.js';
import { ProgressStore } from '../services/progress-store.js';
import { RepositoryRestore } from '../services/repository-restore.js';
import { fill, startSource, startTarget, type SourceSite } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
type Json = TestResponse['json'];

describe('mortise dump-repo and restore-repo', () => {
  let site: SourceSite;
  let root: string;
  let dump: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mortise-dump-'));
    site = await startSource('mill', ['migrations', 'organizations', 'lfs']);
    await fill(site);
    await site.ask(site.ben, 'POST', '/issues/comments/1/reactions', { content: 'rocket' }).catch(() => undefined);
    const lines = await site.host.command('dump-repo', { repo_dir: root, owner_name: 'ada', repo_name: 'mill' });
    dump = join(root, 'ada', 'mill');
    expect(lines).to.equal([`The repository was written to ${dump}.`]);
  });
  after(async () => {
    await site?.host.close();
    await rm(root, { recursive: true, force: true });
  });

  const restore = (name: string, folder = dump, more: Record<string, string | boolean> = {}) =>
    site.host.command('restore-repo', { repo_dir: folder, owner_name: 'ada', repo_name: name, ...more });
  const ask = async (name: string, path: string): Promise<Json> => {
    const answer = await send(site.ada, 'GET', `/repos/ada/${name}${path}`);
    expect(answer.statusCode, `${path}: ${answer.payload}`).to.equal(200);
    return answer.json;
  };
  /** A copy of the dump, to be spoilt. */
  const copied = async (name: string): Promise<string> => {
    const folder = join(root, name);
    await cp(dump, folder, { recursive: true });
    return folder;
  };
  const isRefused = async (name: string, folder: string, why: string | RegExp) => {
    await expect(restore(name, folder), name).to.reject(why as never);
    expect((await send(site.ada, 'GET', `/repos/ada/${name}`)).statusCode).to.equal(404);
    // the name is free again
    expect((await site.host.database.knex()('repository').where({ lower_name: name }).select('id')).length).to.equal(0);
  };

  it('MIG-02: writes the layout of compatible services, with numbered comments and milestones in the exchange format', async () => {
    expect((await readdir(dump)).sort()).to.equal(
      [
        'comments',
        'git',
        'issue.yml',
        'label.yml',
        'milestone.yml',
        'pull_request.yml',
        'release.yml',
        'release_assets',
        'repo.yml',
        'reviews',
        'topic.yml',
        'wiki',
      ].sort(),
    );
    expect(await readFile(join(dump, 'release_assets', 'v1', 'data.bin'), 'utf8')).to.equal('asset data');
    expect(await readFile(join(dump, 'comments', '1.yml'), 'utf8')).to.contain([
      'issue_index: 1',
      'index: 1',
      'by ben',
    ]);
    for (const name of ['issue.yml', 'pull_request.yml'])
      expect(await readFile(join(dump, name), 'utf8'), name).to.match(
        /start_date: .?2030-04-05.*\n.*deadline: .?2030-05-01/,
      );
    expect(await readFile(join(dump, 'reviews', '3.yml'), 'utf8')).to.contain([
      'issue_index: 3',
      'state: APPROVED',
      'line: 2',
    ]);
    const refs = execFileSync('git', ['for-each-ref', '--format=%(refname)'], { cwd: join(dump, 'git') }).toString();
    expect(refs.trim().split('\n').sort()).to.equal([
      'refs/heads/main',
      'refs/heads/topic',
      'refs/pull/3/head',
      'refs/pull/4/head',
      'refs/tags/v1',
    ]);
  });

  it('restores everything under another name, with numbers, times, authors and lines', async () => {
    expect(await restore('again', dump, { map_authors: 'name', validation: true })).to.equal([
      'Repository ada/again was restored.',
    ]);
    const same = async (path: string, pick: (json: Json) => unknown) =>
      expect(pick(await ask('again', path)), path).to.equal(pick(await ask('mill', path)));
    const issue = ({
      number,
      title,
      body,
      state,
      is_locked,
      created_at,
      updated_at,
      closed_at,
      start_date,
      due_date,
      user,
      comments,
      labels,
      milestone,
    }: Json) => ({
      number,
      title,
      body,
      state,
      is_locked,
      created_at,
      updated_at,
      closed_at,
      start_date,
      due_date,
      comments,
      user: user.login,
      labels: labels.map(({ name, color, description }: Json) => [name, color, description]),
      milestone: milestone && [milestone.title, milestone.due_on, milestone.state],
    });
    await same(
      '',
      ({ description, default_branch, topics, open_issues_count, open_pr_counter, release_counter, empty }: Json) => ({
        description,
        default_branch,
        topics,
        open_issues_count,
        open_pr_counter,
        release_counter,
        empty,
      }),
    );
    await same('/labels', (all) => all.map(({ name, color }: Json) => [name, color]));
    await same('/milestones?state=all', (all) =>
      all.map(({ title, due_on, created_at, state }: Json) => [title, due_on, created_at, state]),
    );
    await same('/issues?state=all&type=issues', (all) =>
      all.map(issue).sort((a: Json, b: Json) => a.number - b.number),
    );
    await same('/issues/1/comments', (all) =>
      all.map(({ body, user, created_at }: Json) => [body, user.login, created_at]),
    );
    await same('/issues/1/reactions', (all) => all.map(({ content, user }: Json) => [content, user.login]).sort());
    for (const number of [3, 4])
      await same(`/pulls/${number}`, (pull) => ({
        ...issue({ ...pull, comments: 0 }),
        merged: pull.merged,
        merged_at: pull.merged_at,
        head: [pull.head.ref, pull.head.sha],
        base: [pull.base.ref, pull.base.sha],
        by: pull.merged_by?.login,
      }));
    await same('/pulls/3/reviews', (all) =>
      all.map(({ state, body, user, commit_id }: Json) => [state, body, user.login, commit_id]),
    );
    const lines = async (name: string) => {
      const [review] = await ask(name, '/pulls/3/reviews');
      return (await ask(name, `/pulls/3/reviews/${review.id}/comments`)).map(
        ({ path, position, body, user, diff_hunk }: Json) => [path, position, body, user.login, diff_hunk],
      );
    };
    expect(await lines('again')).to.equal(await lines('mill'));
    expect(await lines('again')).to.have.length(1);
    await same('/releases', (all) =>
      all.map(({ tag_name, name, draft, created_at }: Json) => [tag_name, name, draft, created_at]).sort(),
    );
    const asset = (await ask('again', '/releases'))
      .flatMap(({ assets }: Json) => assets)
      .find(({ name }: Json) => name === 'data.bin');
    const content = await site.ada.inject(new URL(asset.browser_download_url).pathname);
    expect(content.payload).to.equal('asset data');
    await same('/branches', (all) => all.map(({ name, commit }: Json) => [name, commit.id]));
    await same('/wiki/page/Home', ({ content_base64 }: Json) => content_base64);
    const next = await send(site.ada, 'POST', '/repos/ada/again/issues', { title: 'new' });
    expect(next.json.number).to.equal(5);
  });

  it('restores only the units that are named, and refuses others', async () => {
    await restore('few', dump, { units: 'labels,issues' });
    expect(await ask('few', '/issues?state=all')).to.have.length(2);
    expect((await ask('few', '/issues/1')).comments).to.equal(0);
    expect(await ask('few', '/milestones?state=all')).to.equal([]);
    await expect(restore('none', dump, { units: 'labels,secrets' })).to.reject(/no unit secrets/);
    await expect(restore('again')).to.reject();
    await expect(restore('x', join(root, 'nowhere'))).to.reject();
  });

  it('brings objects of LFS along', async () => {
    const pointer =
      'version https://git-lfs.github.com/spec/v1\noid sha256:b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c\nsize 4\n';
    const made = await send(site.ada, 'POST', '/user/repos', {
      name: 'large',
      auto_init: true,
      default_branch: 'main',
    });
    const oid = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c';
    await site.host.services.get(lfsObjects).receive(made.json.id, { oid, size: 4 }, Readable.from(['foo\n']));
    await send(site.ada, 'POST', '/repos/ada/large/contents/big.bin', { content: base64(pointer), branch: 'main' });
    await site.host.command('dump-repo', { repo_dir: root, owner_name: 'ada', repo_name: 'large' });
    expect(await readFile(join(root, 'ada', 'large', 'lfs', 'objects', 'b5', 'bb', oid), 'utf8')).to.equal('foo\n');
    await restore('larger', join(root, 'ada', 'large'));
    const { id } = await ask('larger', '');
    expect([...(await site.host.services.get(lfsObjects).find(id, [oid]))]).to.equal([[oid, 4]]);
  });

  it('dumps a repository of another service by its address, and restores it here', async () => {
    const other = await startTarget();
    try {
      const cas = await signUp(other, 'cas');
      const options = { repo_dir: join(root, 'cloned'), auth_username: 'ada', auth_password: '-' };
      const address = `${await site.host.url()}/ada/mill.git`;
      await other.command(
        'dump-repo',
        { ...options, git_service: 'gitea', clone_addr: address },
        { input: `${site.credentials.auth_password}\n` },
      );
      expect(await readFile(join(root, 'cloned', 'repo.yml'), 'utf8')).not.to.contain(site.credentials.auth_password);
      await other.command('restore-repo', { repo_dir: join(root, 'cloned'), owner_name: 'cas', repo_name: 'pool' });
      const read = async (path: string) => (await send(cas, 'GET', `/repos/cas/pool${path}`)).json;
      expect(await read('/issues/2')).to.include({ title: 'second', original_author: 'ben', state: 'closed' });
      expect((await read('/pulls/4')).merged).to.be.true();
      expect((await read('/releases')).map((one: Json) => one.assets.length)).to.once.include(1);
      // neither address nor rights of this site are passed over
      await expect(
        site.host.command('dump-repo', {
          ...options,
          git_service: 'gitea',
          clone_addr: address,
          repo_dir: join(root, 'no'),
        }),
      ).to.reject();
      expect(existsSync(join(root, 'no'))).to.be.false();
    } finally {
      await other.close();
    }
  });

  it('runs no hook and no configuration of a hostile folder, and borrows no objects', async () => {
    const folder = await copied('hooks');
    const git = join(folder, 'git');
    const trap = join(root, 'ran');
    const script = `#!/bin/sh\ntouch ${trap}\n`;
    await mkdir(join(git, 'hooks'), { recursive: true });
    for (const hook of ['post-checkout', 'reference-transaction', 'post-update', 'pre-receive'])
      await writeFile(join(git, 'hooks', hook), script, { mode: 0o755 });
    await appendFile(
      join(git, 'config'),
      `[core]\n\tfsmonitor = touch ${trap}\n\tsshCommand = touch ${trap}\n\thooksPath = ${join(git, 'hooks')}\n[uploadpack]\n\tpackObjectsHook = touch ${trap}\n[include]\n\tpath = /etc/passwd\n`,
    );
    await restore('hooked', folder);
    expect(existsSync(trap)).to.be.false();
    expect(await ask('hooked', '/branches')).to.have.length(2);

    // a reference to a commit that lies in another repository of this machine
    const other = join(root, 'other');
    execFileSync('git', ['init', '-q', '--bare', other]);
    const tree = execFileSync('git', ['mktree'], { cwd: other, input: '' }).toString().trim();
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
    const oid = execFileSync('git', [...who, 'commit-tree', tree, '-m', 'secret'], { cwd: other })
      .toString()
      .trim();
    const lender = await copied('alternates');
    await mkdir(join(lender, 'git', 'objects', 'info'), { recursive: true });
    await writeFile(join(lender, 'git', 'objects', 'info', 'alternates'), `${other}/objects\n`);
    await writeFile(join(lender, 'git', 'refs', 'heads', 'borrowed'), `${oid}\n`);
    await isRefused('borrower', lender, /cannot be|can be taken over/);
  });

  it('follows no link out of the folder, and no path of a file that leads out', async () => {
    const secret = join(root, 'secret.txt');
    await writeFile(secret, '- name: stolen\n');
    const linked = await copied('linked');
    await rm(join(linked, 'label.yml'));
    await symlink(secret, join(linked, 'label.yml'));
    await isRefused('linked', linked, /no plain file/);
    const folder = await copied('linked-folder');
    await rm(join(folder, 'comments'), { recursive: true });
    await symlink(root, join(folder, 'comments'));
    await isRefused('linkedfolder', folder, /no plain folder/);
    const objects = await copied('linked-git');
    await rm(join(objects, 'git'), { recursive: true });
    await symlink(join(dump, 'git'), join(objects, 'git'));
    await isRefused('linkedgit', objects, /can be taken over/);
    for (const [name, path] of [
      ['climbs', 'release_assets/../../secret.txt'],
      ['absolute', '/etc/passwd'],
      ['beside', 'repo.yml'],
    ] as const) {
      const climbs = await copied(name);
      const text = await readFile(join(climbs, 'release.yml'), 'utf8');
      await writeFile(join(climbs, 'release.yml'), text.replace('release_assets/v1/data.bin', path));
      await isRefused(name, climbs, /no path below|does not lie below/);
    }
  });

  it('refuses documents that blow up, and leaves no half of a repository', async () => {
    const bomb = await copied('bomb');
    const levels = Array.from(
      { length: 12 },
      (_, at) =>
        `- &a${at} [${Array(10)
          .fill(at ? `*a${at - 1}` : 'x')
          .join(',')}]`,
    );
    await writeFile(join(bomb, 'issue.yml'), levels.join('\n'));
    await isRefused('bomb', bomb, /aliases/);
    const long = await copied('long');
    await writeFile(join(long, 'issue.yml'), `- title: ${'x'.repeat(17 * 1024 * 1024)}\n`);
    await isRefused('long', long, /too long/);
    const late = await copied('late');
    await appendFile(join(late, 'reviews', '3.yml'), '- issue_index: none\n');
    await isRefused('late', late, /reviews\/3.yml/);
    const odd = await copied('odd');
    await appendFile(join(odd, 'milestone.yml'), '- title: only\n');
    await isRefused('odd', odd, /milestone.json/);
    const strange = await copied('strange');
    await appendFile(join(strange, 'label.yml'), '- name: x\n  strange: 1\n');
    await expect(restore('strange', strange, { validation: true })).to.reject(/strange/);
    await restore('strange', strange);
  });

  it('leaves nothing, no files of releases either, where the very end fails', async () => {
    const { services, database } = site.host;
    const creator = services.get(repositoryCreator);
    const failing = Object.assign(Object.create(creator) as RepositoryCreator, {
      setTopics: () => Promise.reject(new Error('at the end')),
    });
    const files = async () => (await database.knex()('attachment').select('id')).length;
    const before = await files();
    const own = new RepositoryRestore({
      accounts: services.get(accounts),
      attachments: services.get(attachments),
      repositories: services.get(repositories),
      creator: failing,
      defaults: services.get(repositoryDefaults),
      store: services.get(gitStore),
      gitReader: services.get(gitReader),
      folders: services.get(gitFolders),
      importer: services.get(repositoryImporter),
      progress: new ProgressStore(database),
      lfs: () => undefined,
    });
    const units = new Set(dumpUnits);
    const restoring = own.run({ folder: dump, owner: 'ada', name: 'never', units, isStrict: false, authors: 'none' });
    await expect(restoring).to.reject('at the end');
    expect((await send(site.ada, 'GET', '/repos/ada/never')).statusCode).to.equal(404);
    expect(await files()).to.equal(before);
    expect((await database.knex()('repository_import_step').select('id')).length).to.equal(0);
  });

  it('removes no other dump, whatever the repositories are called', async () => {
    const folder = join(root, 'two');
    for (const repo_name of ['book.unfinished', 'book']) {
      await send(site.ada, 'POST', '/user/repos', { name: repo_name, auto_init: true });
      await site.host.command('dump-repo', { repo_dir: folder, owner_name: 'ada', repo_name });
    }
    expect((await readdir(join(folder, 'ada'))).sort()).to.equal(['book', 'book.unfinished']);
    expect(existsSync(join(folder, 'ada', 'book.unfinished', 'repo.yml'))).to.be.true();
  });
});
