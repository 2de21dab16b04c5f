import { availableParallelism } from 'node:os';
import { Problem } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { OverloadSettings } from './settings.js';

/** Who is let in first when not everybody can be. */
export type Urgency = 'low' | 'normal' | 'high';

/** How many times `TARGET_WAIT_TIME` a request of this urgency waits before it is turned away. */
const waitFactors: Readonly<Record<Urgency, number>> = { low: 1, normal: 4, high: 20 };
const order: readonly Urgency[] = ['high', 'normal', 'low'];

interface Waiting {
  readonly enter: () => void;
  readonly refuse: () => void;
}

const refusal = () =>
  new Problem('unavailable', 'The server is busy. Try again in a moment.', {
    text: t.later('error.busy'),
    headers: { 'retry-after': '5' },
  });

/**
 * Bounds how many requests are worked on at once (LIM-15): beyond that they wait, the urgent ones before the others,
 * and when too many wait or one waits too long, the least urgent are answered 503.
 */
export class OverloadGuard {
  readonly #settings: Readonly<OverloadSettings>;
  readonly #maxInside: number;
  readonly #waiting: Readonly<Record<Urgency, Set<Waiting>>> = { low: new Set(), normal: new Set(), high: new Set() };
  #inside = 0;

  constructor(settings: Readonly<OverloadSettings>) {
    this.#settings = settings;
    this.#maxInside = settings.MAX_INFLIGHT || 4 * availableParallelism();
  }

  /** Waits for a place; gives what to call when the answer is made. Throws 503. */
  async enter(urgency: Urgency): Promise<() => void> {
    if (this.#inside < this.#maxInside) this.#inside++;
    else await this.#wait(urgency);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave();
    };
  }

  #wait(urgency: Urgency): Promise<void> {
    this.#makeRoom(urgency);
    return new Promise((resolve, reject) => {
      const entry = this.#waiting[urgency];
      const waiting: Waiting = {
        enter: () => {
          clearTimeout(clock);
          entry.delete(waiting);
          resolve();
        },
        refuse: () => {
          clearTimeout(clock);
          entry.delete(waiting);
          reject(refusal());
        },
      };
      const clock = setTimeout(waiting.refuse, this.#settings.TARGET_WAIT_TIME * waitFactors[urgency]);
      entry.add(waiting);
    });
  }

  /** Turns away somebody less urgent, or the newcomer, when the waiting room is full. */
  #makeRoom(urgency: Urgency): void {
    const waiting = order.reduce((sum, one) => sum + this.#waiting[one].size, 0);
    if (waiting < this.#settings.MAX_WAITING) return;
    for (const one of [...order].reverse()) {
      if (one === urgency) throw refusal();
      const [victim] = this.#waiting[one];
      if (victim) return victim.refuse();
    }
  }

  /** The place goes to who has waited longest among the most urgent. */
  #leave(): void {
    for (const urgency of order) {
      const [next] = this.#waiting[urgency];
      if (next) return next.enter();
    }
    this.#inside--;
  }
}
