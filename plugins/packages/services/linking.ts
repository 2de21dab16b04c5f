import { BadRequest, Forbidden, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { mustBeActive, type Repositories, type RepositoryAccess } from '@mortise/repositories/api';
import type { Package, PackageStore } from '../api.js';

export interface LinkingDeps {
  readonly store: PackageStore;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
}

/**
 * Links a package to a repository of the same owner (PKG-05). NotFound for one that is not there, belongs to somebody else
 * or may not be seen; Forbidden without write access to its packages, Locked where it is archived; BadRequest where the package has a link.
 */
export async function linkPackage(
  { store, repositories, repositoryAccess }: LinkingDeps,
  owner: Account,
  package_: Package,
  name: string,
  actor: Actor,
): Promise<void> {
  const repository = await repositories.byPath(owner.name, name);
  const context =
    repository && repository.ownerId === owner.id ? await repositoryAccess.context(actor, repository) : undefined;
  if (!context || context.mode === 'none') throw NotFound('repository');
  if (!context.may('write', 'packages'))
    throw Forbidden('You do not have write access to the packages of this repository.');
  mustBeActive(context);
  if (package_.repositoryId) throw BadRequest('The package is already linked to a repository.');
  await store.link(package_, context.repository.id);
}

/** Takes the link away (PKG-06). */
export async function unlinkPackage(store: PackageStore, package_: Package): Promise<void> {
  if (!package_.repositoryId) throw BadRequest('The package is not linked to a repository.');
  await store.unlink(package_);
}
