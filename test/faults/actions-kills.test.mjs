// Database: SQLite and MariaDB. What is shown is that no job is lost and none is done twice.
// The server is killed at moments that a seed chooses, while runners take jobs, log and report.
// Time: about 120 s
// Load: sleeps
//
//   MORTISE_TEST_FULL=1   6 kills instead of 3
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const seed = Number(process.env.MORTISE_TEST_SEED ?? 7);
const kills = process.env.MORTISE_TEST_FULL ? 6 : 3;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The same numbers for the same seed. */
function chance(state) {
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const flow = `on: workflow_dispatch
jobs:
  grid:
    runs-on: linux
    strategy:
      matrix:
        a: [1, 2, 3, 4]
    steps:
      - run: echo one
  last:
    needs: grid
    runs-on: linux
    steps:
      - run: echo last
`;
const lines = ['one', 'two', 'three'];

describe('a server that is killed while runners work', { timeout: 600_000 }, () => {
  let server;
  const api = '/repos/root/mill';
  let isOver = false;
  const ended = new Map();

  before(async () => {
    server = await startServer({
      plugins: ['actions-runner-protocol', 'files', 'editor', 'admin'],
      settings: { MORTISE__actions__UNDELIVERED_TASK_TIMEOUT: '8s' },
    });
    await server.api('POST', '/user/repos', { body: { name: 'mill', auto_init: true, default_branch: 'main' } });
    await server.api('POST', `${api}/contents/.gitea/workflows/a.yml`, {
      body: { content: Buffer.from(flow).toString('base64'), branch: 'main' },
    });
  });
  after(() => {
    isOver = true;
    return server?.close();
  });

  const call = async (method, body, headers = {}) => {
    const answer = await fetch(`${server.base}/api/actions/runner.v1.RunnerService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'connect-protocol-version': '1', ...headers },
      body: JSON.stringify(body),
    });
    if (answer.status >= 500) throw new Error(`${answer.status}`);
    return { status: answer.status, json: await answer.json() };
  };
  /** As runners do: again until it is there. */
  const surely = async (method, body, headers) => {
    for (;;) {
      try {
        return await call(method, body, headers);
      } catch {
        await pause(100);
      }
    }
  };
  const register = async (name) => {
    const { json } = await server.api('POST', '/user/actions/runners/registration-token');
    const made = await call('Register', { name, token: json.token, labels: ['linux'], version: 'v1' });
    expect(made.status, JSON.stringify(made.json)).to.equal(200);
    return { 'x-runner-uuid': made.json.runner.uuid, 'x-runner-token': made.json.runner.token };
  };
  const work = async (headers) => {
    while (!isOver) {
      let task;
      try {
        task = (await call('FetchTask', { tasksVersion: '0' }, headers)).json.task;
      } catch {
        await pause(100);
      }
      if (!task) {
        await pause(150);
        continue;
      }
      for (const [index, content] of lines.entries()) {
        await surely('UpdateLog', { taskId: task.id, index: String(index), rows: [{ content }] }, headers);
        await surely('UpdateTask', { state: { id: task.id } }, headers);
        await pause(60);
      }
      await surely('UpdateLog', { taskId: task.id, index: String(lines.length), rows: [], noMore: true }, headers);
      const told = await surely('UpdateTask', { state: { id: task.id, result: 'RESULT_SUCCESS' } }, headers);
      if (told.status === 200) ended.set(task.id, (ended.get(task.id) ?? 0) + 1);
    }
  };

  it(`loses no job and does none twice (seed ${seed})`, { timeout: 600_000 }, async () => {
    const random = chance(seed);
    const runners = (await Promise.all(['one', 'two', 'three'].map(register))).map(work);
    const runs = [];
    for (let at = 0; at < kills; at++) {
      const made = await server.api('POST', `${api}/actions/workflows/a.yml/dispatches?return_run_details=true`, {
        body: { ref: 'main' },
      });
      expect(made.status, made.text).to.equal(200);
      runs.push(made.json.workflow_run_id);
      await pause(100 + random() * 1200);
      await server.kill();
      await server.start();
    }
    const state = async (run) => (await server.api('GET', `${api}/actions/runs/${run}`)).json;
    for (const end = Date.now() + 300_000; ;) {
      const all = await Promise.all(runs.map(state));
      if (all.every(({ status }) => status === 'completed')) break;
      if (Date.now() > end) throw new Error(JSON.stringify(all.map(({ id, status }) => [id, status])));
      // What did not reach its runner goes back.
      await server.api('POST', '/admin/cron/return_undelivered_tasks');
      await pause(500);
    }
    isOver = true;
    await Promise.all(runners);
    for (const run of runs) {
      expect((await state(run)).conclusion).to.equal('success');
      const { jobs } = (await server.api('GET', `${api}/actions/runs/${run}/jobs`)).json;
      expect(jobs.map(({ conclusion }) => conclusion)).to.equal(Array.from({ length: 5 }, () => 'success'));
      for (const job of jobs) {
        const { text } = await server.api('GET', `${api}/actions/jobs/${job.id}/logs`);
        expect(
          text
            .trim()
            .split('\n')
            .map((line) => line.replace(/^\S+ /, '')),
        ).to.equal(lines);
      }
    }
    expect(ended.size).to.equal(runs.length * 5);
    const { json } = await server.api('GET', `${api}/actions/tasks?limit=1`);
    expect(json.total_count).to.equal(runs.length * 5);
  });
});
