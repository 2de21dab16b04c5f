import type { VNode } from 'preact';
import { Ago, CopyButton, formatDate, icon, type MemoryCache, type Site } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import type { CommitViews } from '../contract/commits.js';
import { bodyOf, encodePath, subjectOf, type RevisionView } from '../contract/pages.js';
import { CommitAuthor } from '../contract/commit-bar.js';
import { SignatureBadge } from '../contract/signature-badge.js';
import type { CommitVerification, TrustedVerification } from '../contract/signatures.js';
import { refLabels, type RefLabels } from '../services/ref-labels.js';
import { t } from '../texts/index.js';

type Views = Pick<CommitViews, 'authors' | 'badges' | 'avatarUrl'>;

interface Deps {
  readonly site: Site;
  readonly verification: CommitVerification;
  readonly cache: MemoryCache<unknown>;
}

interface ListOptions {
  readonly commits: readonly Commit[];
  readonly view: RevisionView;
  readonly isHistory: boolean;
}

/** Commits one below the other, with people, signatures and badges; a history stands below its days. */
export async function commitList(
  { site, verification, cache }: Deps,
  views: Views,
  { commits, view, isHistory }: ListOptions,
): Promise<VNode> {
  const oids = commits.map((commit) => commit.oid);
  const [authors, verifications, badges, labels] = await Promise.all([
    views.authors(commits),
    verification.verifyWithTrust(view.repository, commits),
    views.badges(view.context, oids),
    isHistory ? refLabels(cache, view.git, oids) : undefined,
  ]);
  const rows = commits.map((commit, index) => ({
    time: commit.committer.time,
    row: (
      <CommitRow
        commit={commit}
        view={view}
        account={authors.get(commit.author.email.toLowerCase())}
        path={site.path}
        avatarUrl={views.avatarUrl}
        verification={verifications[index]}
        badges={badges.get(commit.oid)}
        labels={labels?.get(commit.oid)}
      />
    ),
  }));
  return isHistory ? <Days rows={rows} /> : <ul class="Box list-style-none">{rows.map(({ row }) => row)}</ul>;
}

/** Neighbors of one day together: a history is not always in the order of its dates. */
function Days({ rows }: { rows: readonly { readonly time: number; readonly row: VNode }[] }): VNode {
  const days: { name: string; list: VNode[] }[] = [];
  for (const { time, row } of rows) {
    const name = formatDate(time);
    if (days.at(-1)?.name !== name) days.push({ name, list: [] });
    days.at(-1)!.list.push(row);
  }
  return (
    <>
      {days.map(({ name, list }) => (
        <>
          {name ? <h2 class="f5 color-fg-muted text-normal mt-3 mb-2">{name}</h2> : null}
          <ul class="Box list-style-none">{list}</ul>
        </>
      ))}
    </>
  );
}

interface RowProps {
  readonly commit: Commit;
  readonly view: RevisionView;
  readonly account: Account | undefined;
  readonly path: (path: string) => string;
  readonly avatarUrl: (account: Account) => string;
  readonly verification: TrustedVerification | undefined;
  readonly badges: readonly VNode[] | undefined;
  readonly labels: RefLabels | undefined;
}

/** On a narrow window the message has the whole width, with its facts below. */
function CommitRow({ commit, view, account, path, avatarUrl, verification, badges, labels }: RowProps): VNode {
  const { oid, author } = commit;
  const body = bodyOf(commit.message);
  return (
    <li class="Box-row commit-row">
      <div class="commit-message">
        <a class="text-bold Link--primary wb-break-word title-link" href={`${view.repositoryPath}/commit/${oid}`}>
          {subjectOf(commit.message) || t('commit.noMessage')}
        </a>
        {body ? (
          <details class="d-inline ml-1">
            <summary class="btn-octicon d-inline p-0" aria-label={t('commit.wholeMessage')}>
              …
            </summary>
            <pre class="f6 mt-1 color-fg-muted code-wrap">{body}</pre>
          </details>
        ) : null}
        <p class="f6 color-fg-muted mb-0">
          <CommitAuthor account={account} name={author.name} path={path} avatarUrl={avatarUrl} />{' '}
          <Ago time={commit.committer.time} />
          {labels ? <RefLabelLinks labels={labels} view={view} oid={oid} /> : null}
        </p>
      </div>
      <div class="commit-facts">
        {badges}
        <SignatureBadge verification={verification} />
        <span class="commit-copy">
          <CopyButton text={oid} label={t('copyId')} plain />
        </span>
        <a class="text-mono f6 btn btn-sm no-wrap" href={`${view.repositoryPath}/commit/${oid}`}>
          {oid.slice(0, 10)}
        </a>
        <a
          class="btn btn-sm commit-browse"
          href={`${view.repositoryPath}/src/commit/${oid}${view.path ? `/${encodePath(view.path)}` : ''}`}
          aria-label={t('commit.browse')}
          title={t('commit.browse')}
        >
          {icon('code')}
        </a>
      </div>
    </li>
  );
}

const RefLabelLinks = ({
  labels: { shown, more },
  view,
  oid,
}: {
  labels: RefLabels;
  view: RevisionView;
  oid: string;
}): VNode => (
  <>
    {shown.map(({ kind, name }) => (
      <>
        {' '}
        <a
          class={`Label ${kind === 'branch' ? 'Label--accent' : ''} no-wrap code-short`}
          href={`${view.repositoryPath}/src/${kind}/${encodePath(name)}`}
          title={name}
          aria-label={t(`commits.${kind}`, { name })}
        >
          {icon(kind === 'branch' ? 'git-branch' : 'tag')} {name}
        </a>
      </>
    ))}
    {more > 0 ? (
      <>
        {' '}
        <a href={`${view.repositoryPath}/commit/${oid}`}>{t('commits.moreRefs', { count: more })}</a>
      </>
    ) : null}
  </>
);
