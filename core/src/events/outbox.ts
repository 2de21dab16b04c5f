import type { KernelDatabase } from '../contracts.js';
import { goneAmong } from '../leases.js';

export interface Delivery {
  readonly subscriber: string;
  readonly event_id: number;
  readonly attempts: number;
  readonly run_at: number;
  readonly name: string;
  readonly payload: string;
}

export interface Waiting {
  readonly subscriber: string;
  readonly runAt: number;
  readonly owner: string | null;
  readonly until: number;
}

/** How long a process keeps the right to deliver to a subscriber without renewing it. */
export const leaseMs = 15_000;
const maxParkedMs = 30 * 86_400_000;

/** The tables behind the delivery of events: one event, and one row for each subscriber that still has to get it. */
export class Outbox {
  readonly #database: KernelDatabase;
  readonly owner: string;

  constructor(database: KernelDatabase, owner: string) {
    this.#database = database;
    this.owner = owner;
  }

  async store(name: string, payload: unknown, subscribers: readonly string[]): Promise<void> {
    const database = this.#database;
    const event = { name, payload: JSON.stringify(payload ?? null), emitted_at: Date.now() };
    await database.rows.insertWith({ tableName: 'event' }, event, {
      table: { tableName: 'event_delivery' },
      rows: subscribers.map((subscriber) => ({ subscriber })),
      column: 'event_id',
    });
  }

  /** Subscribers with something to deliver, when their oldest is due, and who has the lease. Only reads. */
  async waiting(): Promise<Waiting[]> {
    // One look into an index for each subscriber, however much waits.
    const oldest = 'select min(w.event_id) from event_delivery w where w.parked = ? and w.subscriber = s.subscriber';
    const { rows } = await this.#database.statement(
      `select s.subscriber as subscriber, s.lease_owner as owner, s.lease_until as until, d.run_at as runAt
       from event_subscriber s join event_delivery d on d.subscriber = s.subscriber and d.event_id = (${oldest})`,
      [false],
    );
    return rows as Waiting[];
  }

  async addSubscribers(names: readonly string[]): Promise<void> {
    const known = await this.#database.knex()('event_subscriber').pluck<string[]>('subscriber');
    const missing = names.filter((name) => !known.includes(name));
    if (missing.length === 0) return;
    await this.#database.write(async () => {
      await this.#database
        .knex()('event_subscriber')
        .insert(missing.map((subscriber) => ({ subscriber, lease_until: 0 })))
        .onConflict('subscriber')
        .ignore();
    });
  }

  /** Gives what waits for former names to those who bear the new ones. Gives the names that had something. */
  async rename(names: ReadonlyMap<string, string>): Promise<string[]> {
    if (names.size === 0) return [];
    const knex = this.#database.knex();
    const left = await knex('event_delivery')
      .distinct('subscriber')
      .whereIn('subscriber', [...names.keys()]);
    if (left.length === 0) return [];
    const columns = 'event_id, attempts, run_at, parked, error';
    const insert = this.#database.engine === 'mysql' ? 'insert ignore' : 'insert or ignore';
    await this.#database.write(async () => {
      const inside = this.#database.knex();
      for (const { subscriber } of left as { subscriber: string }[]) {
        // An older process may have stored the same event for both.
        await inside.raw(
          `${insert} into event_delivery (subscriber, ${columns}) select ?, ${columns} from event_delivery where subscriber = ?`,
          [names.get(subscriber)!, subscriber],
        );
        await inside('event_delivery').where({ subscriber }).delete();
        await inside('event_subscriber').where({ subscriber }).delete();
      }
    });
    return left.map(({ subscriber }) => subscriber as string);
  }

  /** Takes or renews leases; gives the subscribers that are ours now. */
  async lease(names: readonly string[]): Promise<string[]> {
    return this.#database.write(async () => {
      const knex = this.#database.knex();
      const now = Date.now();
      const ours: string[] = [];
      for (const subscriber of names) {
        const changed = await knex('event_subscriber')
          .where({ subscriber })
          .andWhere((free) => free.where('lease_until', '<', now).orWhere('lease_owner', this.owner))
          .update({ lease_owner: this.owner, lease_until: now + leaseMs });
        if (changed > 0) ours.push(subscriber);
      }
      return ours;
    });
  }

  /** Lets others deliver to subscribers whose process of this machine has ended. */
  async freeLeases(): Promise<void> {
    const leased = () => this.#database.knex()('event_subscriber').where('lease_until', '>', 0);
    const gone = goneAmong(await leased().distinct('lease_owner').pluck<(string | null)[]>('lease_owner'));
    if (gone.length > 0)
      await this.#database.write(
        async () => void (await leased().whereIn('lease_owner', gone).update({ lease_owner: null, lease_until: 0 })),
      );
  }

  async release(): Promise<void> {
    await this.#database.write(async () => {
      await this.#database
        .knex()('event_subscriber')
        .where({ lease_owner: this.owner })
        .update({ lease_owner: null, lease_until: 0 });
    });
  }

  /** The oldest that wait for each of them, in their order. */
  async batches(subscribers: readonly string[], limit: number): Promise<Map<string, Delivery[]>> {
    const own = `select d.subscriber, d.event_id, d.attempts, d.run_at, e.name, e.payload
       from event_delivery d join event e on e.id = d.event_id
       where d.subscriber = ? and d.parked = ? order by d.event_id limit ?`;
    const answer = await this.#database.statement(
      subscribers.map((_name, at) => `select * from (${own}) as batch${at}`).join(' union all '),
      subscribers.flatMap((subscriber) => [subscriber, false, limit]),
    );
    const sorted = (answer.rows as Delivery[]).toSorted((one, other) => one.event_id - other.event_id);
    return new Map(subscribers.map((name) => [name, sorted.filter(({ subscriber }) => subscriber === name)]));
  }

  /** Forgets deliveries that succeeded, by subscriber, and events that nobody waits for any more. */
  async delivered(done: ReadonlyMap<string, readonly number[]>): Promise<void> {
    const database = this.#database;
    const ids = [...new Set([...done.values()].flat())];
    const listOf = (of: readonly number[]) => `(${of.map(() => '?').join(', ')})`;
    await database.write(async () => {
      // Two subscribers that finish an event at the same moment take turns, so that the second sees the first gone.
      if (database.engine === 'mysql')
        await database.pipelined(`select id from event where id in ${listOf(ids)} order by id for update`, ids);
      for (const [subscriber, own] of done)
        await database.pipelined(`delete from event_delivery where subscriber = ? and event_id in ${listOf(own)}`, [
          subscriber,
          ...own,
        ]);
      await database.pipelined(
        `delete from event where id in ${listOf(ids)}
         and not exists (select 1 from event_delivery where event_delivery.event_id = event.id)`,
        ids,
      );
    });
  }

  async failed(delivery: Delivery, next: { runAt: number } | 'park', error: string): Promise<void> {
    await this.#database.write(async () => {
      await this.#database
        .knex()('event_delivery')
        .where({ subscriber: delivery.subscriber, event_id: delivery.event_id })
        .update({
          attempts: delivery.attempts + 1,
          error: error.slice(0, 4000),
          parked: next === 'park',
          run_at: next === 'park' ? 0 : next.runAt,
        });
    });
  }

  /** Drops parked deliveries of long ago, and events that two processes finished at the same moment. */
  async prune(): Promise<void> {
    const old = Date.now() - 3_600_000;
    const knex = this.#database.knex();
    const dead = await knex('event')
      .where('emitted_at', '<', old)
      .whereNotExists(
        knex('event_delivery')
          .select(knex.raw('1'))
          .whereRaw('event_delivery.event_id = event.id')
          .andWhere((kept) =>
            kept.where('event_delivery.parked', false).orWhere('event.emitted_at', '>=', Date.now() - maxParkedMs),
          ),
      )
      .limit(1000)
      .pluck<number[]>('id');
    if (dead.length === 0) return;
    await this.#database.write(async () => {
      const inside = this.#database.knex();
      await inside('event_delivery').whereIn('event_id', dead).delete();
      await inside('event').whereIn('id', dead).delete();
    });
  }
}
