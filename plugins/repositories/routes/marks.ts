import { Forbidden, Joi, NotFound, Unauthorized, apiTime, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { anyUserSubject } from '@mortise/accounts/api';
import { repositorySubject, type RepositoryContext } from '../api.js';
import { mustBeOpen } from '../services/access.js';
import { api, makeUserList, repositoryList, repositoryPath, tag, users, type RouteServices } from './shared.js';

/** Stars and watches. */
export function markRoutes({ accounts, people, presenter, repositories, settings }: RouteServices): Route[] {
  const read = { actor: 'anyone', scope: 'repository', subject: repositorySubject } as const;
  const readUser = { ...read, actor: 'user' } as const;
  const userList = makeUserList(accounts);
  const watchInfo = (subject: RepositoryContext, createdAt: number) => ({
    subscribed: true,
    ignored: false,
    reason: null,
    created_at: apiTime(createdAt),
    url: `${repositories.apiUrl(subject.repository)}/subscription`,
    repository_url: repositories.apiUrl(subject.repository),
  });
  const watchSchema = Joi.object({
    subscribed: Joi.boolean().required(),
    ignored: Joi.boolean().required(),
    reason: Joi.any().allow(null),
    created_at: Joi.string().isoDate().required(),
    url: Joi.string().required(),
    repository_url: Joi.string().required(),
  }).label('WatchInfo');
  const starsOn = () => {
    if (settings.DISABLE_STARS) throw Forbidden('stars are switched off here');
  };
  const marked = (
    mark: 'star' | 'watch',
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
        mark === 'star'
          ? 'Repositories that the signed-in user has starred'
          : 'Repositories that the signed-in user watches',
      access: { actor: 'user', scope: mark === 'star' ? ['user', 'repository'] : 'user' },
      answers: { 200: repositoryList },
      async handler({ actor, page }) {
        guard();
        mustBeOpen(actor, await accounts.byId(actor.id));
        const { items, total } = await repositories.search(
          {
            ...(mark === 'star' ? { starredBy: actor.id } : { watchedBy: actor.id }),
            sort: 'id',
            limit: page.limit,
            offset: page.offset,
          },
          actor,
        );
        return reply.list(await presenter.toApi(items, actor), total);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/users/{username}/${userPath}`,
      id: userId,
      tags: ['user'],
      summary: mark === 'star' ? 'Repositories that a user has starred' : 'Repositories that a user watches',
      access: { actor: 'user', scope: 'user', subject: anyUserSubject },
      answers: { 200: repositoryList },
      async handler({ actor, subject, page }) {
        guard();
        const { items, total } = await repositories.search(
          {
            ...(mark === 'star' ? { starredBy: subject.id } : { watchedBy: subject.id }),
            sort: 'id',
            limit: page.limit,
            offset: page.offset,
          },
          actor,
        );
        return reply.list(await presenter.toApi(items, actor), total);
      },
    }),
  ];

  return [
    ...(['stargazers', 'subscribers'] as const).map((path) =>
      defineRoute({
        method: 'GET',
        path: `${repositoryPath}/${path}`,
        id: path === 'stargazers' ? 'repoListStargazers' : 'repoListSubscribers',
        tags: tag,
        summary: path === 'stargazers' ? 'Users who starred the repository' : 'Users who watch the repository',
        access: read,
        answers: { 200: users },
        async handler({ actor, subject, page }) {
          if (path === 'stargazers') starsOn();
          const { userIds, total } = await people.markers(
            path === 'stargazers' ? 'star' : 'watch',
            subject.repository.id,
            page.limit,
            page.offset,
          );
          return userList(userIds, actor, total);
        },
      }),
    ),
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/subscription`,
      id: 'userCurrentCheckSubscription',
      tags: tag,
      summary: 'Watch state of the signed-in user (REP-18)',
      access: readUser,
      answers: { 200: watchSchema },
      async handler({ actor, subject }) {
        const mark = await people.marked('watch', subject.repository.id, actor.id);
        if (!mark) throw NotFound('subscription');
        return watchInfo(subject, mark.createdAt);
      },
    }),
    defineRoute({
      method: 'PUT',
      path: `${repositoryPath}/subscription`,
      id: 'userCurrentPutSubscription',
      tags: tag,
      summary: 'Watch a repository',
      access: readUser,
      answers: { 200: watchSchema },
      handler: async ({ actor, subject }) =>
        watchInfo(subject, (await people.mark('watch', subject.repository, actor)).createdAt),
    }),
    defineRoute({
      method: 'DELETE',
      path: `${repositoryPath}/subscription`,
      id: 'userCurrentDeleteSubscription',
      tags: tag,
      summary: 'Stop watching a repository',
      access: readUser,
      answers: { 204: null },
      async handler({ actor, subject }) {
        await people.unmark('watch', subject.repository, actor);
        return reply.none();
      },
    }),
    ...marked('star', 'starred', 'userCurrentListStarred', 'starred', 'userListStarred', starsOn),
    ...marked(
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
        answers: { 204: null },
        async handler({ actor, subject }) {
          starsOn();
          if (actor.kind !== 'user') throw Unauthorized();
          if (method === 'GET' && !(await people.marked('star', subject.repository.id, actor.id)))
            throw NotFound('star');
          if (method === 'PUT') await people.mark('star', subject.repository, actor);
          if (method === 'DELETE') await people.unmark('star', subject.repository, actor);
          return reply.none();
        },
      }),
    ),
  ];
}
