import {
  Forbidden,
  Joi,
  NotFound,
  Unauthorized,
  apiTime,
  defineRoute,
  reply,
  type Route,
  type Actor,
  type Page,
} from '@mortise/plugin-sdk';
import { listedUserResource, type Accounts } from '@mortise/accounts/api';
import {
  mustBeOpen,
  repositoryApi as repositoryPath,
  repositoryListSchema as repositoryList,
  repositoryResource,
  repositoryTags as tag,
  userList,
  userListSchema as users,
  type Repositories,
  type RepositoryContext,
} from '@mortise/repositories/api';
import type { StarsAndWatches } from '../contract/stars.js';
import type { StarSettings } from '../settings.js';

const api = '/api/v1';

type StarRouteDeps = {
  readonly accounts: Accounts;
  readonly stars: StarsAndWatches;
  readonly repositories: Repositories;
  readonly settings: StarSettings;
};

const read = { actor: 'anyone', scope: 'repository', resource: repositoryResource } as const;

const readUser = { ...read, actor: 'user' } as const;

const watchSchema = Joi.object({
  subscribed: Joi.boolean().required(),
  ignored: Joi.boolean().required(),
  reason: Joi.any().allow(null),
  created_at: Joi.string().isoDate().required(),
  url: Joi.string().required(),
  repository_url: Joi.string().required(),
}).label('WatchInfo');

/** What these routes share. */
function starContext({ accounts, stars, repositories, settings }: StarRouteDeps) {
  const watchInfo = (resource: RepositoryContext, createdAt: number) => ({
    subscribed: true,
    ignored: false,
    reason: null,
    created_at: apiTime(createdAt),
    url: `${repositories.apiUrl(resource.repository)}/subscription`,
    repository_url: repositories.apiUrl(resource.repository),
  });
  const starsOn = () => {
    if (settings.DISABLE_STARS) throw Forbidden('Stars are disabled on this site.');
  };
  const related = (relation: 'star' | 'watch', userId: number, actor: Actor, { limit, offset }: Page) =>
    repositories.list({ related: [{ relation, id: userId }], sort: 'id', limit, offset }, actor);
  const listOf = (
    kind: 'star' | 'watch',
    path: string,
    id: string,
    userPath: string,
    userId: string,
    guard: () => void,
  ): Route[] => [
    defineRoute({
      method: 'GET',
      path: `${api}/user/${path}`,
      id,
      tags: ['user'],
      summary:
        kind === 'star'
          ? 'Repositories that the signed-in user has starred'
          : 'Repositories that the signed-in user watches',
      access: { actor: 'user', scope: kind === 'star' ? ['user', 'repository'] : 'user' },
      responses: { 200: repositoryList },
      async handler({ actor, page }) {
        guard();
        mustBeOpen(actor, await accounts.byId(actor.id));
        return related(kind, actor.id, actor, page);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/users/{username}/${userPath}`,
      id: userId,
      tags: ['user'],
      summary: kind === 'star' ? 'Repositories that a user has starred' : 'Repositories that a user watches',
      access: { actor: 'user', scope: 'user', resource: listedUserResource },
      responses: { 200: repositoryList },
      async handler({ actor, resource, page }) {
        guard();
        return related(kind, resource.id, actor, page);
      },
    }),
  ];
  return { starsOn, stars, accounts, watchInfo, listOf };
}

type StarRouteContext = ReturnType<typeof starContext>;

const userCurrentCheckSubscription = ({ stars, watchInfo }: StarRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryPath}/subscription`,
    id: 'userCurrentCheckSubscription',
    tags: tag,
    summary: 'Watch state of the signed-in user (REP-18)',
    access: readUser,
    responses: { 200: watchSchema },
    async handler({ actor, resource }) {
      const watch = await stars.find('watch', resource.repository.id, actor.id);
      if (!watch) throw NotFound('subscription');
      return watchInfo(resource, watch.createdAt);
    },
  });

const userCurrentPutSubscription = ({ watchInfo, stars }: StarRouteContext) =>
  defineRoute({
    method: 'PUT',
    path: `${repositoryPath}/subscription`,
    id: 'userCurrentPutSubscription',
    tags: tag,
    summary: 'Watch a repository',
    access: readUser,
    responses: { 200: watchSchema },
    handler: async ({ actor, resource }) =>
      watchInfo(resource, (await stars.add('watch', resource.repository, actor)).createdAt),
  });

const userCurrentDeleteSubscription = ({ stars }: StarRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${repositoryPath}/subscription`,
    id: 'userCurrentDeleteSubscription',
    tags: tag,
    summary: 'Stop watching a repository',
    access: readUser,
    responses: { 204: null },
    async handler({ actor, resource }) {
      await stars.remove('watch', resource.repository, actor);
      return reply.none();
    },
  });

/** Stars and watches. */
export function starRoutes(deps: StarRouteDeps): Route[] {
  const context = starContext(deps);
  const { starsOn, stars, accounts, listOf } = context;
  return [
    ...(['stargazers', 'subscribers'] as const).map((path) =>
      defineRoute({
        method: 'GET',
        path: `${repositoryPath}/${path}`,
        id: path === 'stargazers' ? 'repoListStargazers' : 'repoListSubscribers',
        tags: tag,
        summary: path === 'stargazers' ? 'Users who starred the repository' : 'Users who watch the repository',
        access: read,
        responses: { 200: users },
        async handler({ actor, resource, page }) {
          if (path === 'stargazers') starsOn();
          const { userIds, total } = await stars.users(
            path === 'stargazers' ? 'star' : 'watch',
            resource.repository.id,
            actor,
            page,
          );
          return userList(accounts, userIds, actor, total);
        },
      }),
    ),
    userCurrentCheckSubscription(context),
    userCurrentPutSubscription(context),
    userCurrentDeleteSubscription(context),
    ...listOf('star', 'starred', 'userCurrentListStarred', 'starred', 'userListStarred', starsOn),
    ...listOf(
      'watch',
      'subscriptions',
      'userCurrentListSubscriptions',
      'subscriptions',
      'userListSubscriptions',
      () => undefined,
    ),
    ...(['GET', 'PUT', 'DELETE'] as const).map((method) =>
      defineRoute({
        method,
        path: `${api}/user/starred/{owner}/{repo}`,
        id: `userCurrent${{ GET: 'CheckStarring', PUT: 'PutStar', DELETE: 'DeleteStar' }[method]}`,
        tags: ['user'],
        summary: { GET: 'Is the repository starred?', PUT: 'Star a repository', DELETE: 'Take a star back' }[method],
        access: { ...readUser, scope: ['user', 'repository'], signInFirst: true },
        responses: { 204: null },
        async handler({ actor, resource }) {
          starsOn();
          if (actor.kind !== 'user') throw Unauthorized();
          if (method === 'GET' && !(await stars.find('star', resource.repository.id, actor.id))) throw NotFound('star');
          if (method === 'PUT') await stars.add('star', resource.repository, actor);
          if (method === 'DELETE') await stars.remove('star', resource.repository, actor);
          return reply.none();
        },
      }),
    ),
  ];
}
