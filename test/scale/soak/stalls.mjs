// Times in which a shared machine ran nothing of this process, seen by a timer that came late.

const tickMs = 1000;
const leastMs = 8000;
/** What waited then may end so much later. */
const afterMs = 30_000;

export class Stalls {
  /** Milliseconds, all together. */
  total = 0;
  #endedAt = -Infinity;
  #last = Date.now();
  #clock = setInterval(() => this.#tick(), tickMs);

  #tick() {
    const now = Date.now();
    const lag = now - this.#last - tickMs;
    this.#last = now;
    if (lag < leastMs) return;
    this.total += lag;
    this.#endedAt = now;
  }

  /** Was there one since `begun`, or just before? */
  overlap(begun) {
    this.#tick();
    return this.#endedAt > begun - afterMs;
  }

  close() {
    clearInterval(this.#clock);
  }
}
