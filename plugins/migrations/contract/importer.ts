import { defineService, type Actor } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import type { ImportKind, SourceReader } from './source.js';

/** The steps of an import, in their order; the progress is counted by them. */
export const importSteps = [
  'code',
  'wiki',
  'labels',
  'milestones',
  'releases',
  'issues',
  'pull_requests',
  'comments',
  'reviews',
  'projects',
] as const;
export type ImportStep = (typeof importSteps)[number];

export interface StepProgress {
  readonly step: ImportStep;
  readonly state: 'waiting' | 'running' | 'done' | 'skipped';
  /** What was imported; of `code` and `wiki` objects that git has received. */
  readonly done: number;
  /** As far as the source says; 0: not known. */
  readonly total: number;
  /** Why it was skipped, or what was left out; empty: nothing. */
  readonly note: string;
}

/** Whose name the imported texts carry, beside the name of the original author. */
export interface AuthorMapping {
  /**
   * `none`: the importer's account and the original author's name. `email`: accounts with a verified address that the
   * source gives. `name`: accounts of the same name too.
   */
  readonly by: 'none' | 'email' | 'name';
  /** Names at the source, in lower case, to ids of accounts; these come first. */
  readonly accounts: Readonly<Record<string, number>>;
}

export interface ImportOptions {
  /** What is written into: there, with code or without, and without issues, pull requests and releases of its own. */
  readonly repository: Repository;
  readonly reader: SourceReader;
  readonly kinds: ReadonlySet<ImportKind>;
  /** Whose texts they are where no account is known for the author. */
  readonly actor: Actor;
  readonly authors: AuthorMapping;
  /** Ends the import; it can be continued. */
  readonly signal: AbortSignal;
  /** In each transaction: throws where somebody else writes this repository by now. */
  check?(): Promise<void>;
  /** The steps as they are; after each page. */
  onProgress?(steps: readonly StepProgress[]): Promise<void> | void;
}

/**
 * Writes what a reader gives into a repository of this site, with original numbers, times and authors. What was written,
 * and the position behind it, is stored in one transaction: an import that was killed goes on where it was when it is
 * started again with the same repository, and writes nothing twice. No notifications, mails or webhooks.
 */
export interface RepositoryImporter {
  /** All steps after the code: whoever calls it has brought the commits, and for pull requests their heads. */
  run(options: ImportOptions): Promise<readonly StepProgress[]>;
  /** Forgets what is only needed to go on. */
  forget(repositoryId: number): Promise<void>;
}
export const repositoryImporter = defineService<RepositoryImporter>('migrations.importer');
