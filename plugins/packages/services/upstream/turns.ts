import { Problem } from '@mortise/plugin-sdk';

/** So many at once; a bounded number of others wait, in the order of their coming. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly maxWaiting: number,
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) {
      if (this.waiting.length >= this.maxWaiting)
        throw new Problem('unavailable', 'Too many requests wait for the upstream registry. Try again in a moment.', {
          headers: { 'retry-after': '5' },
        });
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.running++;
    try {
      return await work();
    } finally {
      // the place goes to the next one, or is free
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
