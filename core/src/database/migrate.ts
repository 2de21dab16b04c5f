import { readdirSync } from 'node:fs';
import type { Knex } from 'knex';
import type { Logger } from '@mortise/plugin-sdk';
import type { MigrationSource, WatchMigration } from '../contracts.js';
import type { Engine } from './engine.js';
import { stepTable } from './mysql-steps.js';
import { ForeignTableError, TableGuard, tableNames, tableOwners } from './table-guard.js';

interface Migration {
  readonly owner: string;
  readonly version: string;
  readonly name: string;
  readonly module: URL;
}

interface MigrationModule {
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

const table = 'migration';
const full = (owner: string, name: string) => `${owner}/${name}`;

/** All migrations, in the order of the sources and, within one, of their numbers. */
function find(sources: readonly MigrationSource[]): Migration[] {
  const migrations: Migration[] = [];
  for (const { owner, version = '', folder } of sources) {
    const base = folder.href.endsWith('/') ? folder : new URL(`${folder.href}/`);
    const files = readdirSync(base)
      .filter((file) => /^\d{4}_[\w-]+\.js$/.test(file))
      .sort();
    for (const file of files) migrations.push({ owner, version, name: file.slice(0, -3), module: new URL(file, base) });
  }
  return migrations;
}

async function applied(knex: Knex): Promise<Set<string>> {
  if (!(await knex.schema.hasTable(table))) return new Set();
  const rows = await knex(table).select<{ owner: string; name: string }[]>('owner', 'name');
  return new Set(rows.map((row) => full(row.owner, row.name)));
}

export async function pendingMigrations(knex: Knex, sources: readonly MigrationSource[]): Promise<string[]> {
  const done = await applied(knex);
  return find(sources)
    .map(({ owner, name }) => full(owner, name))
    .filter((name) => !done.has(name));
}

/** Whose migrations were applied, `core` among them. */
export async function migrationOwners(knex: Knex): Promise<string[]> {
  return [...new Set([...(await applied(knex))].map((name) => name.slice(0, name.lastIndexOf('/'))))];
}

/** What {@link migrate} would refuse. */
export async function newerMigrations(knex: Knex, sources: readonly MigrationSource[]): Promise<string | undefined> {
  try {
    await refuseNewer(knex, sources, find(sources));
    return undefined;
  } catch (error) {
    if (error instanceof Error && 'plugin' in error) return error.message;
    throw error;
  }
}

type InMigration = <T>(work: (knex: Knex) => Promise<T>) => Promise<T>;

/** `owner/name` of all migrations that the sources hold. */
export function knownMigrations(sources: readonly MigrationSource[]): string[] {
  return find(sources).map(({ owner, name }) => full(owner, name));
}

/**
 * Applies what is pending, or of it what `only` names. Another process may do the same at the same time: each migration
 * runs once.
 */
export async function migrate(
  engine: Engine,
  run: InMigration,
  sources: readonly MigrationSource[],
  log: Logger,
  only?: ReadonlySet<string>,
  watch: WatchMigration = (_owner, _name, work) => work(),
): Promise<string[]> {
  const all = find(sources);
  await refuseNewer(engine.reader, sources, all);
  const wanted = all.filter(({ owner, name }) => !only || only.has(full(owner, name)));
  const done = await applied(engine.reader);
  if (wanted.every(({ owner, name }) => done.has(full(owner, name)))) return [];
  return engine.migrating(async () => {
    await run(makeTables);
    const isBuiltIn = new Set(sources.filter((one) => one.isBuiltIn).map((one) => one.owner));
    const names: string[] = [];
    for (const migration of wanted) {
      const { owner, name, version } = migration;
      if (done.has(full(owner, name))) continue;
      const code = (await import(migration.module.href)) as Partial<MigrationModule>;
      if (typeof code.up !== 'function')
        throw Object.assign(new Error(`migration ${full(owner, name)} exports no up(knex)`), { plugin: owner });
      const isNew = await run(async (knex) => {
        if (await knex(table).where({ owner, name }).first()) return false;
        const tables = await tableNames(knex, engine.name);
        const guard = isBuiltIn.has(owner)
          ? undefined
          : await TableGuard.begin(knex, owner, await tableOwners(knex, sources), engine.name);
        try {
          await engine.inSteps(knex, full(owner, name), () => watch(owner, name, () => code.up!(knex)), guard?.check);
          await guard?.end(knex, engine.name);
        } catch (error) {
          if (error instanceof ForeignTableError) await takeBack(engine, knex, full(owner, name), tables);
          throw error;
        }
        const before = new Set(tables);
        const made = (await tableNames(knex, engine.name)).filter((one) => !before.has(one));
        await knex(table).insert({ owner, name, version, applied_at: Date.now(), tables: JSON.stringify(made) });
        return true;
      }).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw Object.assign(new Error(`migration ${full(owner, name)} failed: ${why}`, { cause: error }), {
          plugin: owner,
        });
      });
      if (!isNew) continue;
      names.push(full(owner, name));
      log.info('migrated', { event: 'migration.applied', plugin: owner, migration: name });
    }
    return names;
  });
}

/** Where each change of tables commits by itself: drops the tables that a refused migration made before. */
async function takeBack(engine: Engine, knex: Knex, migration: string, before: readonly string[]): Promise<void> {
  if (engine.name === 'sqlite') return;
  const made = (await tableNames(knex, engine.name)).filter((name) => !before.includes(name));
  await knex.raw('set foreign_key_checks = 0');
  try {
    for (const name of made) await knex.schema.dropTable(name);
  } finally {
    await knex.raw('set foreign_key_checks = 1');
  }
  await knex(stepTable).where({ migration }).delete();
  await knex.raw('commit');
}

/** Tables of the migrator itself. */
async function makeTables(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable(table)))
    await knex.schema.createTable(table, (made) => {
      made.string('owner', 90).notNullable();
      made.string('name', 100).notNullable();
      made.bigInteger('applied_at').notNullable();
      made.primary(['owner', 'name']);
    });
  // By which version of the plugin; unknown for what older kernels applied.
  if (!(await knex.schema.hasColumn(table, 'version')))
    await knex.schema.alterTable(table, (made) => made.string('version', 60).notNullable().defaultTo(''));
  // Which tables each migration made; unknown for what older kernels applied.
  if (!(await knex.schema.hasColumn(table, 'tables')))
    await knex.schema.alterTable(table, (made) => made.text('tables').nullable());
  if (!(await knex.schema.hasTable(stepTable)))
    await knex.schema.createTable(stepTable, (made) => {
      made.string('migration', 200).notNullable();
      made.string('step', 64).notNullable();
      made.primary(['migration', 'step']);
    });
}

/**
 * Throws when a plugin (or the kernel) is older than its tables: then it does not know what they hold, and what it writes
 * may not be what they need.
 */
async function refuseNewer(knex: Knex, sources: readonly MigrationSource[], all: readonly Migration[]): Promise<void> {
  if (!(await knex.schema.hasTable(table))) return;
  const rows = await knex(table).orderBy('name').select<{ owner: string; name: string; version?: string }[]>('*');
  const known = new Set(all.map(({ owner, name }) => full(owner, name)));
  for (const { owner, version } of sources) {
    const newer = rows.filter((row) => row.owner === owner && !known.has(full(owner, row.name)));
    const last = newer.at(-1);
    if (!last) continue;
    const who = owner === 'core' ? 'the kernel' : `the plugin ${owner}`;
    const made = last.version ? `version ${last.version}` : 'a newer version';
    const text =
      `the tables are newer than ${who}${version ? ` ${version}` : ''}: ${made} applied ` +
      `${newer.map((row) => full(owner, row.name)).join(', ')}, which this version does not know. ` +
      `Install ${made} or a later one, or restore a back-up from before it`;
    throw Object.assign(new Error(text), { plugin: owner });
  }
}

/** Runs `down` of every migration of the owner that was applied, the last first. */
export async function revert(
  engine: Engine,
  run: InMigration,
  source: MigrationSource,
  log: Logger,
  others: readonly MigrationSource[] = [],
): Promise<string[]> {
  await refuseNewer(engine.reader, [source], find([source]));
  const done = await applied(engine.reader);
  const wanted = (await find([source])).filter(({ owner, name }) => done.has(full(owner, name))).reverse();
  const codes: [Migration, MigrationModule['down']][] = [];
  for (const migration of wanted) {
    const { down } = (await import(migration.module.href)) as Partial<MigrationModule>;
    if (typeof down !== 'function')
      throw new Error(`migration ${full(migration.owner, migration.name)} exports no down(knex)`);
    codes.push([migration, down]);
  }
  return engine.migrating(async () => {
    await run(makeTables);
    for (const [{ owner, name }, down] of codes) {
      await run(async (knex) => {
        const guard = source.isBuiltIn
          ? undefined
          : await TableGuard.begin(knex, owner, await tableOwners(knex, [source, ...others]), engine.name);
        await engine.inSteps(knex, `${full(owner, name)} down`, () => down(knex), guard?.check);
        await guard?.end(knex, engine.name);
        await knex(table).where({ owner, name }).delete();
      });
      log.info('reverted', { event: 'migration.reverted', plugin: owner, migration: name });
    }
    return codes.map(([{ owner, name }]) => full(owner, name));
  });
}
