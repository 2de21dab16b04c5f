import type { ComponentChildren, VNode } from 'preact';
import { Ago, Csrf, icon, Pager, type WebPage } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import type { DeletedPage } from '../services/deleted-pages.js';
import { nameOfFile, nameOfTitle, titleOfFile } from '../services/page-names.js';
import { t } from '../texts/index.js';
import { Heading, CommitAuthor, type WikiView } from './wiki-view.js';

const deletedPerPage = 50;

/** The list of pages that are no more. */
export const deletedPagesHref = (view: WikiView): string => `${view.wiki}?action=_deleted`;

/** Buttons with `form` of this id write a version of the page again; it works without a script. */
const restoreForm = 'wiki-restore';
export const RestoreForm = ({ view, name }: { view: WikiView; name: string }): VNode => (
  <form method="post" id={restoreForm} action={view.href(name, { action: '_restore' })} hidden>
    <Csrf />
  </form>
);
export const RestoreButton = ({
  version,
  label,
  kind = 'btn-sm',
  children,
}: {
  version: string;
  label?: string;
  kind?: string;
  children: ComponentChildren;
}): VNode => (
  <button class={`btn ${kind}`} type="submit" form={restoreForm} name="version" value={version} aria-label={label}>
    {children}
  </button>
);

interface RemovalProps {
  readonly view: WikiView;
  readonly page: DeletedPage;
  readonly commit: Commit;
  readonly users: ReadonlyMap<string, Account>;
  /** As a sentence of its own. */
  readonly whole?: boolean;
}

/** Who took the page away, when, and where it went. */
function Removal({ view, page, commit, users, whole }: RemovalProps): VNode {
  const { author } = commit;
  const moved = page.movedTo;
  const values = {
    name: (
      <CommitAuthor account={users.get(author.email.toLowerCase())} name={author.name} path={view.services.site.path} />
    ),
    when: <Ago time={author.time} />,
  };
  if (!moved) return <span>{t.rich(whole ? 'missing.deleted' : 'deleted.deleted', values)}</span>;
  const to = <a href={view.href(nameOfFile(moved) ?? moved)}>{titleOfFile(moved)}</a>;
  return <span>{t.rich(whole ? 'missing.renamed' : 'deleted.renamed', { ...values, page: to })}</span>;
}

/** Pages that were deleted or renamed, the newest first. */
export async function deletedPagesView(view: WikiView, head: string): Promise<WebPage> {
  const { reader, deletedPages, accounts } = view.services;
  const all = await deletedPages.all(view.id, head);
  const number = view.context.page.page;
  const shown = [...all.values()].slice((number - 1) * deletedPerPage, number * deletedPerPage);
  const commits = await reader.open(view.id).commits([...new Set(shown.map((page) => page.removal))]);
  const byOid = new Map(commits.map((commit) => [commit.oid, commit]));
  const users = await accounts.byEmails([...new Set(commits.map((commit) => commit.author.email))]);
  return view.page({
    title: t.later('deletedPages'),
    body: <DeletedPagesList view={view} shown={shown} byOid={byOid} users={users} number={number} total={all.size} />,
  });
}

interface DeletedPagesProps extends Pick<RemovalProps, 'view' | 'users'> {
  readonly shown: readonly DeletedPage[];
  readonly byOid: ReadonlyMap<string, Commit>;
  readonly number: number;
  readonly total: number;
}

function DeletedPagesList({ view, shown, byOid, users, number, total }: DeletedPagesProps): VNode {
  const at = (page: number) => `${deletedPagesHref(view)}&page=${page}`;
  return (
    <div>
      <Heading title={t('deletedPages')}>
        <a class="btn" href={`${view.wiki}/_pages`}>
          {t('allPages')}
        </a>
      </Heading>
      {shown.length > 0 ? (
        <ul class="Box list-style-none">
          {shown.map((page) => (
            <li class="Box-row">
              <a class="text-bold wb-break-word" href={view.href(page.name, { action: '_revision' })}>
                {titleOfFile(page.path)}
              </a>
              <span class="d-block f6 color-fg-muted">
                {byOid.has(page.removal) ? (
                  <Removal view={view} page={page} commit={byOid.get(page.removal)!} users={users} />
                ) : null}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="color-fg-muted">{t('deleted.none')}</p>
      )}
      <Pager page={number} more={number * deletedPerPage < total} href={at} labels={[t('newer'), t('older')]} />
    </div>
  );
}

/** The wiki has pages, but not this one, though it may have had it. */
export async function missingView(view: WikiView, title: string, page?: DeletedPage): Promise<WebPage> {
  const { reader, accounts } = view.services;
  const [commit] = page ? await reader.open(view.id).commits([page.removal]) : [];
  const users = await accounts.byEmails(commit ? [commit.author.email] : []);
  return view.page({
    title,
    status: 404,
    body: <Missing view={view} title={title} page={page} commit={commit} users={users} />,
  });
}

interface MissingProps extends Pick<RemovalProps, 'view' | 'users'> {
  readonly title: string;
  readonly page: DeletedPage | undefined;
  readonly commit: Commit | undefined;
}

function Missing({ view, title, page, commit, users }: MissingProps): VNode {
  const [before] = commit?.parents ?? [];
  return (
    <div class="Box blankslate">
      {icon('book', { size: 24, class: 'blankslate-icon' })}
      <h2 class="blankslate-heading wb-break-word">{t('missing.title', { title })}</h2>
      {page && commit ? (
        <p>
          <Removal view={view} page={page} commit={commit} users={users} whole />
        </p>
      ) : null}
      <p class="mt-3 d-flex flex-wrap flex-justify-center gap-2">
        {page && before && view.mayWrite ? (
          <RestoreButton version={before} kind="btn-primary">
            {t('missing.restore')}
          </RestoreButton>
        ) : null}
        {page ? (
          <a class="btn" href={view.href(page.name, { action: '_revision' })}>
            {icon('history')} {t('history')}
          </a>
        ) : null}
        {view.mayWrite && nameOfTitle(title) ? (
          <a
            class={page ? 'btn' : 'btn btn-primary'}
            href={`${view.wiki}/_new?${new URLSearchParams({ title }).toString()}`}
          >
            {t('missing.create')}
          </a>
        ) : null}
        <a class="btn" href={`${view.wiki}/_pages`}>
          {t('allPages')}
        </a>
      </p>
      {page && view.mayWrite ? <RestoreForm view={view} name={page.name} /> : null}
    </div>
  );
}
