import { readdir } from 'node:fs/promises';
import type { Knex } from 'knex';
import type { Logger } from '@mortise/plugin-sdk';
import type { MigrationSource } from '../contracts.js';
import type { Engine } from './engine.js';

interface Migration {
  readonly owner: string;
  readonly name: string;
  readonly module: URL;
}

interface MigrationModule {
  up(knex: Knex): Promise<void>;
}

const table = 'migration';
const full = (owner: string, name: string) => `${owner}/${name}`;

/** All migrations, in the order of the sources and, within one, of their numbers. */
async function find(sources: readonly MigrationSource[]): Promise<Migration[]> {
  const found: Migration[] = [];
  for (const { owner, folder } of sources) {
    const base = folder.href.endsWith('/') ? folder : new URL(`${folder.href}/`);
    const files = (await readdir(base)).filter((file) => /^\d{4}_[\w-]+\.js$/.test(file)).sort();
    for (const file of files) found.push({ owner, name: file.slice(0, -3), module: new URL(file, base) });
  }
  return found;
}

async function applied(knex: Knex): Promise<Set<string>> {
  if (!(await knex.schema.hasTable(table))) return new Set();
  const rows = await knex(table).select<{ owner: string; name: string }[]>('owner', 'name');
  return new Set(rows.map((row) => full(row.owner, row.name)));
}

export async function pending(knex: Knex, sources: readonly MigrationSource[]): Promise<string[]> {
  const done = await applied(knex);
  return (await find(sources)).map(({ owner, name }) => full(owner, name)).filter((name) => !done.has(name));
}

type InMigration = <T>(work: (knex: Knex) => Promise<T>) => Promise<T>;

/** Applies what is pending. Another process may do the same at the same time: each migration runs once. */
export async function migrate(
  engine: Engine,
  run: InMigration,
  sources: readonly MigrationSource[],
  log: Logger,
): Promise<string[]> {
  const wanted = await find(sources);
  const done = await applied(engine.reader);
  if (wanted.every(({ owner, name }) => done.has(full(owner, name)))) return [];
  return engine.migrating(async () => {
    await run(async (knex) => {
      if (await knex.schema.hasTable(table)) return;
      await knex.schema.createTable(table, (made) => {
        made.string('owner', 90).notNullable();
        made.string('name', 100).notNullable();
        made.bigInteger('applied_at').notNullable();
        made.primary(['owner', 'name']);
      });
    });
    const names: string[] = [];
    for (const migration of wanted) {
      const { owner, name } = migration;
      if (done.has(full(owner, name))) continue;
      const code = (await import(migration.module.href)) as Partial<MigrationModule>;
      if (typeof code.up !== 'function') throw new Error(`migration ${full(owner, name)} exports no up(knex)`);
      const isNew = await run(async (knex) => {
        if (await knex(table).where({ owner, name }).first()) return false;
        await code.up!(knex);
        await knex(table).insert({ owner, name, applied_at: Date.now() });
        return true;
      }).catch((error: unknown) => {
        throw new Error(
          `migration ${full(owner, name)} failed: ${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
      });
      if (!isNew) continue;
      names.push(full(owner, name));
      log.info('migrated', { plugin: owner, migration: name });
    }
    return names;
  });
}
