import { Joi, queryFlag } from '@mortise/plugin-sdk';
import { projectQuery } from '../services/project-filter.js';

/** Filters of lists of issues, of one repository and of all. */
export interface ListQuery {
  readonly state?: string;
  readonly labels?: string;
  readonly q?: string;
  readonly type?: string;
  readonly milestones?: string;
  readonly since?: string;
  readonly before?: string;
  readonly created_by?: string;
  readonly project?: string;
}
interface RepositoryQuery extends ListQuery {
  readonly assigned_by?: string;
  readonly mentioned_by?: string;
}
interface SearchQuery extends ListQuery {
  readonly assigned?: boolean;
  readonly created?: boolean;
  readonly mentioned?: boolean;
  readonly review_requested?: boolean;
  readonly reviewed?: boolean;
  readonly owner?: string;
  readonly team?: string;
}
const word = (max = 255) => Joi.string().allow('').max(max);
const listFields = {
  state: word(20).description('open (default), closed or all'),
  labels: word(2000).description('Names with commas between them'),
  q: word(),
  type: word(20).description('issues or pulls; default: both'),
  milestones: word(2000).description('Titles or ids with commas between them'),
  since: word(40).description('Changed at or after (RFC 3339)'),
  before: word(40).description('Changed at or before (RFC 3339)'),
  created_by: word(),
  project: projectQuery(),
};
export const repositoryQuery = Joi.object<RepositoryQuery>({
  ...listFields,
  assigned_by: word(),
  mentioned_by: word(),
});
const flag = () => queryFlag().default(false);
export const searchQuery = Joi.object<SearchQuery>({
  ...listFields,
  assigned: flag(),
  created: flag(),
  mentioned: flag(),
  review_requested: flag(),
  reviewed: flag(),
  owner: word(),
  team: word(),
});
