import { defineService, type Database, type Events, type Jobs, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Announcements } from '@mortise/announcements/api';
import type { CommitStatuses } from '@mortise/commit-status/api';
import type { GitReader } from '@mortise/git/api';
import type { Issues } from '@mortise/issues/api';
import type { Pulls } from '@mortise/pulls/api';
import type { Repositories, RepositoryAccess, Repository } from '@mortise/repositories/api';
import type { RunRow } from '../../models/run.js';
import type { ActionsSettings } from '../../settings.js';

type Owned = Pick<Repository, 'id' | 'ownerId'>;

/** What runs need of runners, secrets and variables. */
export interface Surroundings {
  /** A job became waiting, or one ended while others wait; in the transaction. */
  bump(repository: Owned): Promise<void>;
  /** Those among these runners that end a cancelled job by themselves. */
  cancelling(runnerIds: readonly number[]): Promise<ReadonlySet<number>>;
  variablesOf(repository: Owned): Promise<Readonly<Record<string, string>>>;
  secretNamesOf(repository: Owned): Promise<ReadonlySet<string>>;
  /** By id. */
  runnerNames(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Is a workflow of that repository, which not everybody can read, open to runs of this one? */
  mayCall(run: Pick<RunRow, 'repository_id' | 'is_fork'>, target: Repository): Promise<boolean>;
}
export const surroundings = defineService<Surroundings>('actions.surroundings');

/** What the services of runs are made of. */
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
  readonly around: Surroundings;
  readonly announcements: Announcements;
  readonly settings: ActionsSettings;
}

/** Who acts for the service: schedules, statuses. It has no row. */
export const actionsUserId = -2;
export const actionsUserName = 'gitea-actions';
