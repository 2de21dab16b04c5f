import type { Composition } from '../compose.js';
import type { KernelDatabase } from '../contracts.js';
import type { PluginErrors } from './index.js';

/** One thing that went wrong in a plugin and still shows, in words. */
export interface ErrorSummary {
  readonly plugin: string;
  readonly text: string;
}

const times = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/** Failed jobs, events that were given up, and everything that {@link PluginErrors} keeps; for doctor and list. */
export async function summarizeErrors(
  { declarations }: Composition,
  database: KernelDatabase,
  pluginErrors: PluginErrors,
): Promise<ErrorSummary[]> {
  const lines: ErrorSummary[] = [];
  const knex = database.knex();
  const jobs = await knex('job')
    .where('state', 'failed')
    .groupBy('name')
    .select<{ name: string; count: number; error: string | null }[]>(
      'name',
      knex.raw('count(*) as count'),
      knex.raw('max(error) as error'),
    );
  for (const { name, count, error } of jobs) {
    const plugin = declarations.jobs.get(name)?.owner ?? name.split('.')[0]!;
    lines.push({ plugin, text: `${times(count, 'job', 'jobs')} ${name} failed for good: ${firstLine(error)}` });
  }
  const parked = await knex('event_delivery')
    .where('parked', true)
    .groupBy('subscriber')
    .select<{ subscriber: string; count: number; error: string | null }[]>(
      'subscriber',
      knex.raw('count(*) as count'),
      knex.raw('max(error) as error'),
    );
  for (const { subscriber, count, error } of parked) {
    const [plugin = '', id = ''] = subscriber.split('/');
    lines.push({
      plugin,
      text: `${times(count, 'event was', 'events were')} given up by its subscription ${id}: ${firstLine(error)}`,
    });
  }
  for (const { plugin, kind, what, message, count, lastAt } of await pluginErrors.stored())
    lines.push({
      plugin,
      text: `${words[kind]}${what ? ` (${what})` : ''}, ${times(count, 'time', 'times')}, last ${new Date(lastAt).toISOString()}: ${message}`,
    });
  return lines;
}

const words = {
  start: 'could not be started',
  rejection: 'left a rejected promise alone',
  error: 'threw what nobody caught',
  within: 'held up every write',
  request: 'ended requests with an internal error',
  contribution: 'failed in an extension point',
};

const firstLine = (text: string | null) => (text ?? '').split('\n', 1)[0]!.slice(0, 200);
