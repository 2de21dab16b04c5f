import { defineService } from '@mortise/plugin-sdk';
import type { ActionScope, ScopedRepository } from './scopes.js';

/** `active`: it reported on a job a moment ago; `offline`: it did not call for a minute. */
export type RunnerStatus = 'offline' | 'idle' | 'active';

/** A program that takes jobs. Times are milliseconds since 1970 UTC; 0: never. */
export interface Runner {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly scope: ActionScope;
  readonly description: string;
  /** As the program tells it: `v1.0.8`. */
  readonly version: string;
  readonly labels: readonly string[];
  /** It takes one task in its life. */
  readonly isEphemeral: boolean;
  /** It is given nothing. */
  readonly isDisabled: boolean;
  /** Told to cancel, it ends its job by itself and reports the end. */
  readonly canCancel: boolean;
  readonly status: RunnerStatus;
  readonly lastOnlineAt: number;
  readonly lastActiveAt: number;
  readonly createdAt: number;
}

export interface RunnerFilter {
  /** Undefined: of all scopes. */
  readonly scope?: ActionScope;
  readonly isDisabled?: boolean;
  /** Part of the name. */
  readonly text?: string;
  readonly sort?: 'newest' | 'oldest' | 'alphabetically' | 'reversealphabetically';
}

/** Registered runners. */
export interface Runners {
  byIds(ids: readonly number[]): Promise<Map<number, Runner>>;
  /** Those of these runners that end a cancelled job by themselves; not those that are gone. One query. */
  cancelling(ids: readonly number[]): Promise<ReadonlySet<number>>;
  /** Runners that could take jobs of the repository: its own, its owner's and the site's; at most 1000. */
  usableFor(repository: ScopedRepository): Promise<Runner[]>;
  /** Every label of `runs-on` is the runner's, letter by letter. */
  fits(runner: Pick<Runner, 'labels'>, runsOn: readonly string[]): boolean;
  list(filter: RunnerFilter, page: { limit: number; offset: number }): Promise<{ items: Runner[]; total: number }>;
  /** NotFound unless it is of the scope; without a scope any runner is found. */
  find(id: number, scope?: ActionScope): Promise<Runner>;
  /** NotFound as {@link find}. */
  setDisabled(id: number, isDisabled: boolean, scope?: ActionScope): Promise<Runner>;
  /** At most 255 characters are kept. */
  describe(id: number, description: string, scope?: ActionScope): Promise<Runner>;
  remove(id: number, scope?: ActionScope): Promise<void>;
}
export const runners = defineService<Runners>('actions.runners');

/** Tokens with which runners register. */
export interface RegistrationTokens {
  /** The one that holds for the scope; made when there is none. */
  current(scope: ActionScope): Promise<string>;
  /** A new one; those before it hold no longer. */
  reset(scope: ActionScope): Promise<string>;
}
export const registrationTokens = defineService<RegistrationTokens>('actions.registrationTokens');
