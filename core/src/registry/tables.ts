import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { MigrationSource } from '../contracts.js';
import type { StartProblem } from '../plugins/errors.js';

/**
 * Two plugins that create the same table are found before any of it runs: by the literal names in their migrations.
 * Names that a migration computes are beyond it; there the database refuses.
 */
export async function tableClashes(sources: readonly MigrationSource[]): Promise<StartProblem[]> {
  const found = await Promise.all(
    sources.map(async ({ owner, folder }) => ({ owner, tables: await tablesIn(folder) })),
  );
  const owners = new Map<string, string>();
  const problems: StartProblem[] = [];
  for (const { owner, tables } of found) {
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

export async function tablesIn(folder: URL): Promise<Set<string> | undefined> {
  const base = folder.href.endsWith('/') ? folder : new URL(`${folder.href}/`);
  const files = await readdir(base).catch(() => undefined);
  if (!files) return undefined;
  const texts = await Promise.all(
    files.filter((file) => /^\d{4}_[\w-]+\.js$/.test(file)).map((file) => readFile(new URL(file, base), 'utf8')),
  );
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/(?:createTable\(\s*['"`]|create virtual table )(\w+)/g)].map((match) => match[1]!),
    ),
  );
}
