import { NotFound } from '@mortise/plugin-sdk';
import type { WikiEntry } from '../contract/wiki.js';
import { titleOfFile } from './page-names.js';
import type { WikiReader } from './wiki-reader.js';
import { t } from '../texts/index.js';

interface SearchHit {
  readonly entry: WikiEntry;
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}

export const shortestQuery = 2;
const maxLines = 400;
const linesOfPage = 3;
const maxLineLength = 200;

/** The first pages that hold the words in their title or text, without case; titles first. */
export async function searchWiki(
  reader: WikiReader,
  id: number,
  words: string,
  max: number,
): Promise<{ hits: SearchHit[]; total: number }> {
  const { commit } = await reader.head(id);
  if (!commit) throw NotFound(t.later('error.noPages'));
  const wanted = words.toLowerCase();
  const index = await reader.index(id, commit);
  const found = await reader.open(id).grep(commit, words, { fixed: true, ignoreCase: true, limit: maxLines });
  const lines = new Map<string, { line: number; text: string }[]>();
  for (const { path, line, text } of found) {
    const there = lines.get(path) ?? [];
    if (there.length < linesOfPage) there.push({ line, text: around(text, wanted) });
    lines.set(path, there);
  }
  const byTitle: number[] = [];
  const byText: number[] = [];
  for (let row = 0; row < index.length; row++) {
    const path = index.path(row);
    if (titleOfFile(path).toLowerCase().includes(wanted)) byTitle.push(row);
    else if (lines.has(path)) byText.push(row);
  }
  const hits = [...byTitle, ...byText].slice(0, max).map((row) => {
    const entry = index.entry(row);
    return { entry, lines: lines.get(entry.path) ?? [] };
  });
  return { hits, total: byTitle.length + byText.length };
}

/** The part of a long line that has the words. */
function around(text: string, wanted: string): string {
  if (text.length <= maxLineLength) return text;
  const at = Math.max(0, text.toLowerCase().indexOf(wanted) - 60);
  return `${at ? '…' : ''}${text.slice(at, at + maxLineLength)}${at + maxLineLength < text.length ? '…' : ''}`;
}
