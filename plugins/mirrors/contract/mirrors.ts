/** The contract of `mirrors`: repositories that follow others, for plugins that make them. */
import { defineJob, defineService, type Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { RemoteProgress } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';

export interface NewPullMirror {
  /** Of the repository that is made. */
  readonly name: string;
  readonly description?: string;
  readonly isPrivate?: boolean;
  /** May hold user name and password. */
  readonly address: string;
  readonly username?: string;
  readonly password?: string;
  /** `8h0m0s`; `0`: only when somebody asks; empty: that of the site. */
  readonly interval?: string;
  /** Delete references that no longer exist in the source (`git fetch --prune`); default true. */
  readonly prune?: boolean;
  readonly wiki?: boolean;
  readonly lfs?: boolean;
  /** Patterns of branches, separated by commas; empty: all. */
  readonly branches?: string;
}

export interface MirrorCreationOptions {
  readonly signal?: AbortSignal;
  onProgress?(progress: RemoteProgress): void;
}

/** Pull mirrors, for plugins that make repositories. */
export interface PullMirrors {
  /** `[mirror] ENABLED` and, for those who are no administrators, not `DISABLE_NEW_PULL`. */
  mayCreate(actor: Actor): boolean;
  /**
   * Makes a repository that follows the other one; ends when everything has come. Nothing is left when it fails:
   * Forbidden where new ones are off, Conflict for a name that is taken, Invalid for what cannot be and for whatever the
   * other server did. That the actor may make repositories for the owner is the caller's business.
   */
  create(input: NewPullMirror, owner: Account, actor: Actor, options?: MirrorCreationOptions): Promise<Repository>;
  /** Soon, in the background. */
  requestSync(repositoryId: number): Promise<void>;
}
export const pullMirrors = defineService<PullMirrors>('mirrors.pull');

/** Brings what is new into a pull mirror. */
export const syncPullMirror = defineJob<{ readonly repositoryId: number; readonly startedBy: 'schedule' | 'user' }>(
  'mirrors.syncPull',
);
/** Sends what is new to a push mirror. */
export const syncPushMirror = defineJob<{
  readonly pushMirrorId: number;
  readonly startedBy: 'schedule' | 'user' | 'commit';
}>('mirrors.syncPush');
/** Starts the mirrors that are due. */
export const updateMirrors = defineJob<Record<string, never>>('mirrors.update');
