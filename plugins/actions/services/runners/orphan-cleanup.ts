import type { Database } from '@mortise/plugin-sdk';
import { ScopedSourceRow } from '../../models/scoped-source.js';
import { VersionRow } from '../../models/version.js';
import type { SecretService } from '../secrets/secret-service.js';
import type { VariableService } from '../secrets/variable-service.js';
import type { TokenSettingsService } from '../tasks/token-settings.js';
import type { RegistrationService } from './registration.js';
import type { RunnerStore } from './runner-store.js';

interface OrphanCleanupDeps {
  readonly database: Database;
  readonly registration: RegistrationService;
  readonly runnerStore: RunnerStore;
  readonly secretStore: SecretService;
  readonly settingsStore: TokenSettingsService;
  readonly variableStore: VariableService;
}

/** What stays behind when an owner or a repository goes; all in the transaction of that. */
export class OrphanCleanup {
  constructor(private readonly deps: OrphanCleanupDeps) {}

  cleanUpRepository(repositoryId: number): Promise<void> {
    return this.#deleteAll({ repository_id: repositoryId });
  }

  cleanUpOwner(ownerId: number): Promise<void> {
    return this.#deleteAll({ owner_id: ownerId });
  }

  /** The next owner of a repository gets neither the secrets nor the machines of the one before, nor its say in their repositories. */
  async cleanUpTransferred(repositoryId: number): Promise<void> {
    const where = { repository_id: repositoryId };
    await this.deps.secretStore.forget(where);
    await this.deps.registration.forget(where);
    await this.deps.runnerStore.forget(where);
    await this.deps.settingsStore.forget(where);
    // Its workflows would go on in all repositories of the owner before, or of the site, which trusted that owner.
    await this.deps.database.query(ScopedSourceRow).delete().where('source_repo_id', repositoryId);
  }

  async #deleteAll(where: { owner_id?: number; repository_id?: number }): Promise<void> {
    const { database, registration, runnerStore, secretStore, settingsStore, variableStore } = this.deps;
    for (const store of [registration, runnerStore, secretStore, settingsStore, variableStore])
      await store.forget(where);
    await database.query(VersionRow).delete().where(where);
  }
}
