import type { Repository } from '@mortise/repositories/api';
import type { Activity } from '../api.js';
import { readPush, type PushedCommit } from './push-content.js';

/** A piece of a sentence; with an address it is a link. */
export type Piece = string | { readonly text: string; readonly href: string };

export interface Description {
  readonly icon: string;
  /** What follows the name of who did it. */
  readonly sentence: readonly Piece[];
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

const issueWords: Readonly<Partial<Record<Activity['kind'], readonly [icon: string, words: string, pull?: true]>>> = {
  create_issue: ['issue-opened', 'opened issue'],
  comment_issue: ['comment', 'commented on issue'],
  close_issue: ['issue-closed', 'closed issue'],
  reopen_issue: ['issue-reopened', 'reopened issue'],
  create_pull_request: ['git-pull-request', 'opened pull request', true],
  comment_pull: ['comment', 'commented on pull request', true],
  close_pull_request: ['git-pull-request-closed', 'closed pull request', true],
  reopen_pull_request: ['git-pull-request', 'reopened pull request', true],
  merge_pull_request: ['git-merge', 'merged pull request', true],
  auto_merge_pull_request: ['git-merge', 'merged pull request', true],
  approve_pull_request: ['check', 'approved pull request', true],
  reject_pull_request: ['diff', 'asked for changes in pull request', true],
  pull_review_dismissed: ['x', 'dismissed a review of pull request', true],
  pull_request_ready_for_review: ['git-pull-request', 'marked as ready pull request', true],
};

/** An entry in words. `base` is the address of the repository's page. */
export function describe(activity: Activity, repository: Repository, base: string): Description {
  const repo = { text: `${repository.ownerName}/${repository.name}`, href: base };
  const name = shortRef(activity.ref);
  const branch = { text: name, href: `${base}/src/branch/${encodedPath(name)}` };
  const tag = { text: name, href: `${base}/src/tag/${encodedPath(name)}` };
  const plain = { commits: [], more: 0, quote: '' };
  const about = (icon: string, href: string, ...sentence: Piece[]): Description => ({ ...plain, icon, sentence, href });

  const words = issueWords[activity.kind];
  if (words) {
    const [icon, does, pull] = words;
    const [index = '', ...rest] = activity.content.split('|');
    const href = `${base}/${pull ? 'pulls' : 'issues'}/${encodeURIComponent(index)}`;
    return { ...about(icon, href, `${does} `, { text: `${repo.text}#${index}`, href }), quote: rest.join('|') };
  }
  switch (activity.kind) {
    case 'rename_repo':
      return about('pencil', base, `renamed ${activity.content} to `, repo);
    case 'transfer_repo':
      return about('arrow-switch', base, `transferred ${activity.content} to `, repo);
    case 'star_repo':
      return about('star', base, 'starred ', repo);
    case 'watch_repo':
      return about('eye', base, 'began to watch ', repo);
    case 'push_tag':
      return about('tag', tag.href, 'pushed tag ', tag, ' to ', repo);
    case 'delete_tag':
      return about('tag', base, `deleted tag ${name} of `, repo);
    case 'delete_branch':
    case 'mirror_sync_delete':
      return about('git-branch', base, `deleted branch ${name} of `, repo);
    case 'publish_release':
      return {
        ...about('tag', `${base}/releases/tag/${encodedPath(name)}`, 'published release ', {
          text: activity.content || name,
          href: `${base}/releases/tag/${encodedPath(name)}`,
        }),
        quote: repo.text,
      };
    case 'commit_repo':
    case 'mirror_sync_push':
    case 'mirror_sync_create': {
      const push = readPush(activity.content);
      if (!push) return about('git-branch', branch.href, 'created branch ', branch, ' in ', repo);
      const href = push.CompareURL ? `${base}/compare/${push.CompareURL.split('/compare/')[1] ?? ''}` : branch.href;
      const description = about('git-commit', href, 'pushed to ', branch, ' at ', repo);
      return { ...description, commits: push.Commits, more: Math.max(0, push.Len - push.Commits.length) };
    }
    default:
      return about('repo', base, 'created repository ', repo);
  }
}

/** A new branch is told twice; where it brought no commits, the second time says nothing to people. */
export function saysNothing({ kind, content }: Activity): boolean {
  if (kind !== 'commit_repo' && kind !== 'mirror_sync_push') return false;
  const push = readPush(content);
  return push !== undefined && push.Len === 0 && !push.CompareURL;
}

export const asText = (sentence: readonly Piece[]): string =>
  sentence.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('');
