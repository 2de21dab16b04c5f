/** What lies in a back-up folder. */
import type { Column } from './tables.js';

/** The one file that tells a back-up folder from others. */
export const markerName = 'mortise-backup.json';
export const formatNumber = 2;

/** Line of a list: one file, or a folder that is empty. Content is inline when small, else the SHA-256 of an object. */
export interface FileLine {
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970 UTC. */
  readonly modifiedAt: number;
  readonly mode: number;
  readonly hash?: string;
  /** Base64. */
  readonly content?: string;
  readonly link?: string;
  readonly folder?: true;
}

export interface BlobLine {
  readonly key: string;
  readonly size: number;
  readonly modifiedAt: number;
  readonly hash: string;
}

export interface UnitLine {
  readonly name: string;
  /** Lists of file lines. */
  readonly pointers: readonly string[];
  readonly files: readonly string[];
}

export interface TableLine {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Next value of the automatic id, where there is one. */
  readonly sequence?: number;
  /** Lists of rows, each an array of encoded values in the order of the columns. */
  readonly chunks: readonly string[];
}

/** One moment to which everything can be brought back. */
export interface RestorePoint {
  readonly format: typeof formatNumber;
  readonly id: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly version: string;
  readonly engine: 'sqlite' | 'mysql';
  /** `owner/name` of every migration that was applied. */
  readonly migrations: readonly string[];
  /** In an order in which each table comes after those that it refers to. */
  readonly tables: readonly TableLine[];
  /** Lists of files of the work folder. */
  readonly files: readonly string[];
  /** Lists of units by key of the source. */
  readonly units: Readonly<Record<string, readonly string[]>>;
  /** Lists of blobs by storage area. */
  readonly areas: Readonly<Record<string, readonly string[]>>;
  /** What was damaged already when it was copied, in words; absent in points of before. */
  readonly faults?: readonly string[];
  /** What was left out on purpose, in words. */
  readonly notes: readonly string[];
}
