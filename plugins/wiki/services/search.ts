import { NotFound } from '@mortise/plugin-sdk';
import type { WikiEntry } from '../api.js';
import type { WikiReader } from './reader.js';

export interface SearchHit {
  readonly entry: WikiEntry;
  /** The words stand in the title. */
  readonly inTitle: boolean;
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}

export const shortestQuery = 2;
const mostLines = 400;
const linesOfPage = 3;
const longestLine = 200;

/** Pages that hold the words in their title or text, without case; titles first. */
export async function searchWiki(reader: WikiReader, id: number, words: string): Promise<SearchHit[]> {
  const { commit } = await reader.head(id);
  if (!commit) throw NotFound('the wiki has no pages yet');
  const wanted = words.toLowerCase();
  const { entries } = await reader.list(id, commit, { folders: true });
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const found = await reader.open(id).grep(commit, words, { fixed: true, ignoreCase: true, limit: mostLines });
  const lines = new Map<string, { line: number; text: string }[]>();
  for (const { path, line, text } of found) {
    if (!byPath.has(path)) continue;
    const there = lines.get(path) ?? [];
    if (there.length < linesOfPage) there.push({ line, text: around(text, wanted) });
    lines.set(path, there);
  }
  return entries
    .map((entry) => ({
      entry,
      inTitle: entry.title.toLowerCase().includes(wanted),
      lines: lines.get(entry.path) ?? [],
    }))
    .filter((hit) => hit.inTitle || hit.lines.length)
    .sort((one, other) => Number(other.inTitle) - Number(one.inTitle));
}

/** The part of a long line that has the words. */
function around(text: string, wanted: string): string {
  if (text.length <= longestLine) return text;
  const at = Math.max(0, text.toLowerCase().indexOf(wanted) - 60);
  return `${at ? '…' : ''}${text.slice(at, at + longestLine)}${at + longestLine < text.length ? '…' : ''}`;
}
