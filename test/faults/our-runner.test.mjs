// Database: SQLite alone. What it proves is Mortise's own runner, as a program of its own; what the server does with jobs of
// runners that are gone is shown on each database by plugins/actions/test/claims and test/faults/actions-kills.
// It is killed at moments that a seed chooses, and fed with a line that does not end.
// Time: about 130 s
// Load: sleeps
//
//   MORTISE_TEST_FULL=1   6 kills instead of 3
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { OurRunner } from '../support/runners.mjs';
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

describe('our runner', { timeout: 600_000 }, () => {
  let server;
  let notes;
  const api = '/repos/root/mill';
  const runners = [];

  const flows = () => ({
    'grid.yml': `on: workflow_dispatch
jobs:
  grid:
    runs-on: linux
    strategy: { fail-fast: false, matrix: { a: [1, 2, 3, 4, 5] } }
    steps:
      - run: echo begin >> ${notes}/$GITHUB_RUN_ID-\${{ matrix.a }}; sleep 0.\${{ matrix.a }}
      - run: sleep 0.3
      - run: echo end >> ${notes}/$GITHUB_RUN_ID-\${{ matrix.a }}
`,
    'line.yml': `on: workflow_dispatch
jobs:
  line:
    runs-on: linux
    steps:
      - run: |
          head -c 1000000000 /dev/zero | tr '\\0' x
          for part in very " sec" ret " wor" ds; do printf '%s' "$part"; sleep 0.1; done
          echo; echo after
      - run: |
          head -c 65500 /dev/zero | tr '\\0' y; printf '%s' "very secret"; sleep 0.1; echo " words and more"
          for part in very " sec" ret " wor" ds; do printf '%s' "$part"; sleep 0.1; done; echo
`,
  });

  before(async () => {
    server = await startServer({
      plugins: ['actions-runner-protocol', 'actions-runner', 'files', 'editor', 'admin'],
      settings: { MORTISE__actions__ZOMBIE_TASK_TIMEOUT: '8s', MORTISE__actions__UNDELIVERED_TASK_TIMEOUT: '8s' },
    });
    notes = join(server.folder, 'notes');
    mkdirSync(notes);
    await server.api('POST', '/user/repos', { body: { name: 'mill', auto_init: true, default_branch: 'main' } });
    await server.api('PUT', `${api}/actions/secrets/HUSH`, { body: { data: 'very secret words' } });
    for (const [file, text] of Object.entries(flows())) {
      const body = { content: Buffer.from(text).toString('base64'), branch: 'main' };
      const { status } = await server.api('POST', `${api}/contents/.gitea/workflows/${file}`, { body });
      expect(status).to.equal(201);
    }
    for (const name of ['one', 'two'])
      runners.push((await new OurRunner(server, name, { capacity: 2 }).register()).start());
  });
  after(async () => {
    for (const one of runners) await one.stop();
    await server?.close();
  });

  const start = async (file) => {
    for (let tries = 0; tries < 100; tries++, await pause(200)) {
      const path = `${api}/actions/workflows/${file}/dispatches?return_run_details=true`;
      const made = await server.api('POST', path, { body: { ref: 'main' } });
      if (made.status === 200) return made.json.workflow_run_id;
    }
    throw new Error(`${file} does not start`);
  };
  const jobsOf = async (run) => (await server.api('GET', `${api}/actions/runs/${run}/jobs`)).json.jobs;

  it(`that is killed loses no job, does none twice, and leaves no folder (seed ${seed})`, async () => {
    const random = chance(seed);
    const runs = [];
    for (let at = 0; at < kills; at++) {
      runs.push(await start('grid.yml'));
      await pause(300 + random() * 2500);
      const runner = runners[at % 2];
      await runner.stop('SIGKILL');
      runner.start();
    }
    const all = async () => (await Promise.all(runs.map(jobsOf))).flat();
    for (const end = Date.now() + 200_000; ; await pause(1000)) {
      const jobs = await all();
      if (jobs.every(({ status }) => status === 'completed')) break;
      if (Date.now() > end) throw new Error(JSON.stringify(jobs.map(({ name, status }) => [name, status])));
      for (const job of ['stop_zombie_tasks', 'return_undelivered_tasks'])
        await server.api('POST', `/admin/cron/${job}`);
    }
    const jobs = await all();
    expect(jobs.length).to.equal(kills * 5);
    const ends = { success: 0, failure: 0 };
    for (const { name, run_id: run, conclusion } of jobs) {
      const cell = /\((\d)\)/.exec(name)[1];
      const done = readdirSync(notes).includes(`${run}-${cell}`)
        ? readFileSync(join(notes, `${run}-${cell}`), 'utf8')
        : '';
      ends[conclusion]++;
      if (conclusion === 'success') expect(done).to.equal('begin\nend\n');
      else expect(['', 'begin\n', 'begin\nend\n']).to.include(done);
    }
    // Each runner that was killed takes no more than the jobs that it had.
    expect(ends.success + ends.failure).to.equal(kills * 5);
    expect(ends.success).to.be.at.least(kills * 3);
    // The end of a job is told before its folder is removed; one without an owner yet is left alone for a minute.
    const folders = () => runners.flatMap((one) => readdirSync(join(one.folder, 'work')));
    for (const end = Date.now() + 150_000; folders().length > 0 && Date.now() < end;) await pause(200);
    for (const one of runners) await one.stop();
    expect(folders()).to.equal([]);
    for (const one of runners) one.start();
  });

  const most = (pid) => {
    const found = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(found[1]) / 1024;
  };

  it('and the server keep little of a line of 1 GB, and hide what is printed in pieces', async () => {
    // Left by a runner that was killed before it could write down whose folder this is.
    const abandoned = join(runners[0].folder, 'work', randomUUID());
    mkdirSync(abandoned);
    utimesSync(abandoned, new Date(Date.now() - 120_000), new Date(Date.now() - 120_000));
    const run = await start('line.yml');
    let job;
    for (const end = Date.now() + 200_000; ; await pause(500)) {
      [job] = await jobsOf(run);
      if (job?.status === 'completed') break;
      if (Date.now() > end) throw new Error(JSON.stringify(job));
    }
    expect(job.conclusion).to.equal('success');
    for (const one of runners) expect(most(one.pid)).to.be.below(350);
    expect(most(server.pid)).to.be.below(600);
    const { text } = await server.api('GET', `${api}/actions/jobs/${job.id}/logs`);
    expect(text.length).to.be.below(300_000);
    const shown = text.split('\n').map((line) => line.replace(/^\S+ /, '').replace(/([xy])\1{9,}/g, '$1'));
    expect(shown.filter((line) => /^(?:[xy*]|after)/.test(line))).to.equal([
      'x … (cut)',
      'after',
      'y*** and more',
      '***',
    ]);
    for (const end = Date.now() + 120_000; existsSync(abandoned) && Date.now() < end;) await pause(200);
    expect(existsSync(abandoned)).to.be.false();
  });
});
