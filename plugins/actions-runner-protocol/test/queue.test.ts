// MORTISE_TEST_FULL=1   500 jobs instead of 200: what 20 runners do with the first, they do with the rest
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { ownerScope } from '@mortise/actions/api';
import { JsonRunner } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const isFull = Boolean(process.env.MORTISE_TEST_FULL);
/** Of each of two repositories: of one run, and of ten. */
const half = isFull ? 250 : 100;
const runsOf: Readonly<Record<string, number>> = { first: 1, second: 10 };

const numbers = (count: number) => Array.from({ length: count }, (_none, at) => at).join(', ');
const grid = (others: number) => `on: workflow_dispatch
jobs:
  grid:
    runs-on: linux
    strategy:
      matrix:
        a: [${numbers(half / 10)}]
        b: [${numbers(others)}]
    steps:
      - run: echo one
`;
describe('a long queue', { timeout: 300_000 }, () => {
  let host: TestHost;
  let ada: SignedIn;
  const send = async (method: string, url: string, payload?: object) => {
    const answer = await ada.inject({ method, url, ...(payload && { payload }) });
    if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.payload}`);
    return answer.json;
  };

  before(async () => {
    host = await startHost({ plugins: ['actions-runner-protocol', 'files', 'refs'] });
    ada = await signUp(host, 'ada');
    for (const [name, runs] of Object.entries(runsOf)) {
      await send('POST', '/api/v1/user/repos', { name, auto_init: true, default_branch: 'main' });
      await send('POST', `/api/v1/repos/ada/${name}/contents/.gitea/workflows/grid.yml`, {
        content: Buffer.from(grid(10 / runs)).toString('base64'),
        branch: 'main',
      });
      await host.settle();
      for (let at = 0; at < runs; at++)
        await send('POST', `/api/v1/repos/ada/${name}/actions/workflows/grid.yml/dispatches`, { ref: 'main' });
      await host.settle();
    }
  });
  after(() => host?.close());

  it(`${2 * half} jobs and 20 runners: each job once, and repositories in turn`, { timeout: 300_000 }, async () => {
    const scope = ownerScope(ada.account.id);
    const runners = await Promise.all(
      Array.from({ length: 20 }, (_none, at) => JsonRunner.make(host, scope, { name: `runner ${at}` })),
    );
    const taken: string[] = [];
    const work = async (runner: JsonRunner) => {
      // With its own version, a runner is told to ask again: others are being looked after.
      for (let misses = 0; misses < 3;) {
        const task = await runner.take();
        if (!task) {
          misses++;
          continue;
        }
        taken.push(`${task.context.repository} ${task.id}`);
        await runner.report(task, 'SUCCESS');
      }
    };
    await Promise.all(runners.map(work));
    expect(taken.length).to.equal(2 * half);
    expect(new Set(taken).size).to.equal(2 * half);
    const early = taken.slice(0, 100).filter((one) => one.startsWith('ada/first')).length;
    expect(early).to.be.between(24, 76);
    for (const [name, count] of Object.entries(runsOf)) {
      const { workflow_runs: runs } = await send('GET', `/api/v1/repos/ada/${name}/actions/runs`);
      expect(runs.map((run: { conclusion: string }) => run.conclusion)).to.equal(Array(count).fill('success'));
      const tasks = await send('GET', `/api/v1/repos/ada/${name}/actions/tasks?limit=1`);
      expect(tasks.total_count).to.equal(half);
    }
  });
});
