import { Forbidden, Invalid, NotFound, type Database } from '@mortise/plugin-sdk';
import type { Team } from '@mortise/organizations/api';
import { repositoryScope } from '../../contract/scopes.js';
import { DeploymentRow } from '../../models/deployment.js';
import { EnvironmentRow } from '../../models/environment.js';
import type { RunRow } from '../../models/run.js';
import { t } from '../../texts/index.js';
import { auditInScope } from '../audited-scope.js';
import { RunReconciler, type ReconcilerDeps } from '../runs/run-reconciler.js';
import { opensAt, waitingStatus } from './deployment-gate.js';
import { asksForReview, type ReviewingTeams } from './reviewing-teams.js';

export const maxComment = 2000;

/** Jobs of a run that wait for one environment. */
export interface PendingDeployment {
  readonly environment: EnvironmentRow;
  readonly deployments: readonly DeploymentRow[];
  /** Of which a member may approve; without those that are gone. */
  readonly teams: readonly Team[];
  /** The viewer may approve and reject. */
  readonly isReviewer: boolean;
  /** Somebody still has to approve. */
  readonly needsReview: boolean;
  /** Milliseconds since 1970 UTC; 0: it does not wait for time to pass. */
  readonly opensAt: number;
}

interface DeploymentReview {
  readonly environmentIds: readonly number[];
  readonly isApproved: boolean;
  readonly comment: string;
}

/** What waits for an environment, and what reviewers say to it. */
export class DeploymentReviews {
  constructor(
    private readonly deps: ReconcilerDeps,
    private readonly teams: ReviewingTeams,
  ) {}

  /** By environment, of the newest attempt of the run; for a viewer, 0: nobody who is signed in. */
  async pending(run: Pick<RunRow, 'id' | 'owner_id'>, viewerId: number): Promise<PendingDeployment[]> {
    const { database } = this.deps;
    const rows = await this.#ofRun(database, run.id).where({ status: waitingStatus });
    const environments = [...(await this.#environments(rows)).values()];
    const teams = await this.teams.of(run.owner_id, environments);
    return Promise.all(
      environments.map((environment) => {
        const deployments = rows.filter((row) => row.environment_id === environment.id);
        const own = environment.reviewer_teams.flatMap((id) => teams.get(id) ?? []);
        return this.#pendingAt(environment, deployments, own, viewerId);
      }),
    );
  }

  /** Deployments that were reviewed, over all attempts of the run, newest first. */
  async reviewed(runId: number): Promise<readonly { deployment: DeploymentRow; environment: EnvironmentRow }[]> {
    const { database } = this.deps;
    const rows = await this.#ofRun(database, runId).whereNot('reviewer_id', 0).orderBy('id', 'desc');
    const environments = await this.#environments(rows);
    return rows.flatMap((deployment) => {
      const environment = environments.get(deployment.environment_id);
      return environment ? [{ deployment, environment }] : [];
    });
  }

  #ofRun(database: Database, runId: number) {
    // jobs of a run are bounded
    return database.query(DeploymentRow).where('run_id', runId).orderBy('id').limit(1000);
  }

  async #environments(rows: readonly DeploymentRow[]): Promise<ReadonlyMap<number, EnvironmentRow>> {
    const ids = [...new Set(rows.map((row) => row.environment_id))];
    const found = ids.length > 0 ? await this.deps.database.query(EnvironmentRow).findByIds(ids) : [];
    return new Map(found.map((one) => [one.id, one]));
  }

  async #pendingAt(
    environment: EnvironmentRow,
    deployments: readonly DeploymentRow[],
    teams: readonly Team[],
    viewerId: number,
  ): Promise<PendingDeployment> {
    const opens = Math.max(...deployments.map((one) => opensAt(environment, one)));
    const needsReview = asksForReview(environment) && deployments.some((one) => one.review === 'pending');
    const isOwn = environment.prevents_self_review && deployments.some((one) => one.creator_id === viewerId);
    const isReviewer =
      needsReview &&
      !isOwn &&
      (environment.reviewers.includes(viewerId) || (await this.teams.isMember(teams, viewerId)));
    return { environment, deployments, teams, isReviewer, needsReview, opensAt: opens > Date.now() ? opens : 0 };
  }

  /**
   * Jobs of the run that wait for these environments go on, or fail. Invalid (422) for an environment that none waits for,
   * Forbidden (403) for who does not review it.
   */
  async review(run: RunRow, review: DeploymentReview, userId: number): Promise<readonly DeploymentRow[]> {
    const { database } = this.deps;
    const { environmentIds, isApproved, comment } = review;
    if (environmentIds.length === 0) throw Invalid(t.later('error.noEnvironment'));
    if (comment.length > maxComment) throw Invalid(t.later('error.commentLength', { max: maxComment }));
    return database.write(async () => {
      const reconciler = new RunReconciler(this.deps);
      if (!(await reconciler.state(run.id))) throw NotFound('run');
      const pending = new Map((await this.pending(run, userId)).map((one) => [one.environment.id, one]));
      const reviewed: number[] = [];
      for (const id of new Set(environmentIds)) {
        const one = pending.get(id);
        if (!one?.needsReview) throw Invalid(t.later('error.notWaiting'));
        if (!one.isReviewer) throw Forbidden(t.later('error.reviewer', { name: one.environment.name }));
        const target = { kind: 'environment', id, name: one.environment.name };
        const action = `deployment.${isApproved ? 'approve' : 'reject'}`;
        await auditInScope(this.deps.events, repositoryScope(run.repository_id), { action, target });
        reviewed.push(...one.deployments.filter((row) => row.review === 'pending').map((row) => row.id));
      }
      const now = Date.now();
      await database
        .query(DeploymentRow)
        .findByIds(reviewed)
        .patch({
          review: isApproved ? 'approved' : 'rejected',
          ...{ reviewer_id: userId, comment: comment.trim(), reviewed_at: now, updated_at: now },
        });
      await reconciler.add(run.id);
      await reconciler.run();
      return database.query(DeploymentRow).findByIds(reviewed).orderBy('id');
    });
  }
}
