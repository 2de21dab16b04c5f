import type { Readable } from 'node:stream';
import type { StorageArea } from './services.js';
import type { BaseModel } from './model.js';
import { definePoint, type Keyed } from './references.js';

/**
 * A row of the server that is taken over. Servers of other versions lack columns or have more: what a row lacks reads as
 * 0, an empty text, false or undefined.
 */
export interface SourceRow {
  has(column: string): boolean;
  number(column: string): number;
  /** Cut to `maxLength` code units of UTF-16, not within a character; default: whole. */
  text(column: string, maxLength?: number): string;
  flag(column: string): boolean;
  /** The column in seconds since 1970, as milliseconds; 0: never. */
  time(column: string): number;
  /** Undefined where there is none, or where it cannot be read. */
  json(column: string): unknown;
  /** The texts of a list in JSON; empty where it is none. */
  texts(column: string): string[];
  bytes(column: string): Buffer | undefined;
  /** Rows of a table that {@link TableMapping.related} names. */
  related(name: string): readonly SourceRow[];
}

/**
 * A row of a table of the plugin. Where the key of the model has several columns, rows may share one: they are replaced together.
 */
export interface TargetRow {
  readonly model: typeof BaseModel;
  /** By column, as the model has them; with the id of the source. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A row that is not taken over, and why: counted by reason. */
interface SkippedRow {
  readonly skipped: string;
}

/** Folders of the server that is taken over, by its settings. */
export type SourceFolder =
  | 'repositories'
  | 'lfs'
  | 'packages'
  | 'attachments'
  | 'avatars'
  | 'repo-avatars'
  | 'actions_log'
  | 'actions_artifacts'
  | 'custom';

export interface TakeoverContext {
  readonly isDryRun: boolean;
  /** Of Gogs, whose numbers for types and whose units of time differ in some tables. */
  readonly isGogs: boolean;
  /** Path of a folder of that server. */
  folder(name: SourceFolder): string;
  /** A setting in its app.ini; undefined: it has none. */
  setting(section: string, key: string): string | undefined;
  /** Decrypts with its SECRET_KEY; undefined where that key is another one. */
  decrypt(encrypted: string): string | undefined;
  /** The same for one-time password secrets, which have a format of their own. */
  decryptTotp(encrypted: string): string | undefined;
  /** Stores a file under a key unless one of this size is stored already. False where it cannot be read: counted. */
  storeFile(path: string, area: StorageArea, key: string): Promise<boolean>;
  /**
   * SHA-256 of a picture in hex, which is its key in storage; undefined where it is no regular file or too large.
   */
  pictureKey(path: string): Promise<string | undefined>;
  /** SHA-256 of a file of any size in hex; undefined where it is no regular file or cannot be read. */
  fileDigest(path: string): Promise<string | undefined>;
  /** A file that the server has in its database (`dbfs_meta`), such as the log of a job that runs; undefined: none. */
  databaseFile(path: string): Promise<Readable | undefined>;
  /** Counts something for the report that does not stop the row. */
  report(problem: string): void;
}

/** Rows of another table that belong to a row: read for a whole page at once. */
interface RelatedRows {
  readonly table: string;
  /** Column of that table. */
  readonly column: string;
  /** Column of the row whose value `column` has; default: `id`. */
  readonly localColumn?: string;
  /** Name of related rows declared before these: `localColumn` is theirs instead of the row's. */
  readonly via?: string;
  /** Only these are read, and changes of other columns are no change of the row; default: all. */
  readonly columns?: readonly string[];
}

/** How rows of one table of the source become rows of tables of this plugin. */
export interface TableMapping {
  /** `plugin.noun`. */
  readonly id: string;
  /** Ids of mappings that run before this one, besides those of `references`. */
  readonly after?: readonly string[];
  /** Table of the source. */
  readonly table: string;
  /** Primary key of that table: one or two integer columns; default: `id`. */
  readonly key?: readonly [string] | readonly [string, string];
  readonly related?: Readonly<Record<string, RelatedRows>>;
  /** Whether a row is taken over by this mapping; default: all are. One that no longer is, is removed. */
  filter?(row: SourceRow): boolean;
  /**
   * Columns of the result whose values are ids of rows of another mapping, named by its `id`. A row that refers to one
   * that was not taken over is skipped; with `fallback` the column gets this value instead. Null is no reference.
   */
  readonly references?: Readonly<Record<string, string | { readonly to: string; readonly fallback: unknown }>>;
  /**
   * Table of the plugin whose ids are those of `table`. Ids that this site gives are higher than all that the source has
   * given: rows and other programs may still refer to rows that are gone.
   */
  readonly idTable?: typeof BaseModel;
  /**
   * `map` decrypts with the SECRET_KEY. A pass tries it with some rows before it writes anything, and stops where the key
   * is another one.
   */
  readonly hasSecrets?: boolean;
  /** Columns of the source without counterpart: they are not reported as unknown. */
  readonly ignored?: readonly string[];
  /** Counted up when `map` gives other rows for the same row of the source. */
  readonly version?: number;
  /** Before the rows of a page are mapped: looks up at once what `map` needs of this site. */
  preparePage?(rows: readonly SourceRow[], context: TakeoverContext): Promise<void>;
  /** Must give the same rows for the same source. They are inserted in this order and deleted in the reverse one. */
  map(
    row: SourceRow,
    context: TakeoverContext,
  ): TargetRow | readonly TargetRow[] | SkippedRow | Promise<TargetRow | readonly TargetRow[] | SkippedRow>;
  /** Columns of the result that this site changes by itself, such as counters: they are not compared with the source. */
  readonly derived?: readonly string[];
  /**
   * Copies files of the row, in each pass and before the row is written; files that are stored already cost little.
   * `isChanged`: the row is new or has changed since the last pass, so that files that it names may be new too.
   */
  copyFiles?(row: SourceRow, context: TakeoverContext, isChanged: boolean): Promise<void>;
  /**
   * Differences between the files of the row on both servers. Default: what `copyFiles` stores with `storeFile` is
   * compared; a mapping whose `copyFiles` writes in another way needs a comparison of its own.
   */
  compare?(row: SourceRow, context: TakeoverContext): Promise<readonly string[]>;
}

/** What a plugin takes over from a server of the compatible kind (`mortise takeover`). */
export interface TakeoverMapping extends Keyed {
  /** Tables of the source that have no counterpart: they are not reported as unknown. */
  readonly ignoredTables?: readonly string[];
  /** Read when it is needed: `async () => (await import('./takeover/tables.js')).tables(services)`. */
  tables(): Promise<readonly TableMapping[]>;
  /** Runs after each pass, to update what is derived from the rows, such as counters. */
  afterPass?(context: TakeoverContext): Promise<void>;
}

export const takeoverMappings = definePoint.keyed<TakeoverMapping>('core.takeoverMappings');

/** A row of `model`. */
export const targetRow = <M extends typeof BaseModel>(
  model: M,
  values: Readonly<Partial<Record<keyof InstanceType<M> & string, unknown>>>,
): TargetRow => ({ model, values: values as Readonly<Record<string, unknown>> });

export const skippedRow = (reason: string): SkippedRow => ({ skipped: reason });

/** At most so many code units of UTF-16, and no half of a character, which databases refuse or replace. */
export const cutToLength = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
