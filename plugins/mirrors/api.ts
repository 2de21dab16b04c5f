/** The contract of `mirrors`: repositories that follow others, for plugins that make them. */
import { defineJob, defineService, type Actor } from '@mortise/plugin-sdk';
import type { RemoteAddress, RemoteCredentials, RemoteProgress } from '@mortise/git/api';

export interface NewPullMirror {
  /** May hold user name and password. */
  readonly address: string;
  readonly username?: string;
  readonly password?: string;
  /** `8h0m0s`; `0`: only when somebody asks; empty: that of the site. */
  readonly interval?: string;
  /** References go when the other repository has them no more; default true. */
  readonly prune?: boolean;
  readonly wiki?: boolean;
  readonly lfs?: boolean;
  /** Patterns of branches, separated by commas; empty: all. */
  readonly branches?: string;
}

/** A pull mirror that may be made. */
export interface PullMirrorPlan {
  readonly address: RemoteAddress;
  readonly credentials: RemoteCredentials;
  readonly intervalMs: number;
  readonly prune: boolean;
  readonly wiki: boolean;
  readonly lfs: boolean;
  readonly branches: string;
}

/**
 * Pull mirrors, for plugins that make repositories. With `repositoryMaking.establish`: {@link plan} first; `originalUrl`
 * and `mirror` of the row from it; {@link fill} as `fill`; {@link store} in `within`.
 */
export interface PullMirrors {
  /** `[mirror] ENABLED` and, for those who are no administrators, not `DISABLE_NEW_PULL`. */
  mayCreate(actor: Actor): boolean;
  /** Throws Forbidden where new ones are off, Invalid for what cannot be. */
  plan(input: NewPullMirror, actor: Actor): PullMirrorPlan;
  /** For the row of the repository. */
  rowOf(plan: PullMirrorPlan): { readonly originalUrl: string; readonly mirror: { readonly intervalMs: number } };
  /**
   * Brings everything into a repository whose folder is there. Gives the branch that the other one has as default;
   * undefined: it has none.
   */
  fill(
    plan: PullMirrorPlan,
    repositoryId: number,
    actor: Actor,
    options?: { readonly signal?: AbortSignal; onProgress?(progress: RemoteProgress): void },
  ): Promise<{ readonly defaultBranch: string | undefined }>;
  /** Inside the transaction that makes the repository visible. */
  store(plan: PullMirrorPlan, repositoryId: number): Promise<void>;
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
