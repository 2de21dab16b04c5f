import type { Database } from '@mortise/plugin-sdk';
import { ownerScope, repositoryScope, type ActionScope, type ScopedRepository } from '../../contract/scopes.js';
import type {
  OwnerTokenSettings,
  RepositoryTokenSettings,
  TokenSettings,
  TokenSettingsStore,
} from '../../contract/token-settings.js';
import { TokenSettingRow } from '../../models/secret.js';
import { whereScope } from '../runners/rows.js';

const common: TokenSettings = { mode: 'permissive', ceiling: {} };
const ofNewOwner: OwnerTokenSettings = { ...common, allowedRepositoryIds: [] };
const ofNewRepository: RepositoryTokenSettings = { ...common, overridesOwner: false, collaborativeOwnerIds: [] };

/** Settings for the tokens of jobs, by owner and by repository. */
export class TokenSettingsService implements TokenSettingsStore {
  constructor(private readonly database: Database) {}

  async ofOwner(ownerId: number): Promise<OwnerTokenSettings> {
    return { ...ofNewOwner, ...(await this.#read([ownerScope(ownerId)]))[0] };
  }

  async ofRepository(repositoryId: number): Promise<RepositoryTokenSettings> {
    return { ...ofNewRepository, ...(await this.#read([repositoryScope(repositoryId)]))[0] };
  }

  async inForce({ id, ownerId }: ScopedRepository): Promise<TokenSettings> {
    const [owner, repository] = await this.#read([ownerScope(ownerId), repositoryScope(id)]);
    return (repository as Partial<RepositoryTokenSettings> | undefined)?.overridesOwner
      ? { ...common, ...repository }
      : { ...common, ...owner };
  }

  setOwner(ownerId: number, settings: OwnerTokenSettings): Promise<void> {
    return this.#store(ownerScope(ownerId), { ...settings });
  }

  setRepository(repositoryId: number, settings: RepositoryTokenSettings): Promise<void> {
    return this.#store(repositoryScope(repositoryId), { ...settings });
  }

  /** For the deletion of what the scope is of; in the transaction. */
  async forget(where: { owner_id?: number; repository_id?: number }): Promise<void> {
    await this.database.query(TokenSettingRow).delete().where(where);
  }

  async #read(scopes: readonly ActionScope[]): Promise<(Partial<TokenSettings> | undefined)[]> {
    const rows = await this.database.query(TokenSettingRow).where((either) => {
      for (const scope of scopes) void either.orWhere(whereScope(scope));
    });
    return scopes.map(
      ({ ownerId, repositoryId }) =>
        rows.find((row) => row.owner_id === ownerId && row.repository_id === repositoryId)?.config,
    );
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
