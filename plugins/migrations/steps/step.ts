import { type Database } from '@mortise/plugin-sdk';
import type { IssueImports } from '@mortise/issues/api';
import type { Attachments } from '@mortise/attachments/api';
import type { GitReader } from '@mortise/git/api';
import type { PullImports } from '@mortise/pulls/api';
import type { ReleaseImports } from '@mortise/releases/api';
import type { Projects } from '@mortise/projects/api';
import type { ReviewImports } from '@mortise/reviews/api';
import type { ImportKind, SourcePages, SourceReader } from '../contract/source.js';
import type { ImportOptions, ImportStep } from '../contract/importer.js';
import type { RecordShape } from '../services/record-shape.js';
import type { AuthorMap } from '../services/authors.js';
import type { ProgressStore, WrittenItem } from '../services/progress-store.js';

export interface ImporterDeps {
  readonly database: Database;
  readonly attachments: Attachments;
  readonly gitReader: GitReader;
  readonly issueImports: IssueImports;
  readonly pullImports: PullImports;
  readonly releaseImports: ReleaseImports;
  readonly reviewImports: ReviewImports;
  /** Undefined where this site has no boards. */
  readonly projects: () => Pick<Projects, 'import'> | undefined;
}

/** What a step works with. */
export interface StepContext {
  readonly deps: ImporterDeps;
  readonly options: ImportOptions;
  readonly store: ProgressStore;
  readonly authors: AuthorMap;
  /** Something that was left out; shown with the step. */
  note(text: string): void;
}

/** What is ready to be written in one transaction. */
interface Batch {
  /** In the transaction; only SQL. Gives what was written. */
  write(): Promise<readonly WrittenItem[]>;
}

/** How one kind of records is imported. */
export interface ImportStepKind<T> {
  readonly step: ImportStep;
  /** Imported where one of these was asked for. */
  readonly kinds: readonly ImportKind[];
  /** More are not taken. */
  readonly maxItems: number;
  /** Items that one transaction writes; default 100. */
  readonly batchSize?: number;
  /** Few sources have them: that one has none is not worth a note. */
  readonly isRare?: boolean;
  /** Why this site cannot take them, said where the source has some; undefined: it can. */
  unavailable?(context: StepContext): string | undefined;
  /** Undefined: the source has none. */
  pages(reader: SourceReader, context: StepContext, after: string | undefined): SourcePages<T> | undefined;
  /** Where its records must be objects; default: themselves alone. */
  readonly shape?: RecordShape;
  /** What the source calls it; empty: it is no record that can be. */
  keyOf(item: T): string;
  /** Where the key may be no more than a name, which others may have too: that name. */
  nameOf?(item: T): string;
  readonly itemKind: WrittenItem['kind'];
  /** Looks up what is needed, outside of transactions; none of the items was written before. */
  prepare(items: readonly T[], context: StepContext): Promise<Batch>;
  /** With all items of a page, also those that were written before; what it does twice is done once. Before its position is stored. */
  afterPage?(items: readonly T[], context: StepContext): Promise<void>;
  /** After the last page. */
  finish?(context: StepContext): Promise<void>;
}
