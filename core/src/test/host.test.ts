import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import {
  defineEvent,
  defineJob,
  definePlugin,
  definePoint,
  defineRoute,
  defineService,
  events,
  jobs,
  database,
  metrics,
  reply,
  Problem,
  scheduledTasks,
} from '@mortise/plugin-sdk';
import { startHost } from '@mortise/plugin-sdk/testing';
import { createHost } from '../index.js';

export const lab = Lab.script();
const { describe, it } = lab;

interface Counter {
  next(): number;
}

/** A plugin that uses every door of the host, with its own state: two hosts must never share it. */
function everyDoor(diary: string[]) {
  const counter = defineService<Counter>('every.counter');
  const badges = definePoint.many<{ from: string; order?: number }>('every.badges');
  const done = defineEvent<{ value: number }>('every.done');
  const work = defineJob<{ value: number }>('every.work');
  return definePlugin({
    name: 'every',
    version: '1.0.0',
    sdk: '^1.0.0',
    provides: [counter, badges, done, work],
    register(host) {
      const board = host.point(badges);
      host.contribute(badges, { from: 'later', order: 200 });
      host.contribute(badges, { from: 'first', order: 1 });
      host.contribute(badges, { counter }, () => ({ from: 'made' }));
      host.service(counter, { metrics }, () => {
        let value = 0;
        return { next: () => ++value };
      });
      host.routes({ counter, events, jobs, database }, (services) => [
        defineRoute({
          method: 'GET',
          path: '/api/v1/every',
          access: { actor: 'anyone' },
          handler: () => ({ value: services.counter.next(), badges: board.list().map((one) => one.from) }),
        }),
        defineRoute({
          method: 'POST',
          path: '/api/v1/every',
          access: { actor: 'anyone' },
          async handler() {
            await services.database.write(async () => {
              await services.events.emit(done, { value: 7 });
              await services.jobs.enqueue(work, { value: 8 });
            });
            return reply.none();
          },
        }),
        defineRoute({
          method: 'GET',
          path: '/api/v1/every/fault',
          access: { actor: 'anyone' },
          handler: () => Promise.reject(new Error('a fault')),
        }),
      ]);
      host.on(done, 'within', 'veto', {}, async ({ value }) => {
        diary.push(`within ${value}`);
      });
      host.on(done, 'after', 'note', { counter }, async ({ value }) => {
        diary.push(`after ${value}`);
      });
      host.job(work, {}, {}, async ({ value }) => {
        diary.push(`job ${value}`);
      });
      host.command(
        { name: 'every greet', summary: 'Greets', options: [{ flags: '--name <name>', description: 'whom' }] },
        { counter },
        async ({ args, print }, services) => {
          if (!args.name) throw new Problem('invalid', 'a name is needed');
          print(`hello ${args.name} ${services.counter.next()}`);
        },
      );
      host.doctor('look', {}, async function* (_services, { fix }) {
        yield { level: fix ? 'ok' : 'warning', text: 'looked', fixed: fix };
      });
      host.onStart({ counter }, async () => {
        diary.push(`start with ${board.list().length}`);
        return () => void diary.push('stop');
      });
      host.whenPresent('nobody', () => diary.push('never'));
    },
  });
}

describe('the host', () => {
  it('two hosts in one process never meet', async () => {
    const [one, two]: [string[], string[]] = [[], []];
    const first = await startHost({ plugins: [everyDoor(one)] });
    const second = await startHost({ plugins: [everyDoor(two)] });
    try {
      expect((await first.inject('/api/v1/every')).json).to.equal({ value: 1, badges: ['first', 'made', 'later'] });
      expect((await first.inject('/api/v1/every')).json.value).to.equal(2);
      expect((await second.inject('/api/v1/every')).json.value).to.equal(1);
      await first.inject({ method: 'POST', url: '/api/v1/every' });
      await first.settle();
      expect(one).to.equal(['start with 3', 'within 7', 'after 7', 'job 8']);
      expect(two).to.equal(['start with 3']);
    } finally {
      await first.close();
      await second.close();
    }
    expect(one.at(-1)).to.equal('stop');
  });

  it('O6: a stop that is asked for during the start waits for no plugin that is still starting', async () => {
    const workDir = mkdtempSync(join(tmpdir(), 'mortise-host-'));
    let isStarting!: () => void;
    const begun = new Promise<void>((resolve) => (isStarting = resolve));
    const endless = definePlugin({
      name: 'endless',
      version: '1.0.0',
      sdk: '*',
      register: (plugin) => plugin.onStart({}, () => (isStarting(), new Promise<undefined>(() => undefined))),
    });
    const host = await createHost({ workDir, environment: {}, logLevel: 'none', plugins: [endless] });
    const starting = host.start();
    const failed = expect(starting).to.reject('this host is stopping');
    await begun;
    await host.stop();
    await failed;
    rmSync(workDir, { recursive: true });
  });

  it('O6: a host that was stopped before its start says so and opens nothing', async () => {
    const workDir = mkdtempSync(join(tmpdir(), 'mortise-host-'));
    const host = await createHost({ workDir, environment: {}, logLevel: 'none', plugins: [everyDoor([])] });
    await host.stop();
    await expect(host.start()).to.reject('this host is stopping');
    await expect(host.listen()).to.reject('this host is stopping');
    await host.stop();
    rmSync(workDir, { recursive: true });
  });

  it('tasks for the start of the site are not done by workers that follow others', async () => {
    const workDir = mkdtempSync(join(tmpdir(), 'mortise-host-'));
    const wake = defineJob<object>('early.wake');
    const early = definePlugin({
      name: 'early',
      version: '1.0.0',
      sdk: '*',
      register(plugin) {
        plugin.job(wake, {}, {}, async () => undefined);
        plugin.schedule('wake', '@annually', wake, {}, { runsAtStart: true });
      },
    });
    const options = { workDir, environment: {}, logLevel: 'none', plugins: [early] } as const;
    for (const [waitsForServers, runs] of [
      [true, 0],
      [false, 1],
    ] as const) {
      const host = await createHost({ ...options, waitsForServers });
      await host.start();
      const services = host.composition.container.resolve({ scheduledTasks }, 'core');
      const [task] = await services.scheduledTasks.list();
      expect(task).to.include({ name: 'early_wake', runs });
      await host.stop();
    }
    rmSync(workDir, { recursive: true });
  });

  it('runs commands of plugins, also before any start', async () => {
    const workDir = mkdtempSync(join(tmpdir(), 'mortise-host-'));
    const host = await createHost({ workDir, environment: {}, logLevel: 'none', plugins: [everyDoor([])] });
    const lines: string[] = [];
    await host.runCommand('every greet', { name: 'ada' }, (line) => lines.push(line));
    expect(lines).to.equal(['hello ada 1']);
    await expect(host.runCommand('every greet', {}, () => undefined)).to.reject('a name is needed');
    await host.stop();
    await host.stop();
    rmSync(workDir, { recursive: true, force: true });
  });

  it('measures calls into plugins and counts their faults', async () => {
    const host = await startHost({ plugins: [everyDoor([])], settings: { metrics: { ENABLED: true } } });
    try {
      expect((await host.inject('/api/v1/every/fault')).statusCode).to.equal(500);
      const { payload } = await host.inject('/metrics');
      expect(payload).to.match(/mortise_plugin_errors_total\{plugin="every"[^}]*\} 1/);
      expect(payload).to.contain('mortise_plugin_call_seconds_count{plugin="every"');
    } finally {
      await host.close();
    }
  });

  it('examines itself, with the doctors of plugins', async () => {
    const workDir = mkdtempSync(join(tmpdir(), 'mortise-host-'));
    const host = await createHost({ workDir, environment: {}, logLevel: 'none', plugins: [everyDoor([])] });
    const look = async (fix: boolean) => {
      const found: string[] = [];
      for await (const { check, level, fixed } of host.doctor({ fix }))
        found.push(`${check} ${level}${fixed ? ' fixed' : ''}`);
      return found;
    };
    expect(await look(false))
      .to.include('core: migrations error')
      .and.not.include('every: look warning');
    expect(await look(true)).to.include(['core: migrations warning fixed', 'every: look ok fixed']);
    expect(await look(false)).to.include([
      'core: database ok',
      'core: migrations ok',
      'core: storage ok',
      'every: look warning',
    ]);
    await host.stop();
    rmSync(workDir, { recursive: true, force: true });
  });

  it('answers on its listening address', async () => {
    const host = await startHost({ plugins: [everyDoor([])] });
    try {
      const url = await host.url();
      expect(await (await fetch(`${url}/api/v1/version`)).json()).to.include('version');
      expect(host.site.rootUrl).to.equal(url);
    } finally {
      await host.close();
    }
  });

  it('closes what it opened when opening fails halfway', { skip: !existsSync('/proc/self/fd') }, async () => {
    const workDir = mkdtempSync(join(tmpdir(), 'mortise-halfway-'));
    const openFiles = () =>
      readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/self/fd/${fd}`)].filter((path) => path.startsWith(workDir));
        } catch {
          // the descriptor of this very list
          return [];
        }
      });
    const environment = { MORTISE__cache__ADAPTER: 'redis' };
    await expect(createHost({ workDir, root: workDir, environment, logLevel: 'none' })).to.reject(/\[cache\] ADAPTER/);
    expect(openFiles()).to.equal([]);
    rmSync(workDir, { recursive: true });
  });
});
