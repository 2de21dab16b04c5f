import { definePoint, defineService, Problem, reply, type Route, type Site } from '@mortise/plugin-sdk';
import { encodePath, repositoryPathOf, type CodePageContext } from './pages.js';
import { maxNameSegments } from './revisions.js';

/** What branches were called before. */
export interface RenamedBranches {
  /** What the branch that had this name is called now; undefined: none was renamed. */
  newName(repositoryId: number, name: string): Promise<string | undefined>;
}
/** Extension point: brought by the plugin that remembers the names. */
export const branchHistory = definePoint.one<RenamedBranches>('history.branchHistory');
/** What it remembers; nothing where there is none. */
export const renamedBranches = defineService<RenamedBranches>('history.renamedBranches');

interface RenameDeps {
  readonly site: Site;
  readonly renamedBranches: RenamedBranches;
}

/** `branch/master/docs`, `master/docs` → the same with what `master` is called now. */
async function pathAfterRename(names: RenamedBranches, repositoryId: number, path: string) {
  const [, kind = '', rest] = /^(branch\/)?(.+)$/s.exec(path) ?? [];
  const segments = (rest ?? '').split('/').filter(Boolean);
  for (let count = Math.min(segments.length, maxNameSegments); count > 0; count--) {
    const newName = await names.newName(repositoryId, segments.slice(0, count).join('/'));
    if (newName !== undefined) return kind + encodePath([newName, ...segments.slice(count)].join('/'));
  }
  return undefined;
}

/** The same page of code, which leads on where its address names a branch by the name that it had before. */
export const followRenames = ({ site, renamedBranches: names }: RenameDeps, route: Route): Route => {
  const [, prefix] = /^\/\{owner\}\/\{repo\}\/(.+)\/\{(?:rest|path)\*\}$/.exec(route.path) ?? [];
  if (route.method !== 'GET' || prefix === undefined) return route;
  return {
    ...route,
    async handler(context) {
      try {
        return await route.handler(context);
      } catch (error) {
        if (!Problem.is(error) || error.status !== 404) throw error;
        const page = context as CodePageContext<{ readonly rest?: string; readonly path?: string }>;
        const given = page.params.rest ?? page.params.path ?? '';
        const path = await pathAfterRename(names, page.resource.repository.id, given);
        if (path === undefined) throw error;
        return reply.redirect(`${repositoryPathOf(site, page)}/${prefix}/${path}`, 302);
      }
    },
  };
};
