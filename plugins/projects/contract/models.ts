import { Joi } from '@mortise/plugin-sdk';
import { userSchema, type ApiUser } from '@mortise/accounts/api';
import {
  cardTypes,
  projectTemplates,
  projectTypes,
  type CardType,
  type ProjectTemplate,
  type ProjectType,
} from './projects.js';

/** Model `Project` of the REST surface (PRJ-02). */
export interface ApiProject {
  id: number;
  title: string;
  description: string;
  owner_id: number;
  repo_id: number;
  creator: ApiUser;
  state: 'open' | 'closed';
  template_type: ProjectTemplate;
  card_type: CardType;
  type: ProjectType;
  num_open_issues: number;
  num_closed_issues: number;
  num_issues: number;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  html_url: string;
}

/** Model `ProjectColumn` of the REST surface (PRJ-03), and what only this site knows of columns. */
export interface ApiProjectColumn {
  id: number;
  title: string;
  default: boolean;
  sorting: number;
  color: string;
  project_id: number;
  creator: ApiUser;
  created_at: string;
  updated_at: string;
  card_limit: number;
  num_issues: number;
}

const count = () => Joi.number().integer().required();
const time = () => Joi.string().isoDate().required();

export const projectSchema: Joi.ObjectSchema<ApiProject> = Joi.object<ApiProject>({
  id: count(),
  title: Joi.string().required(),
  description: Joi.string().allow('').required(),
  owner_id: count(),
  repo_id: count(),
  creator: userSchema.required(),
  state: Joi.string().valid('open', 'closed').required(),
  template_type: Joi.string()
    .valid(...projectTemplates)
    .required(),
  card_type: Joi.string()
    .valid(...cardTypes)
    .required(),
  type: Joi.string()
    .valid(...projectTypes)
    .required(),
  num_open_issues: count().description('As far as the reader may read them'),
  num_closed_issues: count(),
  num_issues: count(),
  created_at: time(),
  updated_at: time(),
  closed_at: time().allow(null),
  html_url: Joi.string().required(),
}).label('Project');

export const projectColumnSchema: Joi.ObjectSchema<ApiProjectColumn> = Joi.object<ApiProjectColumn>({
  id: count(),
  title: Joi.string().required(),
  default: Joi.boolean().required(),
  sorting: count(),
  color: Joi.string().allow('').required(),
  project_id: count(),
  creator: userSchema.required(),
  created_at: time(),
  updated_at: time(),
  card_limit: count().description('How many cards it should have at most; 0: no limit'),
  num_issues: count().description('Cards that the reader may see'),
}).label('ProjectColumn');
