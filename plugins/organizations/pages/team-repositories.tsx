import {
  checkFields,
  pageRoute,
  Forbidden,
  formRoute,
  formStatus,
  formText,
  Invalid,
  NotFound,
  Problem,
  savedFlash,
  type Flash,
  type Route,
  type RouteContext,
  type FormValues,
  formId,
} from '@mortise/plugin-sdk';
import type { Repositories, RepositoryAccess, RepositoryContext } from '@mortise/repositories/api';
import type { TeamContext } from '../contract/teams.js';
import { teamBase } from './components.js';
import { TeamFrame, TeamRepositories } from './team.js';
import { ownTeam, readTeam, teamPage, teamPagePath, type TeamPageDeps } from './team-routes.js';
import { t } from '../texts/index.js';

interface Services extends Pick<TeamPageDeps, 'teams' | 'pages' | 'site'> {
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
}

/** Names that the field for a repository offers. */
const maxOffered = 100;

/** What these routes share. */
function teamRepositoryPageContext(services: Services) {
  const { teams, repositories, access, site } = services;
  type Context = RouteContext<TeamContext>;
  const path = (to: string) => site.path(to);
  const here = `${teamPagePath}/repositories`;
  /** ORG-06: owners, and administrators of a repository for teams of their own where the organization lets them. */
  const mayChange = ({ isOwner, isMember, organization }: TeamContext) =>
    isOwner || (organization.repositoryAdminsChangeTeams && isMember);
  const page = async (context: Context, flash?: Flash, name = '') => {
    const { actor, resource } = context;
    const { page: number, limit, offset } = context.page;
    const { team } = resource;
    const ofOrganization = { ownerId: team.organizationId, exclusive: true, sort: 'alpha' } as const;
    const { items, total } = await repositories.search(
      { ...ofOrganization, related: [{ relation: 'team', id: team.id }], limit, offset },
      actor,
    );
    const isOffered = mayChange(resource) && !team.includesAllRepositories;
    const all = isOffered
      ? (await repositories.search({ ...ofOrganization, limit: maxOffered, offset: 0 }, actor)).items
      : [];
    const there = new Set(items.map(({ id }) => id));
    return teamPage(services, context, {
      title: team.name,
      flash,
      status: formStatus(flash),
      body: (
        <TeamFrame context={resource} active="repositories" isIn={await teams.isMember(team.id, actor.id)} path={path}>
          <TeamRepositories
            context={resource}
            repositories={items}
            total={total}
            page={number}
            limit={limit}
            mayChange={mayChange(resource)}
            offered={all.filter(({ id }) => !there.has(id)).map((one) => one.name)}
            name={name}
            path={path}
          />
        </TeamFrame>
      ),
    });
  };
  /** The repository that the visitor may give to the team, or take from it. */
  const changeable = async (context: Context, name: string): Promise<RepositoryContext> => {
    const { actor, resource } = context;
    if (!mayChange(resource)) throw Forbidden(t.later('error.ownersOnly'));
    const opened = await access
      .open({ actor, owner: resource.organization.account.name, name })
      .catch((error: unknown) => {
        if (!Problem.is(error) || error.code !== 'not_found') throw error;
        throw Invalid(t.later('error.noRepository', { name }));
      });
    if (!resource.isOwner && !opened.may('admin')) throw Forbidden(t.later('error.ownersOnly'));
    return opened;
  };
  const action = (
    name: string,
    allowed: typeof readTeam | typeof ownTeam,
    run: (context: Context, values: FormValues) => Promise<unknown>,
  ): Route =>
    formRoute(
      `${teamPagePath}/action/repo/${name}`,
      allowed,
      async (context, values) => {
        await run(context, values);
        const { team, organization } = context.resource;
        return `${teamBase(path, organization.account, team.name)}/repositories?saved=1`;
      },
      (context, values, flash) => page(context, flash, formText(values, 'repo_name')),
    );
  return { here, page, action, changeable, teams, mayChange, repositories, access };
}

type TeamRepositoryPageRouteContext = ReturnType<typeof teamRepositoryPageContext>;

const repositoryList = ({ here, page }: TeamRepositoryPageRouteContext) =>
  pageRoute(here, readTeam, (context) => page(context, savedFlash(context.query as object)));

const addRepository = ({ action, changeable, teams }: TeamRepositoryPageRouteContext) =>
  action('add', readTeam, (context, values) =>
    checkFields({
      async repo_name() {
        // With or without the organization in front.
        const name = formText(values, 'repo_name').replace(/^[^/]*\//, '');
        const { repository } = await changeable(context, name);
        await teams.addRepository(context.resource.team, repository);
      },
    }),
  );

const removeRepository = ({
  action,
  mayChange,
  repositories,
  access,
  changeable,
  teams,
}: TeamRepositoryPageRouteContext) =>
  action('remove', readTeam, async (context, values) => {
    if (!mayChange(context.resource)) throw Forbidden(t.later('error.ownersOnly'));
    const found = await repositories.byId(formId(values, 'repoid'));
    const isOwn = found?.ownerId === context.resource.team.organizationId;
    // what cannot be seen is answered like what is not there, and is not named
    const seen = isOwn ? await access.context(context.actor, found) : undefined;
    if (!seen?.may('read')) throw NotFound('repository');
    const { repository } = await changeable(context, seen.repository.name);
    await teams.removeRepository(context.resource.team, repository);
  });

/** `/org/{org}/teams/{team}/repositories`: which repositories a team has. */
export function teamRepositoryPageRoutes(services: Services): readonly Route[] {
  const context = teamRepositoryPageContext(services);
  const { action, teams } = context;
  return [
    repositoryList(context),
    addRepository(context),
    removeRepository(context),
    action('addall', ownTeam, ({ resource }) => teams.addAllRepositories(resource.team)),
    action('removeall', ownTeam, ({ resource }) => teams.removeAllRepositories(resource.team)),
  ];
}
