import type { Logger } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import { PluginError } from '../plugins/errors.js';
import { attributeError, attributedPlugin, isUnexpectedError } from './boundary.js';
import { ownerByStack } from './owner.js';

/**
 * `start`: the site goes on without it; `rejection`: an unhandled promise rejection; `within`: held writes up;
 * `request`: a request ended with 500; `contribution`: something that it put into an extension point threw.
 */
type PluginErrorKind = 'start' | 'rejection' | 'error' | 'within' | 'request' | 'contribution';

interface PluginErrorRecord {
  readonly plugin: string;
  readonly kind: PluginErrorKind;
  /** Where: an event and its subscription, a place in the code. */
  readonly what: string;
  readonly message: string;
  readonly count: number;
  /** Milliseconds since 1970 UTC. */
  readonly firstAt: number;
  readonly lastAt: number;
}

interface Waiting {
  readonly record: Omit<PluginErrorRecord, 'count' | 'lastAt'>;
  count: number;
  lastAt: number;
  loggedAt: number;
  /** Since the last line of the log. */
  unlogged: number;
}

const maxKinds = 500;
const flushMs = 5000;
const logIntervalMs = 60_000;
const retentionMs = 30 * 86_400_000;
const table = 'plugin_fault';

/**
 * What goes wrong in plugins where no caller hears of it. Each fault names its plugin, is said at most once a minute
 * however often it happens, and is written behind, so that other processes, the doctor and `plugins list` see it.
 */
export class PluginErrors {
  readonly #waiting = new Map<string, Waiting>();
  /** How often each was written, by key. */
  readonly #written = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #prunedAt = 0;

  constructor(
    private readonly deps: {
      readonly database: KernelDatabase;
      readonly logOf: (owner: string) => Logger;
      /** Folder of each plugin. */
      readonly folders: ReadonlyMap<string, string>;
      /** Names of those that did not come with Mortise. */
      readonly outside?: ReadonlySet<string>;
      /** Counts it for `/metrics`. */
      readonly count?: (plugin: string, what: string) => void;
      readonly now?: () => number;
    },
  ) {}

  /** `isLogged`: its line in the log is written by who records it. */
  record(plugin: string, kind: PluginErrorKind, what: string, error: unknown, { isLogged = false } = {}): void {
    const now = this.deps.now?.() ?? Date.now();
    const text = (error instanceof Error ? error.message : String(error)).slice(0, 500);
    const key = `${plugin}\0${kind}\0${what.slice(0, 160)}`;
    let one = this.#waiting.get(key);
    if (!one) {
      if (this.#waiting.size >= maxKinds) return;
      const fault = { plugin, kind, what: what.slice(0, 160), message: text, firstAt: now };
      this.#waiting.set(key, (one = { record: fault, count: 0, lastAt: now, loggedAt: 0, unlogged: 0 }));
    }
    one.count++;
    if (kind === 'start') this.deps.count?.(plugin, kind);
    one.unlogged++;
    one.lastAt = now;
    if (!isLogged && now - one.loggedAt >= logIntervalMs) {
      this.deps.logOf(plugin).error(logMessages[kind], {
        event: 'plugin.error',
        what,
        error,
        ...(one.unlogged > 1 && { times: one.unlogged }),
      });
      one.loggedAt = now;
      one.unlogged = 0;
    }
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  /** Something was thrown that nobody catches: the plugin whose code is nearest to it is at fault, else `core`. Gives it. */
  uncaught(kind: 'rejection' | 'error', error: unknown): string {
    const owner = ownerByStack(error, this.deps.folders);
    const plugin = error instanceof PluginError ? error.plugin : (owner?.plugin ?? 'core');
    this.record(plugin, kind, owner?.location ?? '', error);
    this.deps.count?.(plugin, kind);
    return plugin;
  }

  /** What a contribution to a point threw: told here once, whatever becomes of the call. */
  contribution(owner: string, point: string, error: unknown): void {
    if (!isUnexpectedError(error) || !attributeError(error, owner)) return;
    this.record(owner, 'contribution', point, error);
    this.deps.count?.(owner, point);
  }

  /**
   * Whose fault it is that a request ends with 500: a plugin from outside whose code is nearest to where the error was
   * made, or whoever was called then, or else the owner of the route.
   */
  responsiblePlugin(error: unknown, owner: string): string {
    const nearest = ownerByStack(error, this.deps.folders)?.plugin;
    return nearest !== undefined && this.deps.outside?.has(nearest) ? nearest : (attributedPlugin(error) ?? owner);
  }

  request(plugin: string, route: string, error: unknown): void {
    if (plugin !== 'core' && isUnexpectedError(error)) this.record(plugin, 'request', route, error, { isLogged: true });
  }

  /** Of this process, since it began. */
  recent(): PluginErrorRecord[] {
    return [...this.#waiting.values()].map(({ record: fault, count, lastAt }) => ({ ...fault, count, lastAt }));
  }

  /** Written by all processes in the last 30 days, the newest first. */
  async stored(): Promise<PluginErrorRecord[]> {
    const rows = await this.deps.database
      .knex()(table)
      .where('last_at', '>', (this.deps.now?.() ?? Date.now()) - retentionMs)
      .orderBy('last_at', 'desc')
      .limit(1000)
      .select<(Omit<PluginErrorRecord, 'firstAt' | 'lastAt'> & { first_at: number; last_at: number })[]>();
    return rows.map(({ first_at, last_at, ...fault }) => ({ ...fault, firstAt: first_at, lastAt: last_at }));
  }

  /** They are known and dealt with. */
  async forget(): Promise<number> {
    return this.deps.database.write(async () => this.deps.database.knex()(table).delete());
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const fresh = [...this.#waiting].filter(([key, one]) => one.count > (this.#written.get(key) ?? 0));
    if (fresh.length === 0) return;
    const { database } = this.deps;
    const counts = new Map(fresh.map(([key, one]) => [key, one.count]));
    try {
      await database.write(async () => {
        const knex = database.knex();
        for (const [key, { record: fault, lastAt }] of fresh) {
          const more = counts.get(key)! - (this.#written.get(key) ?? 0);
          const { firstAt, ...rest } = fault;
          await knex(table)
            .insert({ ...rest, count: more, first_at: firstAt, last_at: lastAt })
            .onConflict(['plugin', 'kind', 'what'])
            .merge({
              message: rest.message,
              last_at: lastAt,
              count: knex.raw('?? + ?', [`${table}.count`, more]) as unknown as number,
            });
        }
        if (Date.now() - this.#prunedAt > 3_600_000) {
          this.#prunedAt = Date.now();
          await knex(table)
            .where('last_at', '<', Date.now() - retentionMs)
            .delete();
        }
      });
      for (const [key, count] of counts) this.#written.set(key, count);
    } catch {
      // The log has said it; the next time writes it all.
    }
  }
}

const logMessages: Record<PluginErrorKind, string> = {
  start: 'a plugin could not be started; the site goes on without it',
  rejection: 'unhandled promise rejection',
  error: 'an error was thrown and nobody caught it',
  within: 'a subscription holds up every write',
  request: 'a request ended with an internal error',
  contribution: 'a contribution to an extension point failed',
};
