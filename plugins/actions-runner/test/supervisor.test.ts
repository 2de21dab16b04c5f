import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { ownerScope, registrationTokens } from '@mortise/actions/api';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import type { ChildOptions } from '../services/child-process.js';
import { Supervisor } from '../services/supervisor.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const workflow = `on: workflow_dispatch
jobs:
  build:
    runs-on: linux
    steps:
      - run: echo "by a child process"
`;

describe('the supervisor of the embedded runner', { timeout: 120_000 }, () => {
  let host: TestHost;
  let ada: SignedIn;
  let folder: string;
  const api = '/api/v1/repos/ada/mill';
  const lines: string[] = [];
  const add = (message: string) => void lines.push(message);

  const send = async (method: string, url: string, payload?: object) => {
    const answer = await ada.inject({ method, url, ...(payload && { payload }) });
    if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.payload}`);
    return answer;
  };
  const order = async (): Promise<ChildOptions> => ({
    address: await host.url(),
    token: await host.services.get(registrationTokens).current(ownerScope(ada.account.id)),
    file: join(folder, 'registration.json'),
    folder,
    name: 'embedded',
    labels: ['linux'],
    capacity: 1,
    user: '',
    timeout: 60_000,
    maxLogBytes: 1_048_576,
    containers: 'none',
    volumes: [],
  });
  const supervisorOf = (from: () => Promise<ChildOptions>) => new Supervisor(from, { info: add, warn: add });
  const until = async (what: string, isDone: () => boolean | Promise<boolean>) => {
    for (let left = 300; left > 0; left--) {
      if (await isDone()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`waited in vain until ${what}: ${lines.join('\n')}`);
  };
  const runners = async () => {
    const { json } = await send('GET', '/api/v1/user/actions/runners');
    return (json as { runners: { id: number; name: string; status: string }[] }).runners;
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'runner-supervisor-'));
    host = await startHost({ plugins: ['actions-runner-protocol', 'actions-runner', 'files', 'refs'] });
    ada = await signUp(host, 'ada');
    await send('POST', '/api/v1/user/repos', { name: 'mill', auto_init: true, default_branch: 'main' });
    const content = Buffer.from(workflow).toString('base64');
    await send('POST', `${api}/contents/.gitea/workflows/a.yml`, { content, branch: 'main' });
    await host.settle();
  });
  after(async () => {
    await host?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs jobs in a child process, starts it again when it was killed, and ends it with itself', async () => {
    const supervisor = supervisorOf(order);
    const ended = supervisor.run();
    await until('it is registered', () => existsSync(join(folder, 'registration.json')));
    await send('POST', `${api}/actions/workflows/a.yml/dispatches`, { ref: 'main' });
    await until('the job has ended', async () => {
      await host.settle();
      const { json } = await send('GET', `${api}/actions/jobs`);
      const { jobs } = json as { jobs: { conclusion: string; runner_name: string }[] };
      return jobs.length === 1 && jobs[0]?.conclusion === 'success' && jobs[0].runner_name === 'embedded';
    });

    const first = supervisor.pid as number;
    process.kill(first, 'SIGKILL');
    await until('another was started', () => supervisor.pid !== undefined && supervisor.pid !== first);
    expect(lines.join('\n')).to.contain('embedded runner exited with a signal; restarting it');
    expect(await runners()).to.have.length(1);

    const second = supervisor.pid as number;
    supervisor.stop();
    await ended;
    expect(supervisor.pid).to.be.undefined();
    expect(() => process.kill(second, 0)).to.throw(/ESRCH/);
  });

  it('registers again at the next start when its runner was deleted', async () => {
    for (const { id } of await runners()) await send('DELETE', `/api/v1/user/actions/runners/${id}`);
    const supervisor = supervisorOf(order);
    const ended = supervisor.run();
    await until('it is registered again', async () => (await runners()).length === 1);
    supervisor.stop();
    await ended;
    expect(lines.join('\n')).to.contain('embedded runner exited with 1; restarting it');
  });

  it('says what keeps it from starting, and can be stopped while it waits for the next try', async () => {
    lines.length = 0;
    const supervisor = supervisorOf(() => Promise.reject(new Error('no token today')));
    const ended = supervisor.run();
    await until('it has tried', () => lines.length > 0);
    supervisor.stop();
    await ended;
    expect(lines).to.equal(['could not start the embedded runner: no token today']);
  });
});
