import type { VNode } from 'preact';
import { Ago, CopyButton, icon, type Site } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import type { CommitViews } from '../contract/commits.js';
import { bodyOf, encodePath, subjectOf, type RevisionView } from '../contract/pages.js';
import { CommitAuthor } from '../contract/commit-bar.js';
import { SignatureBadge } from '../contract/signature-badge.js';
import type { CommitVerification, TrustedVerification } from '../contract/signatures.js';
import { t } from '../texts/index.js';

type Views = Pick<CommitViews, 'authors' | 'badges' | 'avatarUrl'>;

/** Commits one below the other, with people, signatures and badges. */
export async function commitList(
  { site, verification }: { readonly site: Site; readonly verification: CommitVerification },
  views: Views,
  list: readonly Commit[],
  view: RevisionView,
): Promise<VNode> {
  const [authors, verifications, beside] = await Promise.all([
    views.authors(list),
    verification.verifyWithTrust(view.repository, list),
    views.badges(
      view.context,
      list.map((commit) => commit.oid),
    ),
  ]);
  return (
    <ul class="Box list-style-none">
      {list.map((commit, index) => (
        <CommitRow
          commit={commit}
          view={view}
          account={authors.get(commit.author.email.toLowerCase())}
          path={site.path}
          avatarUrl={views.avatarUrl}
          verification={verifications[index]}
          badges={beside.get(commit.oid)}
        />
      ))}
    </ul>
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
}

/** On a narrow window the message has the whole width, with its facts below. */
function CommitRow({ commit, view, account, path, avatarUrl, verification, badges }: RowProps): VNode {
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
          <Ago time={author.time} />
        </p>
      </div>
      <div class="commit-facts">
        {badges}
        <SignatureBadge verification={verification} />
        <CopyButton text={oid} label={t('copyId')} plain />
        <a class="text-mono f6 btn btn-sm no-wrap" href={`${view.repositoryPath}/commit/${oid}`}>
          {oid.slice(0, 10)}
        </a>
        <a
          class="btn btn-sm"
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
