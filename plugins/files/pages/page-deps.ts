import type { MemoryCache, PointReader, Site, Slot } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { CommitVerification, CommitViews, RenamedBranches } from '@mortise/history/api';
import type { Markup } from '@mortise/markup/api';
import type { Repositories, RepositoryAccess, RepositoryPages, RepositoryPageContext } from '@mortise/repositories/api';
import type { FilePageContext, LineAction, MediaSource } from '../contract/files.js';
import type { FileOutlines } from '../services/symbols/file-outlines.js';

/** What the pages of this plugin work with. */
export interface PageDeps {
  readonly git: GitReader;
  readonly site: Site;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly pages: RepositoryPages;
  readonly renamedBranches: RenamedBranches;
  readonly markup: Markup;
  readonly verification: CommitVerification;
  readonly views: CommitViews;
  readonly actions: PointReader<Slot<FilePageContext>>;
  readonly notices: PointReader<Slot<FilePageContext>>;
  readonly lineActions: PointReader<LineAction>;
  readonly outlines: FileOutlines;
  readonly media: PointReader<MediaSource>;
  readonly sidebar: PointReader<Slot<RepositoryPageContext>>;
  readonly ssh: PointReader<{ address(path: string): string }>;
  /** There is a page where access tokens are made. */
  readonly hasTokens: boolean;
  /** Facts that never change under their key. */
  readonly cache: MemoryCache<unknown>;
}
