import { defineRoute, holdsScope, Joi, NotFound, queryFlag, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { userSchema, type Account, type Visibility } from '@mortise/accounts/api';
import { organizationResource, teamResource, teamSchema, type Team } from '../api.js';
import type { NewTeam } from '../contract/teams.js';
import type { TeamUnits } from '../services/units.js';
import {
  api,
  organizationPath,
  present,
  tags,
  teamList,
  teamPath,
  userList,
  visibility,
  words,
  type RouteServices,
} from './route-options.js';

interface TeamOption {
  readonly name: string;
  readonly description?: string | null;
  readonly permission?: 'read' | 'write' | 'admin' | '' | null;
  readonly units?: readonly string[] | null;
  readonly units_map?: Readonly<Record<string, string>> | null;
  readonly includes_all_repositories?: boolean | null;
  readonly can_create_org_repo?: boolean | null;
  readonly visibility?: Visibility | '' | null;
}

const option = {
  name: Joi.string().max(255),
  description: words(255),
  permission: Joi.string().valid('read', 'write', 'admin', '', null),
  units: Joi.array().items(Joi.string()).allow(null).description('Units that get the permission: `repo.code`, …'),
  units_map: Joi.object()
    .pattern(Joi.string(), Joi.string().valid('none', 'read', 'write', 'admin', 'owner'))
    .allow(null)
    .label('TeamUnits')
    .description('A permission for each unit; counts in the place of `units`'),
  includes_all_repositories: Joi.boolean().allow(null),
  can_create_org_repo: Joi.boolean().allow(null),
  visibility,
};

interface SearchQuery {
  readonly q?: string;
  readonly include_desc?: boolean;
}

type TeamRouteDeps = Pick<RouteServices, 'accounts' | 'teams'> & { readonly units: TeamUnits };

const ofOrganization = { actor: 'user', scope: 'organization', resource: organizationResource } as const;

const ofTeam = { actor: 'user', scope: 'organization', resource: teamResource } as const;

/** What these routes share. */
function teamContext({ accounts, teams, units }: TeamRouteDeps) {
  const given = (body: TeamOption): NewTeam => ({
    name: body.name,
    description: present(body.description),
    permission: body.permission || undefined,
    units: units.fromApi(present(body.units), present(body.units_map), body.permission === 'write' ? 'write' : 'read'),
    includesAllRepositories: present(body.includes_all_repositories),
    canCreateRepository: present(body.can_create_org_repo),
    visibility: body.visibility || undefined,
  });
  const listed = async (found: { items: readonly Team[]; total: number }, actor: Actor) =>
    reply.list(await teams.toApi(found.items, actor), found.total);
  const one = async (team: Team, actor: Actor) => (await teams.toApi([team], actor, { withOrganization: true }))[0]!;
  const member = async (name: string): Promise<Account> => {
    const account = await accounts.byName(name);
    if (!account) throw NotFound('user');
    return account;
  };
  return { listed, teams, one, given, accounts, member };
}

type TeamRouteContext = ReturnType<typeof teamContext>;

const orgListTeams = ({ listed, teams }: TeamRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${organizationPath}/teams`,
    id: 'orgListTeams',
    tags,
    summary: 'Teams of an organization that you may see',
    access: { ...ofOrganization, mode: 'write' },
    responses: { 200: teamList },
    handler: async ({ actor, resource, page }) =>
      listed(await teams.search({ organizationId: resource.account.id, visibleTo: actor, ...page }), actor),
  });

const teamSearch = ({ teams }: TeamRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${organizationPath}/teams/search`,
    id: 'teamSearch',
    tags,
    summary: 'Search the teams of an organization',
    access: { ...ofOrganization, mode: 'write' },
    request: {
      query: Joi.object<SearchQuery>({ q: Joi.string().allow(''), include_desc: queryFlag() }),
    },
    responses: { 200: Joi.object({ ok: Joi.boolean().required(), data: teamList.required() }) },
    async handler({ actor, resource, query, page }) {
      const { items, total } = await teams.search({
        organizationId: resource.account.id,
        visibleTo: actor,
        text: query.q,
        includeDescription: query.include_desc ?? true,
        ...page,
      });
      const answer = reply.json({ ok: true, data: await teams.toApi(items, actor) });
      answer.total = total;
      return answer;
    },
  });

const orgCreateTeam = ({ one, teams, given }: TeamRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${organizationPath}/teams`,
    id: 'orgCreateTeam',
    tags,
    summary: 'Create a team',
    access: { ...ofOrganization, mode: 'owner' },
    request: {
      payload: Joi.object<TeamOption>({ ...option, name: option.name.required() }).label('CreateTeamOption'),
    },
    responses: { 201: teamSchema },
    handler: async ({ actor, resource, payload }) =>
      reply.created(await one(await teams.create(resource, given(payload)), actor)),
  });

const userListTeams = ({ teams }: TeamRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${api}/user/teams`,
    id: 'userListTeams',
    tags: ['user'],
    summary: 'Teams that you are in',
    access: { actor: 'user', scope: 'user', noPublicOnly: true },
    responses: { 200: teamList },
    async handler({ actor, page }) {
      // without the category, as for visitors: teams of hidden organizations are not told
      const publicOnly = actor.publicOnly || !holdsScope(actor, 'organization', 'read');
      const results = await teams.search({ memberId: actor.id, publicOnly, ...page });
      return reply.list(await teams.toApi(results.items, actor, { withOrganization: true }), results.total);
    },
  });

const orgGetTeam = ({ one }: TeamRouteContext) =>
  defineRoute({
    method: 'GET',
    path: teamPath,
    id: 'orgGetTeam',
    tags,
    summary: 'Get a team',
    access: ofTeam,
    responses: { 200: teamSchema },
    handler: ({ actor, resource }) => one(resource.team, actor),
  });

const orgEditTeam = ({ teams, given }: TeamRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: teamPath,
    id: 'orgEditTeam',
    tags,
    summary: 'Edit a team; only the given fields change',
    access: { ...ofTeam, mode: 'owner' },
    request: { payload: Joi.object<TeamOption>(option).label('EditTeamOption') },
    responses: { 200: teamSchema },
    handler: async ({ actor, resource, payload }) =>
      (await teams.toApi([await teams.update(resource.team, given(payload))], actor))[0]!,
  });

const orgDeleteTeam = ({ teams }: TeamRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: teamPath,
    id: 'orgDeleteTeam',
    tags,
    summary: 'Delete a team',
    access: { ...ofTeam, mode: 'owner' },
    responses: { 204: null },
    async handler({ resource }) {
      await teams.delete(resource.team);
      return reply.none();
    },
  });

const orgListTeamMembers = ({ teams, accounts }: TeamRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${teamPath}/members`,
    id: 'orgListTeamMembers',
    tags,
    summary: 'Members of a team',
    access: { ...ofTeam, mode: 'write' },
    responses: { 200: userList },
    async handler({ actor, resource, page }) {
      const { items, total } = await teams.members(resource.team.id, { shownTo: actor, ...page });
      return reply.list(
        items.map((account) => accounts.toApiUser(account, actor)),
        total,
      );
    },
  });

const orgListTeamMember = ({ member, teams, accounts }: TeamRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${teamPath}/members/{username}`,
    id: 'orgListTeamMember',
    tags,
    summary: 'A member of a team',
    access: { ...ofTeam, mode: 'write' },
    responses: { 200: userSchema },
    async handler({ actor, resource, params }) {
      const account = await member(params.username);
      if (!(await teams.isMember(resource.team.id, account.id))) throw NotFound('member');
      return accounts.toApiUser(account, actor);
    },
  });

const orgAddTeamMember = ({ teams, member }: TeamRouteContext) =>
  defineRoute({
    method: 'PUT',
    path: `${teamPath}/members/{username}`,
    id: 'orgAddTeamMember',
    tags,
    summary: 'Add a member to a team',
    access: { ...ofTeam, mode: 'owner' },
    responses: { 204: null },
    async handler({ actor, resource, params }) {
      await teams.addMember(resource.team, await member(params.username), actor);
      return reply.none();
    },
  });

const orgRemoveTeamMember = ({ teams, member }: TeamRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${teamPath}/members/{username}`,
    id: 'orgRemoveTeamMember',
    tags,
    summary: 'Remove a member from a team',
    access: { ...ofTeam, mode: 'owner' },
    responses: { 204: null },
    async handler({ resource, params }) {
      await teams.removeMember(resource.team, (await member(params.username)).id);
      return reply.none();
    },
  });

/** Teams of organizations and their members. */
export function teamRoutes(deps: TeamRouteDeps): Route[] {
  const context = teamContext(deps);
  return [
    orgListTeams(context),
    teamSearch(context),
    orgCreateTeam(context),
    userListTeams(context),
    orgGetTeam(context),
    orgEditTeam(context),
    orgDeleteTeam(context),
    orgListTeamMembers(context),
    orgListTeamMember(context),
    orgAddTeamMember(context),
    orgRemoveTeamMember(context),
  ];
}
