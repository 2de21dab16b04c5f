import { NotFound, type Actor, type Database, type PointReader } from '@mortise/plugin-sdk';
import type { Attachment, AttachmentKind, AttachmentOwner } from '@mortise/attachments/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import { unitOf, type Issue, type IssueContext, type TimelineEntry, type TimelineKind } from '../api.js';
import { IssueRow, toIssue } from '../models/issue.js';
import { TimelineRow, toEntry } from '../models/timeline.js';
import { issueContext } from './issue-resolver.js';

/** The kinds of attachments that are files of issues, and of comments. */
export const issueFiles = 'issues';
export const commentFiles = 'comments';

export const fileOwner = ({ id, repositoryId }: Issue): AttachmentOwner => ({
  kind: issueFiles,
  ownerId: id,
  repositoryId,
});
export const commentFileOwner = ({ id, repositoryId }: TimelineEntry): AttachmentOwner => ({
  kind: commentFiles,
  ownerId: id,
  repositoryId,
});

interface FileDeps {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
}

/** Files are seen by those who may read what they belong to. */
function kindOf(
  key: string,
  deps: FileDeps,
  issueIdOf: (ownerId: number) => Promise<number | undefined>,
  mayView?: (ownerId: number, context: IssueContext, actor: Actor) => Promise<boolean>,
): AttachmentKind {
  const issueOf = async (ownerId: number) => {
    const id = await issueIdOf(ownerId);
    const row = id === undefined ? undefined : await deps.database.query(IssueRow).findById(id);
    return row && toIssue(row);
  };
  return {
    key,
    refusal: 'invalid',
    async hold({ ownerId, repositoryId }: AttachmentOwner) {
      // as those that delete do, so that no file comes to what is gone
      await deps.repositories.hold(repositoryId);
      if (!(await issueOf(ownerId))) throw NotFound('issue');
    },
    async view(file: Attachment, actor: Actor) {
      const issue = await issueOf(file.ownerId);
      const repository = issue && (await deps.repositories.byId(issue.repositoryId));
      if (!issue || !repository) throw NotFound('file');
      const context = await deps.repositoryAccess.context(actor, repository);
      if (!context.may('read', unitOf(issue))) throw NotFound('file');
      if (mayView && !(await mayView(file.ownerId, issueContext(context, issue), actor))) throw NotFound('file');
      return { isPrivate: repository.isPrivate || repository.ownerVisibility !== 'public' };
    },
  };
}

export const issueFileKind = (deps: FileDeps): AttachmentKind => kindOf(issueFiles, deps, async (id) => id);

export const commentFileKind =
  (kinds: PointReader<TimelineKind>) =>
  (deps: FileDeps): AttachmentKind => {
    const entryOf = async (id: number) => {
      const row = await deps.database.query(TimelineRow).findById(id);
      return row && toEntry(row);
    };
    return kindOf(
      commentFiles,
      deps,
      async (id) => (await entryOf(id))?.issueId,
      async (id, context, actor) => {
        const entry = await entryOf(id);
        const written = entry && kinds.list().find(({ key }) => key === entry.kind)?.written;
        return !entry || !written || written.isVisible(entry, context, actor);
      },
    );
  };
