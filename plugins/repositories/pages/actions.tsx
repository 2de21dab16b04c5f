import { defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositorySubject, repositoryHome, type RepositoryRoute } from '../api.js';
import { type PageServices } from './shared.js';

/** Buttons of a repository's pages that answer an offer. */
export function actionRoutes({ transfers, site }: Pick<PageServices, 'transfers' | 'site'>): Route[] {
  const home = ({ subject }: RepositoryRoute) => repositoryHome(site, subject.repository);

  const action = (
    name: string,
    run: (context: RepositoryRoute) => Promise<string>,
    more: { mode?: 'owner' } = {},
  ): Route =>
    defineRoute({
      method: 'POST',
      path: `/{owner}/{repo}/action/${name}`,
      surface: 'page',
      payload: { as: 'form' },
      access: { actor: 'user', subject: repositorySubject, ...more },
      handler: async (context) => reply.redirect(await run(context)),
    });

  return [
    action('accept_transfer', async ({ subject, actor }) =>
      repositoryHome(site, await transfers.accept(subject.repository, actor)),
    ),
    action('reject_transfer', async (context) => {
      await transfers.reject(context.subject.repository, context.actor);
      // Who has declined may not see it any more.
      return site.path('/');
    }),
    action(
      'cancel_transfer',
      async (context) => {
        await transfers.cancel(context.subject.repository);
        return home(context);
      },
      { mode: 'owner' },
    ),
  ];
}
