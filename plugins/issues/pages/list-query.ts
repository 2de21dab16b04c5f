import { listHref } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { readProject } from '../services/project-filter.js';
import type { IssueSearch, IssueSort } from '../api.js';

export const sorts = [
  'newest',
  'oldest',
  'recentupdate',
  'leastupdate',
  'mostcomment',
  'leastcomment',
  'duedate',
] as const satisfies readonly IssueSort[];

export const none = 'none';

/** What the lists of who is signed in show. */
export const views = ['assigned', 'created', 'mentioned', 'owned'] as const;
export const [defaultView] = views;

/** What the address of a list asks for. */
export interface ListQuery {
  readonly state: 'open' | 'closed' | 'all';
  /** Ids of labels, or `none`. */
  readonly labels: readonly number[] | typeof none;
  /** Id of a milestone, or `none`; 0: whichever. */
  readonly milestone: number | typeof none;
  /** Id of a project board, or `none`; 0: whichever. */
  readonly project: number | typeof none;
  /** Names of accounts; of `assignee` also `none`. */
  readonly assignee: string;
  readonly poster: string;
  readonly mentioned: string;
  readonly q: string;
  readonly sort: IssueSort;
  /** Across repositories: one of `views`, or the key of a filter that has a tab; empty: none was asked for. */
  readonly view: string;
}

type Given = Readonly<Record<string, unknown>>;
const textOf = (given: Given, name: string, max = 100): string =>
  (typeof given[name] === 'string' ? given[name] : '').trim().slice(0, max);
const idOf = (text: string): number => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0);

/** `tabs`: keys of filters that have a tab. */
export function parseQuery(given: Given, tabs: readonly string[] = []): ListQuery {
  const state = textOf(given, 'state');
  const labels = textOf(given, 'labels', 500);
  const milestone = textOf(given, 'milestone');
  const sort = textOf(given, 'sort');
  return {
    state: state === 'closed' || state === 'all' ? state : 'open',
    labels: labels === none ? none : [...new Set(labels.split(',').map(idOf).filter(Boolean))].slice(0, 20),
    milestone: milestone === none ? none : idOf(milestone),
    project: readProject(textOf(given, 'project')) ?? 0,
    assignee: textOf(given, 'assignee'),
    poster: textOf(given, 'poster'),
    mentioned: textOf(given, 'mentioned'),
    q: textOf(given, 'q', 255),
    sort: sorts.find((one) => one === sort) ?? 'newest',
    view: [...views, ...tabs].find((one) => one === given.view) ?? '',
  };
}

/** The fields that say something, as they stand in an address. */
export function fieldsOf(query: ListQuery): Record<string, string> {
  const { state, labels, milestone, project, assignee, poster, mentioned, q, sort, view } = query;
  const fields = {
    view,
    q,
    state: state === 'open' ? '' : state,
    labels: labels === none ? none : labels.join(','),
    milestone: milestone ? String(milestone) : '',
    project: project ? String(project) : '',
    assignee,
    poster,
    mentioned,
    sort: sort === 'newest' ? '' : sort,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
}

/** The address of the list with some of it changed. */
export const queryHref = (path: string, query: ListQuery, changes: Partial<ListQuery> = {}, page?: number): string =>
  listHref(path, { ...fieldsOf({ ...query, ...changes }), ...(page && page > 1 && { page }) });

/** Does it narrow the list beyond the state? */
export const hasFilters = (query: ListQuery): boolean =>
  Object.keys(fieldsOf({ ...query, state: 'open', sort: 'newest', view: '' })).length > 0;

/** As the reader takes it; undefined where somebody is named who does not exist. */
export async function toSearch(
  query: ListQuery,
  accounts: Accounts,
): Promise<Omit<IssueSearch, 'limit' | 'offset'> | undefined> {
  const { state, labels, milestone, q, sort } = query;
  const ids: Record<string, number> = {};
  for (const [key, name] of [
    ['assigneeId', query.assignee],
    ['posterId', query.poster],
    ['mentionedId', query.mentioned],
  ] as const) {
    if (!name) continue;
    if (key === 'assigneeId' && name === none) {
      ids[key] = 0;
      continue;
    }
    const account = await accounts.byName(name);
    if (!account) return undefined;
    ids[key] = account.id;
  }
  return {
    ...ids,
    ...(state !== 'all' && { isClosed: state === 'closed' }),
    ...(labels === none ? { isUnlabelled: true } : labels.length && { labelIds: labels }),
    ...(milestone === none ? { milestoneId: 0 } : milestone && { milestoneId: milestone }),
    ...(q && { text: q }),
    sort,
  };
}
