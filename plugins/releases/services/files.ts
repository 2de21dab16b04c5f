import { NotFound, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Attachment, AttachmentKind, AttachmentLimits, AttachmentOwner } from '@mortise/attachments/api';
import type { Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { Release } from '../contract/releases.js';
import { ReleaseRow } from '../models/release.js';
import type { ReleaseSettings } from '../settings.js';
import { maySee } from './access.js';
import type { ReleaseReader } from './release-reader.js';

/** The kind of attachments that are files of releases. */
export const releaseFiles = 'releases';

export const ownerOf = ({ id, repositoryId }: Release): AttachmentOwner => ({
  kind: releaseFiles,
  ownerId: id,
  repositoryId,
});

/** Files of drafts, and of repositories that not everybody sees, are kept by no cache in between. */
export const viewOf = (repository: Repository, release: Pick<Release, 'isDraft'>) => ({
  isPrivate: release.isDraft || repository.isPrivate || repository.ownerVisibility !== 'public',
});

export class ReleaseFiles implements AttachmentKind {
  readonly key = releaseFiles;
  readonly limits: AttachmentLimits;

  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly reader: ReleaseReader;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly settings: ReleaseSettings;
    },
  ) {
    const { ALLOWED_TYPES: allowedTypes, FILE_MAX_SIZE: megabytes } = deps.settings;
    this.limits = { allowedTypes, maxBytes: megabytes > 0 ? Math.floor(megabytes * 1_048_576) : undefined };
  }

  async hold({ ownerId }: AttachmentOwner): Promise<void> {
    if (!(await this.deps.database.query(ReleaseRow).findById(ownerId).select('id'))) throw NotFound('release');
  }

  async view(file: Attachment, actor: Actor) {
    const { reader, repositories, repositoryAccess } = this.deps;
    const release = await reader.byId(file.ownerId);
    const repository = await repositories.byId(file.repositoryId);
    if (!release || !repository) throw NotFound('file');
    const context = await repositoryAccess.context(actor, repository);
    if (!context.may('read', 'releases') || !maySee(context, release, actor)) throw NotFound('file');
    return viewOf(repository, release);
  }
}
