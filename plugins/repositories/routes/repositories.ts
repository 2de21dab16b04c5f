import {
  Forbidden,
  Invalid,
  Joi,
  NotFound,
  PreparedJson,
  defineRoute,
  queryFlag,
  reply,
  type PointReader,
  type Route,
} from '@mortise/plugin-sdk';
import { anyUserResource, userResource } from '@mortise/accounts/api';
import {
  mustBeOpen,
  repositorySchema,
  repositoryResource,
  type RepositoryCreation,
  type RepositoryEdit,
} from '../api.js';
import type { RepositorySearch } from '../contract/repositories.js';
import { permissionsOf } from '../services/repository-presenter.js';
import type { Units } from '../services/units.js';
import { changesOf, editBody, type Body } from './bodies.js';
import { api, paging, repositoryList, repositoryPath, tag, type RouteServices } from './route-options.js';
import { t } from '../texts/index.js';

interface SearchQuery {
  readonly q?: string;
  readonly topic?: boolean;
  readonly includeDesc?: boolean;
  readonly uid?: number;
  readonly priority_owner_id?: number;
  readonly team_id?: number;
  readonly starredBy?: number;
  readonly private?: boolean;
  readonly is_private?: boolean;
  readonly template?: boolean;
  readonly archived?: boolean;
  readonly mode?: string;
  readonly exclusive?: boolean;
  readonly sort?: string;
  readonly order?: string;
  readonly page?: number;
  readonly limit?: number;
}

const searchQuery = Joi.object<SearchQuery>({
  q: Joi.string().allow(''),
  topic: queryFlag(),
  includeDesc: queryFlag(),
  uid: Joi.number().integer().empty(''),
  priority_owner_id: Joi.number().integer().empty(''),
  team_id: Joi.number().integer().empty(''),
  starredBy: Joi.number().integer().empty(''),
  private: queryFlag(),
  is_private: queryFlag(),
  template: queryFlag(),
  archived: queryFlag(),
  mode: Joi.string().allow(''),
  exclusive: queryFlag(),
  sort: Joi.string().allow(''),
  order: Joi.string().allow(''),
  ...paging,
});
const some = (id: number | undefined) => (id !== undefined && id > 0 ? id : undefined);
const related = ({ starredBy, team_id: teamId }: SearchQuery): RepositorySearch['related'] =>
  (
    [
      ['star', some(starredBy)],
      ['team', some(teamId)],
    ] as const
  ).flatMap(([relation, id]) => (id === undefined ? [] : [{ relation, id }]));
const sorts = new Set(['alpha', 'created', 'updated', 'size', 'git_size', 'lfs_size', 'stars', 'forks', 'id']);
const modes = new Set(['source', 'fork', 'mirror', 'collaborative']);

type RepositoryRouteDeps = Pick<
  RouteServices,
  'accounts' | 'repositories' | 'presenter' | 'access' | 'git' | 'settings'
> & {
  readonly units: Units;
  readonly creation: RepositoryCreation;
  readonly edits: PointReader<RepositoryEdit>;
};

/** What these routes share. */
function repositoryContext(services: RepositoryRouteDeps) {
  const { accounts, creation, repositories, presenter, units } = services;
  const one = async (
    repository: Parameters<typeof presenter.toApi>[0][number],
    actor: Parameters<typeof presenter.toApi>[1],
  ) => (await presenter.toApi([repository], actor))[0];
  return { creation, accounts, presenter, repositories, services, units, one };
}

type RepositoryRouteContext = ReturnType<typeof repositoryContext>;

const createCurrentUserRepo = ({ creation, accounts }: RepositoryRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${api}/user/repos`,
    id: 'createCurrentUserRepo',
    tags: [...tag, 'user'],
    summary: 'Create a repository',
    access: { actor: 'user', scope: ['user', 'repository'], noPublicOnly: true },
    request: { payload: creation.payload },
    responses: { 201: repositorySchema, 400: null, 409: null },
    async handler({ actor, payload }) {
      const owner = await accounts.byId(actor.id);
      if (!owner) throw NotFound('user');
      mustBeOpen(actor, owner);
      return reply.created(await creation.create(owner, payload, actor));
    },
  });

const adminCreateRepo = ({ creation }: RepositoryRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${api}/admin/users/{username}/repos`,
    id: 'adminCreateRepo',
    tags: ['admin'],
    summary: 'Create a repository for a user',
    access: { actor: 'admin', scope: 'admin', resource: anyUserResource },
    request: { payload: creation.payload },
    responses: { 201: repositorySchema, 400: null, 409: null },
    handler: async ({ actor, resource, payload }) => reply.created(await creation.create(resource, payload, actor)),
  });

const repoGet = ({ presenter }: RepositoryRouteContext) =>
  defineRoute({
    method: 'GET',
    path: repositoryPath,
    id: 'repoGet',
    tags: tag,
    summary: 'Get a repository',
    access: { actor: 'anyone', scope: 'repository', resource: repositoryResource },
    responses: { 200: repositorySchema },
    handler: async ({ actor, resource }) => PreparedJson.of(await presenter.ofContext(resource, actor)),
  });

const repoGetByID = ({ repositories, services, presenter }: RepositoryRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${api}/repositories/{id}`,
    id: 'repoGetByID',
    tags: tag,
    summary: 'Get a repository by id',
    access: { actor: 'user', scope: 'repository' },
    request: { params: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() }) },
    responses: { 200: repositorySchema },
    async handler({ actor, params }) {
      const repository = await repositories.byId(params.id);
      if (!repository) throw NotFound('repository');
      const context = await services.access.context(actor, repository);
      if (!context.may('read')) throw NotFound('repository');
      return presenter.ofContext(context, actor);
    },
  });

const repoEdit = ({ units, services, repositories, one }: RepositoryRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: repositoryPath,
    id: 'repoEdit',
    tags: tag,
    summary: 'Edit a repository; only the given fields change',
    access: { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'admin' },
    request: { payload: editBody(units, services.edits.list()) },
    responses: { 200: repositorySchema },
    async handler({ actor, resource, payload }) {
      const { repository } = resource;
      const body: Body = payload;
      if (actor.publicOnly && body.private === true) throw Forbidden(t.later('error.publicRepositories'));
      if (
        typeof body.private === 'boolean' &&
        body.private !== repository.isPrivate &&
        services.settings.FORCE_PRIVATE &&
        !actor.isAdmin
      )
        throw Forbidden(t.later('error.forcePrivate'));
      const asked = body.default_branch as string | undefined;
      // A branch that is not there is passed over.
      const branch =
        asked && !repository.isEmpty && !(await services.git.open(repository.id).branch(asked)) ? undefined : asked;
      const changes = { ...changesOf(body, repository, units), defaultBranch: branch || undefined };
      const edited = await repositories.edit(repository, changes, actor);
      if (typeof body.readme === 'string' && body.readme && repository.isEmpty)
        await repositories.addReadme(edited, body.readme, actor);
      const changed = await one((await repositories.byId(repository.id)) ?? edited, actor);
      // The answer tells what the actor could do when it asked.
      return { ...changed, permissions: permissionsOf(resource) };
    },
  });

const repoDelete = ({ presenter, repositories }: RepositoryRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: repositoryPath,
    id: 'repoDelete',
    tags: tag,
    summary: 'Delete a repository',
    access: { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'admin' },
    responses: { 204: null },
    async handler({ actor, resource }) {
      if (!resource.may('owner')) throw Forbidden(t.later('error.owner'));
      const record = await presenter.ofContext(resource, actor);
      await repositories.delete(resource.repository, actor.id, record);
      return reply.none();
    },
  });

const repoSearch = ({ presenter }: RepositoryRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${api}/repos/search`,
    id: 'repoSearch',
    tags: tag,
    summary: 'Search repositories',
    access: { actor: 'anyone', scope: 'repository' },
    request: { query: searchQuery },
    responses: {
      200: Joi.object({ ok: Joi.boolean().required(), data: repositoryList.required() }).label('SearchResults'),
    },
    async handler({ actor, query, page }) {
      if (query.mode && !modes.has(query.mode)) throw Invalid(`Unknown mode: ${query.mode}.`);
      if (query.sort && !sorts.has(query.sort)) throw Invalid(`Unknown sort: ${query.sort}.`);
      if (query.sort && query.order && !['asc', 'desc'].includes(query.order))
        throw Invalid(`Unknown order: ${query.order}.`);
      const { body, total } = await presenter.results(
        {
          text: query.q?.trim(),
          topicOnly: query.topic,
          includeDescription: query.includeDesc,
          ownerId: some(query.uid),
          priorityOwnerId: some(query.priority_owner_id),
          related: related(query),
          openOnly: query.private === false,
          isPrivate: query.is_private,
          isTemplate: query.template,
          isArchived: query.archived,
          mode: (query.mode || undefined) as RepositorySearch['mode'],
          exclusive: query.exclusive,
          // By name unless asked for an order; `alpha` goes by the owners first.
          sort: (query.sort === 'alpha' ? 'path' : query.sort || 'alpha') as RepositorySearch['sort'],
          descending: Boolean(query.sort) && query.order === 'desc',
          limit: page.limit,
          offset: page.offset,
        },
        actor,
      );
      const answer = reply.json(PreparedJson.of(body));
      answer.total = total;
      return answer;
    },
  });

const userCurrentListRepos = ({ accounts, presenter }: RepositoryRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${api}/user/repos`,
    id: 'userCurrentListRepos',
    tags: ['user'],
    summary: 'Repositories that the signed-in user owns or works on',
    access: { actor: 'user', scope: ['user', 'repository'] },
    responses: { 200: repositoryList },
    async handler({ actor, page }) {
      mustBeOpen(actor, await accounts.byId(actor.id));
      return presenter.list({ ownerId: actor.id, sort: 'alpha', limit: page.limit, offset: page.offset }, actor);
    },
  });

const userListRepos = ({ presenter }: RepositoryRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${api}/users/{username}/repos`,
    id: 'userListRepos',
    tags: ['user'],
    summary: 'Repositories of a user',
    access: { actor: 'anyone', scope: ['user', 'repository'], resource: userResource },
    responses: { 200: repositoryList },
    handler: ({ actor, resource, page }) =>
      presenter.list(
        { ownerId: resource.id, exclusive: true, sort: 'id', limit: page.limit, offset: page.offset },
        actor,
      ),
  });

export function repositoryRoutes(services: RepositoryRouteDeps): Route[] {
  const context = repositoryContext(services);
  return [
    createCurrentUserRepo(context),
    adminCreateRepo(context),
    repoGet(context),
    repoGetByID(context),
    repoEdit(context),
    repoDelete(context),
    repoSearch(context),
    userCurrentListRepos(context),
    userListRepos(context),
  ];
}
