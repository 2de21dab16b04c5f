import {
  addressWith,
  Forbidden,
  holdsScope,
  NotFound,
  Reply,
  reply,
  Unauthorized,
  type Actor,
  type ResourceRequest,
  type ResourceResolver,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, Memberships } from '@mortise/accounts/api';
import type { Team, Teams } from '@mortise/organizations/api';
import {
  accessRank,
  mustBeActive,
  type AccessMode,
  type Repositories,
  type RepositoryAccess,
  type RepositoryContext,
} from '@mortise/repositories/api';
import {
  projectScopeResource,
  projectResource,
  type Project,
  type ProjectContext,
  type ProjectScope,
  type ProjectType,
} from '../contract/projects.js';
import { allows } from '../units/projects.js';
import { t } from '../texts/index.js';
import type { ProjectReader } from './project-reader.js';

interface ScopeDeps {
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly site: Site;
  /** Undefined: there are no organizations here. */
  readonly teams: () => Pick<Teams, 'search'> | undefined;
}

/** Teams of one organization that are looked at. */
export const maxTeams = 500;

/** What a team has on the unit (ORG-08). */
export const teamModeOn = ({ authorization, units }: Pick<Team, 'authorization' | 'units'>): AccessMode =>
  authorization === 'none' ? (units.projects ?? 'none') : authorization;

/** What everybody has who may know of the account, whatever the teams of an organization have. */
export function isOpenTo(actor: Actor, owner: Account, site: Pick<Site, 'requiresSignIn'>): boolean {
  if (owner.kind === 'user') return true;
  if (actor.isRestricted && (site.requiresSignIn || owner.visibility !== 'public')) return false;
  return owner.visibility !== 'private';
}

export const accountProjectType = ({ kind }: Pick<Account, 'kind'>): Exclude<ProjectType, 'repository'> =>
  kind === 'organization' ? 'organization' : 'individual';

const scopeOf = (found: Omit<ProjectScope, 'may'>): ProjectScope => ({
  ...found,
  may: (mode) => accessRank[found.mode] >= accessRank[mode],
});

/** The boards of a repository, for who has this context there. */
export const repositoryScope = (context: RepositoryContext): ProjectScope =>
  scopeOf({
    type: 'repository',
    owner: context.owner,
    repository: context.repository,
    context,
    mode: allows(context.repository, 'repository') ? context.modeOf('projects') : 'none',
  });

/** Whose boards an actor may see and change: decided here alone. */
export class ProjectScopes {
  constructor(private readonly deps: ScopeDeps) {}

  /** The boards of an organization or a user. */
  async ofAccount(actor: Actor, owner: Account): Promise<ProjectScope> {
    return (await this.ofAccounts(actor, [owner])).get(owner.id)!;
  }

  /** By the id of the account; asks once for all of them. */
  async ofAccounts(actor: Actor, owners: readonly Account[]): Promise<Map<number, ProjectScope>> {
    const modes = await this.#accountModes(actor, owners);
    return new Map(
      owners.map((owner) => [
        owner.id,
        scopeOf({ type: accountProjectType(owner), owner, mode: modes.get(owner.id) ?? 'none' }),
      ]),
    );
  }

  /** The boards that issues of a repository can be put on: its own and those of its owner, as far as it wants them. */
  async ofIssues(actor: Actor, context: RepositoryContext): Promise<ProjectScope[]> {
    const scopes: ProjectScope[] = [];
    if (allows(context.repository, 'repository')) scopes.push(repositoryScope(context));
    if (allows(context.repository, 'owner')) scopes.push(await this.ofAccount(actor, context.owner));
    return scopes;
  }

  /** Undefined: the repository or the account is gone. */
  async ofProject(actor: Actor, project: Project): Promise<ProjectScope | undefined> {
    return (await this.ofProjects(actor, [project])).get(project.id);
  }

  /** By the id of the board; asks once for all repositories, and once for all accounts. */
  async ofProjects(actor: Actor, projects: readonly Project[]): Promise<Map<number, ProjectScope>> {
    const { accounts, repositories, repositoryAccess } = this.deps;
    const [repositoriesById, owners] = await Promise.all([
      repositories.byIds(projects.map(({ repositoryId }) => repositoryId).filter(Boolean)),
      accounts.byIds([...new Set(projects.map(({ ownerId }) => ownerId).filter(Boolean))]),
    ]);
    const contexts = repositoriesById.size
      ? await repositoryAccess.contexts(actor, [...repositoriesById.values()])
      : new Map();
    const scopes = new Map<string, ProjectScope>();
    for (const [id, context] of contexts) scopes.set(`repository ${id}`, repositoryScope(context));
    for (const [id, scope] of await this.ofAccounts(actor, [...owners.values()])) scopes.set(`account ${id}`, scope);
    return new Map(
      projects.flatMap(({ id, repositoryId, ownerId }) => {
        const scope = scopes.get(repositoryId ? `repository ${repositoryId}` : `account ${ownerId}`);
        return scope ? [[id, scope] as const] : [];
      }),
    );
  }

  /** By the id of the account; accounts that the actor may not know of are left out. */
  async #accountModes(actor: Actor, owners: readonly Account[]): Promise<Map<number, AccessMode>> {
    const { memberships, repositoryAccess, site } = this.deps;
    const modes = new Map<number, AccessMode>();
    if (actor.kind === 'system') return new Map(owners.map(({ id }) => [id, 'owner']));
    if ((await repositoryAccess.unmetRequirement(actor)) !== undefined) return modes;
    const visible = await memberships.viewable(actor, owners);
    // memberships are read once and cached
    for (const owner of visible)
      modes.set(
        owner.id,
        (await memberships.isOwner(actor, owner)) ? 'owner' : isOpenTo(actor, owner, site) ? 'read' : 'none',
      );
    const others = visible.filter(({ id, kind }) => kind === 'organization' && modes.get(id) !== 'owner');
    for (const [id, mode] of await this.#teamModes(actor, others))
      if (accessRank[mode] >= accessRank.read) modes.set(id, mode);
    return modes;
  }

  /** What the teams of the actor have on the unit, by the id of the organization. */
  async #teamModes(actor: Actor, organizations: readonly Account[]): Promise<Map<number, AccessMode>> {
    const modes = new Map<number, AccessMode>();
    const teams = this.deps.teams();
    if (actor.kind !== 'user' || !teams || !organizations.length) return modes;
    const joined = await this.deps.memberships.of(actor.id);
    const organizationIds = organizations.map(({ id }) => id).filter((id) => joined.has(id));
    if (!organizationIds.length) return modes;
    const limit = maxTeams * organizationIds.length;
    const { items } = await teams.search({ organizationIds, memberId: actor.id, limit, offset: 0 });
    for (const team of items) {
      const mode = teamModeOn(team);
      if (accessRank[mode] > accessRank[modes.get(team.organizationId) ?? 'none']) modes.set(team.organizationId, mode);
    }
    return modes;
  }
}

/** Where a board is named by its number alone. */
export const anyProject = '/api/v1/projects';

const categories = { repository: 'issue', organization: 'organization', individual: 'user' } as const;

/** A token has the category of where boards belong; always true of others. */
export const holdsProjectScope = (actor: Actor, type: ProjectType, level: 'read' | 'write'): boolean =>
  holdsScope(actor, categories[type], level);

/** The same of one board. */
export const coversProject = (actor: Actor, { type }: Project, level: 'read' | 'write'): boolean =>
  holdsProjectScope(actor, type, level);

/** Boards as other records show them: a token without their category sees those that are open to all. */
export const showsBoards = (actor: Actor, scope: ProjectScope): boolean =>
  scope.may('read') &&
  (holdsProjectScope(actor, scope.type, 'read') ||
    (scope.owner.visibility === 'public' && !scope.repository?.isPrivate));

/** Forbidden for a token that does not cover the board. */
export function mustHoldScope(actor: Actor, project: Project, level: 'read' | 'write'): void {
  if (!coversProject(actor, project, level))
    throw Forbidden(t.later('error.scope', { scope: `${level}:${categories[project.type]}` }));
}

interface ResolverDeps extends Pick<ScopeDeps, 'accounts' | 'memberships' | 'repositoryAccess' | 'site'> {
  readonly scopes: ProjectScopes;
  readonly reader: ProjectReader;
  readonly repositoryResolver: ResourceResolver<RepositoryContext>;
}

const refuse = (actor: Actor, problem: Error) => (actor.kind === 'anonymous' ? Unauthorized() : problem);

/** Finds where boards belong (GEN-06), and refuses who may not do there what the route does. */
export class ScopeResolver implements ResourceResolver<ProjectScope> {
  readonly key = projectScopeResource.id;
  readonly beforeSignIn = true;

  constructor(protected readonly deps: ResolverDeps) {}

  async resolve(request: ResourceRequest): Promise<ProjectScope | Reply> {
    const { params, actor, access } = request;
    if (params.repo !== undefined) return this.#ofRepository(request);
    const account = await this.#accountOf(request);
    if (account instanceof Reply) return account;
    return this.check(await this.deps.scopes.ofAccount(actor, account), actor, access.mode);
  }

  /** NotFound for who may not see the boards there, Forbidden for who may not do it. */
  async check(scope: ProjectScope, actor: Actor, mode: AccessMode = 'read'): Promise<ProjectScope> {
    const { owner, repository } = scope;
    if (!repository && actor.publicOnly && owner.visibility !== 'public' && scope.mode === 'none')
      if (await this.deps.memberships.mayView({ ...actor, publicOnly: false }, owner))
        throw Forbidden(t.later('error.publicToken'));
    if (!scope.may('read')) throw NotFound((await this.deps.repositoryAccess.unmetRequirement(actor)) ?? 'project');
    if (!scope.may(mode)) throw refuse(actor, Forbidden(t.later('error.needsWrite')));
    return scope;
  }

  async #ofRepository(request: ResourceRequest): Promise<ProjectScope | Reply> {
    const { access } = request;
    const context = await this.deps.repositoryResolver.resolve({ ...request, access: { ...access, unit: 'projects' } });
    if (context instanceof Reply) return context;
    return this.check(repositoryScope(context), request.actor, access.mode);
  }

  async #accountOf(request: ResourceRequest): Promise<Account | Reply> {
    const { accounts, memberships, site } = this.deps;
    const { actor, params } = request;
    const [field, name] =
      (['org', 'username', 'owner'] as const).map((key) => [key, params[key]] as const).find(([, value]) => value) ??
      [];
    if (field === undefined || name === undefined) {
      const own = actor.kind === 'user' ? await accounts.byId(actor.id) : undefined;
      if (!own) throw Unauthorized();
      return own;
    }
    const isOfKind = ({ kind }: Account) => field !== 'org' || kind === 'organization';
    const account = await accounts.byName(name);
    if (account && isOfKind(account) && (await memberships.mayView({ ...actor, publicOnly: false }, account)))
      return account;
    const now = account ? undefined : await accounts.renamedTo(name);
    const moved = now === undefined ? undefined : await accounts.byName(now);
    // what the actor may not see is not told by a redirect either
    if (!moved || !isOfKind(moved) || !(await memberships.mayView(actor, moved)))
      throw NotFound(field === 'org' ? 'organization' : 'user');
    return reply.redirect(site.path(addressWith(request, { [field]: moved.name })), 307);
  }
}

/** Digits alone: `0x1` and `1e0` are no ids. */
const boardId = (text: string | undefined): number => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : 0);

/** Finds the board of `{id}` where the path says that it belongs, or wherever it belongs. */
export class ProjectResolver implements ResourceResolver<ProjectContext> {
  readonly key = projectResource.id;
  readonly beforeSignIn = true;

  constructor(
    private readonly deps: ResolverDeps,
    private readonly scopeResolver: ScopeResolver,
  ) {}

  async resolve(request: ResourceRequest): Promise<ProjectContext | Reply> {
    if (request.route.startsWith(`${anyProject}/`)) return this.#byIdAlone(request);
    const scope = await this.scopeResolver.resolve(request);
    if (scope instanceof Reply) return scope;
    const project = await this.deps.reader.byId(boardId(request.params.id));
    const isThere =
      project && (scope.repository ? project.repositoryId === scope.repository.id : project.ownerId === scope.owner.id);
    if (!isThere) throw NotFound('project');
    return { scope, project };
  }

  async #byIdAlone({ actor, access, params, method }: ResourceRequest): Promise<ProjectContext> {
    const project = await this.deps.reader.byId(boardId(params.id));
    const scope = project && (await this.deps.scopes.ofProject(actor, project));
    if (!project || !scope) throw NotFound('project');
    await this.scopeResolver.check(scope, actor, access.mode);
    mustHoldScope(actor, project, ['get', 'head'].includes(method.toLowerCase()) ? 'read' : 'write');
    if (scope.context && access.mode === 'write') mustBeActive(scope.context);
    return { scope, project };
  }
}
