import { postRoute, reply, type Route } from '@mortise/plugin-sdk';
import { repositoryHome, repositoryResource, type RepositoryRoute } from '@mortise/repositories/api';
import type { PageDeps } from './page-deps.js';

/** Buttons of a repository's header: star, watch, and back. */
export function actionRoutes({ stars, settings, site }: PageDeps): Route[] {
  /** The page of the repository where the button was pressed. */
  const here = (context: RepositoryRoute) => {
    const { referer = '', host } = context.headers;
    const base = repositoryHome(site, context.resource.repository);
    if (!URL.canParse(referer)) return base;
    const from = new URL(referer);
    const isInside = from.host === host && `${from.pathname}/`.startsWith(`${base}/`);
    return isInside && !from.pathname.includes('//') ? from.pathname + from.search : base;
  };

  const action = (name: string, run: (context: RepositoryRoute) => Promise<unknown>): Route =>
    postRoute(`/{owner}/{repo}/action/${name}`, { actor: 'user', resource: repositoryResource }, async (context) => {
      await run(context);
      return reply.redirect(here(context));
    });

  return (['star', 'watch'] as const)
    .filter((kind) => kind === 'watch' || !settings.DISABLE_STARS)
    .flatMap((kind) => [
      action(kind, ({ resource, actor }) => stars.add(kind, resource.repository, actor)),
      action(`un${kind}`, ({ resource, actor }) => stars.remove(kind, resource.repository, actor)),
    ]);
}
