// Database: SQLite alone. What it proves is the protocol, as the usual runner program speaks it.
// The runner program, built from its Go module without a change, does workflows in host mode (reference 8.4).
// Time: about 60 s
// Load: sleeps
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runnerProgram } from '../support/runner-program.mjs';
import { UsualRunner } from '../support/runners.mjs';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const program = runnerProgram();
const indent = (text) => text.replace(/^(?=.)/gm, '    ');
const job = (id, text) => `  ${id}:\n    runs-on: linux\n${indent(text)}\n`;
const flow = (on, ...jobs) => `on: ${on}\njobs:\n${jobs.join('')}`;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(look, ms = 60_000) {
  for (const end = Date.now() + ms; ;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`it did not come about: ${look}`);
    await pause(200);
  }
}

describe('the runner program', { timeout: 600_000, skip: !program }, () => {
  let server;
  let runner;
  const api = '/repos/root/mill';
  const programs = [];

  const make = async (name, ...more) => {
    const made = await new UsualRunner(program, server, name).register(...more);
    programs.push(made);
    return made;
  };
  /** Puts a workflow there, starts it, and gives the number of its run. */
  const go = async (file, text) => {
    const path = `${api}/contents/.gitea/workflows/${file}`;
    const body = { content: Buffer.from(text).toString('base64'), branch: 'main' };
    const put = await server.api('POST', path, { body });
    if (put.status !== 201) throw new Error(put.text);
    const started = await until(async () => {
      const answer = await server.api('POST', `${api}/actions/workflows/${file}/dispatches?return_run_details=true`, {
        body: { ref: 'main' },
      });
      return answer.status === 200 && answer.json;
    });
    return started.workflow_run_id;
  };
  const ended = (run) =>
    until(async () => {
      const { json } = await server.api('GET', `${api}/actions/runs/${run}`);
      return json?.status === 'completed' && json;
    });
  const jobsOf = async (run) => (await server.api('GET', `${api}/actions/runs/${run}/jobs?limit=50`)).json.jobs;
  const logOf = async ({ id }) => (await server.api('GET', `${api}/actions/jobs/${id}/logs`)).text;

  before(async () => {
    server = await startServer({ settings: { MORTISE__actions__ZOMBIE_TASK_TIMEOUT: '8s' } });
    await server.api('POST', '/user/repos', {
      body: { name: 'mill', auto_init: true, default_branch: 'main', private: true },
    });
    runner = (await make('one')).start();
  });
  after(async () => {
    for (const one of programs) await one.stop('SIGKILL');
    await server?.close();
  });

  it('does steps in order, and reports how each ended', async () => {
    const text = `steps:
  - run: echo first line; echo second line
  - run: exit 3
    continue-on-error: true
  - run: exit 1
  - run: echo never
  - if: always()
    run: echo always
`;
    const run = await go('steps.yml', flow('workflow_dispatch', job('one', text)));
    expect((await ended(run)).conclusion).to.equal('failure');
    const [only] = await jobsOf(run);
    expect(only.steps.map((step) => step.conclusion)).to.equal(['success', 'failure', 'failure', 'skipped', 'success']);
    const log = await logOf(only);
    expect(log.indexOf('first line')).to.be.below(log.indexOf('second line'));
    expect(log).to.include('always');
  });

  it('passes outputs to jobs that need them, and does a matrix', async () => {
    const run = await go(
      'needs.yml',
      flow(
        'workflow_dispatch',
        job(
          'one',
          'outputs:\n  size: ${{ steps.a.outputs.size }}\nsteps:\n  - id: a\n    run: echo "size=7" >> "$GITHUB_OUTPUT"\n',
        ),
        job(
          'two',
          'needs: one\nsteps:\n  - run: echo "the size is ${{ needs.one.outputs.size }} ${{ needs.one.result }}"\n',
        ),
        job(
          'grid',
          'strategy:\n  matrix:\n    a: [1, 2]\n    b: [x, y]\nsteps:\n  - run: echo "cell ${{ matrix.a }}${{ matrix.b }}"\n',
        ),
      ),
    );
    expect((await ended(run)).conclusion).to.equal('success');
    const jobs = await jobsOf(run);
    expect(jobs.map(({ name }) => name).sort()).to.equal([
      'grid (1, x)',
      'grid (1, y)',
      'grid (2, x)',
      'grid (2, y)',
      'one',
      'two',
    ]);
    expect(await logOf(jobs.find(({ name }) => name === 'two'))).to.include('the size is 7 success');
  });

  it('gives the token of the job what the workflow allows, on the API and for git', async () => {
    await server.api('PUT', `${api}/actions/secrets/HUSH`, { body: { data: 'very secret words' } });
    const text = `permissions:
  contents: read
steps:
  - run: |
      git init -q . && git -c http.extraHeader="Authorization: Basic $(printf 'x:%s' "$TOKEN" | base64 -w0)" fetch -q --depth 1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git" "$GITHUB_SHA"
      git checkout -q FETCH_HEAD && ls .gitea/workflows
      echo "read $(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: token $TOKEN" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/contents/README.md")"
      echo "write $(curl -s -o /dev/null -w '%{http_code}' -X POST -H "Authorization: token $TOKEN" -H 'Content-Type: application/json' -d '{"content":"eA=="}' "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/contents/new.txt")"
      echo "hush \${{ secrets.HUSH }}"
    env:
      TOKEN: \${{ secrets.GITHUB_TOKEN }}
`;
    const run = await go('token.yml', flow('workflow_dispatch', job('one', text)));
    const done = await ended(run);
    const log = await logOf((await jobsOf(run))[0]);
    expect(done.conclusion, log).to.equal('success');
    expect(log).to.include('token.yml').and.to.include('read 200').and.to.include('write 403');
    expect(log).to.include('hush ***').and.not.to.include('very secret words');
  });

  it('stops what is cancelled, and does not mind a server that restarts', async () => {
    const run = await go(
      'long.yml',
      flow('workflow_dispatch', job('one', 'steps:\n  - run: echo begun; exec sleep 120\n')),
    );
    await until(async () => (await jobsOf(run))[0]?.status === 'in_progress');
    expect((await server.api('POST', `${api}/actions/runs/${run}/cancel`)).status).to.equal(200);
    expect((await ended(run)).conclusion).to.equal('cancelled');
    // It ends when the server is back, however long that takes: the runner gives up on the end of a log after half a minute.
    const back = join(server.folder, 'back');
    const text = `steps:
  - run: |
      for i in $(seq 1 20); do echo "line $i"; sleep 0.1; done
      until [ -e ${back} ]; do sleep 0.2; done
      for i in $(seq 21 40); do echo "line $i"; done
`;
    const other = await go('restart.yml', flow('workflow_dispatch', job('one', text)));
    // Not before the runner has the job: what it has not heard of is given to another after a minute.
    await until(async () => (await logOf((await jobsOf(other))[0]))?.includes(' line 1\n'));
    await server.kill();
    await server.start();
    writeFileSync(back, '');
    expect((await ended(other)).conclusion).to.equal('success');
    const lines = [...(await logOf((await jobsOf(other))[0])).matchAll(/ line (\d+)$/gm)].map(([, number]) =>
      Number(number),
    );
    expect(lines).to.equal(Array.from({ length: 40 }, (_none, at) => at + 1));
  });

  it('a runner that is killed loses its task, and failed jobs can be done again', async () => {
    await runner.stop();
    const doomed = (await make('doomed')).start();
    const run = await go(
      'lost.yml',
      flow(
        'workflow_dispatch',
        job('good', 'steps:\n  - run: echo fine\n'),
        job(
          'bad',
          'needs: good\nsteps:\n  - run: echo try $GITHUB_RUN_ATTEMPT; if [ $GITHUB_RUN_ATTEMPT = 1 ]; then sleep 300; fi\n',
        ),
      ),
    );
    const bad = async () => (await jobsOf(run)).find(({ name }) => name === 'bad');
    await until(async () => (await logOf((await bad()) ?? {}))?.includes(' try 1\n'));
    await doomed.stop('SIGKILL');
    await until(async () => {
      expect((await server.api('POST', '/admin/cron/stop_zombie_tasks')).status).to.equal(204);
      return (await bad()).status === 'completed';
    });
    expect((await ended(run)).conclusion).to.equal('failure');
    runner.start();
    expect((await server.api('POST', `${api}/actions/runs/${run}/rerun-failed-jobs`)).status).to.equal(201);
    await until(async () => (await server.api('GET', `${api}/actions/runs/${run}`)).json.run_attempt === 2);
    expect((await ended(run)).conclusion).to.equal('success');
    const jobs = await jobsOf(run);
    expect(await logOf(jobs.find(({ name }) => name === 'good'))).to.include('fine');
    expect(await logOf(jobs.find(({ name }) => name === 'bad'))).to.include('try 2');
  });

  it('an ephemeral runner does one task and is gone', async () => {
    await runner.stop();
    const brief = await make('brief', '--ephemeral');
    const run = await go('brief.yml', flow('workflow_dispatch', job('one', 'steps:\n  - run: echo once\n')));
    brief.start();
    expect((await ended(run)).conclusion).to.equal('success');
    await brief.ended;
    const { json } = await server.api('GET', '/user/actions/runners');
    expect(json.runners.map(({ name }) => name)).not.to.include('brief');
  });
});
