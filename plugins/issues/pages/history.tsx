import type { VNode } from 'preact';
import { Ago, lastPage, listHref, NotFound, Pager, toId, type WebPage } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { TextChange } from '@mortise/history/api';
import { pathOf, unitOf } from '../api.js';
import { TextVersionRow } from '../models/text-version.js';
import { repositoryPathOf, issuePageContext, type PageContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

/** How a text of a conversation was edited: who and when, the newest in front, and what one of the edits changed. */
export async function historyPage(deps: PageDeps, context: PageContext): Promise<WebPage> {
  const { issueServices, accounts, site } = deps;
  const { issue, repository } = context.resource;
  const { page, limit, offset } = context.page;
  const query = context.query as Readonly<Record<string, unknown>>;
  const id = toId(query.comment);
  const comment = id ? await issueServices.entries.byId(id) : undefined;
  if (id && comment?.issueId !== issue.id) throw NotFound('comment');
  const all = () =>
    issueServices.deps.database.query(TextVersionRow).where({ issue_id: issue.id, entry_id: id || null });
  const total = await all().resultSize();
  const rows = await all().select('id', 'editor_id', 'created_at').orderBy('id', 'desc').limit(limit).offset(offset);
  // texts may be long: one at a time
  const version = toId(query.version) || rows[0]?.id;
  const shown = version ? await all().findById(version) : undefined;
  if (version && !shown) throw NotFound('version');
  const before = shown && (await all().where('id', '<', shown.id).orderBy('id', 'desc').first());
  const [comparison] = issueServices.points.comparisons.list();
  const users = await accounts.byIds([...new Set([...rows, ...(shown ? [shown] : [])].map((row) => row.editor_id))]);
  const issuePath = `${repositoryPathOf(site, repository)}/${pathOf(issue)}`;
  const base = `${repositoryPathOf(site, repository)}/issues/${issue.index}/history`;
  const href = (more: Readonly<Record<string, number | undefined>>) =>
    listHref(base, { comment: id || undefined, page: page > 1 ? page : undefined, ...more });
  return deps.pages.page(issuePageContext(context), unitOf(issue), {
    title: t.later('history.title'),
    islands: ['issues-style'],
    body: (
      <History
        {...{ rows, shown, users, href, page }}
        isFirst={!before}
        changes={before && comparison?.compare(before.body, shown.body)}
        last={lastPage(total, limit)}
        back={`${issuePath}#${id ? `issuecomment-${id}` : 'issue-text'}`}
      />
    ),
  });
}

type Version = Pick<TextVersionRow, 'id' | 'editor_id' | 'created_at'>;

interface HistoryProps {
  readonly rows: readonly Version[];
  readonly shown: TextVersionRow | undefined;
  /** There is no version before the one that is shown. */
  readonly isFirst: boolean;
  /** What the shown version changed; undefined: it is not compared. */
  readonly changes: readonly TextChange[] | undefined;
  readonly users: ReadonlyMap<number, Account>;
  readonly page: number;
  readonly last: number;
  readonly back: string;
  href(more: Readonly<Record<string, number | undefined>>): string;
}

const VersionName = ({ row, users }: { row: Version; users: HistoryProps['users'] }): VNode => (
  <span>
    {t.rich('history.version', {
      name: <strong>{users.get(row.editor_id)?.name ?? t('person.gone')}</strong>,
      when: <Ago time={Number(row.created_at)} />,
    })}
  </span>
);

const tags = { same: 'span', added: 'ins', removed: 'del' } as const;

const Changes = ({ changes }: { changes: readonly TextChange[] }): VNode => (
  <div class="p-3 wb-break-word issue-version" tabIndex={0} role="group" aria-label={t('history.changes')}>
    {changes.map(({ kind, text }) => {
      const Tag = tags[kind];
      return <Tag>{text}</Tag>;
    })}
  </div>
);

const WholeText = ({ body }: { body: string }): VNode => (
  <pre class="p-3 mb-0 wb-break-word issue-version" tabIndex={0}>
    {body}
  </pre>
);

/** A version: what it changed, and its text. */
function SelectedVersion({ shown, isFirst, changes, users }: HistoryProps & { shown: TextVersionRow }): VNode {
  return (
    <section class="Box mb-3">
      <h3 class="Box-header f5 text-normal">
        <VersionName row={shown} users={users} />
      </h3>
      {changes ? (
        <>
          <Changes changes={changes} />
          <details class="border-top">
            <summary class="px-3 py-2">{t('history.text')}</summary>
            <WholeText body={shown.body} />
          </details>
        </>
      ) : (
        <>
          <p class="px-3 pt-3 mb-0 color-fg-muted">{isFirst ? t('history.first') : t('history.notCompared')}</p>
          <WholeText body={shown.body} />
        </>
      )}
    </section>
  );
}

const History = (props: HistoryProps): VNode => {
  const { rows, shown, users, page, last, back, href } = props;
  return (
    <div>
      <h2 class="f3 mb-2">{t('history.title')}</h2>
      <p>
        <a href={back}>{t('history.back')}</a>
      </p>
      {rows.length ? null : <p class="color-fg-muted">{t('history.none')}</p>}
      {shown ? <SelectedVersion {...props} shown={shown} /> : null}
      <ul class="Box list-style-none mb-3">
        {rows.map((row) => (
          <li key={row.id} class="Box-row">
            <a href={href({ version: row.id })} aria-current={row.id === shown?.id ? 'true' : undefined}>
              <VersionName row={row} users={users} />
            </a>
          </li>
        ))}
      </ul>
      <Pager page={page} last={last} href={(to) => href({ page: to })} />
    </div>
  );
};
