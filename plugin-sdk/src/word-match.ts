import { englishOf, textOf, type Text } from './language.js';

/** How texts are compared: without case and accents. */
const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** What is written, in the visitor's language and in English: who reads a manual may know only that. */
const searchableText = (texts: readonly Text[]): string =>
  plain(texts.flatMap((text) => [textOf(text), englishOf(text)]).join(' '));

/**
 * Makes a test whether texts have all words that were typed, in the visitor's language or in English, whatever their case
 * and accents. The test is called while a page is rendered.
 */
export function wordMatcher(words: string): (texts: readonly Text[]) => boolean {
  const wanted = plain(words).split(/\s+/).filter(Boolean);
  return (texts) => {
    const held = searchableText(texts);
    return wanted.every((word) => held.includes(word));
  };
}
