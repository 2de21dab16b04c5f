import { defineService, type Cache, type Database, type Route } from '@mortise/plugin-sdk';
import type { IssuePages } from '../api.js';
import { FilterService } from '../services/filters.js';
import { marksOf } from './comment-marks.js';
import { conversationOf } from './conversation.js';
import { dashboardPage, dashboardRoutes } from './dashboard.js';
import { EditorTexts, TextEditor } from './editor.js';
import { headingOf, issueRoutes } from './issue-routes.js';
import { labelRoutes } from './labels.js';
import { listPage } from './list.js';
import { listRoutes } from './list-routes.js';
import { milestoneExchangePages } from './milestone-exchange.js';
import { milestonePages } from './milestones.js';
import { newIssueRoutes } from './new-routes.js';
import { sortingFieldsOf, sortingWish } from './sorting.js';
import { suggestionRoutes } from './suggestions.js';
import { textFormOf } from './text-form.js';
import type { PageContext, PageParts } from './shared.js';

/** What pages of this plugin work with; not part of the contract. */
export const pageParts = defineService<PageParts>('issues.pageParts');

type Points = Pick<PageParts, 'sidebar' | 'end' | 'rowFacts' | 'filterTabs'>;

export const makePageParts = (
  {
    database,
    cache,
    ...services
  }: Omit<PageParts, 'filters' | 'lists' | 'emojify' | 'avatarUrl' | keyof Points> & {
    readonly database: Database;
    readonly cache: Cache;
  },
  points: Points,
): PageParts => ({
  ...services,
  ...points,
  filters: new FilterService(database),
  lists: cache.fresh('issues.lists', { max: 500 }),
  emojify: (text) => services.markup.emojify(text),
  avatarUrl: (account) => services.accounts.avatarUrl(account),
});

/** What other plugins get. */
export const pagesOf = (parts: PageParts): IssuePages => ({
  list: (context, options) => listPage(parts, context, options),
  dashboard: (context, options) => dashboardPage(parts, context, options),
  conversation: (context) => conversationOf(parts, context as PageContext),
  heading: (context, more) => headingOf(parts, context as PageContext, more),
  sortingFields: (context, unit, sent) => sortingFieldsOf(parts, context, unit, sent),
  sortingWish,
  marks: (on, ids) => marksOf(parts, on, ids),
  textForm: (yaml, fileName) => textFormOf(parts, yaml, fileName),
  Editor: TextEditor,
  EditorTexts,
});

export const pageRoutes = (parts: PageParts): Route[] => [
  ...listRoutes(parts),
  ...newIssueRoutes(parts),
  ...issueRoutes(parts),
  ...suggestionRoutes(parts),
  ...labelRoutes(parts),
  ...milestonePages(parts),
  ...milestoneExchangePages(parts),
  ...dashboardRoutes(parts),
];
