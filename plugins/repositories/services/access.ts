import {
  addressWith,
  Forbidden,
  NotFound,
  Problem,
  Unauthorized,
  reply,
  type Actor,
  type Database,
  type PointReader,
  type Reply,
  type Site,
  type ResourceRequest,
  type ResourceResolver,
  type Text,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import {
  repositoryResource,
  type AccessGrant,
  type AccessMode,
  type Repository,
  type RepositoryAccess,
  type RepositoryContext,
} from '../api.js';
import { mustBeOpen } from '../contract/blocks.js';
import { isChangeByJob } from '../contract/jobs.js';
import { RedirectRow } from '../models/redirect.js';
import type { RepositoryFinder } from './repository-finder.js';
import { atLeast, stronger, type Grants } from './grants.js';
import type { HeaderService } from './header-service.js';
import { mustBeActive } from '../contract/archived.js';
import { t } from '../texts/index.js';
import type { Units } from './units.js';
import type { PendingTransfers } from './waiting-transfers.js';

type Opening = {
  actor: Actor;
  owner: string;
  name: string;
  unit?: string | readonly string[];
  mode?: 'read' | 'write' | 'admin' | 'owner';
};

/** Who may do what with a repository: the one place that decides. */
export class AccessService implements RepositoryAccess {
  constructor(
    private readonly deps: {
      database: Database;
      accounts: Accounts;
      finder: RepositoryFinder;
      units: Units;
      grants: Grants;
      transfers: PendingTransfers;
    },
  ) {}

  async context(actor: Actor, repository: Repository): Promise<RepositoryContext> {
    return this.#context(actor, repository, (await this.deps.grants.lacking(actor)) !== undefined);
  }

  async #context(actor: Actor, repository: Repository, isClosed: boolean): Promise<RepositoryContext> {
    const owner = await this.deps.accounts.byId(repository.ownerId);
    if (!owner) throw NotFound('repository');
    const open = this.#open(actor, repository, owner, isClosed);
    const grant = open.isFinal ? undefined : (await this.deps.grants.of(actor, [{ repository, owner }]))(repository.id);
    return makeContext(repository, owner, open.mode, grant, this.deps.units);
  }

  async contexts(actor: Actor, repositories: readonly Repository[]): Promise<Map<number, RepositoryContext>> {
    const isClosed = (await this.deps.grants.lacking(actor)) !== undefined;
    return this.#contexts(
      this.deps.grants.isPublicOnly(actor) ? { ...actor, publicOnly: true } : actor,
      repositories,
      isClosed,
    );
  }

  rightsOf(account: Account, repositories: readonly Repository[]): Promise<Map<number, RepositoryContext>> {
    return this.#contexts(this.deps.accounts.actorOf(account, ''), repositories, false);
  }

  async rightsAmong(users: readonly Account[], repository: Repository): Promise<Map<number, RepositoryContext>> {
    const { accounts, grants, units } = this.deps;
    const owner = await accounts.byId(repository.ownerId);
    if (!owner) return new Map();
    const known = users.map((account) => {
      const actor = accounts.actorOf(account, '');
      return { actor, open: this.#open(actor, repository, owner, false) };
    });
    const asked = known.filter(({ open }) => !open.isFinal).map(({ actor }) => actor);
    const given = await grants.among(asked, { repository, owner });
    return new Map(
      known.map(({ actor: { id }, open }) => {
        const grant = open.isFinal ? undefined : given.get(id);
        return [id, makeContext(repository, owner, open.mode, grant, units)];
      }),
    );
  }

  async readersAmong(accounts: readonly Account[], repository: Repository, unit?: string): Promise<Set<number>> {
    const owner = await this.deps.accounts.byId(repository.ownerId);
    const readers = new Set<number>();
    if (!owner) return readers;
    const actors = accounts.map((account) => this.deps.accounts.actorOf(account, ''));
    // most repositories are open to most accounts: grants are looked up for the others alone
    const open = new Set(
      actors.filter((actor) => this.#open(actor, repository, owner, false).mode !== 'none').map(({ id }) => id),
    );
    const others = accounts.filter(({ id }) => !open.has(id));
    const granted = others.length ? await this.rightsAmong(others, repository) : new Map<number, RepositoryContext>();
    const isOpen = makeContext(repository, owner, 'read', undefined, this.deps.units).may('read', unit);
    for (const actor of actors) {
      const mayRead = open.has(actor.id) ? isOpen : granted.get(actor.id)?.may('read', unit);
      if (mayRead && (await this.unmetRequirement(actor)) === undefined) readers.add(actor.id);
    }
    return readers;
  }

  async unmetRequirement(actor: Actor): Promise<Text | undefined> {
    return (await this.deps.grants.lacking(actor))?.hint;
  }

  async #contexts(
    actor: Actor,
    repositories: readonly Repository[],
    isClosed: boolean,
  ): Promise<Map<number, RepositoryContext>> {
    const owners = await this.deps.accounts.byIds(repositories.map((one) => one.ownerId));
    const known = repositories.flatMap((repository) => {
      const owner = owners.get(repository.ownerId);
      return owner ? [{ repository, owner, open: this.#open(actor, repository, owner, isClosed) }] : [];
    });
    const asked = known.filter(({ open }) => !open.isFinal);
    // Records show transfers too, so that those of all are asked for at once.
    if (asked.length) await this.deps.transfers.of(repositories.map((one) => one.id));
    const grantOf = await this.deps.grants.of(actor, asked);
    return new Map(
      known.map(({ repository, owner, open }) => {
        const grant = open.isFinal ? undefined : grantOf(repository.id);
        return [repository.id, makeContext(repository, owner, open.mode, grant, this.deps.units)];
      }),
    );
  }

  #open(actor: Actor, repository: Repository, owner: Account, isClosed: boolean) {
    if (isClosed) return { mode: 'none', isFinal: true } as const;
    return openMode(actor, repository, owner, this.deps.grants);
  }

  async open(opening: Opening): Promise<RepositoryContext> {
    const lacking = await this.deps.grants.lacking(opening.actor);
    // the same for repositories that there are and others
    if (lacking) throw NotFound(lacking.hint);
    const repository = await this.deps.finder.byPath(opening.owner, opening.name);
    if (!repository) throw NotFound('repository');
    const context = await this.#context(opening.actor, repository, false);
    authorize(context, opening, this.deps.units);
    return context;
  }

  visibleTo(actor: Actor, units?: readonly string[]) {
    return this.deps.grants.visibleTo(actor, units);
  }

  /** What is the account's own, such as its stars, is closed to a public-only token of a hidden account. */
  async checkOwn(actor: Actor): Promise<void> {
    if (actor.publicOnly) mustBeOpen(actor, await this.deps.accounts.byId(actor.id));
  }

  /** A renamed repository answers 301 (308 where the method must stay), a renamed owner 307 (GEN-06). */
  async ownerExists(owner: string): Promise<boolean> {
    return (await this.deps.accounts.byName(owner)) !== undefined;
  }

  async renamedTo(owner: string, name: string): Promise<string | undefined> {
    const account = await this.deps.accounts.byName(owner);
    const ownerName = account ? undefined : await this.deps.accounts.renamedTo(owner);
    const present = account ?? (ownerName ? await this.deps.accounts.byName(ownerName) : undefined);
    if (!present) return undefined;
    const row = await this.deps.database
      .query(RedirectRow)
      .findOne({ owner_id: present.id, lower_name: name.toLowerCase() });
    const moved = row ? await this.deps.finder.byId(row.repository_id) : undefined;
    if (moved) return `${moved.ownerName}/${moved.name}`;
    const there = account ? undefined : await this.deps.finder.byPath(present.name, name);
    return there ? `${there.ownerName}/${there.name}` : undefined;
  }
}

/** The mode without what was given to the actor in particular; final: that would not change it. */
function openMode(
  actor: Actor,
  repository: Repository,
  owner: Account,
  grants: Pick<Grants, 'isConfined' | 'seesPublic'>,
): { mode: AccessMode; isFinal: boolean } {
  const final = (mode: AccessMode) => ({ mode, isFinal: true });
  const isPublic = !repository.isPrivate && owner.visibility === 'public';
  if (actor.publicOnly && !isPublic) return final('none');
  if (grants.isConfined(actor)) return { mode: 'none', isFinal: false };
  if (actor.kind === 'anonymous') return final(isPublic ? 'read' : 'none');
  if (actor.kind !== 'user') return { mode: isPublic ? 'read' : 'none', isFinal: false };
  if (actor.isAdmin || actor.id === owner.id) return final('owner');
  // What is open to visitors is open to restricted accounts; what is open to members is not.
  const isOpen = actor.isRestricted
    ? isPublic && grants.seesPublic(actor)
    : !repository.isPrivate && owner.visibility !== 'private';
  return { mode: isOpen ? 'read' : 'none', isFinal: false };
}

function makeContext(
  repository: Repository,
  owner: Account,
  open: AccessMode,
  grant: AccessGrant | undefined,
  units: Units,
): RepositoryContext {
  const whole = stronger(open, grant?.mode ?? 'none');
  const modeOf = (key: string): AccessMode => {
    const unit = repository.units.find((candidate) => candidate.key === key);
    if (!unit?.enabled || units.get(key)?.isElsewhere?.(unit.config)) return 'none';
    return stronger(whole, grant?.units?.[key] ?? 'none');
  };
  // Whoever may read one unit may read the record.
  const hasUnit = whole === 'none' && Object.keys(grant?.units ?? {}).some((key) => modeOf(key) !== 'none');
  const mode = hasUnit ? 'read' : whole;
  return {
    repository,
    owner,
    mode,
    modeOf,
    may: (needed, unit) => atLeast(unit ? modeOf(unit) : mode, needed),
  };
}

/** Throws what the actor is to be told: 404 for what it may not see, 403 for what it may not do, 423 when archived. */
function authorize(context: RepositoryContext, { actor, unit, mode = 'read' }: Opening, known: Units): void {
  if (context.mode === 'none') throw NotFound('repository');
  const units = unit === undefined ? [] : typeof unit === 'string' ? [unit] : unit;
  if (mode === 'read' && context.may('admin') && units.some((key) => known.get(key)?.staysOpen)) return;
  if (units.length && !units.some((key) => context.may('read', key))) {
    // What is switched off is refused, and what several units share; some units alone are then not there at all.
    const isHidden = (key: string) => {
      const hidden = known.get(key)?.isHidden ?? false;
      return typeof hidden === 'boolean' ? hidden : !hidden.some((other) => context.may('read', other));
    };
    if (units.length === 1 && units.some(isHidden)) throw NotFound('repository');
    throw Forbidden(t.later('error.unreadable', { units: units.join(', ') }));
  }
  const may = units.length ? units.some((key) => context.may(mode, key)) : context.may(mode);
  if (!may) {
    if (actor.kind === 'anonymous') throw Unauthorized();
    throw Forbidden(t.later('error.needs', { mode }));
  }
  if (mode === 'write') mustBeActive(context);
}

/**
 * What people may change because everybody may read it (opening an issue, commenting), jobs may where writing was given to
 * them.
 */
function mayJobChange(context: RepositoryContext, request: Pick<ResourceRequest, 'actor' | 'access' | 'method'>): void {
  if (!isChangeByJob(request)) return;
  const { unit, mode } = request.access;
  if (mode && mode !== 'read') return;
  const units = unit === undefined ? context.repository.units.map(({ key }) => key) : [unit].flat();
  if (!units.some((key) => context.may('write', key))) throw Forbidden(t.later('error.needs', { mode: 'write' }));
}

/** Where pages of a repository lead while it is being imported. */
interface ImportPage {
  path(repository: string): string;
}

/** Resolves `{owner}` and `{repo}` of routes. */
export class RepositoryResolver implements ResourceResolver<RepositoryContext> {
  readonly key = repositoryResource.id;
  readonly beforeSignIn = true;

  constructor(
    private readonly access: AccessService,
    private readonly site: Site,
    private readonly header: HeaderService,
    private readonly importPages: PointReader<ImportPage>,
  ) {}

  async resolve(request: ResourceRequest): Promise<RepositoryContext | Reply> {
    const { actor, params, access, method, surface } = request;
    const { owner = '', repo = '' } = params;
    if (Array.isArray(access.scope) && access.scope.includes('user')) await this.access.checkOwn(actor);
    try {
      const context = await this.access.open({ actor, owner, name: repo, unit: access.unit, mode: access.mode });
      mayJobChange(context, { actor, access, method });
      const importing = surface === 'page' && access.mode !== 'admin' ? this.#importPage(context, request) : undefined;
      if (importing) return reply.redirect(importing);
      if (surface === 'page') await this.header.gather(context, actor);
      return context;
    } catch (error) {
      if (!Problem.is(error)) throw error;
      // For files that are read by their address, code that is switched off is not there.
      if (surface === 'protocol' && error.code === 'forbidden' && access.unit === 'code' && !access.mode)
        throw NotFound('repository');
      if (error.code !== 'not_found') throw error;
      if (surface === 'protocol' && actor.publicOnly) await this.#tellScope(actor, owner, repo);
      const moved = await this.access.renamedTo(owner, repo);
      if (!moved || moved.toLowerCase() === `${owner}/${repo}`.toLowerCase()) throw error;
      const [newOwner = '', newName = ''] = moved.split('/');
      // What the actor may not see is not told by a redirect either.
      await this.access.open({ actor, owner: newOwner, name: newName, unit: access.unit });
      const address = this.site.path(addressWith(request, { owner: newOwner, repo: newName }));
      if (!(await this.access.ownerExists(owner))) return reply.redirect(address, 307);
      // Clients repeat a change that gets 301 as a GET (RFC 9110 15.4.2).
      return reply.redirect(address, method === 'GET' || method === 'HEAD' ? 301 : 308);
    }
  }

  /** What is half written is not shown: its administrators alone get to its settings. */
  #importPage(
    { repository: { status, ownerName, name } }: RepositoryContext,
    { route }: Pick<ResourceRequest, 'route'>,
  ): string | undefined {
    const [page] = status === 'migrating' ? this.importPages.list() : [];
    if (!page || route === page.path('{owner}/{repo}')) return undefined;
    return this.site.path(page.path(`${ownerName}/${name}`));
  }

  /** Who could see the repository with another token is told that it is the token. */
  async #tellScope(actor: Actor, owner: string, name: string): Promise<void> {
    const seen = await this.access.open({ actor: { ...actor, publicOnly: false }, owner, name }).catch(() => undefined);
    if (seen) throw Forbidden(t.later('error.publicToken'));
  }
}
