import { defineService, type Cache, type Database, type Route } from '@mortise/plugin-sdk';
import type { IssuePages } from '../api.js';
import { SavedFilterService } from '../services/saved-filters.js';
import { marksOf } from './comment-marks.js';
import { conversationOf } from './conversation.js';
import { dashboardPage, dashboardRoutes } from './dashboard.js';
import { EditorTexts, TextEditor } from './editor.js';
import { headingOf } from './issue-page.js';
import { issueRoutes } from './issue-routes.js';
import { labelRoutes } from './labels.js';
import { listPage } from './list.js';
import { listRoutes } from './list-routes.js';
import { milestoneExchangePages } from './milestone-exchange.js';
import { milestonePages } from './milestones.js';
import { newIssueRoutes } from './new-routes.js';
import { metadataFieldsOf, metadataInput } from './metadata-fields.js';
import { suggestionRoutes } from './suggestions.js';
import { textFormOf } from './text-form.js';
import type { PageContext, PageDeps } from './page-context.js';

/** What pages of this plugin work with; not part of the contract. */
export const pageDeps = defineService<PageDeps>('issues.pageDeps');

type Points = Pick<PageDeps, 'sidebar' | 'end' | 'rowProperties' | 'filterTabs'>;
/** Of settings. */
type Sizes = Pick<PageDeps, 'perPage'>;

export const createPageDeps = (
  {
    database,
    cache,
    ...services
  }: Omit<PageDeps, 'filters' | 'lists' | 'emojify' | 'avatarUrl' | keyof Points | keyof Sizes> & {
    readonly database: Database;
    readonly cache: Cache;
  },
  points: Points,
  sizes: Sizes,
): PageDeps => ({
  ...services,
  ...points,
  ...sizes,
  filters: new SavedFilterService(database),
  lists: cache.query('issues.lists'),
  emojify: (text) => services.markup.emojify(text),
  avatarUrl: (account) => services.accounts.avatarUrl(account),
});

/** What other plugins get. */
export const createIssuePages = (deps: PageDeps): IssuePages => ({
  list: (context, options) => listPage(deps, context, options),
  dashboard: (context, options) => dashboardPage(deps, context, options),
  conversation: (context) => conversationOf(deps, context as PageContext),
  heading: (context, more) => headingOf(deps, context as PageContext, more),
  metadataFields: (context, unit, sent) => metadataFieldsOf(deps, context, unit, sent),
  metadataInput,
  marks: (on, comments) => marksOf(deps, on, comments),
  textForm: (yaml, fileName) => textFormOf(deps, yaml, fileName),
  Editor: TextEditor,
  EditorTexts,
});

export const issuePageRoutes = (deps: PageDeps): Route[] => [
  ...listRoutes(deps),
  ...newIssueRoutes(deps),
  ...issueRoutes(deps),
  ...suggestionRoutes(deps),
  ...labelRoutes(deps),
  ...milestonePages(deps),
  ...milestoneExchangePages(deps),
  ...dashboardRoutes(deps),
];
