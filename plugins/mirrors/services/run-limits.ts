export interface RunLimits {
  /** Runs at once. */
  readonly concurrency: number;
  /** Of these for repositories of one owner, so that servers which hang for one leave room for others. */
  readonly perGroup: number;
  readonly timeoutMs: number;
}

/** Of mirrors, in each process; the time is the limit of git itself, and some for LFS. */
export const runLimits: RunLimits = { concurrency: 6, perGroup: 2, timeoutMs: 3 * 3_600_000 };

/** The runs that {@link RunLimits.perGroup} counts together. */
export const groupOfOwner = (ownerId: number): string => `owner:${ownerId}`;
