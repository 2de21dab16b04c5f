import { randomBytes } from 'node:crypto';
import { isAbsolute, join, relative, resolve } from 'node:path';
import {
  backupSources,
  BadRequest,
  locks as locksRef,
  storage as storageRef,
  type BackupSource,
} from '@mortise/plugin-sdk';
import type { ManagedStorage } from '../contracts.js';
import type { Host } from '../host.js';
import { backUpArea } from './area-backup.js';
import { byPath, backUpFolder } from './files.js';
import { BackupFolder } from './folder.js';
import { formatNumber, type FileLine, type RestorePoint, type TableLine } from './format.js';
import { ListWriter, readList, writeList } from './lists.js';
import { NamedBlobs } from './named-blobs.js';
import { openSource } from './open-rows.js';
import { backupLock } from './backup-lock.js';
import { encode, excludedTables, orderByReferences, rowsOf, type RowSource } from './tables.js';
import { UnitBackup } from './unit-backup.js';

export interface BackupOptions {
  /** Storage areas that are left out, for instance because the store has back-ups of its own; `*`: all. */
  readonly withoutAreas?: readonly string[];
}

/** Clocks of this machine and of the store may differ by so much. */
const clockMs = 60_000;

/**
 * Adds a point to the folder while the server goes on. First everything that is there is brought over; then, in a short
 * moment in which no push is halfway, the database's view is opened and the references are read; then what these name
 * and came in between. Whatever a row or a reference of that moment names is in the back-up: references name objects
 * that were there before them, and what is deleted while this runs is kept for it.
 */
export async function createBackup(
  host: Host,
  folder: BackupFolder,
  options: BackupOptions = {},
): Promise<RestorePoint> {
  const pending = await host.pendingMigrations();
  if (pending.length) throw BadRequest('the tables are not up to date: run mortise migrate first');
  return folder.locked(() =>
    host.get(locksRef).hold(backupLock, () => new Backup(host, folder, options).run(), { waitMs: 0 }),
  );
}

class Backup {
  readonly #sources: readonly BackupSource[];
  readonly #unitBackups = new Map<string, UnitBackup>();
  readonly #storage: ManagedStorage;
  readonly #areas: Record<string, string[]> = {};
  readonly #corruptKeys = new Map<string, Set<string>>();
  #files: { lists: readonly string[]; at: number } = { lists: [], at: 0 };

  constructor(
    readonly host: Host,
    readonly folder: BackupFolder,
    readonly options: BackupOptions,
  ) {
    this.#sources = host.composition.points.reader(backupSources).list();
    this.#storage = host.get(storageRef) as ManagedStorage;
  }

  async run(): Promise<RestorePoint> {
    const last = (await this.folder.points()).at(-1);
    await this.#loadPrevious(last);
    await this.#backUpExisting();
    for (const area of await this.#areaNames()) await this.#storage.deleted(area).clear();
    let rows: RowSource | undefined;
    let at = 0;
    await this.#whileQuiesced(async () => {
      at = Date.now();
      rows = await openSource(this.host);
      for (const source of this.#unitSources()) await this.#unitBackups.get(source.key)!.takeSnapshot(rowsOf(rows));
    });
    let tables: { tables: TableLine[]; migrations: string[] };
    const named = new NamedBlobs(this.folder);
    try {
      tables = await this.#tables(rows!);
      for (const source of this.#sources) if (source.blobs) await named.add(source.blobs(rowsOf(rows!)));
    } finally {
      await rows!.close();
    }
    const units: Record<string, string[]> = {};
    const notes: string[] = [];
    for (const { key } of this.#unitSources()) {
      const { lists, missing } = await this.#unitBackups.get(key)!.complete();
      units[key] = lists;
      notes.push(...missing.map((name) => `${key}/${name} was not found`));
    }
    await this.#backUpFiles();
    await this.#backUpAreas(at + clockMs);
    const point: RestorePoint = {
      format: formatNumber,
      id: `${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(2).toString('hex')}`,
      at,
      version: this.host.composition.version,
      engine: rows!.engine,
      ...tables,
      files: this.#files.lists,
      units,
      areas: this.#areas,
      faults: [
        ...[...this.#corruptKeys].flatMap(([area, keys]) =>
          [...keys].map((key) => `${area}/${key} has other content than its name says, in the store already`),
        ),
        ...(await named.missingIn(this.#areas, (area) => this.#isExcludedArea(area))),
      ],
      notes: [...notes, ...(await this.#exclusionNotes())],
    };
    await this.folder.save(point);
    for (const area of await this.#areaNames()) await this.#storage.deleted(area).clear();
    return point;
  }

  #unitSources = () => this.#sources.filter((source) => source.units);

  async #loadPrevious(last: RestorePoint | undefined): Promise<void> {
    for (const { key, units } of this.#unitSources()) {
      const unitBackup = new UnitBackup(this.folder.store, units!);
      if (last) await unitBackup.loadPrevious(last.units[key] ?? [], last.at);
      this.#unitBackups.set(key, unitBackup);
    }
    if (!last) return;
    this.#files = { lists: last.files, at: last.at };
    for (const [name, lists] of Object.entries(last.areas)) this.#areas[name] = [...lists];
  }

  /** Most content exists already: it is backed up first, while the server goes on. */
  async #backUpExisting(): Promise<void> {
    const rows = await openSource(this.host);
    try {
      for (const { key } of this.#unitSources()) await this.#unitBackups.get(key)!.backUpExisting(rowsOf(rows));
    } finally {
      await rows.close();
    }
    await this.#backUpAreas();
  }

  #whileQuiesced(work: () => Promise<void>): Promise<void> {
    return this.#unitSources().reduceRight<() => Promise<void>>(
      (inner, { units }) =>
        () =>
          units!.whileQuiesced ? units!.whileQuiesced(inner) : inner(),
      work,
    )();
  }

  async #tables(rows: RowSource): Promise<{ tables: TableLine[]; migrations: string[] }> {
    const caches = new Set([...excludedTables, ...this.#sources.flatMap((source) => source.caches?.tables ?? [])]);
    const tables: TableLine[] = [];
    const migrations: string[] = [];
    for (const table of orderByReferences(await rows.tables())) {
      if (caches.has(table.name)) continue;
      if (table.name === 'migration') {
        for await (const [owner, name] of rows.rows(table, ['owner', 'name'])) migrations.push(`${owner}/${name}`);
        continue;
      }
      const writer = new ListWriter(this.folder.store);
      const key = table.primaryKey.map((name) => table.columns.findIndex((column) => column.name === name));
      for await (const row of rows.rows(table)) {
        const values = row.map((value, n) => encode(value, table.columns[n]!));
        await writer.add(values, key.map((n) => String(row[n])).join());
      }
      const { name, columns } = table;
      tables.push({
        name,
        columns,
        sequence: await rows.sequence(table),
        chunks: await writer.end(),
        rows: writer.count,
      });
    }
    return { tables, migrations };
  }

  async #backUpFiles(): Promise<void> {
    const { store } = this.folder;
    const { workDir } = this.host.composition;
    const excluded = this.#excludedPaths();
    const isLeftOut = (path: string) => excluded.has(path) || path.endsWith('.draft');
    const known = await byPath(readList<FileLine>(store, this.#files.lists), this.#files.at);
    const lines = await backUpFolder(store, workDir, { known, isLeftOut });
    this.#files = { lists: await writeList(store, lines, ({ path }) => path), at: Date.now() };
  }

  /** Below the work folder: what is backed up otherwise, or made again. */
  #excludedPaths(): Set<string> {
    const { settings, workDir } = this.host.composition;
    const database = resolve(workDir, settings.database.PATH);
    const stores = [settings.storage.common, ...settings.storage.areas.values()];
    const caches = [
      'cache',
      'tmp',
      'data/tmp',
      'node_modules',
      'last-backup',
      ...this.#sources.flatMap((one) => one.caches?.folders ?? []),
    ];
    return new Set(
      [
        ...['', '-wal', '-shm', '-journal'].map((ending) => database + ending),
        ...stores.flatMap((one) => (one.STORAGE_TYPE === 'local' ? [resolve(workDir, one.PATH)] : [])),
        ...this.#unitSources().map(({ units }) => units!.folder),
        ...this.#unitSources().flatMap(({ units }) => units!.otherFolders ?? []),
        ...caches.map((path) => join(workDir, path)),
        this.folder.path,
      ].map((path) => relative(workDir, path)),
    );
  }

  async #areaNames(): Promise<string[]> {
    return (await this.#storage.areas()).filter((name) => !this.#isExcludedArea(name));
  }

  #isExcludedArea(area: string): boolean {
    const { withoutAreas = [] } = this.options;
    return (
      withoutAreas.includes('*') ||
      withoutAreas.includes(area) ||
      this.#sources.some((source) => source.caches?.areas?.includes(area))
    );
  }

  async #backUpAreas(until?: number): Promise<void> {
    const names = await this.#areaNames();
    for (const gone of Object.keys(this.#areas).filter((name) => !names.includes(name))) delete this.#areas[gone];
    for (const name of names)
      this.#areas[name] = await backUpArea({
        store: this.folder.store,
        area: this.#storage.area(name),
        deleted: this.#storage.deleted(name),
        previousLists: this.#areas[name] ?? [],
        until,
        corruptKeys: this.#corruptKeysOf(name),
      });
  }

  #corruptKeysOf(area: string): Set<string> {
    let keys = this.#corruptKeys.get(area);
    if (!keys) this.#corruptKeys.set(area, (keys = new Set()));
    return keys;
  }

  /** Those that `mortise plugins add` brought lie in `plugins/` of the work folder, and are in the back-up. */
  #excludedPluginNotes(): string[] {
    const { plugins, workDir } = this.host.composition;
    return plugins.flatMap(({ package: found }) => {
      if (!found || found.from === 'workspace' || found.from === 'added') return [];
      const path = relative(workDir, found.folder);
      const isKept = !path.startsWith('..') && !isAbsolute(path) && !path.split(/[\\/]/).includes('node_modules');
      if (isKept) return [];
      return [
        `not in it: the plugin ${found.packageName} ${found.version} in ${found.folder}, which a restore needs too`,
      ];
    });
  }

  async #exclusionNotes(): Promise<string[]> {
    const { withoutAreas = [] } = this.options;
    const { settingsRegistry, workDir } = this.host.composition;
    const { file } = settingsRegistry;
    const outside =
      file !== undefined && (relative(workDir, file).startsWith('..') || isAbsolute(relative(workDir, file)));
    return [
      ...(withoutAreas.length ? [`left out as asked: the storage areas ${withoutAreas.join(', ')}`] : []),
      ...(outside ? [`not in it: the settings file ${file}, which lies outside of the work folder`] : []),
      ...this.#excludedPluginNotes(),
    ];
  }
}
