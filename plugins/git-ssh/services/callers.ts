import { networkOf } from '@mortise/plugin-sdk';

/** A connection of somebody; `isIdle`: it is not signed in yet, or runs no command. */
export interface Caller {
  readonly isIdle: boolean;
  destroy(): void;
}

/** Bounds the idle connections of one address, so that it leaves room for the others. */
export class Callers<C extends Caller> {
  /** By address; the oldest first, and since when. */
  readonly #byAddress = new Map<string, Map<C, number>>();

  constructor(
    private readonly maxIdle: number,
    private readonly patienceMs: number,
  ) {}

  /** Takes one more. May close the longest idle connection to make room; false: there is none to close. */
  enter(address: string, caller: C, now = Date.now()): boolean {
    const key = networkOf(address);
    const present = this.#byAddress.get(key) ?? new Map<C, number>();
    if (this.maxIdle > 0 && present.size >= this.maxIdle) {
      const idle = [...present].filter(([one]) => one.isIdle);
      if (idle.length >= this.maxIdle) {
        const [oldest, since] = idle[0]!;
        if (now - since < this.patienceMs) return false;
        present.delete(oldest);
        oldest.destroy();
      }
    }
    present.set(caller, now);
    this.#byAddress.set(key, present);
    return true;
  }

  leave(address: string, caller: C): void {
    const key = networkOf(address);
    const present = this.#byAddress.get(key);
    present?.delete(caller);
    if (present?.size === 0) this.#byAddress.delete(key);
  }
}
