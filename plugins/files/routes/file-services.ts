import type { PointReader, Route, Site } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { BranchAccess, RepositoryPages } from '@mortise/repositories/api';
import { withRest, type CommitModels, type CommitVerification, type RenamedBranches } from '@mortise/history/api';
import type { FileChanges, MediaSource } from '../contract/files.js';
import type { ArchiveService } from '../services/archives.js';
import type { ContentsReader } from '../services/contents-reader.js';
import { archiveRoutes } from './archives.js';
import { contentsRoutes } from './contents.js';
import { editorConfigRoutes } from './editorconfig.js';
import { fileRoutes } from './files.js';

export interface FileServices {
  readonly git: GitReader;
  readonly site: Site;
  readonly commits: CommitModels;
  readonly verification: CommitVerification;
  readonly contents: ContentsReader;
  readonly changes: FileChanges;
  readonly archives: ArchiveService;
  readonly hasPrefix: boolean;
  readonly pages: Pick<RepositoryPages, 'offersArchives'>;
  readonly media: PointReader<MediaSource>;
  readonly branchAccess: BranchAccess;
  readonly renamedBranches: RenamedBranches;
}

/** Every operation of this plugin, and the addresses of files and archives beside the pages. */
export const allRoutes = (services: FileServices): Route[] =>
  [contentsRoutes, fileRoutes, archiveRoutes, editorConfigRoutes]
    .flatMap((routes: (services: FileServices) => Route[]) => routes(services))
    .map(withRest);
