import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Problem, type Logger, type Route } from '@mortise/plugin-sdk';
import { isCorruptObject } from '@mortise/git/api';
import { t } from '../texts/index.js';

/** Routes whose answers need objects that may be damaged: that answer alone is refused, with words, and logged. */
export function reportCorruptObjects(routes: readonly Route[], log: Pick<Logger, 'warn'>): Route[] {
  return routes.map((route) => ({
    ...route,
    async handler(context) {
      try {
        return await route.handler(context);
      } catch (error) {
        if (!isCorruptObject(error)) throw error;
        log.warn('could not read a repository', {
          event: 'repository.unreadable',
          path: route.path,
          error: String(error).slice(0, 500),
        });
        throw new Problem('not_found', t.later('error.damaged'));
      }
    },
  }));
}

/** Damaged objects cost their own part of an answer only; other faults stay faults. */
export const withoutCorruptObjects = <T, F>(work: Promise<T>, instead: F): Promise<T | F> =>
  work.catch((error: unknown) => {
    if (isCorruptObject(error) || Problem.is(error)) return instead;
    throw error;
  });

/** Waits until something is there to send, so that what fails at once can still be answered with words. */
export async function started(stream: Readable): Promise<Readable> {
  if (stream.readableLength === 0 && !stream.readableEnded)
    await Promise.race([once(stream, 'readable'), once(stream, 'end')]);
  return stream;
}
