import { createRequire } from 'node:module';
import type { TextDiffs } from '../contract/text-diffs.js';

const require = createRequire(import.meta.url);
/** Loaded with the first comparison: a start does without. */
const library = () => require('diff') as typeof import('diff');

/** Of both texts together; longer ones are compared by lines. */
const maxWordCharacters = 200_000;
const wordMilliseconds = 60;
const lineMilliseconds = 60;

/** Compares texts that people write, within bounds of time. */
export const textDiffs: TextDiffs = {
  compare(before, after) {
    const { diffWordsWithSpace, diffLines } = library();
    const words =
      before.length + after.length <= maxWordCharacters
        ? diffWordsWithSpace(before, after, { timeout: wordMilliseconds })
        : undefined;
    const changes = words ?? diffLines(before, after, { timeout: lineMilliseconds });
    return changes?.map(({ value, added, removed }) => ({
      kind: added ? 'added' : removed ? 'removed' : 'same',
      text: value,
    }));
  },
};
