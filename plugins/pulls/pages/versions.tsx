import type { VNode } from 'preact';
import { formatDate, Menu } from '@mortise/plugin-sdk';
import type { PullRange, PullVersion } from '../api.js';
import { t } from '../texts/index.js';

/**
 * What came to the pull request since a version of its head: the difference of the two heads. Undefined where there is no
 * such version, or it is the newest.
 */
export function versionRange(
  whole: PullRange,
  versions: readonly PullVersion[],
  since: number,
): Pick<PullRange, 'git' | 'start' | 'head'> | undefined {
  const from = versions.find(({ number }) => number === since);
  if (!from || from === versions.at(-1)) return undefined;
  return { git: whole.git, start: from.headOid, head: whole.head };
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
