export interface RunLimits {
  /** Runs at once. */
  readonly concurrency: number;
  /** Of these to one server, so that one that hangs leaves room for others. */
  readonly perGroup: number;
  readonly timeoutMs: number;
}

/** Of mirrors, in each process; the time is the limit of git itself, and some for LFS. */
export const runLimits: RunLimits = { concurrency: 4, perGroup: 3, timeoutMs: 3 * 3_600_000 };
