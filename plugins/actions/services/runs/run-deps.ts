import { defineService, type Database, type Events, type Jobs, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { ActivityEvents } from '@mortise/activity-events/api';
import type { CommitStatuses } from '@mortise/commit-status/api';
import type { GitReader } from '@mortise/git/api';
import type { Issues } from '@mortise/issues/api';
import type { Pulls } from '@mortise/pulls/api';
import type { Repositories, RepositoryAccess, Repository } from '@mortise/repositories/api';
import type { RunRow } from '../../models/run.js';
import type { ActionsSettings } from '../../settings.js';

type Owned = Pick<Repository, 'id' | 'ownerId'>;

/** What the services of runs need of runners, secrets and variables. */
export interface RunEnvironment {
  /** A job became waiting, or one ended while others wait; in the transaction. */
  bump(repository: Owned): Promise<void>;
  /** Those among these runners that end a cancelled job by themselves. */
  cancelling(runnerIds: readonly number[]): Promise<ReadonlySet<number>>;
  variablesOf(repository: Owned): Promise<Readonly<Record<string, string>>>;
  secretNamesOf(repository: Owned): Promise<ReadonlySet<string>>;
  /** By id. */
  runnerNames(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Whether runs of this repository may call workflows of that non-public one. */
  mayCall(run: Pick<RunRow, 'repository_id' | 'is_fork'>, target: Repository): Promise<boolean>;
}
export const runEnvironment = defineService<RunEnvironment>('actions.runEnvironment');

/** Dependencies shared by the services of runs. */
export interface RunDeps {
  readonly database: Database;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly site: Site;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
  readonly gitReader: GitReader;
  readonly statuses: CommitStatuses;
  readonly issues: Issues;
  readonly pulls: Pulls;
  readonly environment: RunEnvironment;
  readonly activityEvents: ActivityEvents;
  readonly settings: ActionsSettings;
}

/** User that creates schedules' runs and statuses. It has no row. */
export const actionsUserId = -2;
export const actionsUserName = 'gitea-actions';
