import { withTimeout, type EventRef, type Logger } from '@mortise/plugin-sdk';
import type { ManagedBroker, CallPlugin, ManagedEvents, EventSubscription, KernelDatabase } from '../contracts.js';
import { leaseOwner } from '../leases.js';
import { Outbox } from './outbox.js';
import { Deliverer } from './deliverer.js';

interface EventsOptions {
  readonly database: KernelDatabase;
  readonly broker: ManagedBroker;
  readonly log: Logger;
  readonly call: CallPlugin;
  /** Logger tagged with the plugin; default: `log`. */
  readonly logOf?: (owner: string) => Logger;
  /** Told of `within` subscriptions that were given up at their time limit. */
  readonly timedOut?: (owner: string, what: string, error: Error) => void;
  /** For tests: longest time of a `within` subscription. */
  readonly withinMs?: number;
}

const topic = 'core.events';
/** Longest time that a `within` subscription may take; from `slowMs` on it leaves a line in the log. */
const withinMs = 60_000;
const slowMs = 1000;

/** Typed events with an outbox. Subscribe all, then `start` to deliver in the background. */
export function createEvents(options: EventsOptions): ManagedEvents {
  return new EventsOfHost(options);
}

interface Subscriber extends Pick<EventSubscription, 'owner' | 'id' | 'wants'> {
  readonly name: string;
}

class EventsOfHost implements ManagedEvents {
  readonly #options: EventsOptions;
  readonly #outbox: Outbox;
  readonly #deliverer: Deliverer;
  readonly #within = new Map<string, EventSubscription[]>();
  readonly #after = new Map<string, Subscriber[]>();
  readonly #process = leaseOwner();
  #announced = false;
  #unsubscribe: (() => void) | undefined;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.database, this.#process);
    this.#deliverer = new Deliverer({ ...options, outbox: this.#outbox, logOf: options.logOf ?? (() => options.log) });
  }

  subscribe(subscription: EventSubscription): void {
    const { event, when } = subscription;
    if (when === 'within') {
      const list = this.#within.get(event.id);
      if (list) list.push(subscription);
      else this.#within.set(event.id, [subscription]);
      return;
    }
    const { owner, id, wants } = subscription;
    const subscriber = { name: this.#deliverer.add(subscription), owner, id, ...(wants && { wants }) };
    const known = this.#after.get(event.id);
    if (known) known.push(subscriber);
    else this.#after.set(event.id, [subscriber]);
  }

  async emit<P>(event: EventRef<P>, payload: P): Promise<void> {
    const { database, call, log, logOf } = this.#options;
    if (!database.inTransaction()) throw new Error(`event ${event.id} was emitted outside of database.write`);
    for (const subscription of this.#within.get(event.id) ?? []) {
      const { owner, id } = subscription;
      if (!this.#isWanted(subscription, event.id, payload)) continue;
      const what = `event ${event.id} (${id})`;
      const began = Date.now();
      // The transaction waits for it, and on SQLite every other write waits for the transaction.
      const limit = this.#options.withinMs ?? withinMs;
      const done = withTimeout(
        limit,
        () => new Error(`the plugin ${owner} took too long with the ${what}`),
        () => call(owner, what, () => subscription.handle(payload, { log: logOf?.(owner) ?? log, attempt: 1 })),
      );
      const ms = () => Date.now() - began;
      await done.catch((error: unknown) => {
        if (ms() >= limit) this.#options.timedOut?.(owner, what, new Error(`it had not ended after ${ms()} ms`));
        throw error;
      });
      // the machine may have been slow as well, so it is no fault of the plugin
      if (ms() > slowMs)
        (logOf?.(owner) ?? log).warn('a subscription held up a write', { event: 'events.slow', what, ms: ms() });
    }
    const possible = this.#after.get(event.id) ?? [];
    // what subscriptions know is of a moment ago, and that may be over
    if (possible.some(({ wants }) => wants) && database.dataVersion() === undefined) await database.syncVersions();
    const subscribers = possible.filter((one) => this.#isWanted(one, event.id, payload));
    if (subscribers.length === 0) return;
    await this.#outbox.store(
      event.id,
      payload,
      subscribers.map(({ name }) => name),
    );
    database.afterCommit(() => this.#announce());
  }

  /** Where that cannot be told it is delivered. */
  #isWanted({ owner, id, wants }: Omit<Subscriber, 'name'>, event: string, payload: unknown): boolean {
    try {
      return wants?.(payload) ?? true;
    } catch (error) {
      const { log, logOf } = this.#options;
      (logOf?.(owner) ?? log).error('a subscription could not tell whether it wants an event', {
        event: 'events.filter',
        eventId: event,
        subscription: id,
        error,
      });
      return true;
    }
  }

  /** Wakes the delivery here and elsewhere; many events of one moment make one message. */
  #announce(): void {
    this.#deliverer.wake();
    if (this.#announced) return;
    this.#announced = true;
    setImmediate(() => {
      this.#announced = false;
      this.#options.broker
        .publish(topic, this.#process)
        .catch((error: unknown) =>
          this.#options.log.warn('could not announce an event to other processes', { event: 'events.announce', error }),
        );
    });
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#options.broker.subscribe(topic, (from) => {
      // The process that emitted goes first; the others look whether it has the lease.
      if (from !== this.#process) this.#deliverer.wake(20 + Math.random() * 30);
    });
    await this.#deliverer.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#deliverer.stop();
  }

  deliverAll(): Promise<void> {
    return this.#deliverer.deliverAll();
  }
}
