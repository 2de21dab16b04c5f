/** Milliseconds of one tick of the event loop that rendering may take before other requests are let in. */
const maxTickMs = 10;

/**
 * Large pages take tens of milliseconds to render, and several that wait for the same thing are ready in the same moment.
 * This queue lets other requests be answered between two of them.
 */
export class RenderQueue {
  #spent = 0;
  #isReset = true;

  /** Runs the work at once, or in one of the next ticks where rendering has used up its time in this one. */
  async run<T>(work: () => T): Promise<T> {
    while (this.#spent >= maxTickMs) await new Promise((resolve) => setImmediate(resolve));
    const started = performance.now();
    try {
      return work();
    } finally {
      this.#spent += performance.now() - started;
      if (this.#isReset) {
        this.#isReset = false;
        // the first comes before the event loop looks for new input, the second after
        setImmediate(() => setImmediate(this.#reset));
      }
    }
  }

  readonly #reset = (): void => {
    this.#spent = 0;
    this.#isReset = true;
  };
}
