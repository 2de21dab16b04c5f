import type { SearchLine } from '../contract/page.js';
import { definitionIn } from './definitions.js';
import { wordsOf } from './file-search.js';

/** Lines that are shown before and after the one that was found. */
const around = 3;
const maxLineLength = 300;

const cut = (line: string): string =>
  line.length > maxLineLength ? `${line.slice(0, maxLineLength).replace(/[\ud800-\udbff]$/, '')}…` : line;

/** Index of the line that defines one of the words; else of the first with the whole phrase; else with a word. */
function foundIn(lines: readonly string[], text: string, language: string | undefined): number {
  const words = wordsOf(text);
  const phrase = text.trim().toLowerCase();
  let [withPhrase, withWord] = [-1, -1];
  for (const [at, line] of lines.entries()) {
    const lower = line.toLowerCase();
    if (!words.some((word) => lower.includes(word))) continue;
    if (words.includes(definitionIn(line, language)?.toLowerCase() ?? '')) return at;
    if (withWord < 0) withWord = at;
    if (withPhrase < 0 && lower.includes(phrase)) withPhrase = at;
  }
  return withPhrase < 0 ? withWord : withPhrase;
}

/** The line that was looked for, with those around it; empty where only the path has the words. */
export function linesAround(content: string, text: string, language: string | undefined): readonly SearchLine[] {
  const lines = content.replace(/\r?\n$/, '').split(/\r?\n/);
  const found = foundIn(lines, text, language);
  if (found < 0) return [];
  const from = Math.max(0, found - around);
  return lines
    .slice(from, found + around + 1)
    .map((line, at) => ({ number: from + at + 1, text: cut(line), isFound: from + at === found }));
}
