import type { VNode } from 'preact';
import { SearchBox, toId } from '@mortise/plugin-sdk';
import { statusName, statusNumbers } from '../contract/states.js';
import { t } from '../texts/index.js';

type Query = Readonly<Record<string, unknown>>;

/** What every list of runs is narrowed by, whatever else it is. */
export interface RunSearch {
  /** Name of an account; empty: anybody. */
  readonly actor: string;
  /** A number of `statusNumbers`; 0: all. */
  readonly status: number;
}

/** A word of a query, no longer than what it is compared with. */
export const queryText = (query: Query, name: string): string =>
  typeof query[name] === 'string' ? query[name].slice(0, 255).trim() : '';

export const runSearchOf = (query: Query): RunSearch => ({
  actor: queryText(query, 'actor'),
  status: toId(query.status),
});

interface RunSearchBarProps extends Pick<Parameters<typeof SearchBox>[0], 'name' | 'value' | 'label' | 'keep'> {
  readonly search: RunSearch;
}

/** The form of the filter: one word of the list's own, who started them, and how they stand. */
export const RunSearchBar = ({ search, ...own }: RunSearchBarProps): VNode => (
  <SearchBox {...own}>
    <input
      class="form-control"
      name="actor"
      value={search.actor}
      placeholder={t('list.actor')}
      aria-label={t('list.actor')}
    />
    <select class="form-select" name="status" aria-label={t('list.status')}>
      <option value="">{t('list.anyStatus')}</option>
      {Object.values(statusNumbers)
        .filter(Boolean)
        .map((status) => (
          <option key={status} value={status} selected={status === search.status}>
            {t(`status.${statusName(status)}`)}
          </option>
        ))}
    </select>
  </SearchBox>
);
