import type { VNode } from 'preact';
import { Joi, type FieldOption } from '@mortise/plugin-sdk';
import type { RepositoryCounter, RepositorySearch } from '../api.js';
import { Select } from './parts.js';

const sorts: Readonly<Record<string, { label: string; sort: RepositorySearch['sort']; descending: boolean }>> = {
  updated: { label: 'Recently updated', sort: 'updated', descending: true },
  oldest: { label: 'Least recently updated', sort: 'updated', descending: false },
  stars: { label: 'Most stars', sort: 'stars', descending: true },
  forks: { label: 'Most forks', sort: 'forks', descending: true },
  created: { label: 'Newest', sort: 'created', descending: true },
  alpha: { label: 'Name', sort: 'alpha', descending: false },
  size: { label: 'Largest', sort: 'size', descending: true },
};
/** Orders that go by a counter of another plugin. */
const countedSorts = new Set(['stars', 'forks']);
const kinds: Readonly<Record<string, { label: string; filter: Partial<RepositorySearch> }>> = {
  all: { label: 'All kinds', filter: {} },
  source: { label: 'No forks', filter: { mode: 'source' } },
  fork: { label: 'Forks', filter: { mode: 'fork' } },
  template: { label: 'Templates', filter: { isTemplate: true } },
  private: { label: 'Private', filter: { isPrivate: true } },
  public: { label: 'Public', filter: { isPrivate: false } },
  archived: { label: 'Archived', filter: { isArchived: true } },
  active: { label: 'Not archived', filter: { isArchived: false } },
};

export interface SearchQuery {
  readonly q?: string;
  readonly sort?: string;
  readonly kind?: string;
  readonly language?: string;
  readonly topic?: string;
}

export const searchSchema = Joi.object({
  q: Joi.string().allow('').max(255),
  sort: Joi.string().allow('').max(20),
  kind: Joi.string().allow('').max(20),
  language: Joi.string().allow('').max(64),
  topic: Joi.string().allow('').max(5),
});

const own = <T,>(table: Readonly<Record<string, T>>, key: string | undefined, first: T): T =>
  key !== undefined && Object.hasOwn(table, key) ? table[key]! : first;

/** The question that the fields of {@link SearchForm} ask. */
export function searchOf(query: SearchQuery): Omit<RepositorySearch, 'limit' | 'offset'> {
  const { sort, descending } = own(sorts, query.sort, sorts.updated!);
  return {
    text: query.q || undefined,
    topicOnly: Boolean(query.topic),
    includeDescription: true,
    language: query.language || undefined,
    ...own(kinds, query.kind, kinds.all!).filter,
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
  counters: readonly RepositoryCounter[];
}): VNode {
  const { query, keep = {}, languages = [], counters } = props;
  const counted = new Set<string | undefined>(counters.map(({ sort }) => sort));
  const orders = Object.fromEntries(
    Object.entries(sorts).filter(([key]) => !countedSorts.has(key) || counted.has(key)),
  );
  const options = (table: Readonly<Record<string, { label: string }>>): FieldOption[] =>
    Object.entries(table).map(([key, { label }]): FieldOption => [key, label]);
  return (
    <form class="d-flex flex-wrap mb-2" style="gap: 8px" role="search" method="get">
      {Object.entries(keep).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {query.topic ? <input type="hidden" name="topic" value="1" /> : null}
      <input
        class="form-control flex-auto"
        style="min-width: 200px"
        type="search"
        name="q"
        value={query.q}
        placeholder={query.topic ? 'Topic' : 'Name, description or topic'}
        aria-label="Search"
      />
      <Select name="kind" label="Kind" value={query.kind || 'all'} choices={options(kinds)} />
      {languages.length ? (
        <Select
          name="language"
          label="Language"
          value={query.language ?? ''}
          choices={[['', 'All languages'], ...languages.map((name): FieldOption => [name, name])]}
        />
      ) : null}
      <Select name="sort" label="Order" value={query.sort || 'updated'} choices={options(orders)} />
      <button class="btn" type="submit">
        Search
      </button>
    </form>
  );
}
