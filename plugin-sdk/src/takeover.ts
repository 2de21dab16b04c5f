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
  text(column: string): string;
  flag(column: string): boolean;
  /** Seconds since 1970 there, milliseconds here; 0: never. */
  time(column: string): number;
  /** Undefined where there is none, or where it cannot be read. */
  json(column: string): unknown;
  /** The texts of a list in JSON; empty where it is none. */
  texts(column: string): string[];
  bytes(column: string): Buffer | undefined;
  /** Rows of a table that {@link TakeoverKind.related} names. */
  related(name: string): readonly SourceRow[];
}

/**
 * A row of a table of the plugin. Where the key of the model has several columns, rows may share one: they are replaced together.
 */
export interface TakenRow {
  readonly model: typeof BaseModel;
  /** By column, as the model has them; with the id of the source. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A row that does not come, and why: counted by reason. */
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
  /** Path of a folder there. */
  folder(name: SourceFolder): string;
  /** What its app.ini says; undefined: nothing. */
  setting(section: string, key: string): string | undefined;
  /** Decrypts what it encrypted with its SECRET_KEY; undefined where that key is another one. */
  decrypt(encrypted: string): string | undefined;
  /** The same for one-time password secrets, which have a format of their own. */
  decryptTotp(encrypted: string): string | undefined;
  /** Stores a file under a key, unless it is there with this size. False where the file cannot be read: counted. */
  storeFile(path: string, area: StorageArea, key: string): Promise<boolean>;
  /**
   * SHA-256 of a picture in hex, by which pictures are stored here; undefined where it is no regular file or too large.
   */
  pictureKey(path: string): Promise<string | undefined>;
  /** SHA-256 of a file of any size in hex; undefined where it is no regular file or cannot be read. */
  fileDigest(path: string): Promise<string | undefined>;
  /** Counts something for the report that does not stop the row. */
  report(problem: string): void;
}

/** Rows of another table that belong to a row: read for a whole page at once. */
interface RelatedRows {
  readonly table: string;
  /** Column there. */
  readonly column: string;
  /** Column of the row that it equals; default: `id`. */
  readonly of?: string;
  /** Name of related rows before these, whose column it is instead of the row's. */
  readonly from?: string;
  /** Only these are read, and changes of others change nothing; default: all. */
  readonly columns?: readonly string[];
}

/** How rows of one table of the source become rows of this plugin. */
export interface TakeoverKind {
  /** `plugin.noun`. */
  readonly id: string;
  /** Kinds that come before, besides those of `references`. */
  readonly after?: readonly string[];
  /** Table of the source. */
  readonly table: string;
  /** Primary key there: one or two integer columns; default: `id`. */
  readonly key?: readonly [string] | readonly [string, string];
  readonly related?: Readonly<Record<string, RelatedRows>>;
  /** Rows that belong to this kind, where a table holds several. */
  belongs?(row: SourceRow): boolean;
  /**
   * Columns of the result whose values are ids of rows of another kind. A row that names one that has not come is
   * skipped; with `otherwise` it gets this value instead. Null is no reference.
   */
  readonly references?: Readonly<Record<string, string | { readonly kind: string; readonly otherwise: unknown }>>;
  /** Columns of the source that mean nothing here: they are not reported as unknown. */
  readonly ignored?: readonly string[];
  /** Counted up when `map` gives other rows for the same row of the source. */
  readonly version?: number;
  /** Gives the same rows for the same source. The first is the row itself, the others are deleted before it. */
  map(
    row: SourceRow,
    context: TakeoverContext,
  ): TakenRow | readonly TakenRow[] | SkippedRow | Promise<TakenRow | readonly TakenRow[] | SkippedRow>;
  /** Columns of the result that this site changes by itself, such as counters: they are not compared with the source. */
  readonly derived?: readonly string[];
  /**
   * Brings files of the row, before it is written and in each pass; does little where they are there. `isChanged`: the row
   * is new or another one than in the last pass, so that files whose names lie in it may be new too.
   */
  content?(row: SourceRow, context: TakeoverContext, isChanged: boolean): Promise<void>;
  /**
   * What differs between the files of the row there and here. Default: what `content` stores with `storeFile` is compared
   * instead; a kind whose `content` writes in another way has a comparison of its own.
   */
  compare?(row: SourceRow, context: TakeoverContext): Promise<readonly string[]>;
}

/** What a plugin takes over from a server of the compatible kind (`mortise takeover`). */
export interface TakeoverMapping extends Keyed {
  /** Tables of the source that have no counterpart: they are not reported as unknown. */
  readonly ignoredTables?: readonly string[];
  /** Read when it is needed: `async () => (await import('./takeover/kinds.js')).kinds(services)`. */
  kinds(): Promise<readonly TakeoverKind[]>;
  /** After each pass: makes what is derived from the rows. */
  finish?(context: TakeoverContext): Promise<void>;
}

export const takeoverMappings = definePoint.keyed<TakeoverMapping>('core.takeoverMappings');

/** A row of `model`. */
export const takenRow = <M extends typeof BaseModel>(
  model: M,
  values: Readonly<Partial<Record<keyof InstanceType<M> & string, unknown>>>,
): TakenRow => ({ model, values: values as Readonly<Record<string, unknown>> });

export const skippedRow = (reason: string): SkippedRow => ({ skipped: reason });
