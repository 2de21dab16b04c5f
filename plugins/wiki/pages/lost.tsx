import type { ComponentChildren, VNode } from 'preact';
import { Ago, Csrf, icon, Pager, type WebPage } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import type { LostPage } from '../services/lost.js';
import { nameOfFile, nameOfTitle, titleOfFile } from '../services/names.js';
import { t } from '../texts/index.js';
import { Heading, Person, type Visit } from './shared.js';

const lostOnPage = 50;

/** The list of pages that are no more. */
export const lostHref = (visit: Visit): string => `${visit.wiki}?action=_deleted`;

/** Buttons with `form` of this id write a version of the page again; it works without a script. */
const restoreForm = 'wiki-restore';
export const RestoreForm = ({ visit, name }: { visit: Visit; name: string }): VNode => (
  <form method="post" id={restoreForm} action={visit.href(name, { action: '_restore' })} hidden>
    <Csrf token={visit.context.csrf} />
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
  readonly visit: Visit;
  readonly page: LostPage;
  readonly commit: Commit;
  readonly people: ReadonlyMap<string, Account>;
  /** As a sentence of its own. */
  readonly whole?: boolean;
}

/** Who took the page away, when, and where it went. */
export function Removal({ visit, page, commit, people, whole }: RemovalProps): VNode {
  const { author } = commit;
  const moved = page.movedTo;
  const values = {
    name: (
      <Person account={people.get(author.email.toLowerCase())} name={author.name} path={visit.services.site.path} />
    ),
    when: <Ago time={author.time} />,
  };
  if (!moved) return <span>{t.rich(whole ? 'missing.deleted' : 'lost.deleted', values)}</span>;
  const to = <a href={visit.href(nameOfFile(moved) ?? moved)}>{titleOfFile(moved)}</a>;
  return <span>{t.rich(whole ? 'missing.renamed' : 'lost.renamed', { ...values, page: to })}</span>;
}

/** Pages that were deleted or renamed, the newest first. */
export async function lostView(visit: Visit, head: string): Promise<WebPage> {
  const { reader, lost, accounts } = visit.services;
  const all = await lost.all(visit.id, head);
  const number = visit.context.page.page;
  const shown = [...all.values()].slice((number - 1) * lostOnPage, number * lostOnPage);
  const commits = await reader.open(visit.id).commits([...new Set(shown.map((page) => page.removal))]);
  const byOid = new Map(commits.map((commit) => [commit.oid, commit]));
  const people = await accounts.byEmails([...new Set(commits.map((commit) => commit.author.email))]);
  return visit.page({
    title: t.later('deletedPages'),
    body: <Lost visit={visit} shown={shown} byOid={byOid} people={people} number={number} total={all.size} />,
  });
}

interface LostProps extends Pick<RemovalProps, 'visit' | 'people'> {
  readonly shown: readonly LostPage[];
  readonly byOid: ReadonlyMap<string, Commit>;
  readonly number: number;
  readonly total: number;
}

function Lost({ visit, shown, byOid, people, number, total }: LostProps): VNode {
  const at = (page: number) => `${lostHref(visit)}&page=${page}`;
  return (
    <div>
      <Heading title={t('deletedPages')}>
        <a class="btn" href={`${visit.wiki}/_pages`}>
          {t('allPages')}
        </a>
      </Heading>
      {shown.length > 0 ? (
        <ul class="Box list-style-none">
          {shown.map((page) => (
            <li class="Box-row">
              <a class="text-bold wb-break-word" href={visit.href(page.name, { action: '_revision' })}>
                {titleOfFile(page.path)}
              </a>
              <span class="d-block f6 color-fg-muted">
                {byOid.has(page.removal) ? (
                  <Removal visit={visit} page={page} commit={byOid.get(page.removal)!} people={people} />
                ) : null}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="color-fg-muted">{t('lost.none')}</p>
      )}
      <Pager page={number} more={number * lostOnPage < total} href={at} words={[t('newer'), t('older')]} />
    </div>
  );
}

/** The wiki has pages, but not this one, though it may have had it. */
export async function missingView(visit: Visit, title: string, page?: LostPage): Promise<WebPage> {
  const { reader, accounts } = visit.services;
  const [commit] = page ? await reader.open(visit.id).commits([page.removal]) : [];
  const people = await accounts.byEmails(commit ? [commit.author.email] : []);
  return visit.page({
    title,
    status: 404,
    body: <Missing visit={visit} title={title} page={page} commit={commit} people={people} />,
  });
}

interface MissingProps extends Pick<RemovalProps, 'visit' | 'people'> {
  readonly title: string;
  readonly page: LostPage | undefined;
  readonly commit: Commit | undefined;
}

function Missing({ visit, title, page, commit, people }: MissingProps): VNode {
  const [before] = commit?.parents ?? [];
  return (
    <div class="Box blankslate">
      {icon('book', { size: 24, class: 'blankslate-icon' })}
      <h2 class="blankslate-heading wb-break-word">{t('missing.title', { title })}</h2>
      {page && commit ? (
        <p>
          <Removal visit={visit} page={page} commit={commit} people={people} whole />
        </p>
      ) : null}
      <p class="mt-3 d-flex flex-wrap flex-justify-center" style="gap: 8px">
        {page && before && visit.mayWrite ? (
          <RestoreButton version={before} kind="btn-primary">
            {t('missing.restore')}
          </RestoreButton>
        ) : null}
        {page ? (
          <a class="btn" href={visit.href(page.name, { action: '_revision' })}>
            {icon('history')} {t('history')}
          </a>
        ) : null}
        {visit.mayWrite && nameOfTitle(title) ? (
          <a
            class={page ? 'btn' : 'btn btn-primary'}
            href={`${visit.wiki}/_new?${new URLSearchParams({ title }).toString()}`}
          >
            {t('missing.create')}
          </a>
        ) : null}
        <a class="btn" href={`${visit.wiki}/_pages`}>
          {t('allPages')}
        </a>
      </p>
      {page && visit.mayWrite ? <RestoreForm visit={visit} name={page.name} /> : null}
    </div>
  );
}
