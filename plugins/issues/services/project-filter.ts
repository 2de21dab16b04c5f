import { Invalid, Joi, NotFound, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { IssueProjects, IssueSearch } from '../api.js';
import { t } from '../texts/index.js';

/** Issues on no board; clients of compatible services write -1. */
const none = 'none';

/** The board that a list is filtered by; undefined for other words. */
export function readProject(text: string): number | typeof none | undefined {
  if (text === none || text === '-1') return none;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** The query parameter of lists. */
export const projectQuery = () =>
  Joi.string().allow('').max(20).description('Id of a project board; -1 or none: issues on no board that one may see');

export const projectIds = () =>
  Joi.array()
    .items(Joi.number().integer().positive())
    .max(50)
    .allow(null)
    .description('Ids of the project boards that it stands on, for those who may change these boards');

/** Narrows a search to the issues of a board. Invalid for what names none, NotFound for one that the actor may not see. */
export async function onProject(
  projects: PointReader<IssueProjects>,
  text: string | undefined,
  actor: Actor,
  context?: RepositoryContext,
): Promise<Pick<IssueSearch, 'among'>> {
  if (!text) return {};
  const project = readProject(text);
  if (project === undefined) throw Invalid(t.later('error.projectFilter', { value: text }));
  const boards = projects.list()[0];
  if (boards) return boards.filter(project, actor, context);
  if (project === none) return {};
  throw NotFound('project');
}
