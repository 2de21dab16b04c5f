import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineRoute, Problem } from '@mortise/plugin-sdk';
import { OverloadGuard, type Urgency } from '../http/overload.js';
import { refusalOf } from '../http/problems.js';
import { httpKit } from './http-kit.js';

export const lab = Lab.script();
const { describe, it } = lab;

const guard = (settings: Partial<ConstructorParameters<typeof OverloadGuard>[0]> = {}) =>
  new OverloadGuard({ ENABLED: true, MAX_INFLIGHT: 1, MAX_WAITING: 2, TARGET_WAIT_TIME: 40, ...settings });

const outcome = (entering: Promise<() => void>) =>
  entering.then(
    () => 'in',
    (error: Problem) => error.status,
  );

describe('LIM-15: more requests than can be worked on', () => {
  it('lets the urgent in before the others', async () => {
    const one = guard({ MAX_WAITING: 10, TARGET_WAIT_TIME: 1000 });
    const leave = await one.enter('low');
    const order: Urgency[] = [];
    const all = (['low', 'normal', 'high'] as const).map(async (urgency) => {
      const left = await one.enter(urgency);
      order.push(urgency);
      left();
    });
    leave();
    leave(); // a second call frees no second place
    await Promise.all(all);
    expect(order).to.equal(['high', 'normal', 'low']);
  });

  it('turns the least urgent away when the waiting room is full', async () => {
    const one = guard({ TARGET_WAIT_TIME: 1000 });
    const leave = await one.enter('low');
    const low = outcome(one.enter('low'));
    const normal = outcome(one.enter('normal'));
    expect(await outcome(one.enter('low'))).to.equal(503);
    const high = one.enter('high');
    expect(await low).to.equal(503);
    leave();
    (await high)();
    expect(await normal).to.equal('in');
  });

  it('lets nobody wait for longer than its urgency is worth', async () => {
    const one = guard({ TARGET_WAIT_TIME: 200 });
    await one.enter('high');
    const started = performance.now();
    const ended: Urgency[] = [];
    const waited = async (urgency: Urgency) => {
      expect(await outcome(one.enter(urgency))).to.equal(503);
      ended.push(urgency);
      return performance.now() - started;
    };
    const [normal, low] = await Promise.all([waited('normal'), waited('low')]);
    expect(low).to.be.above(190);
    expect(normal).to.be.above(790);
    expect(ended).to.equal(['low', 'normal']);
  });

  it('answers 503 over HTTP, except where health is asked for, and recovers', async () => {
    let release: (() => void) | undefined;
    const inside = async () => {
      while (!release) await sleep(2);
      const leave = release;
      release = undefined;
      return leave;
    };
    const slow = defineRoute({
      method: 'GET',
      path: '/api/v1/slow',
      access: { actor: 'anyone' },
      handler: () => new Promise<object>((resolve) => (release = () => resolve({}))),
    });
    const kit = await httpKit({
      routes: [slow],
      settings: { overload: { ENABLED: true, MAX_INFLIGHT: 1, MAX_WAITING: 0 } },
    });
    const first = kit.inject('/api/v1/slow');
    const leave = await inside();
    const second = await kit.inject('/api/v1/slow');
    expect(second.statusCode).to.equal(503);
    expect(second.headers['retry-after']).to.equal('5');
    for (const path of ['/api/healthz', '/api/readyz', '/api/livez'])
      expect((await kit.inject(path)).statusCode).to.equal(200);
    leave();
    expect((await first).statusCode).to.equal(200);
    const third = kit.inject('/api/v1/slow');
    (await inside())();
    expect((await third).statusCode).to.equal(200);
    await kit.stop();
  });
});

describe('LIM-15: visitors of paths that robots walk through', () => {
  it('are refused before other visitors, and those before who is signed in', async () => {
    const open: (() => void)[] = [];
    const page = (path: string) =>
      defineRoute({
        method: 'GET',
        path,
        access: { actor: 'anyone' },
        handler: () => new Promise<object>((resolve) => open.push(() => resolve({}))),
      });
    const kit = await httpKit({
      routes: [page('/api/v1/crawled/{name}'), page('/api/v1/plain')],
      settings: { overload: { ENABLED: true, MAX_INFLIGHT: 1, MAX_WAITING: 1, TARGET_WAIT_TIME: 5000 } },
      contributions: { 'core.crawledPaths': [{ key: 'test', includes: (path: string) => path.includes('crawled') }] },
    });
    const first = kit.inject('/api/v1/plain');
    while (open.length === 0) await sleep(2);
    const crawled = kit.inject('/api/v1/crawled/a');
    const plain = kit.inject('/api/v1/plain');
    expect((await crawled).statusCode).to.equal(503);
    expect((await kit.inject('/api/v1/crawled/b')).statusCode).to.equal(503);
    open.shift()!();
    expect((await first).statusCode).to.equal(200);
    while (open.length === 0) await sleep(2);
    open.shift()!();
    expect((await plain).statusCode).to.equal(200);
    await kit.stop();
  });
});

describe('a database that is away', () => {
  const fatal = (code: string) => Object.assign(new Error(code), { code, fatal: true });

  it('is 503, other faults are 500', () => {
    expect(refusalOf(fatal('PROTOCOL_CONNECTION_LOST')).status).to.equal(503);
    expect(refusalOf(fatal('ECONNREFUSED')).headers).to.include({ 'retry-after': '10' });
    expect(refusalOf(Object.assign(new Error('x'), { name: 'KnexTimeoutError' })).status).to.equal(503);
    expect(refusalOf(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })).status).to.equal(500);
    expect(refusalOf(fatal('ER_PARSE_ERROR')).status).to.equal(500);
  });
});
