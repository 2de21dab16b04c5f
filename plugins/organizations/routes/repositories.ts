import {
  defineRoute,
  Forbidden,
  Invalid,
  NotFound,
  Problem,
  reply,
  type Actor,
  type Jobs,
  type Route,
} from '@mortise/plugin-sdk';
import {
  repositoryListSchema,
  repositoryResource,
  repositorySchema,
  type Repositories,
  type RepositoryAccess,
  type RepositoryContext,
  type RepositoryCreation,
} from '@mortise/repositories/api';
import { organizationResource, teamResource, teamSchema, type Team } from '../api.js';
import type { Organization } from '../contract/organizations.js';
import type { TeamContext } from '../contract/teams.js';
import { deleteRepositories } from '../jobs/delete-repositories.js';
import { api, organizationPath, tags, teamList, teamPath, type RouteServices } from './route-options.js';
import { t } from '../texts/index.js';

/** All there are, for lists without pages: a repository is in few teams. */
const all = { limit: 1000, offset: 0 };

type Services = Pick<RouteServices, 'memberships' | 'organizations' | 'teams'> & {
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
  readonly creation: RepositoryCreation;
  readonly jobs: Jobs;
};

/** Repositories of organizations. */
export function organizationRepositoryRoutes({
  repositories,
  creation,
  jobs,
}: Pick<Services, 'repositories' | 'creation' | 'jobs'>): Route[] {
  /** ORG-17: needs both categories. */
  const create = (path: string, id: string, isDeprecated: boolean): Route =>
    defineRoute({
      method: 'POST',
      path,
      id,
      tags,
      summary: 'Create a repository in an organization',
      deprecated: isDeprecated,
      access: { actor: 'user', scope: ['organization', 'repository'], resource: organizationResource },
      request: { payload: creation.payload },
      responses: { 201: repositorySchema, 400: null, 409: null },
      handler: async ({ actor, resource, payload }) =>
        reply.created(await creation.create(resource.account, payload, actor)),
    });

  return [
    create(`${organizationPath}/repos`, 'createOrgRepo', false),
    create(`${api}/org/{org}/repos`, 'createOrgRepoDeprecated', true),
    defineRoute({
      method: 'GET',
      path: `${organizationPath}/repos`,
      id: 'orgListRepos',
      tags,
      summary: 'Repositories of an organization',
      access: { actor: 'anyone', scope: 'organization', resource: organizationResource },
      responses: { 200: repositoryListSchema },
      handler: ({ actor, resource, page }) =>
        repositories.list({ ownerId: resource.account.id, exclusive: true, sort: 'id', ...page }, actor),
    }),
    defineRoute({
      method: 'DELETE',
      path: `${organizationPath}/repos`,
      id: 'orgDeleteRepos',
      tags,
      summary: 'Delete all repositories of an organization, in the background',
      access: {
        actor: 'user',
        scope: ['organization', 'repository'],
        resource: organizationResource,
        mode: 'owner',
      },
      responses: { 202: null, 204: null },
      async handler({ actor, resource }) {
        const organizationId = resource.account.id;
        const { total } = await repositories.search(
          { ownerId: organizationId, exclusive: true, limit: 1, offset: 0 },
          { ...actor, publicOnly: false },
        );
        if (total === 0) return reply.none();
        await jobs.enqueue(
          deleteRepositories,
          { organizationId, actorId: actor.id },
          { uniqueKey: `${deleteRepositories.id} ${organizationId}` },
        );
        return reply.accepted();
      },
    }),
  ];
}

/** Only owners are told that a repository does not exist; others may not do it either way. */
const whenOwner =
  (isOwner: boolean) =>
  (error: unknown): undefined => {
    if (isOwner || !Problem.is(error) || error.code !== 'not_found') throw error;
  };

type TeamRepositoryRouteDeps = Pick<Services, 'memberships' | 'organizations' | 'teams' | 'repositories' | 'access'>;

const ofTeam = { actor: 'user', scope: 'organization', resource: teamResource } as const;

const ofRepository = { actor: 'user', scope: 'repository', resource: repositoryResource } as const;

const repositoryTeams = `${api}/repos/{owner}/{repo}/teams`;

/** What these routes share. */
function teamRepositoryContext({ memberships, organizations, teams, repositories, access }: TeamRepositoryRouteDeps) {
  /** The repository of `{org}/{repo}` that the actor may see, in the organization of the team. */
  const visible = async (
    { organization }: TeamContext,
    { org, repo }: Readonly<Record<'org' | 'repo', string>>,
    actor: Actor,
  ): Promise<RepositoryContext> => {
    if (organization.account.lowerName !== org.toLowerCase()) throw NotFound('repository');
    return access.open({ actor, owner: org, name: repo });
  };
  const organizationOf = async ({ repository }: RepositoryContext): Promise<Organization> => {
    const organization = await organizations.byId(repository.ownerId);
    if (!organization) throw new Problem('method_not_allowed', t.later('error.notAnOrganization'));
    return organization;
  };
  /** Members see which teams have the repository, private ones too; administrators change them. */
  const knowsTeams = async (actor: Actor, { account }: Organization, resource: RepositoryContext) =>
    resource.may('admin') || (actor.kind === 'user' && (await memberships.isMember(actor.id, account.id)));
  /** The team named in an address of a repository. */
  const teamNamed = async (organization: Organization, name: string): Promise<Team> => {
    const team = await teams.byName(organization.account.id, name);
    if (!team) throw NotFound('team');
    return team;
  };
  const changeRepository = (method: 'PUT' | 'DELETE', id: string, summary: string): Route =>
    defineRoute({
      method,
      path: `${teamPath}/repos/{org}/{repo}`,
      id,
      tags,
      summary,
      access: ofTeam,
      responses: { 204: null },
      async handler({ actor, resource, params }) {
        // ORG-06: administrators of a repository for teams of their own, where the organization lets them.
        const { isOwner, isMember, organization } = resource;
        const isAsked = isOwner || (organization.repositoryAdminsChangeTeams && isMember);
        const context = isAsked ? await visible(resource, params, actor).catch(whenOwner(isOwner)) : undefined;
        if (!context || !(isOwner || context.may('admin'))) throw Forbidden(t.later('error.ownersOnly'));
        if (method === 'PUT') await teams.addRepository(resource.team, context.repository);
        else await teams.removeRepository(resource.team, context.repository);
        return reply.none();
      },
    });
  const changeTeam = (method: 'PUT' | 'DELETE', id: string, summary: string): Route =>
    defineRoute({
      method,
      path: `${repositoryTeams}/{team}`,
      id,
      tags: ['repository'],
      summary,
      access: { ...ofRepository, mode: 'admin' },
      responses: { 204: null, 405: null },
      async handler({ resource, params }) {
        const organization = await organizationOf(resource);
        if (!resource.may('owner') && !organization.repositoryAdminsChangeTeams)
          throw Forbidden(t.later('error.ownersOnly'));
        const team = await teamNamed(organization, params.team);
        const isThere = await teams.hasRepository(team, resource.repository);
        if (isThere === (method === 'PUT'))
          throw Invalid(t.later(isThere ? 'error.teamHas' : 'error.teamHasNot', { team: team.name }));
        if (method === 'PUT') await teams.addRepository(team, resource.repository);
        else await teams.removeRepository(team, resource.repository);
        return reply.none();
      },
    });
  return { repositories, visible, teams, changeRepository, knowsTeams, organizationOf, teamNamed, changeTeam };
}

type TeamRepositoryRouteContext = ReturnType<typeof teamRepositoryContext>;

const orgListTeamRepos = ({ repositories }: TeamRepositoryRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${teamPath}/repos`,
    id: 'orgListTeamRepos',
    tags,
    summary: 'Repositories of a team that you may see',
    access: ofTeam,
    responses: { 200: repositoryListSchema },
    handler: ({ actor, resource: { team }, page }) =>
      repositories.list(
        {
          ownerId: team.organizationId,
          exclusive: true,
          sort: 'id',
          related: [{ relation: 'team', id: team.id }],
          ...page,
        },
        actor,
      ),
  });

const orgListTeamRepo = ({ visible, teams, repositories }: TeamRepositoryRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${teamPath}/repos/{org}/{repo}`,
    id: 'orgListTeamRepo',
    tags,
    summary: 'A repository of a team',
    access: ofTeam,
    responses: { 200: repositorySchema },
    async handler({ actor, resource, params }) {
      const { repository } = await visible(resource, params, actor);
      if (!(await teams.hasRepository(resource.team, repository))) throw NotFound('repository');
      return (await repositories.toApi([repository], actor))[0]!;
    },
  });

const repoListTeams = ({ knowsTeams, organizationOf, teams }: TeamRepositoryRouteContext) =>
  defineRoute({
    method: 'GET',
    path: repositoryTeams,
    id: 'repoListTeams',
    tags: ['repository'],
    summary: 'Teams that have the repository',
    access: ofRepository,
    responses: { 200: teamList, 405: null },
    async handler({ actor, resource }) {
      const visibleTo = (await knowsTeams(actor, await organizationOf(resource), resource)) ? undefined : actor;
      const { items } = await teams.search({ repository: resource.repository, visibleTo, ...all });
      return teams.toApi(items, actor);
    },
  });

const repoCheckTeam = ({ organizationOf, teamNamed, knowsTeams, teams }: TeamRepositoryRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryTeams}/{team}`,
    id: 'repoCheckTeam',
    tags: ['repository'],
    summary: 'A team that has the repository',
    access: ofRepository,
    responses: { 200: teamSchema, 405: null },
    async handler({ actor, resource, params }) {
      const organization = await organizationOf(resource);
      const team = await teamNamed(organization, params.team);
      const isKnown = team.visibility === 'public' || (await knowsTeams(actor, organization, resource));
      if (!isKnown || !(await teams.hasRepository(team, resource.repository))) throw NotFound('team');
      return (await teams.toApi([team], actor))[0]!;
    },
  });

/** Repositories of teams, and teams of repositories. */
export function teamRepositoryRoutes(deps: TeamRepositoryRouteDeps): Route[] {
  const context = teamRepositoryContext(deps);
  const { changeRepository, changeTeam } = context;
  return [
    orgListTeamRepos(context),
    orgListTeamRepo(context),
    changeRepository('PUT', 'orgAddTeamRepository', 'Give a repository to a team'),
    changeRepository('DELETE', 'orgRemoveTeamRepository', 'Take a repository from a team'),
    repoListTeams(context),
    repoCheckTeam(context),
    changeTeam('PUT', 'repoAddTeam', 'Give the repository to a team'),
    changeTeam('DELETE', 'repoDeleteTeam', 'Take the repository from a team'),
  ];
}
