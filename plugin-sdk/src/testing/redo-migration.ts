import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestHost } from './start-host.js';

interface Source {
  readonly owner: string;
  readonly folder: URL;
  readonly isBuiltIn: boolean;
}
/** What the kernel's database does beside what plugins are given. */
interface Migrator {
  migrate(sources: readonly Source[]): Promise<unknown>;
  revert(source: Source): Promise<unknown>;
}

/**
 * Takes one migration back and applies it again, as the kernel does with migrations, on tables that hold data: `between`
 * runs while it is undone. `file`: the migration, compiled.
 */
export async function redoMigration(host: TestHost, file: URL, between: () => Promise<void>): Promise<void> {
  const database = host.database as unknown as Migrator;
  const path = await mkdtemp(join(tmpdir(), 'mortise-redo-'));
  try {
    await writeFile(join(path, 'package.json'), '{"type":"module"}');
    await writeFile(join(path, '0001_redo.js'), `export { down as up, up as down } from '${file.href}';`);
    const source = { owner: 'redo', folder: pathToFileURL(`${path}/`), isBuiltIn: true };
    await database.migrate([source]);
    await between();
    await database.revert(source);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
