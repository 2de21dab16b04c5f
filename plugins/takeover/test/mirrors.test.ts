import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Encryption } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitStore } from '@mortise/git/api';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };
const hour = 3_600_000;

describe('issue 28: mirrors of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: join(source.folder, 'data', 'gitea-repositories', 'ada'), encoding: 'utf8' });
  const passwordsIn = (row: { credentials: string }) =>
    JSON.parse(new Encryption(host.site.secret('mirrors')).decrypt(row.credentials)) as unknown;
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'mirrors'] });
    source = new SourceFixture();
    source.rows('user', { id: 7, lower_name: 'ada', name: 'Ada', type: 0, is_active: 1, ...time });
    const repository = { owner_id: 7, owner_name: 'Ada', default_branch: 'main', ...time };
    source.rows(
      'repository',
      { id: 40, lower_name: 'copy', name: 'Copy', is_mirror: 1, ...repository },
      { id: 41, lower_name: 'mill', name: 'mill', is_mirror: 0, ...repository },
      { id: 42, lower_name: 'odd', name: 'odd', is_mirror: 1, ...repository },
    );
    const folders = join(source.folder, 'data', 'gitea-repositories', 'ada');
    for (const name of ['copy', 'mill', 'odd', 'copy.wiki'])
      execFileSync('git', ['init', '-q', '--bare', join(folders, `${name}.git`)]);
    git('-C', 'copy.git', 'remote', 'add', '--mirror=fetch', 'origin', 'https://ada:s%23cret@git.example.com/copy.git');
    git('-C', 'mill.git', 'remote', 'add', 'remote_mirror_b', 'https://other.example.com/x.git');
    git(
      '-C',
      'mill.git',
      'remote',
      'add',
      '--mirror=push',
      'remote_mirror_a',
      'https://bot:word@other.example.com/mill.git',
    );
    const mirror = { interval: 8 * hour * 1_000_000, enable_prune: 1, updated_unix: 1700000000, lfs_endpoint: '' };
    source.rows(
      'mirror',
      {
        id: 1,
        repo_id: 40,
        ...mirror,
        next_update_unix: 1700028800,
        lfs_enabled: 1,
        remote_address: 'https://git.example.com/copy.git',
      },
      { id: 2, repo_id: 42, ...mirror, next_update_unix: 0, lfs_enabled: 0, remote_address: '/srv/git/local' },
    );
    source.rows('push_mirror', {
      ...{ id: 3, repo_id: 41, remote_name: 'remote_mirror_a', remote_address: 'https://other.example.com/mill.git' },
      ...{
        sync_on_commit: 1,
        interval: hour * 1_000_000,
        created_unix: 1700000000,
        last_update: 1700000500,
        last_error: '',
      },
    });
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('come with address, password and times, and leave no password in a repository', async () => {
    const lines = await take();
    expect(lines).to.include('mirrors.pull: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines).to.include('  1 skipped: its address is missing, or none of those that mirrors have here');
    const pull = await host.database.knex()('pull_mirror').first();
    expect(pull).to.include({
      id: 1,
      repository_id: 40,
      remote_url: 'https://git.example.com/copy.git',
      interval: 8 * hour,
    });
    expect([pull.lfs, pull.prune, pull.wiki].map(Boolean)).to.equal([true, true, true]);
    expect(Number(pull.next_run_at)).to.equal(1700028800000);
    expect(passwordsIn(pull)).to.equal({ username: 'ada', password: 's#cret' });
    const push = await host.database.knex()('push_mirror').first();
    expect(push).to.include({
      id: 3,
      name: 'remote_mirror_a',
      remote_url: 'https://other.example.com/mill.git',
      interval: hour,
    });
    expect(Number(push.next_run_at)).to.equal(1700000500000 + hour);
    expect(passwordsIn(push)).to.equal({ username: 'bot', password: 'word' });
    for (const id of [40, 41]) {
      const config = execFileSync('git', ['config', '--list', '--local'], {
        cwd: host.services.get(gitStore).path(id),
        encoding: 'utf8',
      });
      expect(config).to.not.contain('example.com');
    }
    for (const line of (await take()).filter((one) => / read, /.test(one))) expect(line).to.contain(', 0 written,');
  });
});
