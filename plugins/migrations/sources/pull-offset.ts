import { SourceFailure, type SourceOptions, type SourcePages, type SourceTools } from '../contract/source.js';
import type { SourceIssue } from '../contract/records.js';

const offsetKey = 'pullOffset';
/** More issues than these pages hold are imported from no source. */
const maxPages = 10_000;
/** Pages in a row without anything: then they lead on without end. */
const maxEmptyPages = 100;
/** Numbers that the tables of this site take, with those of pull requests behind them. */
const maxOffset = 1_000_000_000;

/**
 * What is added to the numbers of pull requests of a source that numbers them apart from issues: the largest number of
 * an issue. Stays the same when the import goes on, though there may be more issues by then.
 */
export async function pullOffsetOf(
  { kinds }: Pick<SourceOptions, 'kinds'>,
  { memory }: Pick<SourceTools, 'memory'>,
  numbers: () => SourcePages<number>,
): Promise<number> {
  const stored = memory.get(offsetKey);
  if (stored !== undefined && /^\d{1,10}$/.test(stored)) return Number(stored);
  const offset = kinds.has('pull_requests') && kinds.has('issues') ? await largest(numbers()) : 0;
  if (kinds.size) await memory.set(offsetKey, String(offset));
  return offset;
}

/**
 * Without issues that are newer than the offset: pull requests have their numbers. `offset`: as {@link pullOffsetOf} gave
 * it.
 */
export async function* withoutNewer(
  { kinds }: Pick<SourceOptions, 'kinds'>,
  offset: number,
  issues: SourcePages<SourceIssue>,
): SourcePages<SourceIssue> {
  if (!kinds.has('pull_requests')) return yield* issues;
  for await (const page of issues) {
    const newer = page.items.filter(({ number }) => number > offset);
    yield {
      ...page,
      items: page.items.filter(({ number }) => !(number > offset)),
      ...(newer.length && {
        leftOut: newer.map(({ number }) => `Issue #${number}: left out, because it came after the import began`),
      }),
    };
  }
}

async function largest(numbers: SourcePages<number>): Promise<number> {
  let [found, pages, empty] = [0, 0, 0];
  try {
    for await (const { items } of numbers) {
      for (const number of items) if (number > found && number < maxOffset) found = number;
      empty = items.length ? 0 : empty + 1;
      if (++pages > maxPages || empty > maxEmptyPages)
        throw new SourceFailure('invalidData', 'The source gives pages of issues without end.');
    }
  } catch (error) {
    if (!SourceFailure.is(error) || error.reason !== 'notOffered') throw error;
  }
  return found;
}
