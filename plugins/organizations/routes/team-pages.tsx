import {
  checkFields,
  defineRoute,
  formRoute,
  formStatus,
  formText,
  Invalid,
  Joi,
  listHref,
  NotFound,
  savedFlash,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
  formId,
} from '@mortise/plugin-sdk';
import { userFieldIslands, type Account, type Accounts, type Memberships } from '@mortise/accounts/api';
import { organizationResource, teamResource, type OrganizationContext, type OrganizationPages } from '../api.js';
import type { TeamContext } from '../contract/teams.js';
import { organizationBase, userViewOf, teamBase } from '../pages/components.js';
import { TeamForm, teamOf } from '../pages/team-form.js';
import { TeamFrame, TeamMembers } from '../pages/team.js';
import { Invitations } from '../pages/invitations.js';
import { Teams } from '../pages/teams.js';
import type { InvitationService } from '../services/invitations.js';
import type { TeamService } from '../services/teams.js';
import type { TeamUnits } from '../services/units.js';
import { t } from '../texts/index.js';

export interface TeamPageServices {
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly teams: TeamService;
  readonly units: TeamUnits;
  readonly invitations: InvitationService;
  readonly pages: OrganizationPages;
  readonly site: Site;
}

export const teamPagePath = '/org/{org}/teams/{team}';
export const readTeam = { actor: 'user', resource: teamResource } as const;
export const ownTeam = { ...readTeam, mode: 'owner' } as const;

/** A page of a team, in those of its organization. */
export const teamPage = (
  { pages }: Pick<TeamPageServices, 'pages'>,
  { resource, actor, csrf }: RouteContext<TeamContext>,
  options: Parameters<OrganizationPages['page']>[2],
) => pages.page({ resource: resource.organization, actor, csrf }, 'teams', options);

/** What these routes share. */
function teamPageContext(services: TeamPageServices) {
  const { accounts, memberships, teams, units, invitations, pages, site } = services;
  type Context = RouteContext<TeamContext>;
  const path = (to: string) => site.path(to);
  const ofMembers = { actor: 'user', resource: organizationResource, mode: 'write' } as const;
  const ofOwners = { ...ofMembers, mode: 'owner' } as const;
  const base = ({ team, organization }: TeamContext) => teamBase(path, organization.account, team.name);
  const newPage = (context: RouteContext<OrganizationContext>, sent?: FormValues, flash?: Flash) =>
    pages.page(context, 'teams', {
      title: t.later('team.new'),
      flash,
      status: formStatus(flash),
      body: (
        <TeamForm
          units={units.offered()}
          action={`${organizationBase(path, context.resource.account)}/teams/new`}
          csrf={context.csrf}
          sent={sent}
        />
      ),
    });
  const membersPage = async (context: Context, flash?: Flash, name = '') => {
    const { actor, resource, csrf } = context;
    const { page: number, limit, offset } = context.page;
    const { team, organization } = resource;
    const waiting = resource.isOwner && invitations.isOffered ? await invitations.list(team.id) : [];
    const found = organization.isMember ? await teams.members(team.id, { limit, offset }) : undefined;
    return teamPage(services, context, {
      title: team.name,
      flash,
      status: formStatus(flash),
      islands: userFieldIslands,
      body: (
        <TeamFrame
          context={resource}
          active="members"
          isIn={await teams.isMember(team.id, actor.id)}
          csrf={csrf}
          path={path}
        >
          <TeamMembers
            context={resource}
            members={found?.items.map(userViewOf(accounts))}
            total={found?.total ?? 0}
            page={number}
            limit={limit}
            name={name}
            csrf={csrf}
            path={path}
            invites={invitations.isOffered}
          >
            <Invitations invitations={waiting} action={`${base(resource)}/action/remove_invite`} csrf={csrf} />
          </TeamMembers>
        </TeamFrame>
      ),
    });
  };
  const editPage = async (context: Context, sent?: FormValues, flash?: Flash) => {
    const { actor, resource, csrf } = context;
    const { team } = resource;
    return teamPage(services, context, {
      title: team.name,
      flash,
      status: formStatus(flash),
      body: (
        <TeamFrame
          context={resource}
          active="settings"
          isIn={await teams.isMember(team.id, actor.id)}
          csrf={csrf}
          path={path}
        >
          <TeamForm
            team={team}
            units={units.offered()}
            action={`${base(resource)}/edit`}
            deleteAction={`${base(resource)}/delete`}
            csrf={csrf}
            sent={sent}
          />
        </TeamFrame>
      ),
    });
  };
  /** Nobody learns of accounts here that they may not see. */
  const named = async ({ actor }: Context, name: string): Promise<Account> => {
    const account = await accounts.byName(name);
    if (!account || !(await memberships.mayView(actor, account))) throw Invalid(t.later('error.noUser', { name }));
    return account;
  };
  const me = async ({ actor }: Context): Promise<Account> => {
    const account = await accounts.byId(actor.id);
    if (!account) throw NotFound('user');
    return account;
  };
  const action = (
    name: string,
    access: typeof readTeam | typeof ownTeam,
    run: (context: Context, values: FormValues) => Promise<string | void>,
  ): Route =>
    formRoute(
      `${teamPagePath}/action/${name}`,
      access,
      async (context, values) => (await run(context, values)) ?? `${base(context.resource)}?saved=1`,
      (context, values, flash) => membersPage(context, flash, formText(values, 'uname')),
    );
  return {
    ofMembers,
    teams,
    pages,
    path,
    ofOwners,
    newPage,
    units,
    membersPage,
    action,
    invitations,
    named,
    me,
    editPage,
  };
}

type TeamPageRouteContext = ReturnType<typeof teamPageContext>;

const teamList = ({ ofMembers, teams, pages, path }: TeamPageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/org/{org}/teams',
    surface: 'page',
    access: ofMembers,
    request: {
      query: Joi.object<{ readonly q: string; readonly deleted?: string }>({
        q: Joi.string().allow('').max(255).default(''),
        deleted: Joi.string().allow(''),
      }),
    },
    async handler(context) {
      const { actor, resource, query } = context;
      const { page: number, limit, offset } = context.page;
      const { items, total } = await teams.search({
        organizationId: resource.account.id,
        visibleTo: actor,
        text: query.q,
        includeDescription: true,
        limit,
        offset,
      });
      return pages.page(context, 'teams', {
        title: t.later('teams.title'),
        flash: savedFlash({ deleted: query.deleted }),
        body: (
          <Teams
            organization={resource}
            teams={items}
            total={total}
            text={query.q}
            page={number}
            limit={limit}
            path={path}
          />
        ),
      });
    },
  });

const newTeamPage = ({ ofOwners, newPage }: TeamPageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/org/{org}/teams/new',
    surface: 'page',
    access: ofOwners,
    handler: (context) => newPage(context),
  });

const createTeam = ({ ofOwners, teams, units, path, newPage }: TeamPageRouteContext) =>
  formRoute(
    '/org/{org}/teams/new',
    ofOwners,
    async ({ resource }, values) => {
      const team = await teams.create(resource, checkedTeam(teamOf(values, units.offered())));
      return teamBase(path, resource.account, team.name);
    },
    newPage,
  );

const teamRoute = ({ membersPage }: TeamPageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: teamPagePath,
    surface: 'page',
    access: readTeam,
    handler: (context) => membersPage(context, savedFlash(context.query as object)),
  });

const addMember = ({ action, invitations, teams, named, me }: TeamPageRouteContext) =>
  action('add', ownTeam, async (context, values) => {
    const name = formText(values, 'uname');
    const { team, organization } = context.resource;
    await checkFields({
      async uname() {
        if (!name.includes('@') || !invitations.isOffered) {
          return teams.addMember(team, await named(context, name), context.actor);
        }
        return invitations.invite(team, organization, await me(context), name);
      },
    });
  });

const revokeInvitation = ({ action, invitations }: TeamPageRouteContext) =>
  action('remove_invite', ownTeam, ({ resource }, values) =>
    invitations.revoke(resource.team.id, formId(values, 'iid')),
  );

const leaveTeam = ({ action, teams, path }: TeamPageRouteContext) =>
  action('leave', readTeam, async ({ resource, actor }) => {
    await teams.removeMember(resource.team, actor.id);
    // Who has left may not see it any more.
    return path(`/${resource.organization.account.name}`);
  });

const editTeamRoute = ({ editPage }: TeamPageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${teamPagePath}/edit`,
    surface: 'page',
    access: ownTeam,
    handler: (context) => editPage(context, undefined, savedFlash(context.query as object)),
  });

const saveTeam = ({ units, teams, path, editPage }: TeamPageRouteContext) =>
  formRoute(
    `${teamPagePath}/edit`,
    ownTeam,
    async ({ resource }, values) => {
      const { team, organization } = resource;
      const isOwners = team.authorization === 'owner';
      const given = checkedTeam(teamOf(values, units.offered(), team));
      const then = await teams.update(team, isOwners ? { description: given.description } : given);
      return `${teamBase(path, organization.account, then.name)}/edit?saved=1`;
    },
    editPage,
  );

const deleteTeam = ({ teams, path, editPage }: TeamPageRouteContext) =>
  formRoute(
    `${teamPagePath}/delete`,
    ownTeam,
    async ({ resource }) => {
      await teams.delete(resource.team);
      const list = `${organizationBase(path, resource.organization.account)}/teams`;
      return listHref(list, { deleted: resource.team.name });
    },
    editPage,
  );

/** `/org/{org}/teams`: teams, who is in them, and what they may. */
export function teamPageRoutes(services: TeamPageServices): readonly Route[] {
  const context = teamPageContext(services);
  const { action, teams, me } = context;
  return [
    teamList(context),
    newTeamPage(context),
    createTeam(context),
    teamRoute(context),
    addMember(context),
    revokeInvitation(context),
    action('remove', ownTeam, ({ resource }, values) => teams.removeMember(resource.team, formId(values, 'uid'))),
    action('join', ownTeam, async (context) => teams.addMember(context.resource.team, await me(context))),
    leaveTeam(context),
    editTeamRoute(context),
    saveTeam(context),
    deleteTeam(context),
  ];
}

function checkedTeam(given: ReturnType<typeof teamOf>): ReturnType<typeof teamOf> {
  const max = 255;
  const text = t.later('error.tooLong', { max });
  if ((given.description?.length ?? 0) > max) throw Invalid(text, { inputs: { description: text } });
  return given;
}
