import { Fragment, type ComponentChildren, type VNode } from 'preact';
import { Ago, NotFound, Pager, Problem, icon, type WebPage } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { subjectOf, type Commit } from '@mortise/git/api';
import type { WikiEntry } from '../contract/wiki.js';
import { t } from '../texts/index.js';
import { deletedPagesHref, RestoreButton, RestoreForm } from './deleted-pages.js';
import { Heading, CommitAuthor, type WikiView } from './wiki-view.js';

const revisionsOnPage = 50;
const maxDiffBytes = 2 << 20;
const maxLines = 3000;

/** Who changed the page, when and why; two versions can be chosen and compared, one of a deleted page restored. */
export async function revisionsView(
  view: WikiView,
  entry: WikiEntry,
  head: string,
  isDeleted = false,
): Promise<WebPage> {
  const { reader, accounts } = view.services;
  const number = view.context.page.page;
  const offset = (number - 1) * revisionsOnPage;
  const page = { offset, limit: revisionsOnPage };
  const { commits, total, removals } = await reader.history(view.id, head, entry.path, page);
  const users = await accounts.byEmails([...new Set(commits.map((commit) => commit.author.email))]);
  return view.page({
    title: t.later('history.title', { title: entry.title }),
    body: (
      <Revisions
        view={view}
        entry={entry}
        commits={commits}
        removals={removals}
        users={users}
        isDeleted={isDeleted}
        number={number}
        more={offset + commits.length < total}
      />
    ),
  });
}

interface RevisionsProps {
  readonly view: WikiView;
  readonly entry: WikiEntry;
  readonly commits: readonly Commit[];
  readonly removals: ReadonlySet<string>;
  readonly users: ReadonlyMap<string, Account>;
  readonly isDeleted: boolean;
  readonly number: number;
  readonly more: boolean;
}

function Revisions(props: RevisionsProps): VNode {
  const { view, entry, commits, isDeleted, number, more } = props;
  const mayRestore = isDeleted && view.mayWrite;
  const page = (children: ComponentChildren) => (
    <a class="text-underline" href={view.href(entry.name)}>
      {children}
    </a>
  );
  return (
    <Fragment>
      {mayRestore ? <RestoreForm view={view} name={entry.name} /> : null}
      <form method="get" action={view.href(entry.name)}>
        <input type="hidden" name="action" value="_compare" />
        <Heading title={<span>{t.rich('history.heading', { title: entry.title, link: page })}</span>}>
          <button class="btn" type="submit" disabled={commits.length < 2}>
            {icon('git-compare')} {t('history.compare')}
          </button>
        </Heading>
        {isDeleted ? (
          <p class="flash flash-warn">
            {mayRestore ? t('history.deletedRestore') : t('history.deleted')}{' '}
            <a href={deletedPagesHref(view)}>{t('deletedPages')}</a>
          </p>
        ) : null}
        <ul class="Box list-style-none">
          {commits.map((commit, index) => (
            <Revision key={commit.oid} {...props} commit={commit} index={index} />
          ))}
        </ul>
        <Pager
          page={number}
          more={more}
          href={(to) => view.href(entry.name, { action: '_revision', page: String(to) })}
          labels={[t('newer'), t('older')]}
        />
      </form>
    </Fragment>
  );
}

function Revision({
  view,
  entry,
  commits,
  removals,
  users,
  isDeleted,
  commit,
  index,
}: RevisionsProps & { readonly commit: Commit; readonly index: number }): VNode {
  const id = commit.oid.slice(0, 10);
  return (
    <li class="Box-row d-flex flex-wrap flex-items-center gap-2">
      <span class="no-wrap">
        <input
          type="radio"
          name="from"
          value={commit.oid}
          checked={index === Math.min(1, commits.length - 1)}
          aria-label={t('history.from', { id })}
        />{' '}
        <input type="radio" name="to" value={commit.oid} checked={index === 0} aria-label={t('history.to', { id })} />
      </span>
      <span class="flex-auto list-main">
        <a
          class="text-bold Link--primary wb-break-word"
          href={view.href(entry.name, { action: '_compare', to: commit.oid })}
        >
          {subjectOf(commit.message)}
        </a>
        <span class="d-block f6 color-fg-muted">
          <CommitAuthor
            account={users.get(commit.author.email.toLowerCase())}
            name={commit.author.name}
            path={view.services.site.path}
          />{' '}
          <Ago time={commit.author.time} />
        </span>
      </span>
      {removals.has(commit.oid) ? (
        <span class="Label Label--danger">{t('history.removed')}</span>
      ) : (
        <span class="d-flex gap-2">
          {isDeleted && view.mayWrite ? (
            <RestoreButton version={commit.oid} label={t('history.restoreVersion', { id })}>
              {t('history.restore')}
            </RestoreButton>
          ) : null}
          <a class="btn btn-sm text-mono" href={view.href(entry.name, { version: commit.oid })}>
            {id}
          </a>
        </span>
      )}
    </li>
  );
}

/** What changed between two versions of the page; without `from`: what the commit did. */
export async function compareView(view: WikiView, entry: WikiEntry): Promise<WebPage> {
  const git = view.services.reader.open(view.id);
  const to = await view.commitOf(view.query.to);
  if (!to) throw NotFound(t.later('error.noVersion'));
  const commit = await git.commit(to);
  const from = (await view.commitOf(view.query.from)) ?? commit.parents[0];
  const before = from && (await view.services.reader.find(view.id, entry.name, from)) ? from : undefined;
  const patch = await git
    .patchText(from, to, { format: 'diff', path: entry.path }, maxDiffBytes)
    .catch((error: unknown) => {
      if (Problem.is(error)) return undefined;
      throw error;
    });
  return view.page({
    title: t.later('compare.title', { title: entry.title }),
    body: <Comparison view={view} entry={entry} commit={commit} before={before} patch={patch} />,
  });
}

interface ComparisonProps {
  readonly view: WikiView;
  readonly entry: WikiEntry;
  readonly commit: Commit;
  readonly before: string | undefined;
  readonly patch: string | undefined;
}

function Comparison({ view, entry, commit, before, patch }: ComparisonProps): VNode {
  const page = (children: ComponentChildren) => <a href={view.href(entry.name)}>{children}</a>;
  return (
    <div>
      <Heading title={<span>{t.rich('compare.heading', { title: entry.title, link: page })}</span>}>
        <a class="btn" href={view.href(entry.name, { action: '_revision' })}>
          {icon('history')} {t('history')}
        </a>
      </Heading>
      <p class="color-fg-muted wb-break-word">
        {subjectOf(commit.message)} · {commit.author.name} <Ago time={commit.author.time} /> ·{' '}
        {before ? (
          <a class="text-mono" href={view.href(entry.name, { version: before })}>
            {before.slice(0, 10)}
          </a>
        ) : (
          t('compare.nothing')
        )}{' '}
        →{' '}
        <a class="text-mono" href={view.href(entry.name, { version: commit.oid })}>
          {commit.oid.slice(0, 10)}
        </a>
      </p>
      <Diff patch={patch} />
    </div>
  );
}

function Diff({ patch }: { patch: string | undefined }): VNode {
  if (patch === undefined) return <p class="flash flash-warn">{t('compare.tooLarge')}</p>;
  const rows = patch ? diffRows(patch) : [];
  if (!rows.length) return <p class="color-fg-muted">{t('compare.same')}</p>;
  return (
    <div class="Box code-scroll" tabIndex={0} role="region" aria-label={t('compare.label')}>
      <table class="wiki-diff text-mono f6">
        <tbody>{rows.slice(0, maxLines)}</tbody>
      </table>
      {rows.length > maxLines ? <p class="p-3 mb-0">{t('compare.rest')}</p> : null}
    </div>
  );
}

/** Rows of a unified diff of one file. */
function diffRows(patch: string): VNode[] {
  const rows: VNode[] = [];
  let [left, right, inside] = [0, 0, false];
  for (const line of patch.split('\n')) {
    if (rows.length > maxLines) break;
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk) {
      [left, right, inside] = [Number(hunk[1]), Number(hunk[2]), true];
      rows.push(
        <tr class="wiki-hunk">
          <td class="wiki-line" />
          <td class="wiki-line" />
          <td>{line}</td>
        </tr>,
      );
    } else if (line.startsWith('diff --git ')) inside = false;
    else if (inside && /^[ +-]/.test(line)) {
      const sign = line[0];
      rows.push(
        <tr class={sign === '+' ? 'wiki-added' : sign === '-' ? 'wiki-removed' : ''}>
          <td class="wiki-line">{sign === '+' ? '' : left++}</td>
          <td class="wiki-line">{sign === '-' ? '' : right++}</td>
          <td>
            {sign}
            {line.slice(1)}
          </td>
        </tr>,
      );
    }
  }
  return rows;
}
