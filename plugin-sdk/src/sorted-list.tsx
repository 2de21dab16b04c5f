import type { ComponentChildren, VNode } from 'preact';
import { Blankslate, listHref, SearchBox, SortHead, type SortColumn, type SortOrder } from './list-components.js';
import { formatNumber } from './formats.js';
import { lastPage, Pager, Section } from './page-components.js';

interface SortedListProps {
  readonly title: string;
  /** Entries on all pages. */
  readonly total: number;
  /** Above the search field. */
  readonly note?: ComponentChildren;
  /** Address of the list, without what is asked for. */
  readonly action: string;
  /** What is searched, and read out: "Search packages". */
  readonly label: string;
  /** What is asked for: the text, the order, and further fields of the address that `filters` hold. */
  readonly query: Readonly<Record<string, string>> & {
    readonly q: string;
    readonly sort: string;
    readonly order: SortOrder;
  };
  /** Further controls of the search form, before its button. */
  readonly filters?: ComponentChildren;
  readonly columns: readonly SortColumn[];
  /** Shown in place of the table where nothing is found. */
  readonly none: { readonly title: string; readonly icon: string };
  readonly page: number;
  readonly limit: number;
  /** Rows of the table. */
  readonly children: readonly VNode[];
}

/** A table of many entries that the server searches, sorts and pages. */
export function SortedList(props: SortedListProps): VNode {
  const { title, total, note, action, label, query, filters, columns, none, page, limit, children } = props;
  const { sort, order } = query;
  return (
    <Section
      title={
        <>
          {title} <span class="Counter">{formatNumber(total)}</span>
        </>
      }
    >
      {note}
      <SearchBox action={action} value={query.q} label={label} keep={{ sort, order }}>
        {filters}
      </SearchBox>
      {children.length === 0 ? (
        <Blankslate title={none.title} icon={none.icon} />
      ) : (
        <table class="data-table">
          <SortHead
            columns={columns}
            sort={sort}
            order={order}
            href={(key, next) => listHref(action, { ...query, sort: key, order: next })}
          />
          <tbody>{children}</tbody>
        </table>
      )}
      <Pager page={page} last={lastPage(total, limit)} href={(to) => listHref(action, { ...query, page: to })} />
    </Section>
  );
}
