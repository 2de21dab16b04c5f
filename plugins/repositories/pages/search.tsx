import type { VNode } from 'preact';
import { Joi, type FieldOption } from '@mortise/plugin-sdk';
import type { RepositoryCounter } from '../contract/pages.js';
import type { RepositorySearch } from '../contract/repositories.js';
import { Select } from './form-fields.js';
import { t } from '../texts/index.js';

const sortKeys = ['updated', 'oldest', 'stars', 'forks', 'created', 'alpha', 'size'] as const;
const sorts: Readonly<Record<(typeof sortKeys)[number], { sort: RepositorySearch['sort']; descending: boolean }>> = {
  updated: { sort: 'updated', descending: true },
  oldest: { sort: 'updated', descending: false },
  stars: { sort: 'stars', descending: true },
  forks: { sort: 'forks', descending: true },
  created: { sort: 'created', descending: true },
  alpha: { sort: 'alpha', descending: false },
  size: { sort: 'size', descending: true },
};
/** Orders that go by a counter of another plugin. */
const countedSorts = new Set(['stars', 'forks']);
const kindKeys = ['all', 'source', 'fork', 'template', 'private', 'public', 'archived', 'active'] as const;
const kinds: Readonly<Record<(typeof kindKeys)[number], { filter: Partial<RepositorySearch> }>> = {
  all: { filter: {} },
  source: { filter: { mode: 'source' } },
  fork: { filter: { mode: 'fork' } },
  template: { filter: { isTemplate: true } },
  private: { filter: { isPrivate: true } },
  public: { filter: { isPrivate: false } },
  archived: { filter: { isArchived: true } },
  active: { filter: { isArchived: false } },
};

export interface SearchQuery {
  readonly q?: string;
  readonly sort?: string;
  readonly kind?: string;
  readonly language?: string;
  readonly topic?: string;
}

interface SearchSchema {
  /** What was deleted just now. */
  readonly deleted?: string;
  readonly q?: string;
  readonly sort?: string;
  readonly kind?: string;
  readonly language?: string;
  readonly topic?: string;
}

export const searchSchema = Joi.object<SearchSchema>({
  deleted: Joi.string().allow('').max(255),
  q: Joi.string().allow('').max(255),
  sort: Joi.string().allow('').max(20),
  kind: Joi.string().allow('').max(20),
  language: Joi.string().allow('').max(64),
  topic: Joi.string().allow('').max(5),
});

const own = <T,>(table: Readonly<Record<string, T>>, key: string | undefined, first: T): T =>
  key !== undefined && Object.hasOwn(table, key) ? table[key]! : first;

/** Of the site. */
export interface SearchDefaults {
  /** Until another order is chosen. */
  readonly sort: (typeof sortKeys)[number];
  readonly includeDescription: boolean;
}

/** The question that the fields of {@link SearchForm} ask. */
export function searchOf(
  query: SearchQuery,
  { sort: usual, includeDescription }: SearchDefaults,
): Omit<RepositorySearch, 'limit' | 'offset'> {
  const { sort, descending } = own(sorts, query.sort, sorts[usual]);
  return {
    text: query.q || undefined,
    topicOnly: Boolean(query.topic),
    includeDescription,
    language: query.language || undefined,
    ...own(kinds, query.kind, kinds.all).filter,
    sort,
    descending,
  };
}

/** The same question on another page of its answer. */
export function searchHref(query: SearchQuery, page: number, more: Readonly<Record<string, string>> = {}): string {
  const { q, sort, kind, language, topic } = query;
  const given = Object.entries({ ...more, q, sort, kind, language, topic }).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  return `?${new URLSearchParams([...given, ['page', String(page)]]).toString()}`;
}

export function SearchForm(props: {
  query: SearchQuery;
  /** Further fields of the address, kept as they are. */
  keep?: Readonly<Record<string, string>>;
  languages?: readonly string[];
  sort: SearchDefaults['sort'];
  counters: readonly RepositoryCounter[];
}): VNode {
  const { query, keep = {}, languages = [], counters } = props;
  const counted = new Set<string | undefined>(counters.map(({ sort }) => sort));
  const orders = sortKeys.filter((key) => !countedSorts.has(key) || counted.has(key));
  return (
    <form class="d-flex flex-wrap mb-2 gap-2" role="search" method="get">
      {Object.entries(keep).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {query.topic ? <input type="hidden" name="topic" value="1" /> : null}
      <input
        class="form-control list-main"
        type="search"
        name="q"
        value={query.q}
        placeholder={t(query.topic ? 'search.topic' : 'search.placeholder')}
        aria-label={t('repo.search')}
      />
      <Select
        name="kind"
        label={t('search.kind')}
        value={query.kind || 'all'}
        choices={kindKeys.map((key): FieldOption => [key, t(`search.kind.${key}`)])}
      />
      {languages.length ? (
        <Select
          name="language"
          label={t('search.language')}
          value={query.language ?? ''}
          choices={[['', t('search.allLanguages')], ...languages.map((name): FieldOption => [name, name])]}
        />
      ) : null}
      <Select
        name="sort"
        label={t('search.sort')}
        value={query.sort || props.sort}
        choices={orders.map((key): FieldOption => [key, t(`search.sort.${key}`)])}
      />
      <button class="btn" type="submit">
        {t('repo.search')}
      </button>
    </form>
  );
}
