import { pbkdf2Sync } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Zstd } from '@hpcc-js/wasm-zstd';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';
import { encryptSecret } from './source-secrets.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const created = { created: 1700000000, updated: 1700000100 };
const uuid = '9a2c5f0e-8f3a-4b7e-9d57-2d9f7e0c1a11';
const secret = 'f3'.repeat(20);
const token = 'ab'.repeat(16) + '01234567';
const payload =
  'name: Build it\n"on": [push]\njobs:\n    one:\n        name: one\n        runs-on: linux\n        steps:\n            - run: echo ${{ secrets.DEPLOY }}\n';
const next = payload.replaceAll('one:', 'two:').replace('runs-on: linux', 'if: failure()\n        runs-on: linux');
const stamp = '2026-07-01T10:00:00.0000000Z';

const hashOf = (text: string, salt: string) => pbkdf2Sync(text, salt, 10_000, 50, 'sha256').toString('hex');

describe('issue 28: Actions of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const get = async (path: string) =>
    (await host.inject({ url: `/api/v1/repos/ada/mill${path}`, headers: { authorization: `token ${token}` } })).json;
  const store = (folder: string, path: string, content: string | Uint8Array) => {
    const file = join(source.folder, 'data', folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  const call = async (
    method: string,
    message: object,
    headers = { 'x-runner-uuid': uuid, 'x-runner-token': secret },
  ) => {
    const { statusCode, json } = await host.inject({
      method: 'POST',
      url: `/api/actions/runner.v1.RunnerService/${method}`,
      payload: JSON.stringify(message),
      headers: { 'content-type': 'application/json', 'connect-protocol-version': '1', ...headers },
    });
    return { statusCode, json };
  };
  beforeEach(async () => {
    host = await startHost({
      plugins: ['takeover', 'actions-runner-protocol', 'actions-artifacts', 'auth-token'],
    });
    source = new SourceFixture();
    const time = { created_unix: 1700000000, updated_unix: 1700000001 };
    source.rows('user', {
      id: 7,
      lower_name: 'ada',
      name: 'ada',
      type: 0,
      email: 'ada@example.com',
      is_active: 1,
      ...time,
    });
    source.rows('access_token', {
      ...{ id: 1, uid: 7, name: 'all', token_salt: 'salt', token_hash: hashOf(token, 'salt') },
      ...{ token_last_eight: '01234567', scope: 'all', ...time },
    });
    source.rows('repository', {
      id: 40,
      owner_id: 7,
      owner_name: 'ada',
      lower_name: 'mill',
      name: 'mill',
      default_branch: 'main',
      ...time,
    });
    source.rows(
      'repo_unit',
      { id: 1, repo_id: 40, type: 1 },
      { id: 2, repo_id: 40, type: 10, config: '{"DisabledWorkflows":["off.yml"]}' },
    );
    const folder = join(source.folder, 'data', 'gitea-repositories', 'ada', 'mill.git');
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', folder]);
    execFileSync('git', ['fast-import', '--quiet'], {
      cwd: folder,
      input: [
        'commit refs/heads/main',
        'committer a <a@example.com> 1700000000 +0000',
        'data 5\nfirst',
        `M 644 inline .github/workflows/ci.yml\ndata ${payload.length}\n${payload}\n`,
      ].join('\n'),
    });
    const commit = execFileSync('git', ['rev-parse', 'main'], { cwd: folder, encoding: 'utf8' }).trim();
    source.rows('action_runner', {
      ...{
        id: 5,
        uuid,
        name: 'old',
        version: 'v0.2',
        owner_id: 0,
        repo_id: 0,
        description: '',
        last_online: 1700000000,
      },
      ...{
        token_hash: hashOf(secret, 'saltsaltsa'),
        token_salt: 'saltsaltsa',
        agent_labels: '["linux"]',
        ...created,
        deleted: null,
      },
    });
    source.rows('action_runner_token', {
      id: 3,
      token: 'cd'.repeat(20),
      owner_id: 0,
      repo_id: 40,
      is_active: 1,
      ...created,
    });
    source.rows('secret', {
      id: 8,
      owner_id: 0,
      repo_id: 40,
      name: 'DEPLOY',
      data: encryptSecret('s3cr3t'),
      created_unix: 1700000000,
    });
    source.rows('action_variable', { id: 9, owner_id: 7, repo_id: 0, name: 'COLOR', data: 'red', ...time });
    const ofRun = { repo_id: 40, owner_id: 7, commit_sha: commit, is_fork_pull_request: 0 };
    const run = {
      ...ofRun,
      workflow_id: 'ci.yml',
      trigger_user_id: 7,
      ref: 'refs/heads/main',
      event: 'push',
      trigger_event: 'push',
      event_payload: '{"ref":"refs/heads/main"}',
      version: 1,
      ...created,
    };
    source.rows(
      'action_run',
      { id: 20, title: 'first', index: 1, status: 1, started: 1700000000, stopped: 1700000060, ...run },
      { id: 21, title: 'second', index: 2, status: 5, started: 0, stopped: 0, ...run },
    );
    const job = {
      ...ofRun,
      name: 'one',
      job_id: 'one',
      needs: 'null',
      runs_on: '["linux"]',
      workflow_payload: payload,
      ...created,
    };
    source.rows(
      'action_run_job',
      { id: 30, run_id: 20, attempt: 1, task_id: 50, status: 1, started: 1700000000, stopped: 1700000060, ...job },
      { id: 31, run_id: 21, attempt: 0, task_id: 0, status: 5, ...job },
      {
        ...job,
        id: 32,
        run_id: 21,
        attempt: 0,
        task_id: 0,
        status: 7,
        name: 'two',
        job_id: 'two',
        needs: '["one"]',
        workflow_payload: next,
      },
    );
    source.rows('action_task', {
      id: 50,
      job_id: 30,
      attempt: 1,
      runner_id: 5,
      status: 1,
      started: 1700000000,
      stopped: 1700000060,
      log_filename: 'ada/mill/32/50.log.zst',
      log_in_storage: 1,
      log_length: 3,
      log_size: 100,
      log_expired: 0,
      ...ofRun,
      ...created,
    });
    source.rows('action_task_step', {
      id: 60,
      name: 'Run echo',
      task_id: 50,
      index: 0,
      repo_id: 40,
      status: 1,
      log_index: 1,
      log_length: 1,
      started: 1700000001,
      stopped: 1700000002,
      ...created,
    });
    source.rows('action_task_output', { id: 61, task_id: 50, output_key: 'sum', output_value: '42' });
    source.rows('action_run_index', { group_id: 40, max_index: 2 });
    source.rows('action_tasks_version', { id: 1, owner_id: 0, repo_id: 0, version: 4, ...time });
    const zstd = await Zstd.load();
    const frames = [`${stamp} set up\n${stamp} echo\n`, `${stamp} done\n`].map((text) =>
      Buffer.from(zstd.compress(Buffer.from(text))),
    );
    // what can be skipped stands at the end of files that can be read from anywhere
    const skippable = Buffer.concat([Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]), Buffer.alloc(4)]);
    store('actions_log', 'ada/mill/32/50.log.zst', Buffer.concat([...frames, skippable]));
    const artifact = {
      runner_id: 5,
      repo_id: 40,
      owner_id: 7,
      commit_sha: commit,
      file_size: 5,
      file_compressed_size: 5,
      ...time,
      expired_unix: 4000000000,
    };
    source.rows(
      'action_artifact',
      {
        id: 70,
        run_id: 20,
        storage_path: '20/70/1.zip',
        content_encoding: 'application/zip',
        artifact_path: 'whole.zip',
        artifact_name: 'whole',
        status: 2,
        ...artifact,
      },
      {
        id: 71,
        run_id: 20,
        storage_path: '../../custom/conf/app.ini',
        content_encoding: 'application/zip',
        artifact_path: 'away.zip',
        artifact_name: 'away',
        status: 2,
        ...artifact,
      },
    );
    store('actions_artifacts', '20/70/1.zip', 'bytes');
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('brings runs, jobs, logs, outputs, artifacts, secrets, variables and what is switched off', async () => {
    const lines = await take();
    expect(lines.filter((line) => / skipped: (?!the source has no table)/.test(line))).to.equal([]);
    const { workflow_runs: runs } = await get('/actions/runs');
    expect(
      runs.map(({ id, run_number, display_title, status, conclusion }: Record<string, unknown>) => [
        id,
        run_number,
        display_title,
        status,
        conclusion ?? '',
      ]),
    ).to.equal([
      [21, 2, 'second', 'queued', ''],
      [20, 1, 'first', 'completed', 'success'],
    ]);
    const { jobs } = await get('/actions/runs/20/jobs');
    expect(jobs[0]).to.include({
      id: 30,
      run_id: 20,
      name: 'one',
      runner_id: 5,
      runner_name: 'old',
      conclusion: 'success',
    });
    expect(jobs[0].steps.map(({ name }: { name: string }) => name)).to.include('Run echo');
    const log = await host.inject({
      url: '/api/v1/repos/ada/mill/actions/jobs/30/logs',
      headers: { authorization: `token ${token}` },
    });
    expect(log.payload).to.equal(`${stamp} set up\n${stamp} echo\n${stamp} done\n`);
    const { artifacts } = await get('/actions/artifacts');
    expect(artifacts.map(({ id, name, expired }: Record<string, unknown>) => [id, name, expired]).sort()).to.equal([
      [70, 'whole', false],
      [71, 'away', true],
    ]);
    expect(await get('/actions/secrets')).to.have.length(1);
    expect(
      (await host.inject({ url: '/api/v1/user/actions/variables/COLOR', headers: { authorization: `token ${token}` } }))
        .json,
    ).to.include({ data: 'red' });
    expect(await host.database.knex()('action_run').distinct('workflow_path')).to.equal([
      { workflow_path: '.github/workflows/ci.yml' },
    ]);
    expect(await host.database.knex()('action_disabled_workflow').pluck('workflow_id')).to.equal(['off.yml']);
    expect(await host.database.knex()('action_run').pluck('workflow_name')).to.equal(['Build it', 'Build it']);
    expect(await host.database.knex()('action_run_counter').pluck('last_number')).to.equal([2]);
    expect(await host.database.knex()('action_task_output').pluck('output_value')).to.equal(['42']);
    const second = await take();
    for (const line of second.filter((one) => / read, /.test(one))) expect(line).to.contain(', 0 written,');
  });

  it('lets an old runner go on with its uuid and token, and finish a job that waited', async () => {
    await take();
    expect(
      (await call('FetchTask', { tasksVersion: '4' }, { 'x-runner-uuid': uuid, 'x-runner-token': `${secret}0` }))
        .statusCode,
    ).to.equal(401);
    const { json } = await call('FetchTask', { tasksVersion: '4' });
    expect(json.task.secrets).to.include({ DEPLOY: 's3cr3t' });
    expect(json.task.vars ?? {}).to.include({ COLOR: 'red' });
    const [runner] = await host.database.knex()('action_runner').select('token_hash');
    expect(runner.token_hash).to.match(/^[0-9a-f]{64}$/);
    const { id } = json.task;
    await call('UpdateLog', {
      taskId: id,
      index: '0',
      rows: [{ time: '2026-01-01T00:00:00Z', content: 'hi' }],
      noMore: true,
    });
    expect((await call('UpdateTask', { state: { id, result: 'RESULT_SUCCESS' } })).statusCode).to.equal(200);
    await host.settle();
    const { jobs } = await get('/actions/runs/21/jobs');
    expect(jobs.map((job: Record<string, unknown>) => [job.id, job.conclusion])).to.equal([
      [31, 'success'],
      [32, 'skipped'],
    ]);
    expect((await get('/actions/runs/21')).conclusion).to.equal('success');
  });

  it('gives nothing of an owner that has not come to the whole site', async () => {
    source.rows('secret', {
      id: 10,
      owner_id: 99,
      repo_id: 0,
      name: 'LOST',
      data: encryptSecret('x'),
      created_unix: 1,
    });
    source.rows('action_variable', {
      id: 11,
      owner_id: 0,
      repo_id: 99,
      name: 'LOST',
      data: 'x',
      created_unix: 1,
      updated_unix: 1,
    });
    source.rows('secret', { id: 12, owner_id: 7, repo_id: 0, name: 'OTHER', data: 'ab'.repeat(30), created_unix: 1 });
    const lines = await take();
    expect(lines).to.include('  1 skipped: owner_id refers to a row of accounts.users that was not taken over');
    expect(lines).to.include(
      '  1 skipped: repository_id refers to a row of repositories.repositories that was not taken over',
    );
    expect(lines).to.include('  1 skipped: it cannot be decrypted with the SECRET_KEY');
    expect(await host.database.knex()('action_secret').pluck('id')).to.equal([8]);
  });

  it('brings the log again while it grows there, and forgets it with its task', async () => {
    source.run('update action_task set status = 6, log_length = 1');
    source.run("update action_task set log_filename = 'ada/mill/32/50.log'");
    store('actions_log', 'ada/mill/32/50.log', `${stamp} set up\n`);
    await take();
    const state = async () => host.database.knex()('action_log').select('stage', 'lines').first();
    expect(await state()).to.equal({ stage: 'open', lines: 1 });
    store('actions_log', 'ada/mill/32/50.log', `${stamp} set up\n${stamp} end`);
    source.run('update action_task set status = 1, log_length = 2');
    await take();
    expect(await state()).to.equal({ stage: 'sealed', lines: 2 });
    source.run('delete from action_task');
    await take();
    expect((await state())?.stage ?? 'gone').to.equal('gone');
  });
});
