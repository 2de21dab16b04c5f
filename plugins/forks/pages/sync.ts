import { postRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositoryHome, repositoryResource } from '@mortise/repositories/api';
import type { PageDeps } from './page-deps.js';

/** The button that brings a fork up to its original. */
export function syncAction({ upstream, site }: PageDeps): Route[] {
  return [
    postRoute(
      '/{owner}/{repo}/action/sync',
      { actor: 'user', resource: repositoryResource, mode: 'write', unit: 'code' },
      async ({ resource: { repository }, actor }) => {
        await upstream.merge(repository, '', false, actor);
        return reply.redirect(repositoryHome(site, repository));
      },
    ),
  ];
}
