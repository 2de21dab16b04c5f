import type { Logger } from '@mortise/plugin-sdk';

type Close = () => unknown;

/** What a host has opened, to be closed in the reverse order: when it stops, or when it cannot be opened to the end. */
export class OpenResources {
  readonly #closes: Close[] = [];

  constructor(private readonly log: Logger) {}

  add(close: Close): void {
    this.#closes.push(close);
  }

  /** What fails to close is logged, and the rest is closed all the same. */
  async close(): Promise<void> {
    for (const close of this.#closes.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.log.error('a part of the host failed to stop', { event: 'host.stop', error });
      }
    }
  }
}
