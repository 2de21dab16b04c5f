import { defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositorySubject } from '../api.js';
import { pathOf, type PageServices, type RepositoryRoute } from './shared.js';

/** Buttons of a repository's pages: star, watch, bring up a fork, answer an offer. */
export function actionRoutes(services: PageServices): Route[] {
  const { people, transfers, upstream, settings, site } = services;
  const home = ({ subject }: RepositoryRoute) => pathOf(services, subject.repository);

  /** The page of the repository where the button was pressed. */
  const here = (context: RepositoryRoute) => {
    const { referer = '', host } = context.headers;
    const base = home(context);
    if (!URL.canParse(referer)) return base;
    const from = new URL(referer);
    const isInside = from.host === host && `${from.pathname}/`.startsWith(`${base}/`);
    return isInside && !from.pathname.includes('//') ? from.pathname + from.search : base;
  };

  const action = (
    name: string,
    run: (context: RepositoryRoute) => Promise<string>,
    more: { mode?: 'write' | 'owner'; unit?: string } = {},
  ): Route =>
    defineRoute({
      method: 'POST',
      path: `/{owner}/{repo}/action/${name}`,
      surface: 'page',
      payload: { as: 'form' },
      access: { actor: 'user', subject: repositorySubject, ...more },
      handler: async (context) => reply.redirect(await run(context)),
    });

  const marks = (['star', 'watch'] as const)
    .filter((mark) => mark === 'watch' || !settings.DISABLE_STARS)
    .flatMap((mark) => [
      action(mark, async (context) => {
        await people.mark(mark, context.subject.repository, context.actor);
        return here(context);
      }),
      action(`un${mark}`, async (context) => {
        await people.unmark(mark, context.subject.repository, context.actor);
        return here(context);
      }),
    ]);

  return [
    ...marks,
    action(
      'sync',
      async (context) => {
        await upstream.merge(context.subject.repository, '', false, context.actor);
        return home(context);
      },
      { mode: 'write', unit: 'code' },
    ),
    action('accept_transfer', async ({ subject, actor }) =>
      pathOf(services, await transfers.accept(subject.repository, actor)),
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
