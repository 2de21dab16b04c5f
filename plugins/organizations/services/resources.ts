import {
  addressWith,
  Forbidden,
  NotFound,
  Unauthorized,
  reply,
  type Actor,
  type Reply,
  type ResourceRequest,
  type ResourceResolver,
  type Site,
} from '@mortise/plugin-sdk';
import type { Accounts, Memberships } from '@mortise/accounts/api';
import {
  organizationResource,
  teamResource,
  type OrganizationContext,
  type Organizations,
  type Team,
  type Teams,
} from '../api.js';
import type { Organization } from '../contract/organizations.js';
import type { TeamContext } from '../contract/teams.js';
import { t } from '../texts/index.js';
import type { TeamFinder } from './team-finder.js';

interface Services {
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly organizations: Organizations;
  readonly teams: Teams & Pick<TeamFinder, 'withOrganization'>;
  readonly site: Site;
}

const refuse = (actor: Actor, problem: Error) => (actor.kind === 'anonymous' ? Unauthorized() : problem);

/** How the actor stands to the organization. */
export async function contextOf(
  memberships: Memberships,
  actor: Actor,
  organization: Organization,
): Promise<OrganizationContext> {
  const isOwner = await memberships.isOwner(actor, organization.account);
  const isMember =
    isOwner || (actor.kind === 'user' && (await memberships.isMember(actor.id, organization.account.id)));
  return { ...organization, isOwner, isMember };
}

/** TOK-26: a public-only token does not reach an organization that is not public. */
const isClosedTo = (actor: Actor, { account }: Organization) => actor.publicOnly && account.visibility !== 'public';

/** Finds the organization of `{org}` (GEN-06). */
export const organizationResolver = (services: Services): ResourceResolver<OrganizationContext> => ({
  key: organizationResource.id,
  async resolve(request) {
    const { actor, access } = request;
    const organization = await findOrganization(services, request);
    if (!('account' in organization)) return organization;
    if (isClosedTo(actor, organization)) throw Forbidden(t.later('error.publicToken'));
    const context = await contextOf(services.memberships, actor, organization);
    if (access.mode === 'owner' && !context.isOwner) throw refuse(actor, Forbidden(t.later('error.ownersOnly')));
    if (access.mode === 'write' && !context.isMember) throw refuse(actor, Forbidden(t.later('error.membersOnly')));
    return context;
  },
});

async function findOrganization(
  { accounts, memberships, organizations, site }: Services,
  request: ResourceRequest,
): Promise<Organization | Reply> {
  const { actor, params } = request;
  const name = params.org ?? '';
  const account = await accounts.byName(name);
  if (account) {
    const organization = await organizations.byName(name);
    if (!organization || !(await memberships.mayView(actor, account))) throw NotFound('organization');
    return organization;
  }
  const renamed = await accounts.renamedTo(name);
  const moved = renamed === undefined ? undefined : await accounts.byName(renamed);
  // What the actor may not see is not told by a redirect either.
  if (moved?.kind !== 'organization' || !(await memberships.mayView(actor, moved))) throw NotFound('organization');
  return reply.redirect(site.path(addressWith(request, { org: moved.name })), 307);
}

/** The team of `{id}`, or of `{org}` and `{team}` on pages. */
async function findTeam(
  services: Services,
  request: ResourceRequest,
): Promise<{ readonly team: Team; readonly organization: Organization } | Reply> {
  const { accounts, teams } = services;
  const { params } = request;
  if (params.team === undefined) {
    const id = Number(params.id);
    const found = Number.isSafeInteger(id) ? await teams.withOrganization(id) : undefined;
    const account = found && (await accounts.byId(found.team.organizationId));
    if (!account) throw NotFound('team');
    const { team, repositoryAdminsChangeTeams } = found;
    return { team, organization: { account, repositoryAdminsChangeTeams } };
  }
  const organization = await findOrganization(services, request);
  if (!('account' in organization)) return organization;
  const team = await teams.byName(organization.account.id, params.team);
  if (!team) throw NotFound('team');
  return { team, organization };
}

/** Finds a team (ORG-12). */
export const teamResolver = (services: Services): ResourceResolver<TeamContext> => ({
  key: teamResource.id,
  async resolve(request) {
    const { memberships, teams } = services;
    const { actor, access } = request;
    const found = await findTeam(services, request);
    if (!('team' in found)) return found;
    const { team, organization } = found;
    const { id } = team;
    const isVisible = await memberships.mayView(actor, organization.account);
    const context = await contextOf(memberships, actor, organization);
    const isMember = context.isOwner || (actor.kind === 'user' && (await teams.isMember(id, actor.id)));
    const mayKnow =
      isMember || (isVisible && team.visibility === 'public') || (context.isMember && team.visibility === 'limited');
    // A name may say more than a number: of teams that are asked for by it, nobody is told that they are there.
    if (request.params.team !== undefined && !mayKnow) throw NotFound('team');
    if (access.mode === 'owner' && !context.isOwner) throw refuse(actor, Forbidden(t.later('error.ownersOnly')));
    if (!mayKnow || isClosedTo(actor, organization))
      throw refuse(actor, context.isMember ? Forbidden(t.later('error.privateTeam')) : NotFound('team'));
    if (access.mode === 'write' && !context.isMember) throw refuse(actor, Forbidden(t.later('error.membersOnly')));
    return { team, organization: context, isMember, isOwner: context.isOwner };
  },
});
