/** Metrics of all workers in one answer: whoever is asked asks the others by way of the primary. */
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';

/** Who does not answer by then is left out. */
const timeoutMs = 2000;

interface Request {
  readonly mortiseMetrics: 'ask';
  readonly id: string;
}
interface Values {
  readonly mortiseMetrics: 'give';
  readonly id: string;
  readonly values: unknown;
}
interface Aggregated {
  readonly mortiseMetrics: 'gathered';
  readonly id: string;
  readonly values: readonly unknown[];
}

type Message = Request | Values | Aggregated;

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && 'mortiseMetrics' in value;

/** Called once in the primary of node:cluster. */
export function aggregateInPrimary(): void {
  const open = new Map<string, { missing: Set<number>; values: unknown[]; end: () => void }>();
  cluster.on('message', (from, message: unknown) => {
    if (!isMessage(message)) return;
    if (message.mortiseMetrics === 'give') {
      const gathering = open.get(message.id);
      if (!gathering?.missing.delete(from.id)) return;
      gathering.values.push(message.values);
      if (gathering.missing.size === 0) gathering.end();
    } else if (message.mortiseMetrics === 'ask') {
      const others = Object.values(cluster.workers ?? {}).filter(
        (one) => one && one.id !== from.id && one.isConnected(),
      );
      const { id } = message;
      const values: unknown[] = [];
      const clock = setTimeout(() => open.get(id)?.end(), timeoutMs);
      const end = () => {
        clearTimeout(clock);
        open.delete(id);
        if (from.isConnected())
          from.send({ mortiseMetrics: 'gathered', id, values } satisfies Aggregated, () => undefined);
      };
      open.set(id, { missing: new Set(others.map((one) => one!.id)), values, end });
      if (others.length === 0) return end();
      for (const other of others) other!.send({ mortiseMetrics: 'ask', id } satisfies Request, () => undefined);
    }
  });
}

/** In a worker: gives its own values when asked, and those of the others to whoever asks here. */
export class MetricsAggregator {
  readonly #own: () => Promise<unknown>;
  readonly #open = new Map<string, (values: readonly unknown[]) => void>();
  readonly #hear = (message: unknown) => {
    if (!isMessage(message)) return;
    if (message.mortiseMetrics === 'gathered') this.#open.get(message.id)?.(message.values);
    else if (message.mortiseMetrics === 'ask') void this.#give(message.id);
  };

  constructor(own: () => Promise<unknown>) {
    this.#own = own;
    if (cluster.isWorker) process.on('message', this.#hear);
  }

  async #give(id: string): Promise<void> {
    const values = await this.#own().catch(() => undefined);
    if (values !== undefined && process.connected)
      process.send?.({ mortiseMetrics: 'give', id, values } satisfies Values, undefined, undefined, () => undefined);
  }

  /** Values of the other workers; none outside of a cluster. */
  async others(): Promise<readonly unknown[]> {
    if (!cluster.isWorker || !process.connected) return [];
    const id = randomUUID();
    let clock: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve) => {
        this.#open.set(id, resolve);
        clock = setTimeout(() => resolve([]), 2 * timeoutMs);
        process.send?.({ mortiseMetrics: 'ask', id } satisfies Request, undefined, undefined, () => undefined);
      });
    } finally {
      clearTimeout(clock);
      this.#open.delete(id);
    }
  }

  close(): void {
    process.off('message', this.#hear);
  }
}
