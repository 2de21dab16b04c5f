import type { VNode } from 'preact';
import { textOf } from '@mortise/plugin-sdk';
import type { SearchFilter, SearchKind } from '../contract/page.js';
import { t } from '../texts/index.js';

export const maxFilterLength = 100;

type Filters = Readonly<Record<string, string | undefined>>;

/** What was chosen of the filters that a kind has. */
export const filtersOf = ({ filters = [] }: Pick<SearchKind, 'filters'>, query: Filters): Record<string, string> =>
  Object.fromEntries(
    filters.flatMap(({ key }) => {
      const value = query[key]?.trim();
      return value ? [[key, value]] : [];
    }),
  );

interface FieldProps {
  readonly filter: SearchFilter;
  readonly value: string;
  /** Of what was found. */
  readonly choices: readonly string[];
}

function Field({ filter: { key, label, options, isChosenFromResults }, value, choices }: FieldProps): VNode {
  const id = `filter-${key}`;
  const found = choices.includes(value) || !value ? choices : [value, ...choices];
  const offered = isChosenFromResults ? found.map((one) => ({ value: one, label: one })) : options;
  return (
    <div class="search-filter">
      <label for={id}>{textOf(label)}</label>
      {offered ? (
        <select class="form-select select-sm" id={id} name={key}>
          <option value="">{t('filter.all')}</option>
          {offered.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {textOf(option.label)}
            </option>
          ))}
        </select>
      ) : (
        <input
          class="form-control input-sm"
          id={id}
          type="text"
          name={key}
          value={value}
          maxLength={maxFilterLength}
          autocomplete="off"
        />
      )}
    </div>
  );
}

interface FilterFormProps {
  readonly action: string;
  readonly kind: SearchKind;
  readonly text: string;
  readonly filters: Filters;
  readonly choices: Readonly<Record<string, readonly string[]>>;
  /** The same without filters. */
  readonly clearHref: string;
}

/** Narrows what was found; without scripts too. */
export const FilterForm = ({ action, kind, text, filters, choices, clearHref }: FilterFormProps): VNode | null =>
  kind.filters?.length ? (
    <form class="search-filters mb-3" method="get" action={action} aria-label={t('filter.title')}>
      <input type="hidden" name="q" value={text} />
      <input type="hidden" name="type" value={kind.key} />
      {kind.filters.map((filter) => (
        <Field key={filter.key} filter={filter} value={filters[filter.key] ?? ''} choices={choices[filter.key] ?? []} />
      ))}
      <button class="btn btn-sm" type="submit">
        {t('filter.apply')}
      </button>
      {Object.keys(filters).length > 0 ? (
        <a class="btn btn-sm btn-invisible" href={clearHref}>
          {t('filter.clear')}
        </a>
      ) : null}
    </form>
  ) : null;
