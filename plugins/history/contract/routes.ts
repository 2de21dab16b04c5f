import { Joi, queryFlag, type Route } from '@mortise/plugin-sdk';
import { pushResource, repositoryResource } from '@mortise/repositories/api';

/** Where the operations of a repository live in the REST surface. */
export const repositoryApi = '/api/v1/repos/{owner}/{repo}';
/** Tags of these operations in the API documents. */
export const repositoryTags = ['repository'];
export const readCode = { actor: 'anyone', scope: 'repository', resource: repositoryResource, unit: 'code' } as const;
/** The resource asks to sign in where that could help, so that a private repository shows nothing to nobody. */
export const writeCode = {
  actor: 'anyone',
  scope: 'repository',
  resource: repositoryResource,
  unit: 'code',
  mode: 'write',
} as const;
/** The same for what changes one branch; the handler asks which (`BranchAccess`). */
export const pushCode = { ...writeCode, resource: pushResource } as const;
/**
 * What every change of a reference may answer besides: it has moved meanwhile, its name clashes or a file is locked; a
 * rule or a check refuses it; the repository is archived.
 */
export const changeResponses = { 409: null, 422: null, 423: null } as const;
/** Where a reference may be named. */
export const refOption = () => Joi.string().allow('').description('Branch, tag or commit; absent: the default branch');
export const commitParts = {
  stat: queryFlag().default(true).description('Count changed lines'),
  files: queryFlag().default(true).description('List changed files'),
  verification: queryFlag().default(true).description('Fill signature data'),
};

/** A rest of the path that is empty is an empty text, not nothing: no handler takes it for a name. */
export const withRest = (route: Route): Route => {
  const rest = /\{(\w+)\*\}$/.exec(route.path)?.[1];
  if (!rest) return route;
  return {
    ...route,
    handler(context) {
      const params = context.params as Record<string, string | undefined>;
      params[rest] ??= '';
      return route.handler(context);
    },
  };
};
