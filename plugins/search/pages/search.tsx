import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  pageRoute,
  icon,
  Joi,
  lastPage,
  listHref,
  Pager,
  SearchBox,
  Tabs,
  textOf,
  webPage,
  type PointReader,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { SearchKind } from '../api.js';
import type { SearchHit, SearchLine } from '../contract/page.js';
import { FilterForm, filtersOf, maxFilterLength } from './filters.js';
import { t } from '../texts/index.js';

interface PageDeps {
  readonly site: Site;
  readonly kinds: PointReader<SearchKind>;
}

export const searchPath = '/search';
const tones = {
  open: 'color-fg-success',
  done: 'color-fg-done',
  closed: 'color-fg-danger',
  muted: 'color-fg-muted',
} as const;

const Lines = ({ lines }: { lines: readonly SearchLine[] }): VNode => (
  <table class="search-lines">
    <tbody>
      {lines.map(({ number, text, isFound }) => (
        <tr key={number} class={isFound ? 'is-found' : undefined}>
          <th scope="row">{number}</th>
          <td>{text}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Hit = ({ hit }: { hit: SearchHit }): VNode => (
  <li class="Box-row d-flex gap-2">
    <span class={tones[hit.tone ?? 'muted']}>
      {icon(hit.icon)}
      {hit.iconLabel ? <span class="sr-only">{textOf(hit.iconLabel)}</span> : null}
    </span>
    <div class="flex-auto min-width-0">
      {hit.location ? (
        <div class="f6">
          <a class="Link--muted d-inline-block py-1" href={hit.location.href}>
            {hit.location.label}
          </a>
        </div>
      ) : null}
      <a class="h4 wb-break-word" href={hit.href}>
        {hit.title}
      </a>
      {hit.excerpt ? <p class="mb-0 color-fg-muted wb-break-word">{hit.excerpt}</p> : null}
      {hit.lines?.length ? <Lines lines={hit.lines} /> : null}
      {hit.at ? (
        <div class="f6 color-fg-muted">
          <Ago time={hit.at} />
        </div>
      ) : null}
    </div>
  </li>
);

interface ResultsProps {
  readonly items: readonly SearchHit[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly href: (page: number) => string;
}

const Results = ({ items, total, page, limit, href }: ResultsProps): VNode =>
  items.length === 0 ? (
    <Blankslate icon="search" title={t('none.title')}>
      <p>{t('none.text')}</p>
    </Blankslate>
  ) : (
    <div>
      <p class="color-fg-muted">{t('results', { count: total })}</p>
      <ul class="Box list-style-none mb-3">
        {items.map((hit) => (
          <Hit key={hit.href} hit={hit} />
        ))}
      </ul>
      <Pager page={page} last={lastPage(total, limit)} href={href} />
    </div>
  );

type SearchQuery = Readonly<Record<string, string | undefined>>;
const querySchema = Joi.object<SearchQuery>({
  q: Joi.string().allow('').max(500),
  type: Joi.string().allow('').max(40),
}).pattern(/^[a-z]{1,20}$/, Joi.string().allow('').max(maxFilterLength));

export const searchPages = ({ site, kinds }: PageDeps): Route[] => [
  pageRoute(
    searchPath,
    { actor: 'anyone' },
    async ({ actor, query, page: { page, limit, offset } }) => {
      const all = kinds.list();
      const kind = all.find(({ key }) => key === query.type) ?? all[0];
      const text = query.q?.trim() ?? '';
      const filters = kind ? filtersOf(kind, query) : {};
      const results = text && kind ? await kind.search({ text, actor, filters, limit, offset }) : undefined;
      const href = (to: { readonly key: string }, chosen: SearchQuery, number?: number) =>
        site.path(listHref(searchPath, { q: text || undefined, type: to.key, ...chosen, page: number }));
      return webPage(() => ({
        title: t('title'),
        islands: ['search-style'],
        body: (
          <div>
            <h1 class="f2 mb-3">{t('title')}</h1>
            <SearchBox
              action={site.path(searchPath)}
              value={text}
              label={t('label')}
              keep={{ type: query.type, ...filters }}
            />
            <Tabs
              label={t('kinds')}
              active={kind?.key ?? ''}
              entries={all.map((one) => ({
                key: one.key,
                label: one.label,
                icon: one.icon,
                href: href(one, filtersOf(one, filters)),
              }))}
            />
            {results && kind ? (
              <>
                <FilterForm
                  action={site.path(searchPath)}
                  kind={kind}
                  text={text}
                  filters={filters}
                  choices={results.choices ?? {}}
                  clearHref={href(kind, {})}
                />
                <Results {...results} page={page} limit={limit} href={(to) => href(kind, filters, to)} />
              </>
            ) : (
              <Blankslate icon="search" title={t('start.title')}>
                <p>{t('start.text')}</p>
              </Blankslate>
            )}
          </div>
        ),
      }));
    },
    { query: querySchema },
  ),
];
