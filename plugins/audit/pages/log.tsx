import {
  Ago,
  Blankslate,
  listHref,
  Pager,
  Section,
  SelectField,
  TextField,
  textOf,
  type FieldOption,
  type Text,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { EntryRow } from '../models/entry.js';
import type { FilterQuery } from '../routes/filter-query.js';
import type { Scope } from '../services/finder.js';
import { addressFor } from '../services/presenter.js';
import { t } from '../texts/index.js';
import { actionLabel, actionLabels } from './action-labels.js';

interface LogProps {
  readonly rows: readonly EntryRow[];
  readonly scope: Scope;
  readonly title: Text;
  readonly about: Text;
  /** Address of the page. */
  readonly base: string;
  readonly query: FilterQuery;
  /** Is there anything older? */
  readonly more: boolean;
}

function FilterForm({ base, query }: Pick<LogProps, 'base' | 'query'>): VNode {
  const actions: FieldOption[] = [['', t('filter.anyAction')], ...actionLabels()];
  return (
    <form class="d-flex flex-wrap flex-items-end gap-2 mb-3" role="search" method="get" action={base}>
      <TextField
        name="actor"
        label={t('filter.actor')}
        value={query.actor}
        maxLength={255}
        autocapitalize="none"
        short
      />
      <SelectField name="action" label={t('filter.action')} value={query.action} options={actions} />
      <TextField name="target" label={t('filter.target')} value={query.target} maxLength={255} short />
      <TextField name="address" label={t('filter.address')} value={query.address} maxLength={64} short />
      <TextField name="since" type="date" label={t('filter.since')} value={query.since?.slice(0, 10)} short />
      <TextField name="until" type="date" label={t('filter.until')} value={query.until?.slice(0, 10)} short />
      <div class="form-group">
        <button class="btn" type="submit">
          {t('filter.submit')}
        </button>
      </div>
    </form>
  );
}

const detailText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));

function Entry({ row, scope }: { row: EntryRow; scope: Scope }): VNode {
  const address = addressFor(row, scope);
  const credential = row.credential_id ? `${row.method} #${row.credential_id}` : row.method;
  const origin = [t(`way.${row.way}`), credential, address, row.sudo_by ? t('entry.sudo') : ''];
  const about = [
    row.user_name && row.user_name !== row.target_name ? row.user_name : '',
    row.repository_name && row.repository_name !== row.target_name ? row.repository_name : '',
    row.owner_name && !row.repository_name && row.owner_name !== row.target_name ? row.owner_name : '',
  ];
  const details = Object.entries(row.details).map(([key, value]) => `${key}: ${detailText(value)}`);
  return (
    <li class="Box-row">
      <p class="mb-0 wb-break-word">
        <strong>
          {row.actor_name || t(row.actor_id === 0 && row.way !== 'background' ? 'entry.nobody' : 'entry.site')}
        </strong>{' '}
        <span class="Label">{actionLabel(row.action)}</span> {row.target_name === row.actor_name ? '' : row.target_name}
      </p>
      <p class="f6 color-fg-muted mb-0 wb-break-word">
        <Ago time={Number(row.created_at)} /> · {[...origin, ...about].filter(Boolean).join(' · ')}
      </p>
      {details.length > 0 ? <p class="f6 color-fg-muted mb-0 wb-break-word">{details.join(' · ')}</p> : null}
    </li>
  );
}

/** A log with its search, newest first. */
export function Log({ rows, scope, title, about, base, query, more }: LogProps): VNode {
  const { before, ...filter } = query;
  const page = before === undefined ? 1 : 2;
  const exported = (format: string) => listHref(`${base}/export`, { ...filter, format });
  return (
    <Section
      title={textOf(title)}
      actions={
        <>
          <a class="btn btn-sm" href={exported('csv')}>
            {t('log.exportCsv')}
          </a>{' '}
          <a class="btn btn-sm" href={exported('jsonl')}>
            {t('log.exportLines')}
          </a>
        </>
      }
    >
      <p class="color-fg-muted">{textOf(about)}</p>
      <FilterForm base={base} query={query} />
      {rows.length === 0 ? (
        <Blankslate title={t('log.none')} icon="log" level={3} />
      ) : (
        <ul class="Box list-style-none">
          {rows.map((row) => (
            <Entry key={row.id} row={row} scope={scope} />
          ))}
        </ul>
      )}
      <Pager
        page={page}
        more={more}
        href={(to) => listHref(base, to > page ? { ...filter, before: Number(rows.at(-1)?.id) } : filter)}
        labels={[t('log.newest'), t('log.older')]}
      />
    </Section>
  );
}
