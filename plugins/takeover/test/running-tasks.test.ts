import { pbkdf2Sync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const token = 'ab'.repeat(20);
const stamp = '2026-07-01T10:00:00.0000000Z';
const created = { created: 1700000000, updated: 1700000100 };
const ofRun = { repo_id: 40, owner_id: 7, commit_sha: 'a'.repeat(40), is_fork_pull_request: 0, ...created };

/** A frame in the format zstd (RFC 8878) of blocks with one letter, 128 KiB each. */
function repetitive(blocks: number): Buffer {
  const block = Buffer.from([0x02, 0x00, 0x10, 0x61]);
  const last = Buffer.from([0x03, 0x00, 0x10, 0x61]);
  const all = Buffer.alloc(block.length * blocks, block);
  last.copy(all, all.length - last.length);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]), all]);
}

describe('issue 28: tasks of Actions that run while their server is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const logOf = async () => host.database.knex()('action_log').select('stage', 'lines', 'bytes').first();
  const statusOf = async (path: string) =>
    (await host.inject({ url: `/api/v1${path}`, headers: { authorization: `token ${token}` } })).statusCode;
  beforeEach(async () => {
    host = await startHost({
      plugins: ['takeover', 'actions', 'auth-token', 'files'],
      settings: { actions: { LOG_MAX_SIZE: 8 } },
    });
    source = new SourceFixture();
    const time = { created_unix: 1700000000, updated_unix: 1700000001 };
    const user = { id: 7, lower_name: 'ada', name: 'ada', type: 0, email: 'ada@example.com', is_active: 1, ...time };
    source.rows('user', user);
    const repository = {
      id: 40,
      owner_id: 7,
      owner_name: 'ada',
      lower_name: 'mill',
      name: 'mill',
      is_private: 1,
      is_empty: 1,
    };
    source.rows('repository', { ...repository, default_branch: 'main', ...time });
    source.rows('repo_unit', { id: 1, repo_id: 40, type: 1 }, { id: 2, repo_id: 40, type: 10 });
    source.rows('action_run', { id: 20, title: 'first', index: 1, status: 6, workflow_id: 'ci.yml', ...ofRun });
    source.rows('action_run_job', {
      ...{ id: 30, run_id: 20, attempt: 1, task_id: 50, status: 6, name: 'one', job_id: 'one', ...ofRun },
      ...{ runs_on: '["linux"]', workflow_payload: 'jobs:\n  one:\n    runs-on: linux\n    steps:\n      - run: a\n' },
    });
    source.rows('action_task', {
      ...{ id: 50, job_id: 30, attempt: 1, runner_id: 5, status: 6, started: 1700000000, stopped: 0, ...ofRun },
      ...{ log_filename: 'ada/mill/32/50.log.zst', log_in_storage: 0, log_length: 3, log_expired: 0 },
      ...{ token_salt: 'saltsaltsa', token_last_eight: token.slice(-8) },
      token_hash: pbkdf2Sync(token, 'saltsaltsa', 10_000, 50, 'sha256').toString('hex'),
    });
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('bring their logs, which lie in the database there', async () => {
    const text = `${stamp} one\n${stamp} two\n${stamp} three\n`;
    source.run('create table dbfs_data (id integer primary key, meta_id integer, blob_offset integer, blob_data blob)');
    source.rows('dbfs_meta', { id: 3, full_path: '4:actions_log/ada/mill/32/50.log.zst', file_size: text.length });
    const block = (id: number, from: number, to: number) =>
      source.run(
        `insert into dbfs_data values (${id}, 3, ${from}, x'${Buffer.from(text).subarray(from, to).toString('hex')}')`,
      );
    block(9, 0, 40);
    block(8, 40, text.length);
    expect((await take()).join('\n')).to.not.contain('the log of task 50 cannot be read');
    expect(await logOf()).to.equal({ stage: 'open', lines: 3, bytes: text.length });
    expect(await host.command('takeover verify', { from: source.folder })).to.include(
      'Nothing differs without a reason.',
    );
  });

  it('go on with their tokens after the next start, until they end', async () => {
    await take();
    host = await host.restart();
    expect(await statusOf('/repos/ada/mill')).to.equal(200);
    expect(await statusOf('/repos/ada/mill')).to.equal(200);
    await host.database.write(async () => host.database.knex()('action_task').where('id', 50).update({ status: 1 }));
    expect(await statusOf('/repos/ada/mill')).to.equal(401);
  });

  it('leave no tokens where they have ended', async () => {
    source.run('update action_task set status = 1');
    await take();
    expect(await host.database.knex()('action_task').pluck('token_hash')).to.equal(['']);
  });

  it('bring no more of a log than logs may have, however much it unpacks to', async () => {
    source.run('update action_task set log_in_storage = 1, status = 1');
    const file = join(source.folder, 'data', 'actions_log', 'ada', 'mill', '32', '50.log.zst');
    mkdirSync(dirname(file), { recursive: true });
    // 50 GiB
    writeFileSync(file, repetitive(400_000));
    await take();
    const log = await logOf();
    expect(log?.stage).to.equal('sealed');
    expect(Number(log?.bytes)).to.be.below(9 * 1024 * 1024);
  });
});
