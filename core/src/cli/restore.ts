import { createReadStream, existsSync, mkdirSync } from 'node:fs';
import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { BadRequest } from '@mortise/plugin-sdk';
import type { Host, HostOptions } from '../host.js';
import { tar } from './archive.js';
import { decodeRow, manifestName, tablesOf, type DumpManifest } from './dump.js';

const batch = 100;

/** Brings back what {@link dump} wrote, into a work folder and a database that hold nothing yet. Either engine will do. */
export async function restore(options: HostOptions, workDir: string, source: string): Promise<string[]> {
  const file = resolve(source);
  if (!existsSync(file)) throw BadRequest(`${file} is not there`);
  const present = await readdir(workDir).catch(() => []);
  if (present.some((name) => name !== 'config'))
    throw BadRequest(`${workDir} is not empty: restore into a new work folder (--work-path)`);
  mkdirSync(workDir, { recursive: true });
  const staging = await mkdtemp(join(workDir, '.restore-'));
  try {
    await tar(['-x', '-f', file, '-C', staging]);
    const manifest = await readManifest(staging);
    // Settings that stand in the new folder already win: they say which database to fill.
    await cp(join(staging, 'files'), workDir, {
      recursive: true,
      force: false,
      errorOnExist: false,
      preserveTimestamps: true,
    });
    const { createHost } = await import('../host.js');
    const host = await createHost(options);
    try {
      await fill(host, manifest, join(staging, 'database'));
    } finally {
      await host.stop();
    }
    const rows = Object.values(manifest.tables).reduce((sum, count) => sum + count, 0);
    return [
      `restored ${rows} rows and the files of ${new Date(manifest.at).toISOString()} into ${workDir}`,
      'next: mortise doctor, then mortise web',
    ];
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function readManifest(staging: string): Promise<DumpManifest> {
  const manifest = JSON.parse(
    await readFile(join(staging, manifestName), 'utf8').catch(() => '{}'),
  ) as Partial<DumpManifest>;
  if (manifest.format !== 1) throw BadRequest('this file is no dump of Mortise, or one of a later version');
  return manifest as DumpManifest;
}

async function fill(host: Host, manifest: DumpManifest, folder: string): Promise<void> {
  const { database } = host;
  await host.migrate();
  const tables = await tablesOf(database.knex(), database.engine);
  const unknown = Object.keys(manifest.tables).filter(
    (table) => !tables.includes(table) && manifest.tables[table]! > 0,
  );
  if (unknown.length) throw BadRequest(`the dump holds tables that no loaded plugin knows: ${unknown.join(', ')}`);
  if (tables.includes('user') && (await database.knex()('user').first()))
    throw BadRequest('the database holds accounts already: restore into an empty one');

  await database.write(async () => {
    const knex = database.knex();
    const sqlite = database.engine === 'sqlite';
    await knex.raw(sqlite ? 'PRAGMA defer_foreign_keys = ON' : 'SET FOREIGN_KEY_CHECKS = 0');
    for (const table of tables) await knex(table).delete();
    for (const table of Object.keys(manifest.tables)) {
      if (tables.includes(table)) await fillTable(host, table, join(folder, `${table}.jsonl`));
    }
    if (!sqlite) await knex.raw('SET FOREIGN_KEY_CHECKS = 1');
  });
  const missing = await host.pendingMigrations();
  if (missing.length) await host.migrate();
}

async function fillTable({ database }: Host, table: string, file: string): Promise<void> {
  const knex = database.knex();
  let rows: Record<string, unknown>[] = [];
  const store = async () => {
    if (rows.length) await knex(table).insert(rows);
    rows = [];
  };
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line) rows.push(decodeRow(line));
    if (rows.length === batch) await store();
  }
  await store();
}
