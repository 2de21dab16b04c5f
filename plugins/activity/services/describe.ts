import { formatList } from '@mortise/plugin-sdk';
import type { Activity, PushSummary } from '../contract/activity.js';
import { t } from '../texts/index.js';
import type { FeedSubject } from './feed-subjects.js';
import { readPush, type PushedCommit } from './push-content.js';

/** A part of a sentence; with an address it is a link. */
export type Piece = string | { readonly text: string; readonly href: string };

export interface Description {
  readonly icon: string;
  /** Of the message `feed.…`, which has `name` for who did it beside what is in `values`. */
  readonly key: FeedKey;
  readonly values: Readonly<Record<string, Piece>>;
  /** The most telling address. */
  readonly href: string;
  readonly commits: readonly PushedCommit[];
  /** Commits that are not listed. */
  readonly more: number;
  /** Words of the entry itself, for instance the title of an issue. */
  readonly quote: string;
}

/** Of references: slashes stay. */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const shortRef = (ref: string) => ref.replace(/^refs\/(heads|tags)\//, '');

const issueKinds = {
  create_issue: ['issue-opened'],
  comment_issue: ['comment'],
  close_issue: ['issue-closed'],
  reopen_issue: ['issue-reopened'],
  create_pull_request: ['git-pull-request', 'pull'],
  comment_pull: ['comment', 'pull'],
  close_pull_request: ['git-pull-request-closed', 'pull'],
  reopen_pull_request: ['git-pull-request', 'pull'],
  merge_pull_request: ['git-merge', 'pull'],
  auto_merge_pull_request: ['git-merge', 'pull'],
  approve_pull_request: ['check', 'pull'],
  reject_pull_request: ['diff', 'pull'],
  pull_review_dismissed: ['x', 'pull'],
  pull_request_ready_for_review: ['git-pull-request', 'pull'],
} as const satisfies Partial<Record<Activity['kind'], readonly [icon: string, pull?: 'pull']>>;
type IssueKind = keyof typeof issueKinds;
const isAboutIssue = (kind: Activity['kind']): kind is IssueKind => kind in issueKinds;

/** Boards by the number of their page; a deleted one has none. */
const projectKinds = {
  create_project: 'project',
  close_project: 'project',
  reopen_project: 'project',
  delete_project: 'trash',
} as const satisfies Partial<Record<Activity['kind'], string>>;
type ProjectKind = keyof typeof projectKinds;
const isAboutProject = (kind: Activity['kind']): kind is ProjectKind => kind in projectKinds;

type FeedKey =
  | IssueKind
  | ProjectKind
  | 'created'
  | 'renamed'
  | 'transferred'
  | 'starred'
  | 'watched'
  | 'pushed'
  | 'pushedTag'
  | 'pushedMany'
  | 'createdBranch'
  | 'deletedBranch'
  | 'deletedTag'
  | 'deletedMany'
  | 'released';

const counted = (branches: number, tags: number): string =>
  formatList([
    ...(branches ? [t('refs.branches', { count: branches })] : []),
    ...(tags ? [t('refs.tags', { count: tags })] : []),
  ]);

/** An entry as a sentence, in the language of the page. */
export function describe(activity: Activity, subject: FeedSubject): Description {
  const base = subject.href;
  const repo = { text: subject.name, href: base };
  const ref = shortRef(activity.ref);
  const branch = { text: ref, href: `${base}/src/branch/${encodedPath(ref)}` };
  const tag = { text: ref, href: `${base}/src/tag/${encodedPath(ref)}` };
  const about = (
    icon: string,
    key: FeedKey,
    href: string,
    values: Readonly<Record<string, Piece>> = {},
  ): Description => ({ icon, key, href, values: { repo, ...values }, commits: [], more: 0, quote: '' });

  if (isAboutIssue(activity.kind)) {
    const [icon, pull] = issueKinds[activity.kind] as readonly [string, 'pull'?];
    const [index = '', ...rest] = activity.content.split('|');
    const href = `${base}/${pull ? 'pulls' : 'issues'}/${encodeURIComponent(index)}`;
    return {
      ...about(icon, activity.kind, href, { issue: { text: `${repo.text}#${index}`, href } }),
      quote: rest.join('|'),
    };
  }
  if (isAboutProject(activity.kind)) {
    const [id = '', ...rest] = activity.content.split('|');
    const title = rest.join('|');
    const isGone = activity.kind === 'delete_project';
    const href = `${subject.projectsHref}${isGone ? '' : `/${encodeURIComponent(id)}`}`;
    const project = isGone ? title : { text: title, href };
    return about(projectKinds[activity.kind], activity.kind, href, { project });
  }
  if (activity.push && countOf(activity.push) > 1) return pushOfMany(activity, activity.push, base, about);
  switch (activity.kind) {
    case 'rename_repo':
      return about('pencil', 'renamed', base, { from: activity.content });
    case 'transfer_repo':
      return about('arrow-switch', 'transferred', base, { from: activity.content });
    case 'star_repo':
      return about('star', 'starred', base);
    case 'watch_repo':
      return about('eye', 'watched', base);
    case 'push_tag':
      return about('tag', 'pushedTag', tag.href, { tag });
    case 'delete_tag':
      return about('tag', 'deletedTag', base, { ref });
    case 'delete_branch':
    case 'mirror_sync_delete':
      return about('git-branch', 'deletedBranch', base, { ref });
    case 'publish_release': {
      const href = `${base}/releases/tag/${encodedPath(ref)}`;
      return about('tag', 'released', href, { release: { text: activity.content || ref, href } });
    }
    case 'commit_repo':
    case 'mirror_sync_push':
    case 'mirror_sync_create': {
      if (!readPush(activity.content) || activity.push?.isNew)
        return withCommits(about('git-branch', 'createdBranch', branch.href, { branch }), activity);
      return withCommits(
        about('git-commit', 'pushed', compareHref(activity, base) ?? branch.href, { branch }),
        activity,
      );
    }
    default:
      return about('repo', 'created', base);
  }
}

const countOf = ({ branches, tags, deletedBranches, deletedTags }: PushSummary): number =>
  branches + tags + deletedBranches + deletedTags;

function compareHref({ content }: Activity, base: string): string | undefined {
  const compare = readPush(content)?.CompareURL.split('/compare/')[1];
  return compare ? `${base}/compare/${compare}` : undefined;
}

function withCommits(description: Description, { content }: Activity): Description {
  const push = readPush(content);
  if (!push) return description;
  return { ...description, commits: push.Commits, more: Math.max(0, push.Len - push.Commits.length) };
}

/** One push of many references is one entry; commits are those of the one that tells most. */
function pushOfMany(
  activity: Activity,
  push: PushSummary,
  base: string,
  about: (icon: string, key: FeedKey, href: string, values: Readonly<Record<string, Piece>>) => Description,
): Description {
  const deleted = counted(push.deletedBranches, push.deletedTags);
  const icon = push.branches ? 'git-commit' : push.tags || push.deletedTags ? 'tag' : 'git-branch';
  if (push.branches + push.tags === 0) return about(icon, 'deletedMany', base, { refs: deleted });
  const href = compareHref(activity, base) ?? `${base}/${push.branches ? 'branches' : 'tags'}`;
  const refs = { text: counted(push.branches, push.tags), href: `${base}/${push.branches ? 'branches' : 'tags'}` };
  return {
    ...withCommits(about(icon, 'pushedMany', href, { refs }), activity),
    quote: deleted && t('refs.alsoDeleted', { refs: deleted }),
  };
}

/**
 * Of entries from before pushes were told once: a new branch was told twice; where it brought no commits, the second
 * time says nothing to people.
 */
export function saysNothing({ kind, content, push: summary }: Activity): boolean {
  if (summary || (kind !== 'commit_repo' && kind !== 'mirror_sync_push')) return false;
  const push = readPush(content);
  return push !== undefined && push.Len === 0 && !push.CompareURL;
}

/** The sentence without links. */
export const asText = ({ key, values }: Description, name: string): string =>
  t(`feed.${key}`, {
    name,
    ...Object.fromEntries(
      Object.entries(values).map(([part, piece]) => [part, typeof piece === 'string' ? piece : piece.text]),
    ),
  });
