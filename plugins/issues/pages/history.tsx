import type { VNode } from 'preact';
import { Ago, NotFound, toId, type WebPage } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { pathOf, unitOf } from '../api.js';
import { TextVersionRow } from '../models/timeline.js';
import { homeOf, issuePageContext, type PageContext, type PageParts } from './shared.js';
import { t } from '../texts/index.js';

const maxVersions = 100;

/** How a text of a conversation was edited: each version whole, the newest in front. */
export async function historyPage(parts: PageParts, context: PageContext): Promise<WebPage> {
  const { issueServices, accounts, site } = parts;
  const { issue, repository } = context.resource;
  const query = context.query as Readonly<Record<string, unknown>>;
  const id = toId(query.comment);
  const comment = id ? await issueServices.entries.byId(id) : undefined;
  if (id && comment?.issueId !== issue.id) throw NotFound('comment');
  const rows = await issueServices.parts.database
    .query(TextVersionRow)
    .where({ issue_id: issue.id, entry_id: id || null })
    .orderBy('id', 'desc')
    .limit(maxVersions);
  const people = await accounts.byIds([...new Set(rows.map((row) => row.editor_id))]);
  const back = `${homeOf(site, repository)}/${pathOf(issue)}#${id ? `issuecomment-${id}` : 'issue-text'}`;
  return parts.pages.page(issuePageContext(context), unitOf(issue), {
    title: t.later('history.title'),
    islands: ['issues-style'],
    body: <History rows={rows} people={people} back={back} />,
  });
}

interface HistoryProps {
  readonly rows: readonly TextVersionRow[];
  readonly people: ReadonlyMap<number, Account>;
  readonly back: string;
}

const History = ({ rows, people, back }: HistoryProps): VNode => (
  <div>
    <h2 class="f3 mb-2">{t('history.title')}</h2>
    <p>
      <a href={back}>{t('history.back')}</a>
    </p>
    {rows.length ? null : <p class="color-fg-muted">{t('history.none')}</p>}
    {rows.map((row, at) => (
      <details class="Box mb-2" open={at === 0}>
        <summary class="p-3">
          {t.rich('history.version', {
            name: <strong>{people.get(row.editor_id)?.name ?? t('person.gone')}</strong>,
            when: <Ago time={Number(row.created_at)} />,
          })}
        </summary>
        <pre class="p-3 mb-0 border-top color-border-muted wb-break-word issue-version" tabIndex={0}>
          {row.body}
        </pre>
      </details>
    ))}
  </div>
);
