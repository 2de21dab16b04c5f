import type { ActivityEvent, RepositoryMoved } from '@mortise/activity-events/api';
import type { Activities, ActivityKind, NewActivity } from '../contract/activity.js';

type Entry = Pick<NewActivity, 'ref' | 'content' | 'commentId'> & { readonly kind: ActivityKind };

const moved = ({ data }: ActivityEvent) => data as Partial<RepositoryMoved>;

/** What feeds quote of a review. */
const maxExcerpt = 200;

/** `1|title`, as the REST surface has it. */
const titled = ({ resource }: ActivityEvent) => `${resource.index ?? 0}|${resource.title}`;
/** The same of what has no number but its id. */
const named = ({ resource }: ActivityEvent) => `${resource.id}|${resource.title}`;
/** `1|how it begins`. */
const quoted = ({ resource, data }: ActivityEvent) =>
  `${resource.index ?? 0}|${(data as { excerpt?: string }).excerpt ?? resource.title}`;
/** The same of a review. */
const reviewed = ({ resource, data }: ActivityEvent) => {
  const { content = '' } = data as { content?: string };
  return `${resource.index ?? 0}|${content.slice(0, maxExcerpt) || resource.title}`;
};
const isMerged = ({ data }: ActivityEvent) => (data as { isMerged?: boolean }).isMerged === true;
const commentIn = ({ data }: ActivityEvent) => Number((data as { commentId?: number }).commentId ?? 0);

/** By kind and action: activity events that are an entry as they are. What is not listed is no entry. */
const entries: Readonly<Record<string, (activityEvent: ActivityEvent) => Entry>> = {
  'repository.created': () => ({ kind: 'create_repo' }),
  'repository.renamed': (one) => ({ kind: 'rename_repo', content: moved(one).from?.split('/')[1] ?? '' }),
  'repository.transferred': (one) => ({ kind: 'transfer_repo', content: moved(one).from ?? '' }),
  'issues.opened': (one) => ({ kind: 'create_issue', content: titled(one) }),
  'issues.closed': (one) => ({ kind: 'close_issue', content: titled(one), commentId: commentIn(one) }),
  'issues.reopened': (one) => ({ kind: 'reopen_issue', content: titled(one), commentId: commentIn(one) }),
  'issue_comment.created': (one) => ({ kind: 'comment_issue', content: quoted(one), commentId: commentIn(one) }),
  'pull_request.opened': (one) => ({ kind: 'create_pull_request', content: titled(one) }),
  'pull_request.closed': (one) => ({
    kind: isMerged(one) ? 'merge_pull_request' : 'close_pull_request',
    content: titled(one),
  }),
  'pull_request.reopened': (one) => ({ kind: 'reopen_pull_request', content: titled(one) }),
  'pull_request_comment.created': (one) => ({ kind: 'comment_pull', content: quoted(one), commentId: commentIn(one) }),
  'pull_request_review_approved.reviewed': (one) => ({ kind: 'approve_pull_request', content: reviewed(one) }),
  'pull_request_review_rejected.reviewed': (one) => ({ kind: 'reject_pull_request', content: reviewed(one) }),
  'pull_request_review_comment.reviewed': (one) => ({ kind: 'comment_pull', content: reviewed(one) }),
  'project.created': (one) => ({ kind: 'create_project', content: named(one) }),
  'project.closed': (one) => ({ kind: 'close_project', content: named(one) }),
  'project.reopened': (one) => ({ kind: 'reopen_project', content: named(one) }),
  'project.deleted': (one) => ({ kind: 'delete_project', content: named(one) }),
  'release.published': ({ resource }) => ({ kind: 'publish_release', ref: resource.ref, content: resource.title }),
};

/** In the transaction of what has happened. */
export async function recordSimpleEvents(
  { activityEvents }: { readonly activityEvents: readonly ActivityEvent[] },
  { activities }: { readonly activities: Activities },
): Promise<void> {
  for (const one of activityEvents) {
    const entry = entries[`${one.kind}.${one.action}`]?.(one);
    if (!entry) continue;
    const { actorId, at, resource } = one;
    const { repositoryId, ownerId } = resource;
    await activities.record({ ...entry, actorId, at, ...(repositoryId ? { repositoryId } : { ownerId }) });
  }
}
