import type { ComponentChildren, VNode } from 'preact';
import { icon } from './icon.js';
import { textOf, type Text } from './language.js';
import { t } from './texts/index.js';

interface BlankslateProps {
  readonly title: ComponentChildren;
  /** Octicon name. */
  readonly icon?: string;
  /** Of the heading; default 2. */
  readonly level?: 2 | 3;
  /** Stands in a box already. */
  readonly plain?: boolean;
  /** What can be done about it: a sentence, a button. */
  readonly children?: ComponentChildren;
}

/** Where a list would be that has nothing in it. */
export function Blankslate({ title, icon: name, level = 2, plain, children }: BlankslateProps): VNode {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div class={`blankslate${plain ? '' : ' border rounded-2 mb-3'}`}>
      {name ? icon(name, { size: 24, class: 'blankslate-icon' }) : null}
      <Heading class="blankslate-heading">{title}</Heading>
      {children}
    </div>
  );
}

export interface TabEntry {
  readonly key: string;
  readonly label: Text;
  readonly href: string;
  /** Octicon name. */
  readonly icon?: string;
  /** Shown behind the label, formatted. */
  readonly count?: string;
}

export interface TabsProps {
  /** What is read out for all of them. */
  readonly label: string;
  readonly entries: readonly TabEntry[];
  /** Key of the entry whose page this is. */
  readonly active: string;
}

/** Links to pages that stand beside each other; more of them than fit scroll. */
export const Tabs = ({ label, entries, active }: TabsProps): VNode => (
  <nav class="UnderlineNav mb-3" aria-label={label}>
    <div class="UnderlineNav-body">
      {entries.map((entry) => (
        <a
          key={entry.key}
          class="UnderlineNav-item"
          href={entry.href}
          aria-current={entry.key === active ? 'page' : undefined}
        >
          {entry.icon ? icon(entry.icon, { class: 'UnderlineNav-octicon' }) : null}
          {textOf(entry.label)}
          {entry.count === undefined ? null : <span class="Counter ml-1">{entry.count}</span>}
        </a>
      ))}
    </div>
  </nav>
);

interface MenuProps {
  /** What the button shows. */
  readonly button: ComponentChildren;
  /** What is read out, where the button shows a picture. */
  readonly label?: string;
  /** Of the button; default `btn`. */
  readonly class?: string;
  /** The side of the button that the menu keeps to; default `end`. */
  readonly align?: 'start' | 'end';
  /** Links and forms. */
  readonly children: ComponentChildren;
}

/** A button that unfolds a list of links and actions; Escape and a click elsewhere close it, and no script is needed. */
export const Menu = ({ button, label, class: look = 'btn', align = 'end', children }: MenuProps): VNode => (
  <details class="dropdown details-reset d-inline-block">
    <summary class={look} aria-label={label} title={label}>
      {button} <span class="dropdown-caret" />
    </summary>
    <div class={`dropdown-menu dropdown-menu-${align === 'end' ? 'sw' : 'se'} menu-body`}>{children}</div>
  </details>
);

interface SearchBoxProps {
  /** Where the form leads; default the page itself. */
  readonly action?: string;
  /** Default `q`. */
  readonly name?: string;
  readonly value: string;
  /** What is searched, and read out: "Search users". */
  readonly label: string;
  /** Default: the label. */
  readonly placeholder?: string;
  /** Fields of the address that stay as they are. */
  readonly keep?: Readonly<Record<string, string | undefined>>;
  /** Further controls, before the button. */
  readonly children?: ComponentChildren;
}

/** A form above a list that narrows it. */
export const SearchBox = ({
  action,
  name = 'q',
  value,
  label,
  placeholder,
  keep = {},
  children,
}: SearchBoxProps): VNode => (
  <form class="d-flex flex-wrap gap-2 mb-3" role="search" method="get" action={action}>
    {Object.entries(keep).map(([key, kept]) =>
      kept ? <input key={key} type="hidden" name={key} value={kept} /> : null,
    )}
    <input
      class="form-control list-main"
      type="search"
      name={name}
      value={value}
      placeholder={placeholder ?? label}
      aria-label={label}
    />
    {children}
    <button class="btn" type="submit">
      {t('search.submit')}
    </button>
  </form>
);

export interface SortColumn {
  /** Value of `sort` in the address; without it the column is not sorted by. */
  readonly key?: string;
  readonly label: ComponentChildren;
  /** What comes first when it is pressed; default `asc`. */
  readonly first?: SortOrder;
  /** Only read out. */
  readonly hidden?: boolean;
}

export type SortOrder = 'asc' | 'desc';

interface SortHeadProps {
  readonly columns: readonly SortColumn[];
  /** Key of the column that the list is sorted by. */
  readonly sort: string;
  readonly order: SortOrder;
  /** Address of the list in that order. */
  readonly href: (sort: string, order: SortOrder) => string;
}

/** The head of a table that the server sorts: a link for each column, the other way round when it is sorted by it. */
export const SortHead = ({ columns, sort, order, href }: SortHeadProps): VNode => (
  <thead>
    <tr>
      {columns.map(({ key, label, first = 'asc', hidden }, index) => {
        const isCurrent = key !== undefined && key === sort;
        const next = isCurrent ? (order === 'asc' ? 'desc' : 'asc') : first;
        return (
          <th
            key={key ?? index}
            scope="col"
            aria-sort={isCurrent ? (order === 'asc' ? 'ascending' : 'descending') : undefined}
          >
            {key === undefined ? (
              hidden ? (
                <span class="sr-only">{label}</span>
              ) : (
                label
              )
            ) : (
              <a class="sort-button no-wrap" href={href(key, next)}>
                {label}
              </a>
            )}
          </th>
        );
      })}
    </tr>
  </thead>
);

/** An address with those of the values that say something: `listHref('/-/admin/users', { q: 'a', page: 2 })`. */
export function listHref(path: string, values: Readonly<Record<string, string | number | undefined>>): string {
  const query = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]): [string, string] => [name, String(value)]);
  return query.length ? `${path}?${new URLSearchParams(query).toString()}` : path;
}
