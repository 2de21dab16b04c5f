import type { VNode } from 'preact';
import { Ago, icon } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import type { PullDiff } from '@mortise/pulls/api';
import { UserLink, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

const maxPushes = 10;
const maxCommits = 10;

/** What came to a pull request since somebody reviewed it. */
interface PushesSinceReview {
  /** The version that was reviewed. */
  readonly version: number;
  /** The newest first. */
  readonly pushes: readonly {
    readonly pusher: Account | undefined;
    readonly createdAt: number;
    readonly isForced: boolean;
  }[];
  readonly total: number;
  readonly commits: readonly Pick<Commit, 'oid' | 'message'>[];
  readonly commitCount: number;
}

/** Undefined where that is the newest version, or not known any more. */
export async function pushesSince(
  { accounts, pulls }: Pick<PageDeps, 'accounts' | 'pulls'>,
  { page, git, start, head }: PullDiff,
  version: number,
): Promise<PushesSinceReview | undefined> {
  const versions = await pulls.versions(page.context.pull);
  const reviewed = versions.find(({ number }) => number === version);
  const newer = versions.filter(({ number }) => number > version);
  if (!reviewed || newer.length === 0) return undefined;
  const listed = newer.slice(-maxPushes).reverse();
  const [pushers, log] = await Promise.all([
    accounts.byIds([...new Set(listed.map(({ pusherId }) => pusherId).filter((id) => id > 0))]),
    git.log({ from: [head], not: [reviewed.headOid, ...(start ? [start] : [])], limit: maxCommits }),
  ]);
  return {
    version,
    pushes: listed.map(({ pusherId, createdAt, isForced }) => ({ pusher: pushers.get(pusherId), createdAt, isForced })),
    total: newer.length,
    commits: log.commits,
    commitCount: log.total,
  };
}

interface SinceProps {
  readonly since: PushesSinceReview;
  /** Path of the pull request's page. */
  readonly own: string;
  readonly repositoryPath: string;
  readonly site: PageDeps['site'];
}

/** At the top of the changed files. */
export const SinceReview = ({ since, own, repositoryPath, site }: SinceProps): VNode => (
  <details class="review-since f6">
    <summary>
      {icon('history')} {t('since.pushes', { count: since.total })}
    </summary>
    <ul class="mt-1 ml-3">
      {since.pushes.map(({ pusher, createdAt, isForced }) => (
        <li>
          {t.rich(isForced ? 'since.forced' : 'since.pushed', {
            name: <UserLink account={pusher} site={site} />,
            when: <Ago time={createdAt} />,
          })}
        </li>
      ))}
      {since.total > since.pushes.length ? (
        <li>{t('since.more', { count: since.total - since.pushes.length })}</li>
      ) : null}
    </ul>
    {since.commits.length ? (
      <ul class="mt-1 ml-3">
        {since.commits.map(({ oid, message }) => (
          <li>
            <a class="text-mono" href={`${repositoryPath}/commit/${oid}`}>
              {oid.slice(0, 10)}
            </a>{' '}
            {message.split('\n')[0]!.slice(0, 200)}
          </li>
        ))}
        {since.commitCount > since.commits.length ? (
          <li>{t('since.moreCommits', { count: since.commitCount - since.commits.length })}</li>
        ) : null}
      </ul>
    ) : null}
    <a class="btn btn-sm mt-2" href={`${own}/files?since=${since.version}`}>
      {t('since.review')}
    </a>
  </details>
);
