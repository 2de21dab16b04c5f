import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readFile, readdir, rm, symlink, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { backupSources, BadRequest, storage as storageRef, syncFolder, writeDurably } from '@mortise/plugin-sdk';
import type { Host } from '../host.js';
import type { BackupFolder } from './folder.js';
import type { BlobLine, FileLine, RestorePoint, UnitLine } from './format.js';
import { readList } from './lists.js';
import { openTarget } from './open-rows.js';
import { unfinishedName } from './backup-lock.js';
import { CorruptObject } from './store.js';
import { decode, orderByReferences, excludedTables, type RowTarget, type Table } from './tables.js';

const batchRows = 500;
const batchBytes = 1024 * 1024;

interface Marker {
  /** Names that were in the work folder before. */
  readonly present: readonly string[];
  /** The database that is being filled. */
  readonly database?: string;
}

const readMarker = async (workDir: string): Promise<Marker | undefined> => {
  const text = await readFile(join(workDir, unfinishedName), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Marker);
};
const writeMarker = (workDir: string, marker: Marker) =>
  writeDurably(join(workDir, unfinishedName), `${JSON.stringify(marker)}\n`);

/**
 * Readies the work folder: empty but for settings, which win over those of the back-up (they may name another
 * database). What a restore that was broken off left there is removed.
 */
export async function prepareFolder(workDir: string): Promise<void> {
  const marker = await readMarker(workDir);
  const names = await readdir(workDir).catch(() => [] as string[]);
  if (marker) {
    const kept = new Set([unfinishedName, ...marker.present]);
    for (const name of names) if (!kept.has(name)) await rm(join(workDir, name), { recursive: true, force: true });
    return;
  }
  if (names.some((name) => name !== 'config' && name !== 'tmp'))
    throw BadRequest(`${workDir} is not empty: restore into a new work folder (--work-path)`);
  await writeMarker(workDir, { present: names });
}

/** Files of the work folder: settings and secrets among them, so that a host can be made of it. */
export async function restoreFiles({ store }: BackupFolder, { files }: RestorePoint, workDir: string): Promise<number> {
  let count = 0;
  for await (const line of readList<FileLine>(store, files)) {
    if (existsSync(join(workDir, line.path))) continue;
    await placeFile({ store }, workDir, line);
    count++;
  }
  return count;
}

/** Rows, units and blobs. The host is made of the restored settings, and nothing of it is started. */
export async function restoreData(host: Host, folder: BackupFolder, point: RestorePoint): Promise<void> {
  const unknown = await unknownMigrations(host, point);
  if (unknown.length)
    throw BadRequest(
      `the back-up has tables of a newer version or of plugins that are not there: ${unknown.join(', ')}`,
    );
  const { workDir, settings } = host.composition;
  const { DB_TYPE, HOST, NAME, PATH } = settings.database;
  const database = DB_TYPE === 'mysql' ? `${HOST} ${NAME}` : PATH;
  const marker = (await readMarker(workDir)) ?? { present: [] };
  // What lies in another database is not ours to remove.
  const again = marker.database === database;
  await host.migrate({ only: point.migrations });
  const target = await openTarget(host);
  let done = false;
  try {
    await clearTables(target, again);
    await writeMarker(workDir, { ...marker, database });
    await fill(target, folder, point);
    done = true;
  } finally {
    await target.end(done ? 'keep' : 'undo');
  }
  await restoreUnits(host, folder, point);
  await restoreAreas(host, folder, point);
  await host.migrate();
  for (const source of host.composition.points.reader(backupSources).list()) await source.rebuild?.();
}

async function unknownMigrations(host: Host, { migrations }: RestorePoint): Promise<string[]> {
  const known = new Set(await host.knownMigrations());
  return migrations.filter((name) => !known.has(name));
}

async function clearTables(target: RowTarget, again: boolean): Promise<void> {
  const tables = await dataTables(target);
  // Migrations may have put rows in; people do not before the first account.
  if (!again && !(await isFresh(target, tables)))
    throw BadRequest('the database holds rows already: restore into an empty one');
  await target.clear(tables.reverse());
}

const dataTables = async (target: RowTarget) =>
  orderByReferences(await target.tables()).filter(({ name }) => name !== 'migration');

async function fill(target: RowTarget, { store }: BackupFolder, point: RestorePoint): Promise<void> {
  const tables = await dataTables(target);
  const byName = new Map(tables.map((table) => [table.name, table]));
  for (const line of point.tables) {
    // back-ups of earlier versions hold some of them
    if (excludedTables.includes(line.name)) continue;
    const table = byName.get(line.name);
    if (!table) {
      if (line.rows === 0) continue;
      throw BadRequest(`the back-up holds the table ${line.name}, which no plugin here creates`);
    }
    const kinds = new Map(table.columns.map((column) => [column.name, column]));
    const kindsByColumn = line.columns.map((column) => kinds.get(column.name));
    const missing = line.columns.filter((_, n) => !kindsByColumn[n]);
    if (missing.length && line.rows)
      throw BadRequest(`the table ${line.name} has no column ${missing.map(({ name }) => name).join(', ')} here`);
    await fillTable(
      target,
      table,
      readList(store, line.chunks),
      (row) => row.map((value, n) => decode(value as never, line.columns[n]!, kindsByColumn[n]!)),
      kindsByColumn as Table['columns'],
    );
    if (line.sequence !== undefined) await target.setSequence(table, line.sequence);
  }
  const broken = await target.brokenReferences();
  if (broken.length) throw BadRequest(`the rows do not fit together: ${broken.slice(0, 5).join('; ')}`);
}

async function isFresh(target: RowTarget, tables: readonly Table[]): Promise<boolean> {
  const user = tables.find(({ name }) => name === 'user');
  if (user) return target.isEmpty(user);
  for (const table of tables) if (!(await target.isEmpty(table))) return false;
  return true;
}

async function fillTable(
  target: RowTarget,
  table: Table,
  lines: AsyncIterable<unknown[]>,
  decoded: (row: unknown[]) => unknown[],
  columns: Table['columns'],
): Promise<void> {
  let rows: unknown[][] = [];
  let bytes = 0;
  const flush = async () => {
    if (rows.length === 0) return;
    const inserting = rows;
    rows = [];
    bytes = 0;
    await target.insert(table, columns, inserting).catch((error: Error) => {
      throw new Error(`rows of ${table.name} cannot be restored: ${error.message}`, { cause: error });
    });
  };
  for await (const line of lines) {
    const row = decoded(line);
    rows.push(row);
    for (const value of row) bytes += typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8;
    if (rows.length >= batchRows || bytes >= batchBytes) await flush();
  }
  await flush();
}

async function restoreUnits(host: Host, folder: BackupFolder, { units }: RestorePoint): Promise<void> {
  const { store } = folder;
  const sources = host.composition.points.reader(backupSources);
  for (const [key, lists] of Object.entries(units)) {
    const source = sources.get(key)?.units;
    if (source === undefined) {
      if (lists.length) throw BadRequest(`the back-up holds data of "${key}", which no loaded plugin knows`);
      continue;
    }
    for await (const { name, pointers, files } of readList<UnitLine>(store, lists)) {
      const location = (name && (await source.makeFolder?.(name))) || join(source.folder, ...name.split('/'));
      // What is named first, then who names it.
      for (const list of [files, pointers])
        for await (const line of readList<FileLine>(store, list)) await placeFile(folder, location, line);
    }
  }
}

async function restoreAreas(host: Host, { store }: BackupFolder, { areas }: RestorePoint): Promise<void> {
  for (const [name, lists] of Object.entries(areas)) {
    const area = host.get(storageRef).area(name);
    for await (const { key, hash } of readList<BlobLine>(store, lists)) {
      const stored = await area.put(key, Readable.from(store.read(hash)));
      if (stored.sha256 !== hash) throw new CorruptObject(`the blob ${name}/${key} was not stored as it was backed up`);
    }
  }
}

async function placeFile({ store }: Pick<BackupFolder, 'store'>, root: string, line: FileLine): Promise<void> {
  const path = resolve(root, line.path);
  if (!path.startsWith(`${resolve(root)}/`)) throw new CorruptObject(`${line.path} lies outside of its folder`);
  if (line.folder) return void (await mkdir(path, { recursive: true }));
  await mkdir(dirname(path), { recursive: true });
  if (line.link !== undefined) return symlink(line.link, path);
  const times = [new Date(line.modifiedAt), new Date(line.modifiedAt)] as const;
  if (line.content !== undefined || line.hash === undefined) {
    const file = await open(path, 'wx', line.mode);
    await file.writeFile(Buffer.from(line.content ?? '', 'base64'));
    await file.close();
  } else {
    const file = await open(path, 'wx', line.mode);
    try {
      for await (const chunk of store.read(line.hash)) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
  }
  await chmod(path, line.mode);
  await utimes(path, ...times);
}

/** Removes the marker: from now on the folder can be served from. */
export async function endRestore(workDir: string): Promise<void> {
  await syncFolder(workDir);
  await rm(join(workDir, unfinishedName), { force: true });
}
