import { Forbidden, Problem, type Route } from '@mortise/plugin-sdk';
import { repositoryApi, repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import { pullResource, type PullContext } from '../api.js';
import { t } from '../texts/index.js';

export const pullsPath = `${repositoryApi}/pulls` as const;
export const pullPath = `${pullsPath}/{index}` as const;
export const tags = ['repository'];

export const readPulls = { actor: 'anyone', scope: 'repository', resource: repositoryResource, unit: 'pulls' } as const;
export const readPull = { actor: 'anyone', scope: 'repository', resource: pullResource } as const;
/** Signed in, and able to read it; what else is needed the operation looks at. */
export const usePull = { ...readPull, actor: 'user' } as const;

/** What a pull request changes is code: who may not read that sees none over the REST surface. */
export function mustReadCode(context: RepositoryContext): void {
  if (!context.may('read', 'code')) throw Forbidden(t.later('error.needsCode'));
}

/** The same before each of the routes. */
export const needingCode = (routes: readonly Route[]): Route[] =>
  routes.map((route) => ({
    ...route,
    handler(context) {
      const resource = context.resource as RepositoryContext | PullContext;
      mustReadCode('context' in resource ? resource.context : resource);
      return route.handler(context);
    },
  }));

export function mustWrite({ may }: Pick<PullContext, 'may'>): void {
  if (!may('write')) throw Forbidden(t.later('error.needs', { mode: 'write' }));
}

/** `open` or `closed`; 412 for other words, as clients of the REST surface know it. */
export function closedOf(state: string | null | undefined): boolean | undefined {
  if (!state) return undefined;
  if (state !== 'open' && state !== 'closed') throw new Problem('precondition_failed', t.later('error.state'));
  return state === 'closed';
}
