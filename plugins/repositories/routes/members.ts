import { Forbidden, Invalid, Joi, NotFound, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { userSchema, type Memberships } from '@mortise/accounts/api';
import { repositoryResource, userList, type RepositoryContext } from '../api.js';
import { requireFound } from '../services/member-service.js';
import { repositoryPath, tag, users, type RouteServices } from './route-options.js';
import { t } from '../texts/index.js';

type MemberRouteDeps = Pick<RouteServices, 'accounts' | 'access' | 'members'> & { readonly memberships: Memberships };

const read = { actor: 'anyone', scope: 'repository', resource: repositoryResource } as const;

const readUser = { ...read, actor: 'user' } as const;

const administer = { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'admin' } as const;

const collaboratorPath = `${repositoryPath}/collaborators/{collaborator}`;

/** Who gives access sees to whom it was given. */
const seesAll = (resource: RepositoryContext, actor: Actor) => resource.may('admin') && !actor.publicOnly;

const permissionSchema = Joi.object({
  permission: Joi.string().required(),
  role_name: Joi.string().required(),
  user: userSchema.required(),
}).label('RepoCollaboratorPermission');

/** What these routes share. */
function memberContext({ accounts, access, memberships, members }: MemberRouteDeps) {
  const account = async (name: string) => requireFound(await accounts.byName(name), 'user');
  const named = async (name: string) => {
    const found = await accounts.byName(name);
    if (!found) throw Invalid(t.later('error.noUser', { name }));
    return found;
  };
  /** Who can be chosen, by name and the owner last; never paged. */
  const choice = async (ids: readonly number[], resource: RepositoryContext, actor: Actor) => {
    const { ownerId } = resource.repository;
    const all = [...(await accounts.byIds(ids)).values()].filter((one) => one.isActive || one.id === ownerId);
    const known = seesAll(resource, actor) ? all : await memberships.viewable(actor, all);
    const last = (id: number) => Number(id === ownerId);
    known.sort((one, other) => last(one.id) - last(other.id) || (one.lowerName < other.lowerName ? -1 : 1));
    return known.map((one) => accounts.toApiUser(one, actor));
  };
  return { members, accounts, named, account, access, choice };
}

type MemberRouteContext = ReturnType<typeof memberContext>;

const repoListCollaborators = ({ members, accounts }: MemberRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryPath}/collaborators`,
    id: 'repoListCollaborators',
    tags: tag,
    summary: 'Collaborators',
    access: readUser,
    responses: { 200: users },
    async handler({ actor, resource, page }) {
      const viewer = seesAll(resource, actor) ? undefined : actor;
      const { items, total } = await members.collaboratorPage(resource.repository.id, page, viewer);
      return userList(
        accounts,
        items.map((item) => item.userId),
        actor,
        total,
      );
    },
  });

const repoCheckCollaborator = ({ members, named }: MemberRouteContext) =>
  defineRoute({
    method: 'GET',
    path: collaboratorPath,
    id: 'repoCheckCollaborator',
    tags: tag,
    summary: 'Is the user a collaborator?',
    access: readUser,
    responses: { 204: null, 422: null },
    async handler({ resource, params }) {
      const collaborator = await members.collaborator(resource.repository.id, (await named(params.collaborator)).id);
      if (!collaborator) throw NotFound('collaborator');
      return reply.none();
    },
  });

const repoAddCollaborator = ({ members, named }: MemberRouteContext) =>
  defineRoute({
    method: 'PUT',
    path: collaboratorPath,
    id: 'repoAddCollaborator',
    tags: tag,
    summary: 'Add a collaborator or change the level',
    access: administer,
    responses: { 204: null, 422: null },
    request: {
      payload: Joi.object<{ readonly permission?: string | null }>({
        permission: Joi.string().allow('', null).description('read, write or admin'),
      })
        .label('AddCollaboratorOption')
        .allow(null),
    },
    async handler({ actor, resource, params, payload }) {
      await members.setCollaborator(
        resource.repository,
        await named(params.collaborator),
        payload?.permission || 'write',
        actor,
      );
      return reply.none();
    },
  });

const repoDeleteCollaborator = ({ members, account }: MemberRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: collaboratorPath,
    id: 'repoDeleteCollaborator',
    tags: tag,
    summary: 'Remove a collaborator',
    access: administer,
    responses: { 204: null },
    async handler({ resource, params }) {
      await members.removeCollaborator(resource.repository, await account(params.collaborator));
      return reply.none();
    },
  });

const repoGetRepoPermissions = ({ account, access, accounts }: MemberRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${collaboratorPath}/permission`,
    id: 'repoGetRepoPermissions',
    tags: tag,
    summary: 'Level of a user',
    access: readUser,
    responses: { 200: permissionSchema },
    async handler({ actor, resource, params }) {
      if (params.collaborator.toLowerCase() !== actor.name.toLowerCase() && !resource.may('admin'))
        throw Forbidden('Only administrators of the repository can see the permissions of others.');
      const user = await account(params.collaborator);
      const rights = await access.rightsOf(user, [resource.repository]);
      const permission = rights.get(resource.repository.id)?.mode ?? 'none';
      return { permission, role_name: permission, user: accounts.toApiUser(user, actor) };
    },
  });

const repoGetAssignees = ({ choice, members }: MemberRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryPath}/assignees`,
    id: 'repoGetAssignees',
    tags: tag,
    summary: 'Users who can be assigned',
    access: readUser,
    responses: { 200: users },
    handler: async ({ actor, resource }) => choice(await members.writers(resource.repository), resource, actor),
  });

const repoCheckAssignee = ({ account, members }: MemberRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryPath}/assignees/{assignee}`,
    id: 'repoCheckAssignee',
    tags: tag,
    summary: 'Can the user be assigned?',
    access: readUser,
    responses: { 204: null },
    async handler({ resource, params }) {
      const { id } = await account(params.assignee);
      if (!(await members.writers(resource.repository)).includes(id)) throw NotFound('assignee');
      return reply.none();
    },
  });

const repoGetReviewers = ({ members, choice }: MemberRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryPath}/reviewers`,
    id: 'repoGetReviewers',
    tags: tag,
    summary: 'Users who can be asked for a review',
    access: readUser,
    responses: { 200: users },
    async handler({ actor, resource }) {
      if (!(await members.mayAskForReviews(resource.repository, actor))) throw Forbidden(t.later('error.mayNotAsk'));
      return choice(await members.readers(resource.repository), resource, actor);
    },
  });

/** Collaborators, and who can be assigned and asked. */
export function memberRoutes(deps: MemberRouteDeps): Route[] {
  const context = memberContext(deps);
  return [
    repoListCollaborators(context),
    repoCheckCollaborator(context),
    repoAddCollaborator(context),
    repoDeleteCollaborator(context),
    repoGetRepoPermissions(context),
    repoGetAssignees(context),
    repoCheckAssignee(context),
    repoGetReviewers(context),
  ];
}
