import { apiTime } from '@mortise/plugin-sdk';
import type { Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { ApiRepository, Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { Package, PackageFile, PackageStore, PackageVersion } from '../api.js';
import type { ApiPackage } from '../contract/packages.js';

interface PackagePresenterDeps {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly store: PackageStore;
}

/** Records of the API, one batch of queries however many. */
export class PackagePresenter {
  constructor(private readonly deps: PackagePresenterDeps) {}

  async versions(
    owner: Account,
    items: readonly { package: Package; version: PackageVersion }[],
    actor: Actor,
  ): Promise<ApiPackage[]> {
    const { accounts, store } = this.deps;
    const creators = await accounts.byIds([...new Set(items.map(({ version }) => version.creatorId))]);
    const repositories = await this.visibleRepositories(items, actor);
    const apiOwner = accounts.toApiUser(owner, actor);
    return items.map(({ package: package_, version }) => {
      const creator = creators.get(version.creatorId);
      return {
        id: version.id,
        owner: apiOwner,
        repository: repositories.get(package_.repositoryId) ?? null,
        creator: creator ? accounts.toApiUser(creator, actor) : accounts.ghost(),
        type: package_.type,
        name: package_.name,
        version: version.version,
        html_url: store.htmlUrl(owner, package_, version),
        created_at: apiTime(version.createdAt),
      };
    });
  }

  private async visibleRepositories(
    items: readonly { package: Package }[],
    actor: Actor,
  ): Promise<Map<number, ApiRepository>> {
    const ids = [...new Set(items.map((item) => item.package.repositoryId).filter(Boolean))];
    if (ids.length === 0) return new Map();
    const { repositories, repositoryAccess } = this.deps;
    const linked = [...(await repositories.byIds(ids)).values()];
    const contexts = await repositoryAccess.contexts(actor, linked);
    const visible = linked.filter(({ id }) => (contexts.get(id)?.mode ?? 'none') !== 'none');
    const shown = await repositories.toApi(visible, actor);
    return new Map(shown.map((repository) => [repository.id, repository]));
  }

  file({ id, size, name, md5, sha1, sha256, sha512 }: PackageFile) {
    return { id, size, name, md5, sha1, sha256, sha512 };
  }
}
