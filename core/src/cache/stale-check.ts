import { PreparedJson, type Logger } from '@mortise/plugin-sdk';
import type { QueryCacheDatabase } from './query-cache.js';

/** Functions and symbols do not count. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) => {
    if (one instanceof PreparedJson) return one.text;
    if (one instanceof Map || one instanceof Set) return [...one];
    return typeof one === 'bigint' ? String(one) : one;
  }) ?? 'undefined';

/**
 * With `MORTISE_CHECK_CACHES` in the environment each value that a fresh cache answers is loaded again. One that differs
 * though nothing was committed shows a loader that depends on something which it neither reads nor has in its key.
 */
export function staleCheck(
  name: string,
  database: Pick<QueryCacheDatabase, 'syncVersions' | 'dataVersion'>,
  log: Logger,
) {
  return async (key: string, value: unknown, loader: () => Promise<unknown>, isFresh: () => boolean): Promise<void> => {
    await database.syncVersions();
    const before = database.dataVersion();
    const again = await loader();
    await database.syncVersions();
    const isSame = before !== undefined && before === database.dataVersion() && isFresh();
    if (!isSame || textOf(again) === textOf(value)) return;
    log.error('a cache returned a stale value', {
      event: 'cache.stale',
      cache: name,
      key,
      kept: textOf(value),
      loaded: textOf(again),
    });
    throw new Error(`the cache ${name} answered for ${key} what is stale`);
  };
}
