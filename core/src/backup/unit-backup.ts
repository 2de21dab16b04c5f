import type { BackupRows, BackupSource, BackupUnit } from '@mortise/plugin-sdk';
import { byPath, backUpFile, backUpFolder, walk } from './files.js';
import type { FileLine, UnitLine } from './format.js';
import { ListWriter, readList, writeList } from './lists.js';
import type { ObjectStore } from './store.js';

type Units = NonNullable<BackupSource['units']>;

/** What an earlier look at a unit found. */
interface Seen extends UnitLine {
  readonly stamp?: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

const pathOf = ({ path }: FileLine) => path;
/** The unit that holds what lies beside the others. */
const beside = '';

/** The units of one source, looked at first while everything goes on, and then at the moment of the back-up. */
export class UnitBackup {
  readonly #store: ObjectStore;
  readonly #units: Units;
  readonly #seen = new Map<string, Seen>();
  #present: { unit: BackupUnit; lists?: readonly string[]; lines?: FileLine[] }[] = [];

  constructor(store: ObjectStore, units: Units) {
    this.#store = store;
    this.#units = units;
  }

  /** What the last back-up found saves reading it again. */
  async loadPrevious(lists: readonly string[], at: number): Promise<void> {
    for await (const line of readList<UnitLine>(this.#store, lists)) this.#seen.set(line.name, { ...line, at });
  }

  /** Before the moment: brings everything over that is there already. */
  async backUpExisting(rows: BackupRows): Promise<void> {
    for await (const unit of this.#units.list(rows)) {
      const at = Date.now();
      const folder = await unit.folder();
      if (folder === undefined) continue;
      const stamp = await unit.stamp?.();
      const pointers = await writeList(this.#store, await this.#pointersIn(folder), pathOf);
      this.#seen.set(unit.name, { name: unit.name, stamp, at, pointers, files: await this.#files(unit.name, folder) });
    }
  }

  /** At the moment, while everybody waits: only what has changed since is read. */
  async takeSnapshot(rows: BackupRows): Promise<void> {
    this.#present = [];
    for await (const unit of this.#units.list(rows)) {
      const seen = this.#seen.get(unit.name);
      const stamp = seen?.stamp === undefined ? undefined : await unit.stamp?.();
      if (seen && stamp !== undefined && stamp === seen.stamp) this.#present.push({ unit, lists: seen.pointers });
      else {
        const folder = await unit.folder();
        this.#present.push({ unit, lines: folder === undefined ? [] : await this.#pointersIn(folder) });
      }
    }
  }

  /** After the moment: what the pointers name, and what was left to write. Gives the lists, and units that are nowhere. */
  async complete(): Promise<{ lists: string[]; missing: string[] }> {
    const writer = new ListWriter(this.#store);
    const missing: string[] = [];
    for (const { unit, lists, lines = [] } of this.#present) {
      const folder = await unit.folder();
      const seen = this.#seen.get(unit.name);
      if (folder === undefined && !seen) {
        missing.push(unit.name);
        continue;
      }
      await writer.add(
        {
          name: unit.name,
          pointers: lists ?? (await writeList(this.#store, lines, pathOf)),
          files: folder === undefined ? seen!.files : await this.#files(unit.name, folder),
        } satisfies UnitLine,
        unit.name,
      );
    }
    const others = await this.#beside();
    if (others.length) {
      const files = await writeList(this.#store, others, pathOf);
      await writer.add({ name: beside, pointers: [], files } satisfies UnitLine, beside);
    }
    return { lists: await writer.end(), missing };
  }

  async #pointersIn(folder: string): Promise<FileLine[]> {
    const isOther = (path: string) => this.#units.isLeftOut(path);
    const found = [];
    for await (const one of walk(folder, isOther)) {
      const order = this.#units.pointer(one.path);
      if (order !== undefined) found.push({ one, order });
    }
    const lines: FileLine[] = [];
    for (const { one } of found.sort((a, b) => a.order - b.order)) {
      const line = await backUpFile(this.#store, folder, one);
      if (line) lines.push(line);
    }
    return lines;
  }

  async #files(name: string, folder: string): Promise<string[]> {
    const seen = this.#seen.get(name);
    const known = seen && (await byPath(readList<FileLine>(this.#store, seen.files), seen.at));
    const isLeftOut = (path: string) => this.#units.isLeftOut(path) || this.#units.pointer(path) !== undefined;
    return writeList(this.#store, await backUpFolder(this.#store, folder, { known, isLeftOut }), pathOf);
  }

  async #beside(): Promise<FileLine[]> {
    const { folder, beside: names = [] } = this.#units;
    const isLeftOut = (path: string) => !names.some((name) => path === name || path.startsWith(`${name}/`));
    return backUpFolder(this.#store, folder, { isLeftOut });
  }
}
