import { defineService } from '@mortise/plugin-sdk';
import type { TaskPermissions } from './task-identity.js';
import type { ScopedRepository } from './scopes.js';

/**
 * What the tokens of jobs may, as an owner or a repository sets it. `permissive`: everything, where the workflow says
 * nothing; `restricted`: reading code, releases and packages.
 */
export interface TokenSettings {
  readonly mode: 'permissive' | 'restricted';
  /** At most; missing units: write. */
  readonly ceiling: Partial<TaskPermissions>;
}

export interface OwnerTokenSettings extends TokenSettings {
  /** Repositories of the owner that jobs of its other repositories may use. */
  readonly allowedRepositoryIds: readonly number[];
}

export interface RepositoryTokenSettings extends TokenSettings {
  /** Its own settings hold, not those of the owner. */
  readonly overridesOwner: boolean;
  /** Owners whose private repositories may read this private one. */
  readonly collaborativeOwnerIds: readonly number[];
}

export interface TokenSettingsStore {
  ofOwner(ownerId: number): Promise<OwnerTokenSettings>;
  ofRepository(repositoryId: number): Promise<RepositoryTokenSettings>;
  /** Those that hold in a repository: its own, or its owner's. */
  inForce(repository: ScopedRepository): Promise<TokenSettings>;
  setOwner(ownerId: number, settings: OwnerTokenSettings): Promise<void>;
  setRepository(repositoryId: number, settings: RepositoryTokenSettings): Promise<void>;
}
export const tokenSettings = defineService<TokenSettingsStore>('actions.tokenSettings');
