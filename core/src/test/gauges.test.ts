import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, defineEvent, defineJob, definePlugin, events, jobs } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const slowJob = defineJob<{ n: number }>('queues.slow');
const brokenJob = defineJob<{ n: number }>('queues.broken');
const happened = defineEvent<{ n: number }>('queues.happened');

const queues = definePlugin({
  name: 'queues',
  version: '1.0.0',
  sdk: '^1.0.0',
  provides: [slowJob, brokenJob, happened],
  register(host) {
    host.job(slowJob, {}, {}, async () => undefined);
    host.job(brokenJob, { attempts: 1 }, {}, async () => {
      throw new Error('it is broken');
    });
    host.on(happened, 'after', 'listen', {}, async () => undefined);
  },
});

describe('F11: gauges of what fills up and falls behind', () => {
  let host: TestHost;
  const value = async (line: string): Promise<number> => {
    const { payload } = await host.inject('/metrics');
    const found = payload.split('\n').find((one) => one.startsWith(`${line} `));
    return Number(found?.slice(line.length + 1));
  };

  before(async () => {
    host = await startHost({ plugins: [queues], settings: { metrics: { ENABLED: true } } });
  });
  after(() => host.close());

  it('queues: waiting, failed, and how long the oldest is due', async () => {
    const work = host.services.get(jobs);
    await work.enqueue(brokenJob, { n: 1 });
    await host.settle();
    expect(await value('mortise_jobs{queue="queues.broken",state="failed"}')).to.equal(1);
    await new Promise((resolve) => setTimeout(resolve, 600)); // gauges share one look for half a second
    for (let n = 0; n < 3; n++) await work.enqueue(slowJob, { n }, { runAt: Date.now() - 90_000 });
    expect(await value('mortise_jobs{queue="queues.slow",state="waiting"}')).to.equal(3);
    expect(await value('mortise_jobs_oldest_seconds{queue="queues.slow"}')).to.be.between(89, 120);
  });

  it('events: what each subscriber has yet to get, and what was given up', async () => {
    const data = host.services.get(database);
    for (let n = 0; n < 2; n++) await data.write(() => host.services.get(events).emit(happened, { n }));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await value('mortise_events_waiting{subscriber="queues/listen"}')).to.equal(2);
    expect(await value('mortise_events_oldest_seconds{subscriber="queues/listen"}')).to.be.between(0, 60);
    await data.write(async () => void (await data.knex()('event_delivery').update({ parked: true })));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await value('mortise_events_parked{subscriber="queues/listen"}')).to.equal(2);
  });

  it('connections, disks and caches', async () => {
    expect(await value('mortise_database_connections{pool="write",state="max"}')).to.be.at.least(1);
    expect(await value('mortise_database_waiting{pool="read"}')).to.equal(0);
    expect(await value('mortise_disk_free_bytes{folder="work"}')).to.be.above(0);
    const { payload } = await host.inject('/metrics');
    expect(payload).to.contain('# TYPE mortise_cache_entries gauge');
  });

  it('counts events from an index alone', async () => {
    const data = host.services.get(database);
    if (data.engine !== 'sqlite') return;
    const plan = (await data
      .knex()
      .raw(
        `explain query plan select parked, subscriber, count(*), min(event_id) from event_delivery group by parked, subscriber`,
      )) as { detail: string }[];
    expect(plan.map(({ detail }) => detail).join('\n')).to.contain('COVERING INDEX');
    expect(plan.map(({ detail }) => detail).join('\n')).to.not.contain('TEMP B-TREE');
  });
});
