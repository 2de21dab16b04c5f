import cluster from 'node:cluster';
import type { Logger } from '@mortise/plugin-sdk';
import type { ManagedBroker } from '../contracts.js';
import { Topics } from './topics.js';

/** What workers and the primary of a cluster send each other. */
interface Relayed {
  readonly mortiseBroker: true;
  readonly topic: string;
  /** JSON text. */
  readonly message: string;
}

const isRelayed = (value: unknown): value is Relayed =>
  typeof value === 'object' && value !== null && 'mortiseBroker' in value;

/** Messages within one process and, in a worker of node:cluster, to the other workers through the primary. */
export class MemoryBroker implements ManagedBroker {
  readonly #topics: Topics;
  readonly #fromPrimary = (value: unknown) => {
    if (isRelayed(value)) this.#topics.deliver(value.topic, JSON.parse(value.message));
  };

  constructor(log: Logger) {
    this.#topics = new Topics(log);
    if (cluster.isWorker) process.on('message', this.#fromPrimary);
  }

  publish(topic: string, message: unknown): Promise<void> {
    const text = JSON.stringify(message ?? null);
    setImmediate(() => this.#topics.deliver(topic, JSON.parse(text)));
    if (cluster.isWorker && process.connected) {
      // A closed channel: the primary is gone, and with it this worker soon.
      process.send?.(
        { mortiseBroker: true, topic, message: text } satisfies Relayed,
        undefined,
        undefined,
        () => undefined,
      );
    }
    return Promise.resolve();
  }

  subscribe(topic: string, handler: (message: unknown) => void): () => void {
    return this.#topics.subscribe(topic, handler);
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#topics.clear();
    process.off('message', this.#fromPrimary);
    return Promise.resolve();
  }
}

/** Called once in the primary of node:cluster: passes what one worker publishes to the others. */
export function relayInPrimary(): void {
  cluster.on('message', (from, value: unknown) => {
    if (!isRelayed(value)) return;
    for (const worker of Object.values(cluster.workers ?? {})) {
      if (worker && worker.id !== from.id && worker.isConnected()) worker.send(value, () => undefined);
    }
  });
}
