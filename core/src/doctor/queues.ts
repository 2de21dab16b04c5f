import type { Finding } from '@mortise/plugin-sdk';
import type { Composition } from '../compose.js';
import type { KernelDatabase } from '../contracts.js';

/** A lease that ended a moment ago may be about to be renewed. */
const lateMs = 60_000;

const count = (number: number, one: string, many: string) => (number === 1 ? `1 ${one}` : `${number} ${many}`);

/** Locks whose holder is gone. They hold nobody up, since their lease has ended. */
export async function* checkLocks(database: KernelDatabase, fix: boolean): AsyncGenerator<Finding> {
  const left = () =>
    database
      .knex()('lock')
      .where('held_until', '<', Date.now() - lateMs);
  const names = await left().pluck<string[]>('name');
  if (names.length === 0) return;
  if (fix) await database.write(async () => void (await left().delete()));
  yield {
    level: 'warning',
    text: `${count(names.length, 'lock was', 'locks were')} left by killed processes: ${names.slice(0, 5).join(', ')}`,
    fixed: fix,
  };
}

/** Events that wait for subscriptions which the plugins here have not; those of plugins that are only off may wait. */
export async function* checkMissingSubscribers(
  { declarations, plugins, found }: Composition,
  database: KernelDatabase,
  fix: boolean,
): AsyncGenerator<Finding> {
  const known = new Set(
    declarations.subscriptions.flatMap(({ owner, id, formerly }) => [`${owner}/${id}`, ...formerly]),
  );
  const loaded = new Set(plugins.map(({ definition }) => definition.name));
  const off = new Set(found.map(({ name }) => name).filter((name) => !loaded.has(name)));
  const waiting = await database
    .knex()('event_delivery')
    .groupBy('subscriber')
    .select<{ subscriber: string; count: number }[]>('subscriber', database.knex().raw('count(*) as count'));
  const lost = waiting.filter(({ subscriber }) => !known.has(subscriber) && !off.has(subscriber.split('/')[0]!));
  if (lost.length === 0) return;
  const names = lost.map(({ subscriber }) => subscriber);
  if (fix)
    await database.write(
      async () => void (await database.knex()('event_delivery').whereIn('subscriber', names).delete()),
    );
  yield {
    level: 'warning',
    text: `${count(
      lost.reduce((sum, one) => sum + Number(one.count), 0),
      'event waits',
      'events wait',
    )} for subscriptions that no plugin here has: ${names.slice(0, 5).join(', ')}`,
    fixed: fix,
  };
}

/** Gives jobs that failed for good and deliveries that were given up one more chance. */
export async function retryDeadLettered({ declarations }: Composition, database: KernelDatabase): Promise<Finding[]> {
  const findings: Finding[] = [];
  const known = [...declarations.jobs.keys()];
  await database.write(async () => {
    const knex = database.knex();
    const failed = () => knex('job').where('state', 'failed');
    // of plugins that are gone: nobody would ever run them
    const dropped = await failed().whereNotIn('name', known).delete();
    const fresh = { state: 'waiting', attempts: 0, run_at: Date.now(), ended_at: null, error: null };
    const jobs = await failed().update(fresh);
    const events = await knex('event_delivery').where('parked', true).update({ parked: false, attempts: 0, run_at: 0 });
    const say = (number: number, one: string, many: string, then: string) => {
      if (number > 0) findings.push({ level: 'warning', text: `${count(number, one, many)} ${then}`, fixed: true });
    };
    say(jobs, 'failed job', 'failed jobs', 'will be tried again');
    say(dropped, 'failed job', 'failed jobs', 'of plugins that are not here any more went');
    say(events, 'event that was given up', 'events that were given up', 'will be delivered again');
  });
  return findings;
}
