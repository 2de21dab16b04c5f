import type { Database } from '@mortise/plugin-sdk';
import { ownerScope, repositoryScope, type ActionScope, type ScopedRepository } from '../../contract/scopes.js';
import type {
  OwnerTokenSettings,
  RepositoryTokenSettings,
  TokenSettings,
  TokenSettingsStore,
} from '../../contract/token-settings.js';
import { TokenSettingRow } from '../../models/token-setting.js';
import { whereScope } from '../runners/runner-records.js';

const common: TokenSettings = { mode: 'permissive', ceiling: {} };
const ofNewOwner: OwnerTokenSettings = { ...common, allowedRepositoryIds: [] };
const ofNewRepository: RepositoryTokenSettings = { ...common, overridesOwner: false, collaborativeOwnerIds: [] };

/** Settings for the tokens of jobs, by owner and by repository. */
export class TokenSettingsService implements TokenSettingsStore {
  constructor(private readonly database: Database) {}

  async ofOwner(ownerId: number): Promise<OwnerTokenSettings> {
    const [row] = await this.#read([ownerId], []);
    return { ...ofNewOwner, ...row?.config };
  }

  async ofRepository(repositoryId: number): Promise<RepositoryTokenSettings> {
    return (await this.ofRepositories([repositoryId])).get(repositoryId)!;
  }

  /** By the id of the repository; one query. */
  async ofRepositories(ids: readonly number[]): Promise<ReadonlyMap<number, RepositoryTokenSettings>> {
    const rows = await this.#read([], ids);
    const known = new Map(rows.map((row) => [row.repository_id, row.config]));
    return new Map(ids.map((id) => [id, { ...ofNewRepository, ...known.get(id) }]));
  }

  async inForce(repository: ScopedRepository): Promise<TokenSettings> {
    return (await this.inForceIn([repository])).get(repository.id)!;
  }

  /** By the id of the repository; one query. */
  async inForceIn(repositories: readonly ScopedRepository[]): Promise<ReadonlyMap<number, TokenSettings>> {
    const rows = await this.#read(
      repositories.map(({ ownerId }) => ownerId),
      repositories.map(({ id }) => id),
    );
    const ofOwners = new Map(rows.flatMap((row) => (row.repository_id ? [] : [[row.owner_id, row.config] as const])));
    const own = new Map(rows.map((row) => [row.repository_id, row.config as Partial<RepositoryTokenSettings>]));
    return new Map(
      repositories.map(({ id, ownerId }) => {
        const config = own.get(id);
        return [id, { ...common, ...(config?.overridesOwner ? config : ofOwners.get(ownerId)) }];
      }),
    );
  }

  setOwner(ownerId: number, settings: OwnerTokenSettings): Promise<void> {
    return this.#store(ownerScope(ownerId), { ...settings });
  }

  setRepository(repositoryId: number, settings: RepositoryTokenSettings): Promise<void> {
    return this.#store(repositoryScope(repositoryId), { ...settings });
  }

  async #read(ownerIds: readonly number[], repositoryIds: readonly number[]): Promise<TokenSettingRow[]> {
    if (ownerIds.length + repositoryIds.length === 0) return [];
    return this.database
      .query(TokenSettingRow)
      .where((owners) => void owners.whereIn('owner_id', [...new Set(ownerIds)]).where('repository_id', 0))
      .orWhere((own) => void own.whereIn('repository_id', [...new Set(repositoryIds)]).where('owner_id', 0));
  }

  #store(scope: ActionScope, config: Record<string, unknown>): Promise<void> {
    return this.database.write(async () => {
      await this.database
        .query(TokenSettingRow)
        .insert({ ...whereScope(scope), config })
        .onConflict(['owner_id', 'repository_id'])
        .merge(['config']);
    });
  }
}
