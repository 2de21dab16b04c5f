import { listHref, toId } from '@mortise/plugin-sdk';
import { viewLayouts } from '../api.js';
import type { ProjectField, ProjectView, ViewLayout } from '../contract/fields.js';
import type { CardSort, CardSortKey } from '../services/card-sort.js';
import { queryIn, readFilter } from './board-address.js';

/** What a table can be sorted by, beside the fields of the board. */
const tableSorts = ['column', 'title', 'milestone', 'due', 'updated'] as const satisfies readonly CardSortKey[];
/** What its rows can be grouped by, beside single selects and iterations. */
export const tableGroups = ['column', 'milestone', 'state'] as const satisfies readonly CardSortKey[];

/** How the cards are laid out. */
export interface BoardLayout {
  readonly view: ViewLayout;
  /** A {@link tableSorts}, or `field-` and the number of a field; empty: as the cards stand. */
  readonly sort: string;
  readonly order: 'asc' | 'desc';
  readonly group: string;
  /** The saved view that it began with; 0: none. */
  readonly saved: number;
}

export const fieldKey = ({ id }: Pick<ProjectField, 'id'>): string => `field-${id}`;
export const isGroupField = ({ kind }: ProjectField): boolean => kind === 'single_select' || kind === 'iteration';

/** What the address asks for, as far as the board has it. */
export function readLayout(query: unknown, fields: readonly ProjectField[]): BoardLayout {
  const parameters = query as Readonly<Record<string, unknown>>;
  const keys = fields.map(fieldKey);
  const groups = fields.filter(isGroupField).map(fieldKey);
  return {
    view: viewLayouts.find((one) => one === parameters.view) ?? 'columns',
    sort: [...tableSorts, ...keys].find((one) => one === parameters.sort) ?? '',
    order: parameters.order === 'desc' ? 'desc' : 'asc',
    group: [...tableGroups, ...groups].find((one) => one === parameters.group) ?? '',
    saved: toId(parameters.saved),
  };
}

/** As it stands in an address. */
export const layoutQuery = ({ view, sort, order, group, saved }: BoardLayout): Record<string, string> => ({
  // said of columns too: without anything the board opens with its default view
  view,
  sort,
  order: order === 'desc' ? order : '',
  group,
  saved: saved ? String(saved) : '',
});

/** What a text of an address narrows, and nothing else that stands in it. */
const filterIn = (text: string) => readFilter(queryIn(text));

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
    ...filterIn(filter),
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

/** What the address of a board says where a saved view is chosen. */
export const savedQuery = ({ id, layout, filter, options }: ProjectView): Record<string, string> => {
  const text = (name: string) => (typeof options[name] === 'string' ? options[name] : '');
  return {
    ...layoutQuery({
      view: layout,
      sort: text('sort'),
      order: text('order') === 'desc' ? 'desc' : 'asc',
      group: text('group'),
      saved: id,
    }),
    ...filterIn(filter),
  };
};

/** The address of a saved view. */
export const savedHref = (path: string, view: ProjectView): string => listHref(path, savedQuery(view));
