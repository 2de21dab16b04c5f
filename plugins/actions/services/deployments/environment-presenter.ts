import { apiTime, type Actor } from '@mortise/plugin-sdk';
import type { Accounts, ApiUser } from '@mortise/accounts/api';
import type { Repositories, Repository, RepositoryContext } from '@mortise/repositories/api';
import { statusName, type StatusName } from '../../contract/states.js';
import type { DeploymentRow } from '../../models/deployment.js';
import type { EnvironmentRow } from '../../models/environment.js';
import type { PendingDeployment } from './deployment-reviews.js';
import { asksForReview, type ReviewingTeams } from './reviewing-teams.js';

/** How a deployment stands, in GitHub's words. */
const states: Readonly<Record<StatusName, string>> = {
  unknown: 'error',
  success: 'success',
  failure: 'failure',
  cancelled: 'error',
  skipped: 'inactive',
  waiting: 'queued',
  running: 'in_progress',
  blocked: 'waiting',
  cancelling: 'in_progress',
};

/** Records of environments and deployments, with the names of GitHub's REST API. A batch of queries however many. */
export class EnvironmentPresenter {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly teams: ReviewingTeams;
    },
  ) {}

  async environments(resource: RepositoryContext, rows: readonly EnvironmentRow[], viewer: Actor) {
    const { repository } = resource;
    const models = await this.#reviewers(resource, rows, viewer);
    return rows.map((row) => ({
      ...this.#brief(repository, row),
      created_at: apiTime(Number(row.created_at)),
      updated_at: apiTime(Number(row.updated_at)),
      protection_rules: protectionRules(row, models),
      deployment_branch_policy:
        row.branch_patterns.length > 0 ? { protected_branches: false, custom_branch_policies: true } : null,
      branch_patterns: row.branch_patterns,
    }));
  }

  async pending(resource: RepositoryContext, pending: readonly PendingDeployment[], viewer: Actor) {
    const { repository } = resource;
    const environments = pending.map(({ environment }) => environment);
    const models = await this.#reviewers(resource, environments, viewer);
    return pending.map((one) => ({
      environment: this.#brief(repository, one.environment),
      wait_timer: one.environment.wait_minutes,
      wait_timer_started_at: apiTime(Math.min(...one.deployments.map((row) => Number(row.created_at)))),
      current_user_can_approve: one.isReviewer,
      reviewers: reviewersOf(one.environment, models),
    }));
  }

  async reviews(
    repository: Repository,
    reviewed: readonly { readonly deployment: DeploymentRow; readonly environment: EnvironmentRow }[],
    viewer: Actor,
  ) {
    const users = await this.#users(
      reviewed.map(({ deployment }) => deployment.reviewer_id),
      viewer,
    );
    return reviewed.map(({ deployment, environment }) => ({
      state: deployment.review,
      comment: deployment.comment,
      user: users.get(deployment.reviewer_id) ?? this.deps.accounts.ghost(),
      environments: [this.#brief(repository, environment)],
    }));
  }

  async deployments(
    repository: Repository,
    rows: readonly DeploymentRow[],
    environments: ReadonlyMap<number, EnvironmentRow>,
    viewer: Actor,
  ) {
    const users = await this.#users(
      rows.map((row) => row.creator_id),
      viewer,
    );
    const api = this.deps.repositories.apiUrl(repository);
    return rows.map((row) => ({
      id: row.id,
      sha: row.commit_sha,
      ref: row.ref.replace(/^refs\/(heads|tags)\//, ''),
      task: 'deploy',
      environment: environments.get(row.environment_id)?.name ?? '',
      environment_url: row.url,
      state: states[statusName(row.status)],
      creator: users.get(row.creator_id) ?? this.deps.accounts.ghost(),
      run_id: row.run_id,
      run_url: `${api}/actions/runs/${row.run_id}`,
      created_at: apiTime(Number(row.created_at)),
      updated_at: apiTime(Number(row.updated_at)),
    }));
  }

  #brief(repository: Repository, { id, name }: EnvironmentRow) {
    const { repositories } = this.deps;
    return {
      id,
      name,
      url: `${repositories.apiUrl(repository)}/environments/${encodeURIComponent(name)}`,
      html_url: `${repositories.htmlUrl(repository)}/actions/deployments?environment=${encodeURIComponent(name)}`,
    };
  }

  async #reviewers(
    resource: RepositoryContext,
    rows: readonly EnvironmentRow[],
    viewer: Actor,
  ): Promise<ReviewerModels> {
    const { teams } = this.deps;
    const ids = rows.flatMap(({ reviewers }) => reviewers);
    const found = await teams.of(resource.repository.ownerId, rows);
    const visible = await teams.visible([...found.values()], viewer, resource.may('admin'));
    return {
      users: await this.#users(ids, viewer),
      teams: await teams.models(visible, viewer),
      presentTeams: new Set(found.keys()),
    };
  }

  async #users(ids: readonly number[], viewer: Actor): Promise<ReadonlyMap<number, ApiUser>> {
    const { accounts } = this.deps;
    const found = await accounts.byIds([...new Set(ids)].filter((id) => id > 0));
    return new Map([...found].map(([id, account]) => [id, accounts.toApiUser(account, viewer)]));
  }
}

interface ReviewerModels {
  readonly users: ReadonlyMap<number, ApiUser>;
  /** Those that the viewer may see. */
  readonly teams: Awaited<ReturnType<ReviewingTeams['models']>>;
  readonly presentTeams: ReadonlySet<number>;
}

const reviewersOf = ({ reviewers, reviewer_teams: teamIds }: EnvironmentRow, models: ReviewerModels) => {
  const { users, teams, presentTeams } = models;
  return [
    ...reviewers.map((id) => ({ type: 'User', id, reviewer: users.get(id) ?? null, is_gone: !users.has(id) })),
    ...teamIds.map((id) => ({ type: 'Team', id, reviewer: teams.get(id) ?? null, is_gone: !presentTeams.has(id) })),
  ];
};

const protectionRules = (row: EnvironmentRow, models: ReviewerModels) => [
  ...(row.wait_minutes > 0 ? [{ type: 'wait_timer', wait_timer: row.wait_minutes }] : []),
  ...(asksForReview(row)
    ? [
        {
          type: 'required_reviewers',
          prevent_self_review: row.prevents_self_review,
          reviewers: reviewersOf(row, models),
        },
      ]
    : []),
  ...(row.branch_patterns.length > 0 ? [{ type: 'branch_policy' }] : []),
];
