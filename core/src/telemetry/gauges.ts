import { statfs } from 'node:fs/promises';
import type { GaugeReading, Metrics, QueueState, SiteState } from '@mortise/plugin-sdk';
import { lastBackupAt } from '../backup/last-backup.js';
import type { ManagedCache } from '../cache/index.js';
import type { KernelDatabase, ManagedStorage } from '../contracts.js';

interface Watched {
  readonly metrics: Metrics;
  readonly database: KernelDatabase;
  readonly storage: ManagedStorage;
  readonly cache: Pick<ManagedCache, 'sizes'>;
  readonly workDir: string;
}

type Rows = Exclude<GaugeReading, number>;

/** Of each state so many jobs are looked at, the oldest first, so that the answer costs the same however many wait. */
const maxJobs = 20_000;
/** Gauges that come from one look share it. */
const sharedMs = 500;

/** What fills up or falls behind before something breaks: queues, events, connections, disks, caches. */
export function kernelGauges({ metrics, database, storage, cache, workDir }: Watched): SiteState {
  const ofSite = (name: string, help: string, labels: string[], read: () => Promise<Rows>) =>
    metrics.gauge(name, help, read, { labels, scope: 'site' });

  const queues = shared(() => jobsByQueue(database));
  ofSite('mortise_jobs', `Jobs by queue and state (at most ${maxJobs} of a state)`, ['queue', 'state'], async () =>
    (await queues()).map(({ queue, state, count }) => ({ labels: { queue, state }, value: count })),
  );
  ofSite('mortise_jobs_oldest_seconds', 'How long the oldest job of a queue has been due', ['queue'], async () =>
    (await queues())
      .filter(({ state }) => state === 'waiting')
      .map(({ queue, runAt }) => ({ labels: { queue }, value: secondsSince(runAt) })),
  );

  const backlog = shared(() => eventsBySubscriber(database));
  ofSite('mortise_events_waiting', 'Events that a subscriber has yet to get', ['subscriber'], async () =>
    (await backlog())
      .filter(({ parked }) => !parked)
      .map(({ subscriber, count }) => ({ labels: { subscriber }, value: count })),
  );
  ofSite('mortise_events_oldest_seconds', 'Age of the oldest event that waits', ['subscriber'], async () =>
    (await backlog())
      .filter(({ parked }) => !parked)
      .map(({ subscriber, emittedAt }) => ({ labels: { subscriber }, value: secondsSince(emittedAt) })),
  );
  ofSite('mortise_events_parked', 'Events whose delivery was given up', ['subscriber'], async () =>
    (await backlog())
      .filter(({ parked }) => parked)
      .map(({ subscriber, count }) => ({ labels: { subscriber }, value: count })),
  );

  metrics.gauge(
    'mortise_database_connections',
    'Connections to the database by pool: max, open, used',
    () =>
      database
        .pools()
        .flatMap(({ pool, max, size, used }) =>
          Object.entries({ max, open: size, used }).map(([state, value]) => ({ labels: { pool, state }, value })),
        ),
    { labels: ['pool', 'state'] },
  );
  metrics.gauge(
    'mortise_database_waiting',
    'Work that waits for a connection',
    () => database.pools().map(({ pool, waiting }) => ({ labels: { pool }, value: waiting })),
    { labels: ['pool'] },
  );

  const disks = shared(() => disksOf(new Map([['work', workDir], ...storage.folders()])));
  ofSite('mortise_disk_size_bytes', 'Size of the disk below a folder', ['folder'], async () =>
    (await disks()).map(({ folder, size }) => ({ labels: { folder }, value: size })),
  );
  ofSite('mortise_disk_free_bytes', 'What this user may still write there', ['folder'], async () =>
    (await disks()).map(({ folder, free }) => ({ labels: { folder }, value: free })),
  );

  metrics.gauge(
    'mortise_cache_entries',
    'Entries of caches in memory',
    () => cache.sizes().map(({ name, entries }) => ({ labels: { cache: name }, value: entries })),
    { labels: ['cache'] },
  );
  metrics.gauge(
    'mortise_cache_bytes',
    'Bytes of caches that are bounded by them',
    () =>
      cache
        .sizes()
        .filter(({ bytes }) => bytes > 0)
        .map(({ name, bytes }) => ({ labels: { cache: name }, value: bytes })),
    { labels: ['cache'] },
  );
  return { queues: async () => byName(await queues()), disks, lastBackupAt: () => lastBackupAt(workDir) };
}

function byName(found: readonly Queue[]): QueueState[] {
  const all = new Map<string, Record<string, number>>();
  for (const { queue, state, count } of found) all.set(queue, { ...all.get(queue), [state]: count });
  return [...all]
    .map(([name, { waiting = 0, running = 0, failed = 0 }]) => ({ name, waiting, running, failed }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const secondsSince = (at: number): number => Math.max(0, (Date.now() - at) / 1000);

/** One look for all who ask at the same moment; one that failed is not kept. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let last: { at: number; found: Promise<T> } | undefined;
  return () => {
    if (last && performance.now() - last.at < sharedMs) return last.found;
    const mine = { at: performance.now(), found: look() };
    last = mine;
    mine.found.catch(() => {
      if (last === mine) last = undefined;
    });
    return mine.found;
  };
}

interface Queue {
  readonly queue: string;
  readonly state: string;
  readonly count: number;
  readonly runAt: number;
}

async function jobsByQueue(database: KernelDatabase): Promise<Queue[]> {
  const knex = database.knex();
  // Each has an index that gives the oldest of the state first.
  const orders = { waiting: 'run_at', running: 'lease_until', failed: 'ended_at' };
  const all = await Promise.all(
    Object.entries(orders).map(async ([state, order]) => {
      const some = knex('job').where({ state }).orderBy(order).limit(maxJobs).select('name', 'run_at').as('some');
      const rows = await knex
        .from(some)
        .groupBy('name')
        .select<{ name: string; count: number; at: number }[]>(
          'name',
          knex.raw('count(*) as count'),
          knex.raw('min(run_at) as at'),
        );
      return rows.map(({ name, count, at }) => ({ queue: name, state, count: Number(count), runAt: Number(at) }));
    }),
  );
  return all.flat();
}

interface Backlog {
  readonly subscriber: string;
  readonly parked: boolean;
  readonly count: number;
  readonly emittedAt: number;
}

/** Answered from the index over `parked`, `subscriber` and `event_id`, and one event for each subscriber. */
async function eventsBySubscriber(database: KernelDatabase): Promise<Backlog[]> {
  const knex = database.knex();
  const counts = knex('event_delivery')
    .groupBy('parked', 'subscriber')
    .select('parked', 'subscriber', knex.raw('count(*) as count'), knex.raw('min(event_id) as oldest'))
    .as('counts');
  const rows = await knex
    .from(counts)
    .join('event', 'event.id', 'counts.oldest')
    .select<{ parked: number; subscriber: string; count: number; emitted_at: number }[]>(
      'counts.parked',
      'counts.subscriber',
      'counts.count',
      'event.emitted_at',
    );
  return rows.map(({ parked, subscriber, count, emitted_at }) => ({
    subscriber,
    parked: Boolean(parked),
    count: Number(count),
    emittedAt: Number(emitted_at),
  }));
}

interface Disk {
  readonly folder: string;
  readonly size: number;
  readonly free: number;
}

async function disksOf(folders: ReadonlyMap<string, string>): Promise<Disk[]> {
  const readings = await Promise.all(
    [...folders].map(async ([folder, path]) => {
      const about = await statfs(path).catch(() => undefined); // nothing was stored there yet
      return about ? [{ folder, size: about.blocks * about.bsize, free: about.bavail * about.bsize }] : [];
    }),
  );
  return readings.flat();
}
