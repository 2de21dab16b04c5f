import {
  checkFields,
  pageRoute,
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
import { organizationBase, userViewOf, teamBase } from './components.js';
import { TeamForm, teamOf } from './team-form.js';
import { TeamFrame, TeamMembers } from './team.js';
import { Invitations } from './invitations.js';
import { Teams } from './teams.js';
import type { InvitationService } from '../services/invitations.js';
import type { TeamService } from '../services/teams.js';
import type { TeamUnits } from '../services/units.js';
import { t } from '../texts/index.js';

export interface TeamPageDeps {
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
  { pages }: Pick<TeamPageDeps, 'pages'>,
  { resource, actor }: RouteContext<TeamContext>,
  options: Parameters<OrganizationPages['page']>[2],
) => pages.page({ resource: resource.organization, actor }, 'teams', options);

type Context = RouteContext<TeamContext>;

const ofMembers = { actor: 'user', resource: organizationResource, mode: 'write' } as const;
const ofOwners = { ...ofMembers, mode: 'owner' } as const;

const baseOf = ({ site }: TeamPageDeps, { team, organization }: TeamContext) =>
  teamBase(site.path, organization.account, team.name);

const showNewTeam = (
  { pages, site, units }: TeamPageDeps,
  context: RouteContext<OrganizationContext>,
  sent?: FormValues,
  flash?: Flash,
) =>
  pages.page(context, 'teams', {
    title: t.later('team.new'),
    flash,
    status: formStatus(flash),
    body: (
      <TeamForm
        units={units.offered()}
        action={`${organizationBase(site.path, context.resource.account)}/teams/new`}
        sent={sent}
      />
    ),
  });

async function showMembers(services: TeamPageDeps, context: Context, flash?: Flash, name = '') {
  const { accounts, teams, invitations, site } = services;
  const { actor, resource } = context;
  const { page: number, limit, offset } = context.page;
  const { team, organization } = resource;
  const waiting = resource.isOwner && invitations.isOffered ? await invitations.list(team.id) : [];
  const members = organization.isMember ? await teams.members(team.id, { limit, offset }) : undefined;
  return teamPage(services, context, {
    title: team.name,
    flash,
    status: formStatus(flash),
    islands: userFieldIslands,
    body: (
      <TeamFrame context={resource} active="members" isIn={await teams.isMember(team.id, actor.id)} path={site.path}>
        <TeamMembers
          context={resource}
          members={members?.items.map(userViewOf(accounts))}
          total={members?.total ?? 0}
          page={number}
          limit={limit}
          name={name}
          path={site.path}
          invites={invitations.isOffered}
        >
          <Invitations invitations={waiting} action={`${baseOf(services, resource)}/action/remove_invite`} />
        </TeamMembers>
      </TeamFrame>
    ),
  });
}

async function showEditForm(services: TeamPageDeps, context: Context, sent?: FormValues, flash?: Flash) {
  const { teams, units, site } = services;
  const { actor, resource } = context;
  const { team } = resource;
  return teamPage(services, context, {
    title: team.name,
    flash,
    status: formStatus(flash),
    body: (
      <TeamFrame context={resource} active="settings" isIn={await teams.isMember(team.id, actor.id)} path={site.path}>
        <TeamForm
          team={team}
          units={units.offered()}
          action={`${baseOf(services, resource)}/edit`}
          deleteAction={`${baseOf(services, resource)}/delete`}
          sent={sent}
        />
      </TeamFrame>
    ),
  });
}

/** Nobody learns of accounts here that they may not see. */
async function accountNamed(
  { accounts, memberships }: TeamPageDeps,
  { actor }: Context,
  name: string,
): Promise<Account> {
  const account = await accounts.byName(name);
  if (!account || !(await memberships.mayView(actor, account))) throw Invalid(t.later('error.noUser', { name }));
  return account;
}

async function ownAccount({ accounts }: TeamPageDeps, { actor }: Context): Promise<Account> {
  const account = await accounts.byId(actor.id);
  if (!account) throw NotFound('user');
  return account;
}

/** A form of the page of members. */
const memberAction = (
  services: TeamPageDeps,
  name: string,
  access: typeof readTeam | typeof ownTeam,
  run: (context: Context, values: FormValues) => Promise<string | void>,
): Route =>
  formRoute(
    `${teamPagePath}/action/${name}`,
    access,
    async (context, values) => (await run(context, values)) ?? `${baseOf(services, context.resource)}?saved=1`,
    (context, values, flash) => showMembers(services, context, flash, formText(values, 'uname')),
  );

const teamList = (services: TeamPageDeps) =>
  pageRoute(
    '/org/{org}/teams',
    ofMembers,
    async (context) => {
      const { actor, resource, query } = context;
      const { page: number, limit, offset } = context.page;
      const { items, total } = await services.teams.search({
        organizationId: resource.account.id,
        visibleTo: actor,
        text: query.q,
        includeDescription: true,
        limit,
        offset,
      });
      return services.pages.page(context, 'teams', {
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
            path={services.site.path}
          />
        ),
      });
    },
    {
      query: Joi.object<{ readonly q: string; readonly deleted?: string }>({
        q: Joi.string().allow('').max(255).default(''),
        deleted: Joi.string().allow(''),
      }),
    },
  );

const newTeamPage = (services: TeamPageDeps) =>
  pageRoute('/org/{org}/teams/new', ofOwners, (context) => showNewTeam(services, context));

const createTeam = (services: TeamPageDeps) =>
  formRoute(
    '/org/{org}/teams/new',
    ofOwners,
    async ({ resource }, values) => {
      const team = await services.teams.create(resource, checkedTeam(teamOf(values, services.units.offered())));
      return teamBase(services.site.path, resource.account, team.name);
    },
    (context, sent, flash) => showNewTeam(services, context, sent, flash),
  );

const teamRoute = (services: TeamPageDeps) =>
  pageRoute(teamPagePath, readTeam, (context) => showMembers(services, context, savedFlash(context.query as object)));

const addMember = (services: TeamPageDeps) =>
  memberAction(services, 'add', ownTeam, async (context, values) => {
    const name = formText(values, 'uname');
    const { team, organization } = context.resource;
    await checkFields({
      async uname() {
        if (!name.includes('@') || !services.invitations.isOffered) {
          return services.teams.addMember(team, await accountNamed(services, context, name), context.actor);
        }
        return services.invitations.invite(team, organization, await ownAccount(services, context), name);
      },
    });
  });

const revokeInvitation = (services: TeamPageDeps) =>
  memberAction(services, 'remove_invite', ownTeam, ({ resource }, values) =>
    services.invitations.revoke(resource.team.id, formId(values, 'iid')),
  );

const leaveTeam = (services: TeamPageDeps) =>
  memberAction(services, 'leave', readTeam, async ({ resource, actor }) => {
    await services.teams.removeMember(resource.team, actor.id);
    // Who has left may not see it any more.
    return services.site.path(`/${resource.organization.account.name}`);
  });

const editTeamRoute = (services: TeamPageDeps) =>
  pageRoute(`${teamPagePath}/edit`, ownTeam, (context) =>
    showEditForm(services, context, undefined, savedFlash(context.query as object)),
  );

const saveTeam = (services: TeamPageDeps) =>
  formRoute(
    `${teamPagePath}/edit`,
    ownTeam,
    async ({ resource }, values) => {
      const { team, organization } = resource;
      const isOwners = team.authorization === 'owner';
      const given = checkedTeam(teamOf(values, services.units.offered(), team));
      const then = await services.teams.update(team, isOwners ? { description: given.description } : given);
      return `${teamBase(services.site.path, organization.account, then.name)}/edit?saved=1`;
    },
    (context, sent, flash) => showEditForm(services, context, sent, flash),
  );

const deleteTeam = (services: TeamPageDeps) =>
  formRoute(
    `${teamPagePath}/delete`,
    ownTeam,
    async ({ resource }) => {
      await services.teams.delete(resource.team);
      const list = `${organizationBase(services.site.path, resource.organization.account)}/teams`;
      return listHref(list, { deleted: resource.team.name });
    },
    (context, sent, flash) => showEditForm(services, context, sent, flash),
  );

/** `/org/{org}/teams`: teams, who is in them, and what they may. */
export const teamPageRoutes = (services: TeamPageDeps): readonly Route[] => [
  teamList(services),
  newTeamPage(services),
  createTeam(services),
  teamRoute(services),
  addMember(services),
  revokeInvitation(services),
  memberAction(services, 'remove', ownTeam, ({ resource }, values) =>
    services.teams.removeMember(resource.team, formId(values, 'uid')),
  ),
  memberAction(services, 'join', ownTeam, async (context) =>
    services.teams.addMember(context.resource.team, await ownAccount(services, context)),
  ),
  leaveTeam(services),
  editTeamRoute(services),
  saveTeam(services),
  deleteTeam(services),
];

function checkedTeam(given: ReturnType<typeof teamOf>): ReturnType<typeof teamOf> {
  const max = 255;
  const text = t.later('error.tooLong', { max });
  if ((given.description?.length ?? 0) > max) throw Invalid(text, { inputs: { description: text } });
  return given;
}
