import type { ComponentChildren, VNode } from 'preact';
import { Ago, CopyButton, icon, FragmentCache } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import { t } from '../texts/index.js';
import { at, subjectOf, type RevisionView } from './pages.js';
import { SignatureBadge } from './signature-badge.js';
import type { TrustedVerification } from './signatures.js';

interface CommitAuthorProps {
  readonly account: Account | undefined;
  /** As it was written, for people without an account. */
  readonly name: string;
  readonly path: (path: string) => string;
  /** Shows the avatar before the name. */
  readonly avatarUrl?: (account: Account) => string;
}

/** The picture of an account; a figure for people without one. Decorative: the name stands beside it. */
export function Avatar({
  account,
  avatarUrl,
  size = 20,
}: Pick<CommitAuthorProps, 'account'> & { avatarUrl: (account: Account) => string; size?: number }): VNode {
  return account ? (
    <img class="avatar avatar-user" src={avatarUrl(account)} width={size} height={size} alt="" loading="lazy" />
  ) : (
    icon('feed-person', { class: 'avatar-none color-fg-muted', size: size > 20 ? 24 : 16 })
  );
}

/** Who made a commit: a link for accounts, the written name for others. */
export function CommitAuthor({ account, name, path, avatarUrl }: CommitAuthorProps): VNode {
  const picture = avatarUrl ? (
    <>
      <Avatar account={account} avatarUrl={avatarUrl} />{' '}
    </>
  ) : null;
  return account ? (
    <a class="text-bold color-fg-default no-wrap" href={path(`/${account.name}`)}>
      {picture}
      {account.name}
    </a>
  ) : (
    <span class="text-bold">
      {picture}
      {name.slice(0, 200)}
    </span>
  );
}

/** Path with links; deep ones keep their ends. */
export function Crumbs({ view, word = 'src' }: { view: RevisionView; word?: string }): VNode | null {
  if (!view.path) return null;
  const segments = view.path.split('/');
  const from = Math.max(0, segments.length - 20);
  const page = word === 'blame' ? 'src' : word;
  return (
    <nav aria-label={t('crumbs')} class="f4 wb-break-word d-inline">
      <a class="text-bold d-inline-block" href={at(view, page, '')}>
        {view.repository.name}
      </a>
      {from > 0 ? ' / …' : ''}
      {segments.slice(from).map((segment, index) => (
        <span>
          {' '}
          /{' '}
          {from + index === segments.length - 1 ? (
            <strong>{segment}</strong>
          ) : (
            <a class="d-inline-block" href={at(view, page, segments.slice(0, from + index + 1).join('/'))}>
              {segment}
            </a>
          )}
        </span>
      ))}{' '}
      <CopyButton text={view.path} label={t('copyPath')} plain />
    </nav>
  );
}

export interface CommitBarProps {
  readonly commit: Commit;
  readonly account: Account | undefined;
  readonly view: RevisionView;
  readonly path: (path: string) => string;
  readonly avatarUrl?: (account: Account) => string;
  readonly verification?: TrustedVerification;
  readonly badges?: readonly VNode[];
  /** At the end of the bar. */
  readonly children?: ComponentChildren;
}

/** The last commit over a list of files or a file. */
export function CommitBar(props: CommitBarProps): VNode {
  const { commit, account, view, path, avatarUrl, verification, badges = [], children } = props;
  const href = `${view.repositoryPath}/commit/${commit.oid}`;
  const person = account ? [path(`/${account.name}`), account.name, avatarUrl?.(account)] : [avatarUrl !== undefined];
  const minute = Math.floor(Date.now() / 60_000);
  return (
    <div class="Box-header d-flex flex-items-center flex-nowrap">
      <FragmentCache name="history.commitBar" cacheKey={JSON.stringify([href, person])}>
        {() => (
          <div class="flex-auto css-truncate css-truncate-overflow">
            <CommitAuthor account={account} name={commit.author.name} path={path} avatarUrl={avatarUrl} />{' '}
            <a class="Link--secondary row-link" href={href}>
              {subjectOf(commit.message)}
            </a>
          </div>
        )}
      </FragmentCache>
      {badges}
      <SignatureBadge verification={verification} />
      <FragmentCache name="history.commitBarEnd" cacheKey={`${minute} ${href}`}>
        {() => (
          <>
            <a class="text-mono f6 Link--secondary no-wrap d-none d-sm-inline" href={href}>
              {commit.oid.slice(0, 10)}
            </a>
            <span class="color-fg-muted f6 no-wrap d-none d-md-inline">
              <Ago time={commit.committer.time} />
            </span>
          </>
        )}
      </FragmentCache>
      {children}
    </div>
  );
}
