import { listHref } from '@mortise/plugin-sdk';
import { viewLayouts, type ProjectField, type ViewLayout } from '../api.js';
import type { CardSort, CardSortKey } from '../services/card-sort.js';

/** What a table can be sorted by, beside the fields of the board. */
export const tableSorts = ['column', 'title', 'milestone', 'due', 'updated'] as const satisfies readonly CardSortKey[];
/** What its rows can be grouped by, beside choices and iterations. */
export const tableGroups = ['column', 'milestone', 'state'] as const satisfies readonly CardSortKey[];

/** How the cards are laid out. */
export interface BoardLayout {
  readonly view: ViewLayout;
  /** A {@link tableSorts}, or `field-` and the number of a field; empty: as the cards stand. */
  readonly sort: string;
  readonly order: 'asc' | 'desc';
  readonly group: string;
}

export const fieldKey = ({ id }: Pick<ProjectField, 'id'>): string => `field-${id}`;
export const isGroupField = ({ kind }: ProjectField): boolean => kind === 'choice' || kind === 'iteration';

/** What the address asks for, as far as the board has it. */
export function readLayout(query: unknown, fields: readonly ProjectField[]): BoardLayout {
  const given = query as Readonly<Record<string, unknown>>;
  const keys = fields.map(fieldKey);
  const groups = fields.filter(isGroupField).map(fieldKey);
  return {
    view: viewLayouts.find((one) => one === given.view) ?? 'columns',
    sort: [...tableSorts, ...keys].find((one) => one === given.sort) ?? '',
    order: given.order === 'desc' ? 'desc' : 'asc',
    group: [...tableGroups, ...groups].find((one) => one === given.group) ?? '',
  };
}

/** As it stands in an address. */
export const layoutQuery = ({ view, sort, order, group }: BoardLayout): Record<string, string> => ({
  view: view === 'columns' ? '' : view,
  sort,
  order: order === 'desc' ? order : '',
  group,
});

/** The address of a layout with some of it changed; `filter`: what narrows the board, without `?`. */
export const layoutHref = (
  path: string,
  layout: BoardLayout,
  filter: string,
  changes: Partial<BoardLayout> & { readonly page?: number } = {},
): string => {
  const { page, ...changed } = changes;
  return listHref(path, {
    ...layoutQuery({ ...layout, ...changed }),
    ...Object.fromEntries(new URLSearchParams(filter)),
    page: page && page > 1 ? page : undefined,
  });
};

const sortOf = (key: string): CardSort['by'] =>
  key.startsWith('field-') ? { fieldId: Number(key.slice('field-'.length)) } : (key as CardSortKey);

/** Groups first, then what is sorted by. */
export const cardSort = ({ group, sort, order }: BoardLayout): CardSort[] => [
  ...(group ? [{ by: sortOf(group) }] : []),
  ...(sort ? [{ by: sortOf(sort), isDescending: order === 'desc' }] : []),
];
