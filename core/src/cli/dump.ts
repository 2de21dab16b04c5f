import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { BadRequest, type Knex } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import type { Host } from '../host.js';
import type { StoragePlan } from '../storage/index.js';
import { tar } from './archive.js';

/** First file of a dump; says what is in it. */
export interface DumpManifest {
  readonly format: 1;
  readonly version: string;
  readonly engine: 'sqlite' | 'mysql';
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly tables: Readonly<Record<string, number>>;
}

export const manifestName = 'mortise-dump.json';
const batch = 2000;

/** Bytes travel as base64; everything else in rows is JSON already. */
export const encodeRow = (row: object): string =>
  JSON.stringify(row, (_key, value: unknown) => {
    const bytes = value as { type?: string; data?: number[] } | null;
    return bytes?.type === 'Buffer' && Array.isArray(bytes.data)
      ? { $base64: Buffer.from(bytes.data).toString('base64') }
      : value;
  });

export const decodeRow = (line: string): Record<string, unknown> =>
  JSON.parse(line, (_key, value: unknown) => {
    const text = (value as { $base64?: unknown } | null)?.$base64;
    return typeof text === 'string' ? Buffer.from(text, 'base64') : value;
  }) as Record<string, unknown>;

export async function tablesOf(knex: Knex, engine: 'sqlite' | 'mysql'): Promise<string[]> {
  if (engine === 'sqlite') {
    const rows = await knex('sqlite_master')
      .where('type', 'table')
      .whereNot('name', 'like', 'sqlite\\_%')
      .select<{ name: string }[]>('name');
    return rows
      .map((row) => row.name)
      .filter((name) => !name.startsWith('sqlite_'))
      .sort();
  }
  const [rows] = (await knex.raw(
    "select table_name as name from information_schema.tables where table_schema = database() and table_type = 'BASE TABLE' order by table_name",
  )) as [{ name: string }[]];
  return rows.map((row) => row.name);
}

/** All reads of `work` see the database at one moment, while others go on writing. */
async function atOneMoment<T>(database: KernelDatabase, work: (knex: Knex) => Promise<T>): Promise<T> {
  const knex = database.knex();
  if (database.engine === 'mysql') return knex.transaction(work, { isolationLevel: 'repeatable read', readOnly: true });
  // The one connection that reads: a deferred transaction keeps its view of the write-ahead log.
  await knex.raw('BEGIN');
  try {
    return await work(knex);
  } finally {
    await knex.raw('COMMIT');
  }
}

async function exportRows(database: KernelDatabase, folder: string): Promise<Record<string, number>> {
  return atOneMoment(database, async (knex) => {
    const counts: Record<string, number> = {};
    for (const table of await tablesOf(knex, database.engine)) {
      const file = createWriteStream(join(folder, `${table}.jsonl`));
      let count = 0;
      for (;;) {
        const rows = await knex(table).select<object[]>('*').limit(batch).offset(count);
        for (const row of rows) if (!file.write(`${encodeRow(row)}\n`)) await once(file, 'drain');
        count += rows.length;
        if (rows.length < batch) break;
      }
      file.end();
      await once(file, 'close');
      counts[table] = count;
    }
    return counts;
  });
}

/** What of the work folder is not copied: the database's own files (its rows are), and what is made again. */
async function leftOut(host: Host): Promise<string[]> {
  const { settings, workDir } = host.composition;
  const path = settings.database.PATH;
  const file = relative(workDir, isAbsolute(path) ? path : join(workDir, path));
  const names = [file, `${file}-wal`, `${file}-shm`, 'tmp', 'data/tmp', 'node_modules'];
  return names.map((name) => `--exclude=./${name}`);
}

/** Writes one file with everything: rows, blobs on disk, repositories, settings and the secret. */
export async function dump(host: Host, target: string): Promise<string[]> {
  const { workDir, settings } = host.composition;
  const file = resolve(target);
  if (existsSync(file)) throw BadRequest(`${file} is there already`);
  if (!relative(workDir, file).startsWith('..'))
    throw BadRequest('the dump cannot lie inside the work folder that it copies');
  const pending = await host.pendingMigrations();
  if (pending.length) throw BadRequest('the tables are not up to date: run mortise migrate first');
  await mkdir(dirname(file), { recursive: true });
  const staging = await mkdtemp(join(tmpdir(), 'mortise-dump-'));
  try {
    await mkdir(join(staging, 'database'));
    // Rows first: what they name is copied afterwards, so nothing that they name is missing.
    const tables = await exportRows(host.database, join(staging, 'database'));
    const manifest: DumpManifest = {
      format: 1,
      version: host.composition.version,
      engine: host.database.engine,
      at: Date.now(),
      tables,
    };
    await writeFile(join(staging, manifestName), JSON.stringify(manifest, null, 2));
    await mkdir(join(staging, 'files'), { recursive: true });
    const packed = file.endsWith('gz') ? ['-z'] : [];
    const partial = `${file}.part`;
    await tar(
      [
        '-c',
        ...packed,
        '-f',
        partial,
        '-C',
        staging,
        manifestName,
        'database',
        ...(await leftOut(host)),
        '--transform',
        's,^\\.,files,',
        '-C',
        workDir,
        ...(await inside(workDir)),
      ],
      true,
    );
    await rename(partial, file);
    const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
    const notes = [
      `written: ${file} (${Object.keys(tables).length} tables, ${rows} rows, and the files of ${workDir})`,
    ];
    return [...notes, ...elsewhere(settings.storage, workDir)];
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** What the dump does not hold: blobs in buckets and in folders outside the work folder. */
function elsewhere({ common, areas }: StoragePlan, workDir: string): string[] {
  const places = [common, ...areas.values()].map(({ STORAGE_TYPE, MINIO_BUCKET, PATH }) =>
    STORAGE_TYPE === 'local'
      ? relative(workDir, resolve(workDir, PATH)).startsWith('..') && `folder ${resolve(workDir, PATH)}`
      : `bucket ${MINIO_BUCKET}`,
  );
  return [...new Set(places)].flatMap((place) =>
    place ? [`not in it: the blobs in the ${place}; back that up by itself`] : [],
  );
}

const inside = async (folder: string): Promise<string[]> => (await readdir(folder)).map((name) => `./${name}`);
