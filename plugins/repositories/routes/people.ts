import {
  Forbidden,
  Invalid,
  Joi,
  NotFound,
  Unauthorized,
  defineRoute,
  reply,
  type Actor,
  type Route,
  apiTime,
} from '@mortise/plugin-sdk';
import { anyUserSubject, userSchema } from '@mortise/accounts/api';
import { repositorySubject, type RepositoryContext } from '../api.js';
import { must, permissionOf } from '../services/people.js';
import { api, repositoryList, repositoryPath, tag, type RouteServices } from './shared.js';

const users = Joi.array().items(userSchema).label('UserList');

export function peopleRoutes(services: RouteServices): Route[] {
  const { accounts, people, presenter, repositories, site, settings } = services;
  const read = { actor: 'anyone', scope: 'repository', subject: repositorySubject } as const;
  const readUser = { actor: 'user', scope: 'repository', subject: repositorySubject } as const;
  // The subject tells 404 or 401 to who is not signed in.
  const administer = { actor: 'anyone', scope: 'repository', subject: repositorySubject, mode: 'admin' } as const;
  const collaboratorPath = `${repositoryPath}/collaborators/{collaborator}`;

  const account = async (name: string) => must(await accounts.byName(name), 'user');
  const named = async (name: string) => {
    const found = await accounts.byName(name);
    if (!found) throw Invalid(`there is no user ${name}`);
    return found;
  };
  const userList = async (ids: readonly number[], actor: Actor, total: number) => {
    const known = await accounts.byIds(ids);
    return reply.list(
      ids.flatMap((id) => (known.has(id) ? [accounts.toApiUser(known.get(id)!, actor)] : [])),
      total,
    );
  };
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
  const permissionSchema = Joi.object({
    permission: Joi.string().required(),
    role_name: Joi.string().required(),
    user: userSchema.required(),
  }).label('RepoCollaboratorPermission');

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
      access: { actor: 'user', scope: ['user', 'repository'] },
      answers: { 200: repositoryList },
      async handler({ actor, page }) {
        guard();
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
      access: { actor: mark === 'watch' ? 'user' : 'anyone', scope: ['user', 'repository'], subject: anyUserSubject },
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
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/collaborators`,
      id: 'repoListCollaborators',
      tags: tag,
      summary: 'Collaborators',
      access: readUser,
      answers: { 200: users },
      async handler({ actor, subject, page }) {
        const { items, total } = await people.collaboratorPage(subject.repository.id, page.limit, page.offset);
        return userList(
          items.map((item) => item.userId),
          actor,
          total,
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: collaboratorPath,
      id: 'repoCheckCollaborator',
      tags: tag,
      summary: 'Is the user a collaborator?',
      access: readUser,
      answers: { 204: null },
      async handler({ subject, params }) {
        const found = await people.collaborator(subject.repository.id, (await named(params.collaborator)).id);
        if (!found) throw NotFound('collaborator');
        return reply.none();
      },
    }),
    defineRoute({
      method: 'PUT',
      path: collaboratorPath,
      id: 'repoAddCollaborator',
      tags: tag,
      summary: 'Add a collaborator or change the level',
      access: administer,
      answers: { 204: null },
      request: {
        payload: Joi.object({ permission: Joi.string().allow('', null).description('read, write or admin') })
          .label('AddCollaboratorOption')
          .allow(null),
      },
      async handler({ subject, params, payload }) {
        await people.setCollaborator(
          subject.repository,
          await named(params.collaborator),
          payload?.permission || 'write',
        );
        return reply.none();
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: collaboratorPath,
      id: 'repoDeleteCollaborator',
      tags: tag,
      summary: 'Remove a collaborator',
      access: administer,
      answers: { 204: null },
      async handler({ subject, params }) {
        await people.removeCollaborator(subject.repository, await account(params.collaborator));
        return reply.none();
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${collaboratorPath}/permission`,
      id: 'repoGetRepoPermissions',
      tags: tag,
      summary: 'Level of a user',
      access: readUser,
      answers: { 200: permissionSchema },
      async handler({ actor, subject, params }) {
        if (params.collaborator.toLowerCase() !== actor.name.toLowerCase() && !subject.may('admin'))
          throw Forbidden('only administrators of the repository may ask for others');
        const found = await account(params.collaborator);
        const permission = permissionOf(
          subject.repository,
          found,
          await people.collaborator(subject.repository.id, found.id),
        );
        return { permission, role_name: permission, user: accounts.toApiUser(found, actor) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${repositoryPath}/assignees`,
      id: 'repoGetAssignees',
      tags: tag,
      summary: 'Users who can be assigned',
      access: read,
      answers: { 200: users },
      async handler({ actor, subject }) {
        const writers = (await people.collaborators(subject.repository.id))
          .filter((one) => one.mode !== 'read')
          .map((one) => one.userId);
        return userList([...new Set([subject.repository.ownerId, ...writers])], actor, writers.length + 1);
      },
    }),
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
      handler: async ({ actor, subject }) => (await people.unmark('watch', subject.repository, actor), reply.none()),
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
        access: { ...readUser, scope: ['user', 'repository'] },
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
    ...(['star', 'unstar', 'watch', 'unwatch'] as const).map((action) =>
      defineRoute({
        method: 'POST',
        path: `/{owner}/{repo}/action/${action}`,
        surface: 'page',
        payload: { as: 'form' },
        access: { actor: 'user', subject: repositorySubject },
        async handler({ actor, subject }) {
          const mark = action.endsWith('star') ? 'star' : 'watch';
          if (action.startsWith('un')) await people.unmark(mark, subject.repository, actor);
          else await people.mark(mark, subject.repository, actor);
          return reply.redirect(site.path(`/${subject.repository.ownerName}/${subject.repository.name}`));
        },
      }),
    ),
  ];
}
