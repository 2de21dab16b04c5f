import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import {
  database,
  defineEvent,
  defineJob,
  defineService,
  events,
  jobs,
  type PluginDefinition,
} from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvents } from '../events/index.js';
import { PluginErrors } from '../plugin-errors/index.js';
import { summarizeErrors } from '../plugin-errors/report.js';
import { ownerByStack } from '../plugin-errors/owner.js';
import { createHost, type Host } from '../index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const happened = defineEvent<{ n: number }>('clumsy.happened');
const work = defineJob<object>('clumsy.work');
const fire = defineService<{ emit(): Promise<void>; enqueue(): Promise<string> }>('clumsy.fire');

const clumsy: PluginDefinition = {
  name: 'clumsy',
  version: '1.0.0',
  sdk: '^1.0.0',
  register(host) {
    host.service(fire, { database, events, jobs }, (services) => ({
      emit: () => services.database.write(() => services.events.emit(happened, { n: 1 })),
      enqueue: () => services.jobs.enqueue(work, {}),
    }));
    host.on(happened, 'after', 'stumble', {}, async () => {
      throw new Error('tripped over a cable');
    });
    host.job(work, { attempts: 1 }, {}, async () => {
      throw new Error('dropped the box');
    });
  },
};

describe('faults name their plugin', () => {
  let folder: string;
  let host: Host;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-faults-'));
    host = await createHost({ workDir: folder, environment: {}, logLevel: 'none', plugins: [clumsy] });
    await host.start({ background: false });
  });
  after(async () => {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const lines = () => summarizeErrors(host.composition, host.database, host.pluginErrors);

  it('a job that failed for good, and an event that was given up', async () => {
    await host.get(fire).enqueue();
    await host.jobs.runDue();
    await host.get(fire).emit();
    await host.database.write(async () => {
      await host.database.knex()('event_delivery').update({ attempts: 7 });
    });
    await host.events.deliverAll();
    expect(await lines()).to.include([
      { plugin: 'clumsy', text: '1 job clumsy.work failed for good: Error: dropped the box' },
      { plugin: 'clumsy', text: '1 event was given up by its subscription stumble: Error: tripped over a cable' },
    ]);
  });

  it('a rejected promise, by the nearest code of a plugin; many of them are one row with a count', async () => {
    const pluginErrors = new PluginErrors({
      database: host.database,
      logOf: () => host.log,
      folders: new Map([['tests', new URL('.', import.meta.url).pathname.replace(/\/$/, '')]]),
    });
    for (let count = 0; count < 3; count++) pluginErrors.uncaught('rejection', new Error('nobody listens'));
    pluginErrors.uncaught('rejection', 'a text without a stack');
    await pluginErrors.flush();
    pluginErrors.uncaught('rejection', new Error('elsewhere'));
    await pluginErrors.flush();
    const stored = await pluginErrors.stored();
    expect(stored.map(({ plugin, kind, count }) => `${plugin} ${kind} ${count}`).sort()).to.equal([
      'core rejection 1',
      'tests rejection 1',
      'tests rejection 3',
    ]);
    expect(stored.find((one) => one.count === 3)!.what).to.match(/^plugin-errors\.test\.js:\d+$/);
    expect((await lines()).map((one) => one.text).join('\n'))
      .to.contain('left a rejected promise alone')
      .and.contain('3 times');
  });

  it('an error that another one carries', () => {
    const inner = new Error('inner');
    inner.stack = 'Error: inner\n    at work (file:///plugins/lamp/dist/services/light.js:7:3)';
    const outer = new Error('outer', { cause: inner });
    outer.stack = 'Error: outer\n    at run (/mortise/core/dist/host.js:1:1)';
    const folders = new Map([['lamp', '/plugins/lamp']]);
    expect(ownerByStack(outer, folders)).to.equal({ plugin: 'lamp', location: 'dist/services/light.js:7' });
    expect(ownerByStack(new TypeError('x'), new Map([['lamp', '/plugins/la']]))).to.be.undefined();
  });

  /** Events on the host's database that tell which subscriptions took too long. */
  const eventsThatTell = (told: string[], more: Pick<Parameters<typeof createEvents>[0], 'log' | 'withinMs'>) =>
    createEvents({
      database: host.database,
      broker: {
        check: async () => undefined,
        publish: async () => undefined,
        subscribe: () => () => undefined,
        close: async () => undefined,
      },
      call: (_owner, _what, call) => call(),
      timedOut: (owner, what) => void told.push(`${owner}: ${what}`),
      ...more,
    });

  it('a subscription that holds up every write ends at its time limit, and is told', async () => {
    const told: string[] = [];
    const slow = eventsThatTell(told, { log: host.log, withinMs: 1200 });
    slow.subscribe({
      owner: 'snail',
      id: 'crawl',
      event: happened,
      when: 'within',
      handle: () => new Promise(() => undefined),
    });
    const refused = await expect(host.database.write(() => slow.emit(happened, { n: 1 }))).to.reject(Error);
    expect(refused.message).to.equal('the plugin snail took too long with the event clumsy.happened (crawl)');
    expect(told).to.equal(['snail: event clumsy.happened (crawl)']);
    // others can write again
    await host.database.write(async () => void (await host.database.knex()('plugin_fault').count()));
  });

  it('O3: a subscription that ends in time is no fault, however slow the machine was', async () => {
    const told: string[] = [];
    const lines: { level: string; message: string; fields: unknown }[] = [];
    const note = (level: string) => (message: string, fields?: unknown) => void lines.push({ level, message, fields });
    const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
    const events = eventsThatTell(told, { log });
    events.subscribe({
      owner: 'tortoise',
      id: 'walk',
      event: happened,
      when: 'within',
      handle: () => new Promise((resolve) => setTimeout(resolve, 1100)),
    });
    await host.database.write(() => events.emit(happened, { n: 1 }));
    expect(told).to.be.empty();
    expect(lines.map(({ level, message }) => `${level}: ${message}`)).to.equal([
      'warn: a subscription held up a write',
    ]);
  });

  it('health and readiness warn of it, and load balancers go on sending requests', async () => {
    host.pluginErrors.record('clumsy', 'rejection', 'x', new Error('told'));
    for (const path of ['/api/healthz', '/api/readyz']) {
      const answer = await host.inject(path);
      const health = JSON.parse(answer.payload) as { status: string; checks: Record<string, { output: string }[]> };
      expect([answer.statusCode, health.status], path).to.equal([200, 'warn']);
      expect(health.checks['plugins:faults']![0]!.output).to.contain('clumsy (rejection)').and.not.contain('told');
    }
  });

  it('doctor tells all of it, and forgets with --fix what is not kept elsewhere', async () => {
    await host.pluginErrors.flush();
    const findings = async (fix: boolean) => {
      const texts: string[] = [];
      for await (const { check, text } of host.doctor({ fix })) texts.push(`${check}: ${text}`);
      return texts.join('\n');
    };
    expect(await findings(false)).to.contain('clumsy: faults: 1 job clumsy.work failed for good');
    expect(await findings(true)).to.contain('clumsy: faults: left a rejected promise alone (x)');
    expect(await findings(false)).to.not.contain('left a rejected promise alone');
  });
});

describe('faults on both engines', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: [] });
  });
  after(() => host.close());

  it('are counted up by several processes', async () => {
    const make = () =>
      new PluginErrors({
        database: host.database as unknown as Host['database'],
        logOf: () => ({ debug() {}, info() {}, warn() {}, error() {} }),
        folders: new Map(),
      });
    const [one, two] = [make(), make()];
    for (let count = 0; count < 5; count++) one.record('a', 'within', 'x', new Error('first'));
    two.record('a', 'within', 'x', new Error('second'));
    await one.flush();
    await two.flush();
    expect(await one.stored()).to.have.length(1);
    expect((await one.stored())[0]).to.include({ count: 6, message: 'second' });
    expect(await one.forget()).to.equal(1);
  });
});
