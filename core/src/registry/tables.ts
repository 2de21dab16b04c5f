import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationSource } from '../contracts.js';
import type { StartProblem } from '../plugins/errors.js';

/**
 * Two plugins that create the same table are found before any of it runs: by the literal names in their migrations.
 * Names that a migration computes are beyond it; there the database refuses.
 */
export function tableClashes(sources: readonly MigrationSource[]): StartProblem[] {
  const byOwner = sources.map(({ owner, folder }) => ({ owner, tables: tablesIn(folder) }));
  const owners = new Map<string, string>();
  const problems: StartProblem[] = [];
  for (const { owner, tables } of byOwner) {
    if (!tables) {
      const folder = fileURLToPath(sources.find((one) => one.owner === owner)!.folder);
      problems.push({ plugins: [owner], text: `the migrations of ${owner} are not there: ${folder}` });
      continue;
    }
    for (const table of tables) {
      const before = owners.get(table);
      if (before && before !== owner)
        problems.push({
          plugins: [owner, before],
          text: `the table ${table} is created by ${before} and by ${owner}; it can have one owner`,
        });
      owners.set(table, owner);
    }
  }
  return problems;
}

/** Read at once: a start waits for it, and hundreds of small files cost several times as much by way of threads. */
export function tablesIn(folder: URL): Set<string> | undefined {
  const base = fileURLToPath(folder);
  let files: string[];
  try {
    files = readdirSync(base);
  } catch {
    return undefined;
  }
  const texts = files
    .filter((file) => /^\d{4}_[\w-]+\.js$/.test(file))
    .map((file) => readFileSync(join(base, file), 'utf8'));
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/(?:createTable\(\s*['"`]|create virtual table )(\w+)/g)].map((match) => match[1]!),
    ),
  );
}
