import {
  addressWith,
  Forbidden,
  NotFound,
  reply,
  type Actor,
  type PointReader,
  type Reply,
  type ResourceRequest,
  type ResourceResolver,
  type Site,
  type Text,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, Memberships } from '@mortise/accounts/api';
import type { RepositoryAccess } from '@mortise/repositories/api';
import type { PackageAccess, PackageAccessMode, PackageAccessSource, PackageFormat, PackageStore } from '../api.js';
import type { PackageResource } from '../routes/package-resource.js';

export const packageRank: Readonly<Record<PackageAccessMode, number>> = { none: 0, read: 1, write: 2, owner: 3 };

/** What an actor may do with an owner's packages (reference: who may read and upload, by visibility). */
export class AccessService implements PackageAccess {
  constructor(
    private readonly sources: PointReader<PackageAccessSource>,
    private readonly repositoryAccess: Pick<RepositoryAccess, 'unmetRequirement'>,
    private readonly site: Pick<Site, 'requiresSignIn'>,
  ) {}

  unmetRequirement(actor: Actor): Promise<Text | undefined> {
    return this.repositoryAccess.unmetRequirement(actor);
  }

  async mode(actor: Actor, owner: Account): Promise<PackageAccessMode> {
    if ((await this.unmetRequirement(actor)) !== undefined) return 'none';
    let best: PackageAccessMode = this.byVisibility(actor, owner);
    if (actor.kind !== 'user' && actor.kind !== 'task') return best;
    if (actor.isAdmin || actor.id === owner.id) return 'owner';
    for (const source of this.sources.list()) {
      const mode = await source.mode(actor, owner);
      if (mode && packageRank[mode] > packageRank[best]) best = mode;
    }
    return best;
  }

  async hasPart(actor: Actor, owner: Account): Promise<boolean> {
    return !actor.publicOnly && (await this.mode(actor, { ...owner, visibility: 'private' })) !== 'none';
  }

  private byVisibility(actor: Actor, owner: Account): PackageAccessMode {
    // where visitors see nothing, restricted accounts see what was given to them alone
    if (this.site.requiresSignIn && actor.kind === 'user' && actor.isRestricted) return 'none';
    if (owner.visibility === 'public') return 'read';
    if (owner.visibility === 'private' || actor.kind === 'anonymous') return 'none';
    // limited: organizations of which they are no members stay hidden from restricted accounts
    return actor.isRestricted && owner.kind === 'organization' ? 'none' : 'read';
  }
}

/** Asks clients of registries for credentials. */
export const packageChallenge = { headers: { 'www-authenticate': 'Basic realm="Mortise Package API"' } };

/** Who owners are, and who may know of them. */
interface Owners {
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly site: Site;
}

/** What registries say of an owner who is not there, in plain words whatever the format. */
export const noOwner = 'Not found.';

/** Finds the owner named in an address; a renamed one leads on. */
async function findOwner({ accounts, memberships, site }: Owners, request: ResourceRequest): Promise<Account | Reply> {
  const name = request.params.owner ?? '';
  const owner = await accounts.byName(name);
  if (owner) return owner;
  const now = await accounts.renamedTo(name);
  const moved = now === undefined ? undefined : await accounts.byName(now);
  // Whom the actor may not see is not told by a redirect either.
  if (!moved || !(await memberships.mayView(request.actor, moved)))
    throw request.surface === 'protocol' ? NotFound(noOwner) : NotFound('user');
  return reply.redirect(site.path(addressWith(request, { owner: moved.name })), 307);
}

/** Refuses a public-only token on owners that are not public (spec, Authentication 8). */
export function refusePublicOnly(actor: Actor, owner: Account): void {
  if (actor.publicOnly && owner.visibility !== 'public') throw Forbidden('The token can only access public accounts.');
}

/** What the account must do first is said before anything is looked up, the same for packages that there are and others. */
export async function refuseUnmetRequirement(access: PackageAccess, actor: Actor, isWrite: boolean): Promise<void> {
  const hint = await access.unmetRequirement(actor);
  if (hint !== undefined) throw isWrite ? Forbidden(hint) : NotFound(hint);
}

/** May every reader of the owner's packages read this one? */
const isOpen = (format: PackageFormat | undefined, { lowerName }: { readonly lowerName: string }): boolean =>
  format?.openNames?.some((start) => lowerName.startsWith(start)) ?? true;

/** The owner for protocols: access depends on the registry's route, so it is checked there. */
export const protocolResolver = (owners: Owners): ResourceResolver<Account> => ({
  key: 'packages.protocolOwner',
  resolve: (request) => findOwner(owners, request),
});

/**
 * Owner, package and version for the API and pages: what does not exist is 404 before it is asked who may see it, as
 * the compatible service answers.
 */
export const packageResolver = (
  owners: Owners,
  store: PackageStore,
  access: PackageAccess,
  formats: PointReader<PackageFormat>,
): ResourceResolver<PackageResource> => ({
  key: 'packages.package',
  async resolve(request) {
    await refuseUnmetRequirement(access, request.actor, request.access.mode === 'write');
    const owner = await findOwner(owners, request);
    if (!('lowerName' in owner)) return owner;
    const { type, name, version } = request.params;
    const package_ = type && name ? await store.find(owner.id, type, name) : undefined;
    if (type && name && (!package_ || package_.isInternal)) throw NotFound('package');
    const packageVersion = package_ && version ? await store.findVersion(package_.id, version) : undefined;
    if (package_ && version && !packageVersion) throw NotFound('package version');
    refusePublicOnly(request.actor, owner);
    const mode = await access.mode(request.actor, owner);
    const needed = request.access.mode === 'write' ? 'write' : 'read';
    if (packageRank[mode] < packageRank[needed]) {
      throw mode === 'none' && (request.surface === 'page' || request.actor.isRestricted)
        ? NotFound('user')
        : Forbidden('You do not have permission to do this with the packages of this owner.');
    }
    const hasPart = await access.hasPart(request.actor, owner);
    if (package_ && !hasPart && !isOpen(formats.get(package_.type), package_)) throw NotFound('package');
    return { owner, mode, hasPart, package: package_, version: packageVersion };
  },
});
