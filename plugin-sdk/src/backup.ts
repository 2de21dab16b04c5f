import { definePoint, defineService } from './references.js';

/** Back-ups of the running server. */
export interface Backups {
  /**
   * A back-up is being made: what rows of its moment may name must not vanish yet. Whoever removes folders of a
   * {@link BackupSource} puts them aside instead; storage areas do so by themselves.
   */
  isRunning(): Promise<boolean>;
}
export const backups = defineService<Backups>('core.backups');

/** The database as it was at the moment of the back-up. */
export interface BackupRows {
  /** The columns of all rows, ordered by primary key; nothing when there is no such table. */
  rows(table: string, columns: readonly string[]): AsyncIterable<readonly unknown[]>;
}

/** A folder that is copied as a whole, for instance one repository. */
export interface BackupUnit {
  /** Path below the source's folder, with `/`; the same in every back-up. */
  readonly name: string;
  /** Where it lies now (it may have been put aside since); undefined: nowhere. */
  folder(): Promise<string | undefined>;
  /** Changes whenever a pointer does; undefined: look at the pointers. */
  stamp?(): Promise<string | undefined>;
}

/** Content of a storage area that a row names. */
export interface NamedBlob {
  readonly area: string;
  readonly key: string;
  readonly size?: number;
  /** Compared with the content by `mortise doctor --deep`. */
  readonly sha256?: string;
}

/** What a plugin says about back-ups of its data. Rows, storage areas and other files need no word. */
export interface BackupSource {
  readonly key: string;
  /** What can be made again and is left out. Folders are relative to the work folder. */
  readonly caches?: {
    readonly areas?: readonly string[];
    readonly tables?: readonly string[];
    readonly folders?: readonly string[];
  };
  /** Data that grows and changes by rules of its own, in units of one folder each. */
  readonly units?: {
    /** All units lie in it. */
    readonly folder: string;
    /** Further folders that units lie in, with links to them in `folder`: they are no files of the work folder. */
    readonly otherFolders?: readonly string[];
    /** Further files and folders directly in it that are copied; nothing else is. */
    readonly beside?: readonly string[];
    list(rows: BackupRows): AsyncIterable<BackupUnit>;
    /**
     * Small files that name others (references), read at the moment of the database: lowest number first. Undefined:
     * the file never changes once it is there, or replaces itself, and is copied afterwards.
     */
    pointer(path: string): number | undefined;
    /** Files and folders of a unit that are left out. */
    isLeftOut(path: string): boolean;
    /** Makes the folder that a unit is restored to, and gives its path; default: `name` below `folder`. */
    makeFolder?(name: string): Promise<string>;
    /** Runs `work` while no change is halfway between these files and the database; waits only briefly for that. */
    whileQuiesced?<T>(work: () => Promise<T>): Promise<T>;
  };
  /**
   * Content of storage areas that rows name. A back-up that lacks some of it says so and fails, and
   * `mortise doctor --deep` looks for each.
   */
  blobs?(rows: BackupRows): AsyncIterable<NamedBlob>;
  /** After a restore: makes again what was left out and is not made by itself. */
  rebuild?(): Promise<void>;
}

export const backupSources = definePoint.keyed<BackupSource>('core.backupSources');
