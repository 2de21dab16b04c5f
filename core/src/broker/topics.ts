import type { Logger } from '@mortise/plugin-sdk';

type Handler = (message: unknown) => void;

/** Who listens to what in this process. */
export class Topics {
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  subscribe(topic: string, handler: Handler): () => void {
    const handlers = this.#handlers.get(topic) ?? new Set<Handler>();
    // Each subscription counts, also of the same function.
    const own: Handler = (message) => handler(message);
    handlers.add(own);
    this.#handlers.set(topic, handlers);
    return () => {
      handlers.delete(own);
      if (handlers.size === 0 && this.#handlers.get(topic) === handlers) this.#handlers.delete(topic);
    };
  }

  deliver(topic: string, message: unknown): void {
    for (const handler of this.#handlers.get(topic) ?? []) {
      try {
        handler(message);
      } catch (error) {
        this.#log.error('a message handler failed', { event: 'broker.handler', topic, error });
      }
    }
  }

  clear(): void {
    this.#handlers.clear();
  }
}
