import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { accounts } from '@mortise/accounts/api';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { runArtifacts } from '@mortise/actions-artifacts/api';
import { ownerScope, registrationTokens } from '@mortise/actions/api';
import { broker, Problem, type HeldLock } from '@mortise/plugin-sdk';
import { pageIn, startHost, submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { runnerHost } from '../commands/registration-file.js';
import { register, type Registration } from '../remote/client.js';
import { serveTasks } from '../remote/daemon.js';
import { SupervisorPool } from '../services/supervisor-pool.js';
import { EmbeddedRunner } from '../services/embedded-runner.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const workflow = `on: workflow_dispatch
jobs:
  build:
    runs-on: linux
    outputs: { v: "\${{ steps.s.outputs.v }}" }
    strategy: { matrix: { n: [1, 2] } }
    steps:
      - uses: actions/checkout@v4
      - id: s
        run: |
          test -f .gitea/workflows/a.yml; echo "mask $(umask)"
          echo "v=seven" >> "$GITHUB_OUTPUT"
          echo "**made** \${{ matrix.n }}" >> "$GITHUB_STEP_SUMMARY"
          mkdir -p out/deep && echo "made \${{ matrix.n }}" > out/deep/f.txt
      - uses: actions/cache@v4
        with: { key: "kept-\${{ matrix.n }}", path: "~/.kept" }
      - run: mkdir ~/.kept && echo "kept $((\${{ matrix.n }} * 100))" > ~/.kept/f
      - uses: actions/upload-artifact@v4
        with: { name: "made-\${{ matrix.n }}", path: out }
  use:
    needs: build
    runs-on: linux
    steps:
      - run: test "\${{ needs.build.outputs.v }}" = seven
      - uses: actions/download-artifact@v4
        with: { path: got }
      - uses: actions/cache/restore@v4
        with: { key: kept-1, path: "~/.kept", fail-on-cache-miss: true }
      - run: cat ~/.kept/f
      - run: cat got/made-1/deep/f.txt got/made-2/deep/f.txt
  breaks:
    needs: use
    runs-on: linux
    steps:
      - run: exit 4
      - { run: echo rescued, if: failure() }
`;

describe('a runner and a server', { timeout: 240_000 }, () => {
  let host: TestHost;
  let ada: SignedIn;
  let folder: string;
  let address: string;
  const api = '/api/v1/repos/ada/mill';

  const send = async (method: string, url: string, payload?: object) => {
    const answer = await ada.inject({ method, url, ...(payload && { payload }) });
    if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.payload}`);
    return answer;
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'runner-server-'));
    host = await startHost({
      plugins: [
        'actions-runner-protocol',
        'actions-artifacts',
        'actions-runner',
        'files',
        'refs',
        'git-http',
        'packages',
        'stars',
        'admin',
      ],
    });
    address = await host.url();
    ada = await signUp(host, 'ada');
    await send('POST', '/api/v1/user/repos', { name: 'mill', auto_init: true, default_branch: 'main', private: true });
    await send('POST', `${api}/contents/.gitea/workflows/a.yml`, {
      content: Buffer.from(workflow).toString('base64'),
      branch: 'main',
    });
    await host.settle();
  });
  after(async () => {
    await host?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('carry a run to its end: checkout, matrix, outputs, artifacts, a failure, logs', async () => {
    const token = await host.services.get(registrationTokens).current(ownerScope(ada.account.id));
    const about = { name: 'ours', labels: ['linux'], ephemeral: false, version: '1.0.0' };
    const registration: Registration = await register({ address, token, ...about });
    await send('POST', `${api}/actions/workflows/a.yml/dispatches`, { ref: 'main' });
    await host.settle();
    const stop = new AbortController();
    const mask = process.umask(0o077);
    const jobHost = runnerHost({ folder, address, name: 'ours' });
    const served = serveTasks({
      registration,
      host: jobHost,
      capacity: 2,
      once: false,
      signal: stop.signal,
      log: () => undefined,
    });
    const jobs = async () => {
      const { json } = await send('GET', `${api}/actions/jobs?limit=50`);
      return (json as { jobs: { id: number; name: string; status: string; conclusion: string }[] }).jobs;
    };
    for (let left = 400; left > 0; left--) {
      await host.settle();
      const all = await jobs();
      if (all.length === 4 && all.every(({ status }) => status === 'completed')) break;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    stop.abort(new Error('cancelled'));
    await served;
    process.umask(mask);
    const all = await jobs();
    const logs = await Promise.all(
      all.map(async ({ id }) => (await send('GET', `${api}/actions/jobs/${id}/logs`)).payload),
    );
    const ends = all.map(({ name, conclusion }) => `${name}: ${conclusion}`).sort();
    expect(ends, logs.join('\n')).to.equal([
      'breaks: failure',
      'build (1): success',
      'build (2): success',
      'use: success',
    ]);
    const summaries = await host.services.get(runArtifacts).summaries(all.map(({ id }) => id));
    const made = summaries.map(({ step, content }) => `${step} ${content}`).sort();
    expect(made).to.equal(['1 **made** 1\n', '1 **made** 2\n']);
    const whole = logs.join('\n');
    expect(whole)
      .to.contain('made 1')
      .and.to.contain('made 2')
      .and.to.contain('rescued')
      .and.to.contain('kept 100')
      .and.to.contain('mask 0022');
    expect(whole).to.contain('##[error]Process completed with exit code 4.');
  });

  describe('of its own, started with one click', () => {
    /** As `[actions.runner]` says, where jobs would not run as root. */
    const warned: string[] = [];
    const ownRunner = (settings: object = {}) =>
      new EmbeddedRunner({
        database: host.database,
        broker: host.services.get(broker),
        accounts: host.services.get(accounts),
        log: { warn: (message: string) => void warned.push(message) },
        settings: { ENABLED: false, SERVES: [], USER: 'ci', ...settings },
        isRoot: true,
      });

    it('works for those whom an administrator names, until it is stopped', async () => {
      const runner = ownRunner();
      const told: string[] = [];
      const waiting: (() => void)[] = [];
      const keeper = new SupervisorPool({
        locks: { hold: async (_name, work) => work({ signal: new AbortController().signal } as HeldLock) },
        log: { warn: (message) => void told.push(message) },
        servedOwners: async () => {
          const { serves } = await runner.state();
          if (serves.length === 0) told.push('none');
          for (const one of waiting.splice(0)) one();
          return serves;
        },
        supervisor: (name) => {
          let end: () => void = () => undefined;
          const ended = new Promise<void>((resolve) => (end = resolve));
          const who = name === ada.account.id ? 'ada' : String(name);
          return { run: () => (told.push(`start ${who}`), ended), stop: () => (told.push(`stop ${who}`), end()) };
        },
      });
      const forget = runner.onChange(() => keeper.refresh());
      /** When the keeper has looked again. */
      const after = async (work: () => Promise<void>) => {
        const looked = new Promise<void>((resolve) => waiting.push(resolve));
        await work();
        await looked;
      };
      const first = new Promise<void>((resolve) => waiting.push(resolve));
      const kept = keeper.run();
      await first;
      for (const [names, why] of [
        [[], /at least one/],
        [['ada', 'nobody-here'], /nobody-here/],
        [['all'], /no owner all/],
        [Array.from({ length: 51 }, (_none, at) => `x${at}`), /At most 50/],
      ] as const)
        await expect(runner.start(names)).to.reject(Problem, why);
      await after(() => runner.start(['ADA']));
      await after(() => runner.start([], { everybody: true }));
      await after(() => runner.stop());
      keeper.stop();
      await kept;
      forget();
      expect(told).to.equal(['none', 'start ada', 'stop ada', 'start 0', 'stop 0', 'none']);
    });

    it('means everybody by "all", which is the name of no account', async () => {
      for (const name of ['all', 'ALL']) await expect(signUp(host, name)).to.reject(Problem, /reserved/);
    });

    it('serves an account and not who takes its name afterwards', async () => {
      const gone = await signUp(host, 'passing');
      const runner = ownRunner();
      const set = ownRunner({ ENABLED: true, SERVES: ['Passing', 'ada'] });
      await runner.start(['passing', 'ada']);
      expect((await set.state()).serves).to.equal([gone.account.id, ada.account.id]);
      await host.services.get(accounts).delete(gone.account.id);
      await signUp(host, 'passing');
      for (const one of [runner, set]) {
        const state = await one.state();
        expect(state.serves).to.equal([ada.account.id]);
        expect(await one.namesOf(state)).to.equal(['ada']);
      }
      expect(await runner.knows(gone.account.id)).to.be.false();
      expect(warned.splice(0)).to.have.length(1);
      await runner.stop();
    });

    it('ends without a message too, and with its lock', async () => {
      let wanted: readonly number[] = [1];
      const told: string[] = [];
      const locked: AbortController[] = [];
      const waiting = new Map<string, () => void>();
      const log = (what: string) => (told.push(what), waiting.get(what)?.());
      const heard = (what: string) => new Promise<void>((resolve) => waiting.set(what, resolve));
      const keeper = new SupervisorPool({
        locks: {
          hold: (_name, work) => {
            locked.unshift(new AbortController());
            return work({ signal: locked[0]!.signal } as HeldLock);
          },
        },
        log: { warn: () => undefined },
        servedOwners: () => Promise.resolve(wanted),
        supervisor: (id) => {
          let end: () => void = () => undefined;
          const ended = new Promise<void>((resolve) => (end = resolve));
          return { run: () => (log(`start ${id}`), ended), stop: () => (log(`stop ${id}`), end()) };
        },
        intervalMs: 1,
      });
      const next = async (what: string, work: () => unknown) => {
        const done = heard(what);
        work();
        await done;
      };
      let kept: Promise<void> | undefined;
      await next('start 1', () => (kept = keeper.run()));
      await next('start 2', () => (wanted = [2]));
      await next('stop 2', () => (wanted = []));
      await next('start 3', () => (wanted = [3]));
      await next('start 3', () => locked[0]!.abort());
      keeper.stop();
      await kept;
      const [one, two, three] = [1, 2, 3].map((id) => [`start ${id}`, `stop ${id}`]);
      expect(told).to.equal([one, two, three, three].flat());
    });

    it('is not for a page to decide where settings have, and never runs jobs as root', async () => {
      const set = ownRunner({ ENABLED: true, SERVES: ['ada'] });
      expect(await set.state()).to.equal({ serves: [ada.account.id], isSetBySettings: true, isRefused: false });
      await expect(set.start(['ada'])).to.reject(Problem, /settings of the server/);
      await expect(set.stop()).to.reject(Problem, /settings of the server/);
      for (const settings of [{ USER: '' }, { USER: '', ENABLED: true, SERVES: ['all'] }]) {
        expect(await ownRunner(settings).state()).to.include({ serves: [], isRefused: true });
        await expect(ownRunner(settings).start(['ada'])).to.reject(Problem);
      }
    });

    it('says on its page what it isolates and what not, to administrators alone', async () => {
      const root = await signUp(host, 'root', { isAdmin: true });
      const page = '/-/admin/runner';
      expect((await ada.inject(page)).statusCode).to.equal(403);
      const shown = await root.inject(page);
      expect(shown.statusCode).to.equal(200);
      expect(shown.payload).to.include(['would let log in to this machine', 'can read its database']);
      expect(await pageIn(root, 'de', page)).to.include('als gewöhnliche Prozesse');
      // here nobody is started: the tests of most machines run as root
      const sent = await submitForm(root, page, { serves: process.getuid?.() === 0 ? 'ada' : '' });
      expect(sent.statusCode).to.equal(422);
    });
  });
});
