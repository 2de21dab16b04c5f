import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may keep the event loop for itself, in milliseconds. */
const sliceMs = 10;

/**
 * Work that comes in long rows, one piece after the other without waiting for anything outside (SQLite answers at once):
 * between two pieces others are let in, so that a push of thousands of branches holds up no request.
 */
export class TimeSlice {
  #began = performance.now();
  #turn: Promise<void> | undefined;

  /** Undefined while there is time left. All who share the slice wait for the same turn. */
  yieldIfSpent(): Promise<void> | undefined {
    if (this.#turn || performance.now() - this.#began < sliceMs) return this.#turn;
    return (this.#turn = nextTurn().then(() => {
      this.#turn = undefined;
      this.#began = performance.now();
    }));
  }
}
