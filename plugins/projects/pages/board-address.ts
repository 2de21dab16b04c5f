import { listHref } from '@mortise/plugin-sdk';
import type { CardFilter } from '../services/card-search.js';

const states = ['open', 'closed'] as const;

type Given = Readonly<Record<string, unknown>>;
const layoutKeys = ['view', 'sort', 'order', 'group', 'saved'] as const;
const textIn = (given: Given, name: string, max: number): string =>
  typeof given[name] === 'string' ? given[name].trim().slice(0, max) : '';

/** What the address of a board asks for. */
export const readFilter = (query: unknown): CardFilter => {
  const parameters = query as Given;
  const state = textIn(parameters, 'state', 10);
  return {
    q: textIn(parameters, 'q', 255),
    state: states.find((one) => one === state) ?? '',
    label: textIn(parameters, 'label', 255),
    milestone: textIn(parameters, 'milestone', 255),
    assignee: textIn(parameters, 'assignee', 100),
  };
};

/** As it stands in an address, without `?`. */
export const filterQuery = (filter: CardFilter): string => listHref('', { ...filter }).slice(1);

/** Filter and layout of an address of the board, without what no board knows. */
export const addressQuery = (query: unknown): string =>
  listHref('', {
    ...Object.fromEntries(layoutKeys.map((key) => [key, textIn(query as Given, key, 20)])),
    ...readFilter(query),
  }).slice(1);

/** What stands in an address behind the `?`; of a name that comes twice the last. */
export const queryIn = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));

/** What a form carries along of the address of the board. */
export const keptQuery = (text: string): string => addressQuery(queryIn(text));

/** The board as it was looked at. */
export const boardHref = (path: string, query: string): string => (query ? `${path}?${query}` : path);
