import { re2 } from './libraries.js';
import type { ReferencePattern } from './tasks.js';

interface TextMatch {
  readonly start: number;
  readonly text: string;
}

/** Finds all that a pattern matches. */
export type Finder = (text: string) => Iterable<TextMatch>;

/** Patterns that users wrote are matched in time that grows with the text, those of plugins by the engine itself. */
export function finderOf({ source, flags, isForeign }: ReferencePattern): Finder | undefined {
  return isForeign ? foreignFinder(source) : ownFinder(new RegExp(source, flags.includes('g') ? flags : `${flags}g`));
}

function ownFinder(pattern: RegExp): Finder {
  return function* (text) {
    for (const match of text.matchAll(pattern)) yield { start: match.index, text: match[0] };
  };
}

function foreignFinder(source: string): Finder | undefined {
  const { RE2JS } = re2();
  let pattern: ReturnType<typeof RE2JS.compile>;
  try {
    pattern = RE2JS.compile(source);
  } catch {
    return undefined;
  }
  return function* (text) {
    const matcher = pattern.matcher(text);
    while (matcher.find()) yield { start: matcher.start(), text: matcher.group() ?? '' };
  };
}
