#!/usr/bin/env node
// Measures runs of workflows with few and with very many of them in one repository, and how long it takes from a push to
// the first line of the log with a runner that waits; writes bench/results/<name>.md.
//
//   node bench/actions.mjs [--name actions] [--seconds 3] [--runs 100000] [--few 100] [--pushes 20] [--only list]
//                          [--mysql ADDRESS]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { each, insert } from './data.mjs';
import { measureGrowth, median, timesOf } from './growth.mjs';
import { root } from './site.mjs';

const { values: options } = parseArgs({
  options: {
    name: { type: 'string', default: 'actions' },
    seconds: { type: 'string', default: '3' },
    runs: { type: 'string', default: '100000' },
    few: { type: 'string', default: '100' },
    pushes: { type: 'string', default: '20' },
    only: { type: 'string' },
    mysql: { type: 'string', default: process.env.MORTISE_TEST_MYSQL },
  },
});
const desk = '/repos/root/desk';
/** Each has a whole page of runs, also where there are few. */
const branches = 5;
const mortise = join(root, 'core/bin/mortise.mjs');
const workflow = `name: Build
on: push
jobs:
  build:
    runs-on: linux
    steps:
      - run: for i in $(seq 50); do echo "line $i of the log"; done
`;

/** A runner of this site in a folder of its own. */
async function makeRunner(site) {
  const folder = mkdtempSync(join(tmpdir(), 'mortise-bench-runner-'));
  const { token } = await site.api('POST', '/admin/actions/runners/registration-token');
  const file = join(folder, 'runner.json');
  const registered = spawnSync(
    process.execPath,
    // oxfmt-ignore
    [mortise, 'runner', 'register', '--instance', site.base, '--token', token, '--name', 'bench', '--labels', 'linux', '--file', file],
    { encoding: 'utf8' },
  );
  if (registered.status !== 0) throw new Error(registered.stderr);
  const child = spawn(process.execPath, [mortise, 'runner', 'daemon', '--file', file], { stdio: 'ignore' });
  return {
    async close() {
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Asks until there is an answer; a push and a runner take their time. */
async function until(ask, wait = 20) {
  for (let tries = 0; tries < 3000; tries++) {
    const answer = await ask();
    if (answer) return answer;
    await sleep(wait);
  }
  throw new Error('nothing came of it');
}

const push = (site, n) =>
  site.api('POST', `${desk}/contents/file-${n}.txt`, {
    content: Buffer.from(`${n}\n`).toString('base64'),
    message: `Add ${n}`,
  });

const newestJob = async (site, after) => {
  const { jobs } = await site.api('GET', `${desk}/actions/jobs?limit=1&sort=id&order=desc`);
  return jobs[0] && jobs[0].id > after ? jobs[0] : undefined;
};

async function prepare(site) {
  const { id: repositoryId } = await site.api('POST', '/user/repos', { name: 'desk', auto_init: true });
  const runner = await makeRunner(site);
  await site.api('POST', `${desk}/contents/.mortise%2Fworkflows%2Fbuild.yml`, {
    content: Buffer.from(workflow).toString('base64'),
    message: 'Add a workflow',
  });
  const job = await until(async () => {
    const one = await newestJob(site, 0);
    return one?.status === 'completed' ? one : undefined;
  }, 100);
  if (job.conclusion !== 'success') throw new Error(`the first job ended with ${job.conclusion}`);
  await runner.close();
  return { repositoryId, jobId: job.id, runId: job.run_id };
}

/** `count` runs like the first one, each with its attempt and its job, of many branches and commits. */
async function add(knex, count, { repositoryId, runId }) {
  const now = Date.now();
  const of = (table, where) => knex(table).where(where).first();
  const run = await of('action_run', { id: runId });
  const attempt = await of('action_run_attempt', { run_id: runId });
  const job = await of('action_job', { run_id: runId });
  const failed = (n) => (n % 5 === 0 ? 2 : 1);
  const at = (n) => now - (count - n) * 1000;
  const times = (n) => ({ started_at: at(n), stopped_at: at(n) + 900, created_at: at(n), updated_at: at(n) + 900 });
  await insert(
    knex,
    'action_run',
    each(count, (n) => ({
      ...run,
      ...times(n),
      id: runId + 1 + n,
      number: run.number + 1 + n,
      title: `Change ${n}`,
      workflow_id: n % 4 === 0 ? 'other.yml' : run.workflow_id,
      head_branch: `topic-${n % branches}`,
      ref: `refs/heads/topic-${n % branches}`,
      event_key: null,
      status: failed(n),
      latest_attempt_id: attempt.id + 1 + n,
    })),
  );
  await insert(
    knex,
    'action_run_attempt',
    each(count, (n) => ({
      ...attempt,
      ...times(n),
      id: attempt.id + 1 + n,
      run_id: runId + 1 + n,
      status: failed(n),
    })),
  );
  await insert(
    knex,
    'action_job',
    each(count, (n) => ({
      ...job,
      ...times(n),
      id: job.id + 1 + n,
      run_id: runId + 1 + n,
      run_attempt_id: attempt.id + 1 + n,
      status: failed(n),
    })),
  );
  await knex('action_run_counter')
    .where({ repository_id: repositoryId })
    .update({ last_number: run.number + count });
  return { lastRunId: runId + count };
}

async function ready(site, prepared) {
  const { sha1 } = await site.api('POST', '/users/root/tokens', { name: 'bench', scopes: ['all'] });
  return { ...prepared, token: sha1 };
}

const rows = ({ token, runId, jobId, lastRunId }) => {
  const headers = { authorization: `token ${token}` };
  return [
    ['run list 50', `/api/v1${desk}/actions/runs?limit=50`, headers],
    ['run list by branch', `/api/v1${desk}/actions/runs?limit=20&branch=topic-3`, headers],
    ['run list by status', `/api/v1${desk}/actions/runs?limit=20&status=failure`, headers],
    ['run get', `/api/v1${desk}/actions/runs/${lastRunId}`, headers],
    ['jobs of a run', `/api/v1${desk}/actions/runs/${lastRunId}/jobs`, headers],
    ['job list', `/api/v1${desk}/actions/jobs?limit=20&sort=id&order=desc`, headers],
    ['job log', `/api/v1${desk}/actions/jobs/${jobId}/logs`, headers],
    ['workflows', `/api/v1${desk}/actions/workflows`, headers],
    ['web: run list', '/root/desk/actions'],
    ['web: run list of a workflow', '/root/desk/actions?workflow=build.yml'],
    ['web: run page', `/root/desk/actions/runs/${lastRunId}`],
    ['web: job with its log', `/root/desk/actions/runs/${runId}/jobs/${jobId}`],
    ['web: home', '/root/desk'],
  ];
};

/** Has the log on the page of a job a line? */
async function hasLog(site, { run_id: run, id }) {
  const response = await fetch(`${site.base}/root/desk/actions/runs/${run}/jobs/${id}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`the page of a job: ${response.status} ${text}`);
  return text.includes('line 1 of the log');
}

/** From the start of the request that commits to the first line of the log of the job that this starts, on its page. */
async function after(site, _given, engine, size) {
  const runner = await makeRunner(site);
  const times = [];
  let last = (await newestJob(site, 0)).id;
  // the first one waits for the runner to come
  for (let n = 0; n <= Number(options.pushes); n++) {
    const [time] = await timesOf(1, async () => {
      await push(site, `${size}-${n}`);
      const job = await until(() => newestJob(site, last), 5);
      await until(() => hasLog(site, job), 5);
      last = job.id;
    });
    if (n > 0) times.push(time);
    await until(async () => (await site.api('GET', `${desk}/actions/jobs/${last}`)).status === 'completed');
  }
  await runner.close();
  const most = Math.max(...times).toFixed(0);
  return [
    `- ${engine}, ${size}: ${times.length} pushes to the first line of the log with a waiting runner: ${median(times).toFixed(0)} ms at the median, ${most} ms at most (goal 1500)`,
  ];
}

await measureGrowth({
  options,
  few: Number(options.few),
  many: Number(options.runs),
  about: `${options.runs} runs in one repository, each with an attempt and a job; few: ${options.few}. API rows with a token, pages without.`,
  goals: {},
  prepare,
  add,
  tables: ['action_run', 'action_run_attempt', 'action_job'],
  ready,
  rows,
  after,
  written: 'root/desk',
});
