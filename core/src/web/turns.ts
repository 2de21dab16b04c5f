/** Milliseconds of one turn of the event loop that pages take before others are let in. */
const most = 10;

/**
 * Large pages take tens of milliseconds to draw, and several that wait for the same thing are ready in the same moment.
 * With this, whatever came in meanwhile is looked at between two of them.
 */
export class FairTurns {
  #spent = 0;
  #isReset = true;

  /** Does the work at once, or in one of the next turns where pages have had their time in this one. */
  async run<T>(work: () => T): Promise<T> {
    while (this.#spent >= most) await new Promise((resolve) => setImmediate(resolve));
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
