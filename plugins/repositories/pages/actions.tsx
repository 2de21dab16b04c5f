import { postRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositoryResource, repositoryHome, type RepositoryRoute } from '../api.js';
import { type PageDeps } from './page-deps.js';

/** Buttons of a repository's pages that answer an offer. */
export function actionRoutes({ transfers, site }: Pick<PageDeps, 'transfers' | 'site'>): Route[] {
  const repositoryPath = ({ resource }: RepositoryRoute) => repositoryHome(site, resource.repository);

  const action = (
    name: string,
    run: (context: RepositoryRoute) => Promise<string>,
    more: { mode?: 'owner' } = {},
  ): Route =>
    postRoute(
      `/{owner}/{repo}/action/${name}`,
      { actor: 'user', resource: repositoryResource, ...more },
      async (context) => reply.redirect(await run(context)),
    );

  return [
    action('accept_transfer', async ({ resource, actor }) =>
      repositoryHome(site, await transfers.accept(resource.repository, actor)),
    ),
    action('reject_transfer', async (context) => {
      await transfers.reject(context.resource.repository, context.actor);
      // Who has declined may not see it any more.
      return site.path('/');
    }),
    action(
      'cancel_transfer',
      async (context) => {
        await transfers.cancel(context.resource.repository);
        return repositoryPath(context);
      },
      { mode: 'owner' },
    ),
  ];
}
