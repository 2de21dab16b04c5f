import { defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositoryHome, repositoryResource } from '@mortise/repositories/api';
import type { PageDeps } from './page-deps.js';

/** The button that brings a fork up to its original. */
export function syncAction({ upstream, site }: PageDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/{owner}/{repo}/action/sync',
      surface: 'page',
      payload: { as: 'form' },
      access: { actor: 'user', resource: repositoryResource, mode: 'write', unit: 'code' },
      async handler({ resource: { repository }, actor }) {
        await upstream.merge(repository, '', false, actor);
        return reply.redirect(repositoryHome(site, repository));
      },
    }),
  ];
}
