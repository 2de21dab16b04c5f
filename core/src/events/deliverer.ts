import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@mortise/plugin-sdk';
import type { CallPlugin, EventSubscription, KernelDatabase } from '../contracts.js';
import { StoredWorkPoller } from '../database/watch.js';
import { leaseMs, type Delivery, type Outbox, type Waiting } from './outbox.js';
import { TimeSlice } from './time-slice.js';

interface DelivererDeps {
  readonly database: KernelDatabase;
  readonly outbox: Outbox;
  readonly log: Logger;
  readonly logOf: (owner: string) => Logger;
  readonly call: CallPlugin;
}

type Handling = () => Promise<void>;

const batchSize = 50;
/** For so long what was read ahead is taken for the present state, in milliseconds. */
const aheadMs = 1000;
/** Deliveries since the last acknowledgement are repeated after a crash; this bounds them in time. */
const acknowledgeMs = 100;
/**
 * Subscribers that come to the end of what they have within this time are acknowledged by one transaction, and what is
 * stored for them meanwhile is read together.
 */
const togetherMs = 50;
const maxAttempts = 8;
const backoff = (attempt: number) => Math.min(60_000, 1000 * 2 ** (attempt - 1));
const textOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/**
 * Delivers stored events: in order for each subscriber, at least once, by one process at a time (a lease that lasts
 * while there is work). A failed delivery holds its subscriber back until it succeeds or is parked. An idle deliverer
 * only reads.
 */
export class Deliverer {
  readonly #deps: DelivererDeps;
  /** Subscriber → event → what handles it. */
  readonly #subscribers = new Map<string, Map<string, EventSubscription>>();
  /** Name that a subscriber had before → the subscriber. */
  readonly #renamed = new Map<string, string>();
  /** Subscriber → until when its lease is ours. */
  readonly #leases = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #watch: StoredWorkPoller;
  readonly #slice = new TimeSlice();
  /** Delivered and not acknowledged yet, by subscriber. */
  #done = new Map<string, number[]>();
  #acknowledging: Promise<void> | undefined;
  #hurry = new AbortController();
  #renewal: NodeJS.Timeout | undefined;
  #stopping = false;
  #prunedAt = 0;

  constructor(deps: DelivererDeps) {
    this.#deps = deps;
    this.#watch = new StoredWorkPoller(
      deps.database,
      ['event', 'event_delivery', 'event_subscriber'],
      () => this.#look(),
      (error) => deps.log.error('could not read pending events', { event: 'events.read', error }),
    );
  }

  /** Subscriptions of one plugin under one id are one subscriber: it gets all its events in one order. */
  add(subscription: EventSubscription): string {
    const name = `${subscription.owner}/${subscription.id}`;
    const events = this.#subscribers.get(name) ?? new Map<string, EventSubscription>();
    if (events.has(subscription.event.id))
      throw new Error(`event subscriber ${name} listens twice to ${subscription.event.id}`);
    events.set(subscription.event.id, subscription);
    this.#subscribers.set(name, events);
    for (const former of subscription.formerly ?? []) this.#renamed.set(former, name);
    return name;
  }

  async start(): Promise<void> {
    this.#stopping = false;
    await this.#enroll();
    await this.#deps.outbox.freeLeases();
    this.#renewal = setInterval(() => this.#renew(), leaseMs / 3);
    this.#renewal.unref();
    this.#watch.start();
  }

  async #enroll(): Promise<void> {
    await this.#deps.outbox.addSubscribers([...this.#subscribers.keys()]);
    const moved = await this.#deps.outbox.rename(this.#renamed);
    if (moved.length > 0)
      this.#deps.log.info('moved pending events to renamed subscribers', { event: 'events.moved', moved });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#renewal);
    await this.#watch.stop();
    await this.#untilIdle();
    if (this.#leases.size === 0) return;
    this.#leases.clear();
    await this.#deps.outbox.release();
  }

  wake(afterMs = 0): void {
    this.#watch.wake(afterMs);
  }

  async #look(): Promise<void> {
    const { outbox } = this.#deps;
    const waiting = (await outbox.waiting()).filter(
      ({ subscriber }) => this.#subscribers.has(subscriber) && !this.#running.has(subscriber),
    );
    if (waiting.length === 0) return;
    const now = Date.now();
    for (const { runAt } of waiting) if (runAt > now) this.#watch.later(runAt);
    const due = waiting.filter(({ runAt }) => runAt <= now);
    const ours = await this.#take(due);
    if (ours.length > 0) {
      const batches = outbox.batches(ours, batchSize);
      // each run tells of it
      batches.catch(() => undefined);
      for (const subscriber of ours) this.#run(subscriber, batches);
    }
    await this.#prune();
  }

  /** Leases what is free; for what others hold, looks again when their lease ends. */
  async #take(due: readonly Waiting[]): Promise<string[]> {
    const now = Date.now();
    const ours: string[] = [];
    const free: string[] = [];
    for (const { subscriber, owner, until } of due) {
      if ((this.#leases.get(subscriber) ?? 0) > now + leaseMs / 3) ours.push(subscriber);
      else if (until < now || owner === this.#deps.outbox.owner) free.push(subscriber);
      else this.#watch.later(until + 50);
    }
    if (free.length === 0) return ours;
    const leased = await this.#deps.outbox.lease(free);
    for (const subscriber of free) this.#leases.delete(subscriber);
    for (const subscriber of leased) this.#leases.set(subscriber, now + leaseMs);
    if (leased.length < free.length) this.#watch.later(Date.now() + 1000);
    return [...ours, ...leased];
  }

  #renew(): void {
    const busy = [...this.#running.keys()];
    if (busy.length === 0) return;
    const until = Date.now() + leaseMs;
    this.#deps.outbox
      .lease(busy)
      .then((held) => {
        for (const subscriber of busy) this.#leases.delete(subscriber);
        for (const subscriber of held) this.#leases.set(subscriber, until);
      })
      .catch((error: unknown) =>
        this.#deps.log.warn('could not renew the leases of event subscribers', { event: 'events.lease', error }),
      );
  }

  #run(subscriber: string, first: ReturnType<Outbox['batches']>): void {
    if (this.#running.has(subscriber)) return;
    const run = this.#deliver(subscriber, { first })
      .then(() => undefined)
      .catch((error: unknown) => {
        this.#deps.log.error('event delivery stopped', { event: 'events.stopped', subscriber, error });
        this.#watch.later(Date.now() + 1000);
      })
      .finally(() => {
        this.#running.delete(subscriber);
        // What was stored between the last read and now.
        this.#watch.wake();
      });
    this.#running.set(subscriber, run);
  }

  /** Delivers until nothing is due. Gives true when anything was delivered or tried. */
  async #deliver(
    subscriber: string,
    { first: known, oneOff = false }: { first?: ReturnType<Outbox['batches']>; readonly oneOff?: boolean },
  ): Promise<boolean> {
    const { outbox } = this.#deps;
    let any = false;
    while (!this.#stopping || oneOff) {
      if (!oneOff && (this.#leases.get(subscriber) ?? 0) < Date.now()) return any;
      const batch = (await (known ?? outbox.batches([subscriber], batchSize))).get(subscriber)!;
      known = undefined;
      if (batch.length === 0) return any;
      // all of them were committed before, and with them what they tell of
      await this.#deps.database.syncVersions();
      let done: number[] = [];
      let since = Date.now();
      const acknowledge = async (atOnce: boolean) => {
        if (done.length > 0) await this.#acknowledge(subscriber, done, atOnce || oneOff);
        done = [];
        since = Date.now();
      };
      const aheadUntil = Date.now() + aheadMs;
      const ahead = await this.#readAhead(subscriber, batch);
      for (const delivery of batch) {
        await this.#slice.yieldIfSpent();
        if (this.#stopping && !oneOff) break;
        if (!oneOff && delivery.run_at > Date.now()) {
          await acknowledge(false);
          this.#watch.later(delivery.run_at);
          return any;
        }
        any = true;
        const prepared = Date.now() < aheadUntil ? ahead.get(delivery.event_id) : undefined;
        const failure = await this.#handle(subscriber, delivery, prepared);
        if (failure === undefined) {
          done.push(delivery.event_id);
          if (Date.now() - since > acknowledgeMs) await acknowledge(true);
          continue;
        }
        await acknowledge(true);
        if (await this.#failed(delivery, failure.error)) continue;
        return any;
      }
      await acknowledge(batch.length === batchSize);
      // what came meanwhile is found by the look that follows
      if (batch.length < batchSize) return any;
    }
    return any;
  }

  /** With those of others, in a moment; at once where somebody waits, or more is to be delivered. */
  #acknowledge(subscriber: string, ids: readonly number[], atOnce: boolean): Promise<void> {
    if (atOnce) this.#hasten();
    this.#done.set(subscriber, [...(this.#done.get(subscriber) ?? []), ...ids]);
    return (this.#acknowledging ??= (async () => {
      // others come in the same turn
      if (atOnce) await nextTurn();
      else await sleep(togetherMs, undefined, { signal: this.#hurry.signal }).catch(() => undefined);
      const done = this.#done;
      this.#done = new Map();
      this.#acknowledging = undefined;
      await this.#deps.outbox.delivered(done);
    })());
  }

  /** By the id of the event: what handles it, where the subscriber has read ahead for several that come the first time. */
  async #readAhead(subscriber: string, batch: readonly Delivery[]): Promise<Map<number, Handling>> {
    const now = Date.now();
    const handlings = new Map<number, Handling>();
    for (const { event, id, owner, readAhead } of this.#subscribers.get(subscriber)!.values()) {
      if (!readAhead) continue;
      const due = batch.filter((one) => one.name === event.id && one.run_at <= now && one.attempts === 0);
      if (due.length < 2) continue;
      try {
        await this.#deps.call(owner, `event ${event.id} (${id})`, async () => {
          const payloads = due.map(({ payload }) => JSON.parse(payload) as unknown);
          const handle = await readAhead(payloads);
          for (const [at, { event_id: one }] of due.entries()) handlings.set(one, () => handle(payloads[at]));
        });
      } catch (error) {
        this.#deps.logOf(owner).warn('events were not read ahead', {
          event: 'events.readAhead',
          eventId: event.id,
          subscriber,
          error,
        });
      }
    }
    return handlings;
  }

  async #handle(
    subscriber: string,
    delivery: Delivery,
    prepared: Handling | undefined,
  ): Promise<{ error: unknown } | undefined> {
    const subscription = this.#subscribers.get(subscriber)!.get(delivery.name);
    // Stored for an earlier version of the plugin, which listened to this event.
    if (!subscription) return undefined;
    const { owner, id } = subscription;
    const attempt = delivery.attempts + 1;
    try {
      const usual = async () => {
        const payload: unknown = JSON.parse(delivery.payload);
        return subscription.handle(payload, { log: this.#deps.logOf(owner), attempt });
      };
      await this.#deps.call(owner, `event ${delivery.name} (${id})`, prepared ?? usual);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  /** Gives true when the delivery was parked, so that the next may go on. */
  async #failed(delivery: Delivery, error: unknown): Promise<boolean> {
    const { logOf, outbox } = this.#deps;
    const log = logOf(delivery.subscriber.split('/')[0]!);
    const attempt = delivery.attempts + 1;
    const fields = { subscriber: delivery.subscriber, eventId: delivery.event_id, attempt, error };
    if (attempt >= maxAttempts) {
      log.error('event delivery failed for good; dead-lettered it', { event: 'events.deadLettered', ...fields });
      await outbox.failed(delivery, 'park', textOf(error));
      return true;
    }
    log.warn('event delivery failed; retrying', { event: 'events.retry', ...fields });
    const runAt = Date.now() + backoff(attempt);
    await outbox.failed(delivery, { runAt }, textOf(error));
    this.#watch.later(runAt);
    return false;
  }

  async #prune(): Promise<void> {
    if (Date.now() - this.#prunedAt < 600_000) return;
    this.#prunedAt = Date.now();
    await this.#deps.outbox.prune();
  }

  /** For tests and one-off commands: everything that waits, also what waits for a retry, until nothing can be delivered. */
  async deliverAll(): Promise<void> {
    const { outbox } = this.#deps;
    await this.#enroll();
    const tried = new Set<string>();
    for (;;) {
      await this.#untilIdle();
      const waiting = (await outbox.waiting())
        .map(({ subscriber }) => subscriber)
        .filter((name) => this.#subscribers.has(name) && !tried.has(name));
      if (waiting.length === 0) return;
      const ours = await outbox.lease(waiting);
      for (const subscriber of ours) this.#leases.set(subscriber, Date.now() + leaseMs);
      for (const subscriber of waiting) {
        // Held by another process, or failing: not again in this call.
        const run =
          ours.includes(subscriber) && !this.#running.has(subscriber)
            ? this.#deliver(subscriber, { oneOff: true })
            : undefined;
        if (!run) {
          if (!ours.includes(subscriber)) tried.add(subscriber);
          continue;
        }
        this.#running.set(
          subscriber,
          run.then(() => undefined),
        );
        try {
          await run;
        } finally {
          this.#running.delete(subscriber);
        }
        const [left] = (await outbox.batches([subscriber], 1)).get(subscriber)!;
        if (left && left.attempts > 0) tried.add(subscriber);
      }
      if (!this.#watch.started) await this.#releaseAll();
    }
  }

  /** Until what is being delivered is acknowledged. */
  async #untilIdle(): Promise<void> {
    this.#hasten();
    await Promise.all(this.#running.values());
  }

  #hasten(): void {
    this.#hurry.abort();
    this.#hurry = new AbortController();
  }

  async #releaseAll(): Promise<void> {
    this.#leases.clear();
    await this.#deps.outbox.release();
  }
}
