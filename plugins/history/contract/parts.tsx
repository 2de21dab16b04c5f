import type { ComponentChildren, VNode } from 'preact';
import { Ago, icon } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import { at, encodePath, subjectOf, type RevisionView } from './pages.js';
import type { JudgedVerification } from './signatures.js';

/** Who made a commit: a link for accounts, the written name for others. */
export function Person({
  account,
  name,
  path,
}: {
  account: Account | undefined;
  name: string;
  path: (path: string) => string;
}): VNode {
  return account ? (
    <a class="text-bold color-fg-default" href={path(`/${account.name}`)}>
      {account.name}
    </a>
  ) : (
    <span class="text-bold">{name.slice(0, 200)}</span>
  );
}

/** Branch and tag switcher that works without a script; with one its entries can be filtered. */
export async function Switcher(view: RevisionView, word: string): Promise<VNode> {
  const [branches, tags] = await Promise.all([view.git.branches(), view.git.tags()]);
  const most = 200;
  const path = view.path && word !== 'commits' && word !== 'graph' ? `/${encodePath(view.path)}` : '';
  const list = (title: string, kind: 'branch' | 'tag', names: readonly { name: string }[]) =>
    names.length === 0 ? null : (
      <div>
        <h2 class="f6 color-fg-muted px-3 pt-2">{title}</h2>
        <ul class="list-style-none">
          {names.slice(0, most).map(({ name }) => (
            <li data-filtered={name}>
              <a
                class="d-block px-3 py-1 Link--primary no-underline wb-break-word"
                href={`${view.home}/${word}/${kind}/${encodePath(name)}${path}`}
                aria-current={kind === view.revision.kind && name === view.revision.name ? 'true' : undefined}
              >
                {name}
              </a>
            </li>
          ))}
          {names.length > most ? (
            <li class="px-3 py-1">
              <a href={`${view.home}/${kind === 'branch' ? 'branches' : 'tags'}`}>all {names.length}</a>
            </li>
          ) : null}
        </ul>
      </div>
    );
  const shown = view.revision.kind === 'commit' ? view.revision.name.slice(0, 10) : view.revision.name;
  const glyph = view.revision.kind === 'tag' ? 'tag' : view.revision.kind === 'commit' ? 'git-commit' : 'git-branch';
  return (
    <details class="position-relative d-inline-block">
      <summary class="btn btn-sm" title={shown}>
        {icon(glyph)} <span class="code-short">{shown}</span> {icon('triangle-down')}
      </summary>
      <div class="code-menu Box position-absolute mt-1 pb-2 color-shadow-large">
        <input
          class="form-control input-sm m-2 width-auto"
          type="search"
          placeholder="Filter branches and tags"
          aria-label="Filter branches and tags"
          data-filter
          hidden
        />
        {list('Branches', 'branch', branches)}
        {list('Tags', 'tag', tags)}
      </div>
    </details>
  );
}

/** Path with links; deep ones keep their ends. */
export function Crumbs({ view, word = 'src' }: { view: RevisionView; word?: string }): VNode | null {
  if (!view.path) return null;
  const segments = view.path.split('/');
  const from = Math.max(0, segments.length - 20);
  return (
    <nav aria-label="Path" class="f4 wb-break-word d-inline">
      <a class="text-bold d-inline-block" href={at(view, word === 'blame' ? 'src' : word, '')}>
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
            <a
              class="d-inline-block"
              href={at(view, word === 'blame' ? 'src' : word, segments.slice(0, from + index + 1).join('/'))}
            >
              {segment}
            </a>
          )}
        </span>
      ))}{' '}
      <CopyButton text={view.path} label="Copy the path" />
    </nav>
  );
}

/** Shown by the script that can copy. */
export function CopyButton({ text, label }: { text: string; label: string }): VNode {
  return (
    <button class="btn-octicon p-1" type="button" data-copy={text} aria-label={label} title={label} hidden>
      {icon('copy')}
    </button>
  );
}

const signatureLabels = {
  trusted: { color: 'success', glyph: 'verified', word: 'Verified', about: 'Signed' },
  untrusted: {
    color: 'warning',
    glyph: 'unverified',
    word: 'Untrusted',
    about: 'Signed by the committer, whom this repository does not trust',
  },
  unmatched: {
    color: 'danger',
    glyph: 'unverified',
    word: 'Unmatched',
    about: 'Signed by somebody else than the committer',
  },
  none: { color: 'secondary', glyph: 'unverified', word: 'Unverified', about: 'The signature proves nothing here' },
} as const;

/** What a signature proves and whether the repository trusts it; in words for pages with room. */
export const signatureWords = (proof: JudgedVerification) =>
  signatureLabels[proof.verified ? (proof.trust ?? 'trusted') : 'none'];

/** What a signature proves, as a label; nothing for commits that are not signed. */
export function SignatureBadge({ proof }: { proof: JudgedVerification | undefined }): VNode | null {
  if (!proof?.signature) return null;
  const { color, glyph, word, about } = signatureWords(proof);
  return (
    <span class={`Label Label--${color} no-wrap`} title={`${about}: ${proof.reason}`}>
      {icon(glyph)} {word}
    </span>
  );
}

/** The last commit over a list of files or a file. */
export function CommitBar({
  commit,
  account,
  view,
  path,
  proof,
  badges = [],
  children,
}: {
  commit: Commit;
  account: Account | undefined;
  view: RevisionView;
  path: (path: string) => string;
  proof?: JudgedVerification;
  badges?: readonly VNode[];
  children?: ComponentChildren;
}): VNode {
  return (
    <div class="Box-header d-flex flex-items-center flex-nowrap" style="gap: 8px">
      <div class="flex-auto css-truncate css-truncate-overflow">
        <Person account={account} name={commit.author.name} path={path} />{' '}
        <a class="Link--secondary" href={`${view.home}/commit/${commit.oid}`}>
          {subjectOf(commit.message)}
        </a>
      </div>
      {badges}
      <SignatureBadge proof={proof} />
      <a class="text-mono f6 Link--secondary no-wrap d-none d-sm-inline" href={`${view.home}/commit/${commit.oid}`}>
        {commit.oid.slice(0, 10)}
      </a>
      <span class="color-fg-muted f6 no-wrap d-none d-md-inline">
        <Ago time={commit.committer.time} />
      </span>
      {children}
    </div>
  );
}
