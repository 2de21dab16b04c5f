import type { VNode } from 'preact';
import { formatDate, Menu, Problem } from '@mortise/plugin-sdk';
import type { PullRequest } from '../api.js';
import type { PullRange, PullVersion } from '../contract/pulls.js';
import type { PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

/** A part of what a pull request changes. */
export interface VersionRange extends Pick<PullRange, 'git' | 'head'> {
  /** Where the difference begins: a commit, or a tree that no commit has. */
  readonly start: string;
  /** The head of the version. */
  readonly from: string;
}

/**
 * What came to the pull request since a version of its head, without what came to it with another base. Undefined where
 * there is no such version, or it is the newest.
 */
export async function versionRange(
  deps: Pick<PageDeps, 'writer' | 'versionTrees'>,
  { repositoryId }: Pick<PullRequest, 'repositoryId'>,
  whole: PullRange,
  versions: readonly PullVersion[],
  since: number,
): Promise<VersionRange | undefined> {
  const from = versions.find(({ number }) => number === since);
  if (!from || from === versions.at(-1)) return undefined;
  const start = await onBase(deps, repositoryId, from, whole.start);
  return { git: whole.git, start: start ?? from.headOid, head: whole.head, from: from.headOid };
}

/** The tree that a version would have, had it been made where the head begins now; undefined: it has, or it cannot be. */
async function onBase(
  deps: Pick<PageDeps, 'writer' | 'versionTrees'>,
  repositoryId: number,
  { headOid, mergeBase }: PullVersion,
  start: string | undefined,
): Promise<string | undefined> {
  if (!start || !mergeBase || start === mergeBase) return undefined;
  // making one writes objects, and a page asks for each of its pieces
  const tree = await deps.versionTrees
    .load([repositoryId, start, mergeBase, headOid].join(' '), async () => {
      const merged = await deps.writer.mergeTree(repositoryId, start, headOid, { base: mergeBase });
      return merged.conflicts.length ? '' : (merged.tree ?? '');
    })
    .catch((error: unknown) => {
      if (Problem.is(error)) return '';
      throw error;
    });
  return tree || undefined;
}

interface VersionChoiceProps {
  readonly versions: readonly PullVersion[];
  /** 0: everything is shown. */
  readonly since: number;
  /** Path of the pull request's page. */
  readonly own: string;
}

const maxShown = 50;

/** Everything, or what changed since a version. */
export function VersionChoice({ versions, since, own }: VersionChoiceProps): VNode | null {
  const newest = versions.at(-1);
  if (!newest || versions.length < 2) return null;
  const older = versions.slice(0, -1).slice(-maxShown).reverse();
  return (
    <div class="d-flex flex-wrap flex-items-center gap-2 mb-3">
      <Menu
        class="btn btn-sm"
        align="start"
        button={since ? t('versions.since', { number: since }) : t('versions.all', { number: newest.number })}
      >
        <a class="dropdown-item" href={`${own}/files`} aria-current={since ? undefined : 'true'}>
          {t('versions.all', { number: newest.number })}
        </a>
        {older.map(({ number, createdAt, isForced }) => (
          <a
            class="dropdown-item"
            href={`${own}/files?since=${number}`}
            aria-current={since === number ? 'true' : undefined}
          >
            {t('versions.since', { number })}{' '}
            <span class="color-fg-muted f6">
              {formatDate(createdAt)}
              {isForced ? ` · ${t('versions.forced')}` : ''}
            </span>
          </a>
        ))}
      </Menu>
    </div>
  );
}
