// Titles of tests, as they are written in the sources.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const skipped = new Set(['dist', 'node_modules', 'fixtures', '.cache']);
const call = /\b(?:describe|it)\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g;

/** Files below the folder whose names end so. */
export function* sources(folder, ending) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* sources(path, ending);
    else if (entry.isFile() && ending.test(entry.name)) yield path;
  }
}

/** Titles in a source, outer ones before those within. */
export const titlesIn = (text) =>
  [...text.matchAll(call)].map(([, single, double, quoted]) => single ?? double ?? quoted);

/** Titles of all tests below the root of the project: `{ path, title }`. */
export function* testTitles(root) {
  for (const folder of ['core/src', 'plugin-sdk/src', 'plugins', 'test'])
    for (const path of sources(join(root, folder), /\.test\.(?:tsx?|mjs)$/))
      for (const title of titlesIn(readFileSync(path, 'utf8'))) yield { path: path.slice(root.length + 1), title };
}

/** Ids of requirements that a title names: `ACT-02, ACT-05 to ACT-07` names four. */
export function requirementIds(title) {
  const ids = [...title.matchAll(/\b([A-Z]{3})-(\d{2})\b(?!\d)(?: to \1-(\d{2})\b)?/g)];
  return ids.flatMap(([, area, first, last = first]) => {
    const [from, to] = [Number(first), Number(last)];
    return Array.from({ length: to - from + 1 }, (_, at) => `${area}-${String(from + at).padStart(2, '0')}`);
  });
}
