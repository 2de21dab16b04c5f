import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { defineJob, definePlugin, scheduledTasks } from '@mortise/plugin-sdk';
import type { TestClient, TestHost } from '@mortise/plugin-sdk/testing';
import { startHost, submitForm } from '@mortise/plugin-sdk/testing';
import { startAdmin } from './user-fixtures.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const wind = defineJob<{ turns: number }>('test-clock.wind');

describe('regular tasks, for administrators', () => {
  let host: TestHost;
  let root: TestClient;
  let ada: TestClient;
  const wound: number[] = [];
  const begun = Date.now();
  /** Of a regular time that does not come while this runs. */
  const hour = (new Date(begun).getUTCHours() + 12) % 24;
  const clock = definePlugin({
    name: 'test-clock',
    version: '1.0.0',
    sdk: '*',
    register(registering) {
      registering.job(wind, {}, {}, async ({ turns }) => void wound.push(turns));
      registering.schedule('wind-up', `17 ${hour} * * *`, wind, { turns: 3 });
      const names = { taskName: 'oil_everything', title: 'Oil the clock' };
      registering.schedule('oil', '@midnight', wind, { turns: 0 }, names);
    },
  });

  before(async () => {
    ({ host, root, ada } = await startAdmin({ plugins: ['admin', clock] }));
  });
  after(() => host.close());

  const url = '/api/v1/admin/cron';
  const task = async () =>
    (await root.inject(`${url}?limit=50`)).json.find((one: { name: string }) => one.name === 'test_clock_wind_up');

  it('lists them, page by page', async () => {
    const all = await root.inject(`${url}?limit=50`);
    expect(all.statusCode).to.equal(200);
    expect(await task()).to.include({ schedule: `17 ${hour} * * *`, prev: '0001-01-01T00:00:00Z', exec_times: 0 });
    expect((await task()).next as string).to.endWith(`T${String(hour).padStart(2, '0')}:17:00Z`);
    const names = all.json.map(({ name }: { name: string }) => name);
    expect(names).to.include('oil_everything');
    expect(names).to.not.include('test_clock_oil');
    const second = await root.inject(`${url}?limit=1&page=2`);
    expect([second.json.length, second.headers['x-total-count']]).to.equal([1, all.headers['x-total-count']]);
    expect((await root.inject(`${url}?limit=50&page=9`)).json).to.equal([]);
  });

  it('does one at once, over the API and from the page', async () => {
    const run = (name: string) => root.inject({ method: 'POST', url: `${url}/${name}` });
    expect((await run('test_clock_wind_up')).statusCode).to.equal(204);
    expect((await run('no_such_task')).statusCode).to.equal(404);
    await host.settle();
    const page = await root.inject('/-/admin/tasks');
    expect(page.payload).to.include([
      'test_clock_wind_up',
      'Run now: test_clock_wind_up',
      'Run now: Oil the clock',
      'Delete old system notices',
    ]);
    expect((await root.inject('/-/admin/tasks?done=oil_everything')).payload).to.include('Oil the clock will run');
    const posted = await submitForm(root, '/-/admin/tasks', { name: 'test_clock_wind_up' });
    expect([posted.statusCode, posted.headers.location]).to.equal([303, '/-/admin/tasks?done=test_clock_wind_up']);
    await host.settle();
    // the oil may be due, at midnight
    expect(wound.filter((turns) => turns > 0)).to.equal([3, 3]);
    const { exec_times: times, prev } = await task();
    expect(times).to.equal(2);
    expect(Date.parse(prev)).to.be.within(begun - 1000, Date.now() + 1000);
  });

  it('the page of scheduled tasks is for administrators', async () => {
    for (const [client, status] of [
      [ada, 403],
      [host, 401],
    ] as const) {
      expect((await client.inject(url)).statusCode).to.equal(status);
      expect((await client.inject({ method: 'POST', url: `${url}/test_clock_wind_up` })).statusCode).to.equal(status);
    }
    expect((await root.inject(`${url}/test_clock_wind_up`)).statusCode).to.equal(405);
  });
});

describe('issue 30: times of regular tasks', () => {
  const plugins = ['admin', 'accounts', 'packages', 'files', 'lfs', 'git', 'webhooks'];
  /** Those of the compatible service, and whether they are not there when they are switched off. */
  const names = {
    archive_cleanup: false,
    cleanup_hook_task_table: true,
    cleanup_packages: false,
    delete_old_system_notices: false,
    gc_lfs: false,
    repo_health_check: true,
    sync_external_users: false,
  };
  const tasksWith = async (settings: Record<string, Record<string, unknown>>) => {
    const host = await startHost({ plugins, settings });
    const tasks = await host.services.get(scheduledTasks).list();
    await host.close();
    return tasks.filter(({ name }) => name in names).map(({ name, schedule, runs }) => [name, schedule, runs]);
  };

  it('are as their sections say, and at the start where these say so', async () => {
    const section = { SCHEDULE: '13 4 * * *', RUN_AT_START: true };
    const settings = Object.fromEntries(Object.keys(names).map((name) => [`cron.${name}`, section]));
    expect(await tasksWith(settings)).to.equal(Object.keys(names).map((name) => [name, '13 4 * * *', 1]));
    const off = Object.fromEntries(Object.keys(names).map((name) => [`cron.${name}`, { ENABLED: false }]));
    const left = Object.entries(names).filter(([, goes]) => !goes);
    expect((await tasksWith(off)).map(([name, , runs]) => [name, runs])).to.equal(left.map(([name]) => [name, 0]));
  });
});
