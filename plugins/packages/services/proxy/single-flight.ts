import { Problem, type Locks } from '@mortise/plugin-sdk';

/** What another process fetches is waited for so long; clients of registries wait a quarter of a minute at least. */
const waitTimeoutMs = 10_000;

/**
 * Runs the work while no other process runs that of the same key; where one does for long, at the same time after all: rather
 * twice than too late.
 */
export async function singleFlight<T>(
  locks: Locks,
  key: string,
  work: () => Promise<T>,
  waitMs: number = waitTimeoutMs,
): Promise<T> {
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
    return work();
  };
  try {
    return await locks.hold(`packages.upstream.${key.slice(0, 40)}`, begin, { waitMs });
  } catch (error) {
    if (hasBegun || !Problem.is(error) || error.code !== 'unavailable') throw error;
    return work();
  }
}
