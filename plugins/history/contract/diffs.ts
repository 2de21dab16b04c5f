import type { ComponentChildren, VNode } from 'preact';
import { Joi, defineService } from '@mortise/plugin-sdk';
import type { FileChange, GitRepository } from '@mortise/git/api';
import type { Viewer } from '@mortise/markup/api';

/** How a diff is to be shown; the query of its page. */
export interface DiffQuery {
  /** `split`: before and after side by side. */
  readonly style?: string;
  readonly whitespace?: string;
  /** Only this file, also where it is large. */
  readonly file?: string;
  /** Number of the first file that is shown, from 0: diffs come in pieces. */
  readonly from?: number;
  /** Lines around changes that are shown too: `ANCHOR:FIRST-LAST,…`, in numbers of the newer side. */
  readonly expand?: string;
  /** Only the files, to be put into the page that asked: answer with `fragment` ({@link Diffs.render}). */
  readonly piece?: boolean;
}

const maxExpandLength = 2_000;

export const diffQuery = Joi.object<DiffQuery>({
  style: Joi.string().valid('split', 'unified').empty(''),
  whitespace: Joi.string().valid('ignore').empty(''),
  file: Joi.string().empty('').max(4096),
  from: Joi.number().integer().min(0).max(1_000_000),
  expand: Joi.string()
    .empty('')
    .max(maxExpandLength)
    .pattern(/^d[0-9a-f]{12}:\d{1,9}-\d{1,9}(?:,d[0-9a-f]{12}:\d{1,9}-\d{1,9})*$/),
  piece: Joi.boolean().truthy('1').empty(''),
}).unknown();

/** Where the files of one side of a diff can be seen. */
export interface DiffSide {
  readonly repositoryPath: string;
  readonly commit: string | undefined;
}

/** A line as it is shown; numbers count from 1 and are there for the sides that have the line. */
export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly before?: number;
  readonly after?: number;
  /** Without its line feed; of a very long line the beginning. */
  readonly text: string;
  /** Characters of a very long line that are left out. */
  readonly omitted?: number;
  /** The last line of a file that does not end in a line feed. */
  readonly noNewline?: boolean;
}

/** Lines that follow each other without a gap. */
export interface DiffHunk {
  /** First line on each side, and how many there are. */
  readonly before: { readonly start: number; readonly count: number };
  readonly after: { readonly start: number; readonly count: number };
  /** What git says the hunk stands in, such as the name of a function; may be empty. */
  readonly heading: string;
  readonly lines: readonly DiffLine[];
}

/** Why a file is collapsed: it is large, or others than the authors of the change wrote it. */
export type DiffCollapseReason = 'large' | 'generated' | 'vendored';

/**
 * `shown`; `collapsed`: see {@link DiffFile.collapsedFor}, its lines are loaded when somebody asks; `unchanged`: no line differs; `binary`;
 * `submodule`.
 */
export type DiffFileState = 'shown' | 'collapsed' | 'unchanged' | 'binary' | 'submodule';

/** A file of a diff with the lines that are shown. */
export interface DiffFile {
  readonly change: FileChange;
  /** Name of its place in the page; lines are `{anchor}L{before}` and `{anchor}R{after}`. */
  readonly anchor: string;
  readonly state: DiffFileState;
  /** Of a file that is collapsed beside others. */
  readonly collapsedFor?: DiffCollapseReason;
  /** Bytes of a picture before and after. */
  readonly sizes?: { readonly before?: number; readonly after?: number };
  readonly hunks: readonly DiffHunk[];
  /** There are more lines than are shown. */
  readonly isCut: boolean;
  /** The last hunk reaches the end of the file. */
  readonly isWhole: boolean;
}

/** A piece of a diff: some of its files with their lines. */
export interface DiffPage {
  /** All files of the diff, some of very many, or the one that was asked for. */
  readonly changes: readonly FileChange[];
  /** Number of the first of `changes` among all files, from 0. */
  readonly listedFrom: number;
  /** Files that differ. */
  readonly total: number;
  /** Lines of all `changes` were counted; else those of `files` alone. */
  readonly isCounted: boolean;
  readonly files: readonly DiffFile[];
  /** Number of the first of `files` among all. */
  readonly from: number;
  /** Where the next piece begins. */
  readonly next?: number;
  readonly query: DiffQuery;
}

/** A line of a file in a diff, on one of its sides; lines count from 1. */
export interface DiffLinePosition {
  readonly path: string;
  readonly side: 'before' | 'after';
  readonly line: number;
}

/** What other plugins add to a diff, for instance the comments of a review. */
export interface DiffSlots {
  /** Shown below a line, over its whole width; asked for each line that is shown, with both of its sides. */
  readonly diffLine?: (positions: readonly DiffLinePosition[]) => ComponentChildren;
  /** Shown in the header of a file, beside its links. */
  readonly fileHeader?: (file: DiffFile) => ComponentChildren;
  /** Shown below the lines of a file. */
  readonly fileNotes?: (file: DiffFile) => ComponentChildren;
  /** The file is shown by its header alone until somebody unfolds it. */
  readonly isFolded?: (file: DiffFile) => boolean;
  /** Shown above the files, beside the choice of the view. */
  readonly toolbar?: () => ComponentChildren;
}

export interface DiffView {
  readonly before: DiffSide;
  readonly after: DiffSide;
  readonly slots?: DiffSlots;
  readonly viewer?: Viewer;
}

/** Diffs as pages show them. Their pages name the {@link diffIslands}. */
export interface Diffs {
  /** Reads a piece of a diff, within bounds of size; `from` undefined: everything is new. */
  read(git: GitRepository, from: string | undefined, to: string, query: DiffQuery): Promise<DiffPage>;
  /**
   * The view of a piece: with `query.piece` the files alone, for an answer with `fragment: true`; else everything around
   * them too.
   */
  render(piece: DiffPage, view: DiffView): Promise<VNode>;
}
export const diffs = defineService<Diffs>('history.diffs');

/** Islands and style sheets of pages with a diff. */
export const diffIslands: readonly string[] = ['highlight', 'lines', 'diff', 'diff-images'];
