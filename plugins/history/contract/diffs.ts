import type { ComponentChildren, VNode } from 'preact';
import { Joi, defineService } from '@mortise/plugin-sdk';
import type { FileChange, GitRepository } from '@mortise/git/api';
import type { Viewer } from '@mortise/markup/api';

/** How a difference is to be shown; the query of its page. */
export interface DiffQuery {
  /** `split`: before and after side by side. */
  readonly style?: string;
  readonly whitespace?: string;
  /** Only this file, and all of its lines. */
  readonly file?: string;
  /** Lines around a change. */
  readonly context?: number;
  readonly page?: number;
}

export const diffQuery = Joi.object({
  style: Joi.string().valid('split', 'unified').empty(''),
  whitespace: Joi.string().valid('ignore').empty(''),
  file: Joi.string().allow('').max(4096),
  context: Joi.number().integer().min(0).max(100_000),
}).unknown();

/** A side of the difference: where its files can be seen. */
export interface DiffSide {
  readonly home: string;
  readonly commit: string | undefined;
}

/** What {@link Diffs.read} found; opaque but for the list of files. */
export interface DiffData {
  readonly changes: readonly FileChange[];
  /** Of the files on this page, by path; undefined: too large. */
  readonly patches: ReadonlyMap<string, readonly string[]> | undefined;
  readonly query: DiffQuery;
}

/** A line of a file in a difference, on one of its sides; lines count from 1. */
export interface DiffLinePlace {
  readonly path: string;
  readonly side: 'before' | 'after';
  readonly line: number;
}

/** What other plugins add to a difference, for instance the comments of a review. */
export interface DiffSlots {
  /** Shown below a line, over its whole width; asked for each line that is shown, with both of its sides. */
  readonly belowLine?: (places: readonly DiffLinePlace[]) => ComponentChildren;
  /** Shown in the header of a file. */
  readonly inHeader?: (change: FileChange) => ComponentChildren;
}

/** Differences as pages show them. Pages that use it name the islands `highlight` and `lines`. */
export interface Diffs {
  /** Reads what a page of a difference shows, within bounds of size; `from` undefined: everything is new. */
  read(git: GitRepository, from: string | undefined, to: string, query: DiffQuery): Promise<DiffData>;
  render(
    data: DiffData,
    sides: { readonly before: DiffSide; readonly after: DiffSide },
    options?: { readonly slots?: DiffSlots; readonly viewer?: Viewer },
  ): Promise<VNode>;
}
export const diffs = defineService<Diffs>('history.diffs');
