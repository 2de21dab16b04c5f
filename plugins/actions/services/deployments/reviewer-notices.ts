import type { Actor, Database } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Notifications, NotificationSubjectKind } from '@mortise/notifications/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import { isFinal } from '../../contract/states.js';
import { DeploymentRow } from '../../models/deployment.js';
import { EnvironmentRow } from '../../models/environment.js';
import { RunRow } from '../../models/run.js';
import { t } from '../../texts/index.js';
import type { ReviewingTeams } from './reviewing-teams.js';

/** Kind of the threads, and why reviewers are told. */
export const runSubject = 'workflow_run';
export const reviewReason = 'deployment_review';

interface RunSubjectDeps {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
}

/** Runs in the inbox. */
export const runSubjects = ({
  database,
  repositories,
  access,
}: Omit<RunSubjectDeps, 'accounts'>): NotificationSubjectKind => ({
  key: runSubject,
  apiType: 'WorkflowRun',
  label: t.later('subject.run'),
  icon: 'play',
  async readersAmong(users: readonly Account[], id) {
    const run = await database.query(RunRow).findById(id);
    const repository = run && (await repositories.byId(run.repository_id));
    if (!repository) return new Set();
    return access.readersAmong(users, repository, 'actions');
  },
  async find(ids: readonly number[], actor: Actor) {
    const runs = await database.query(RunRow).findByIds([...ids]);
    const found = await repositories.byIds([...new Set(runs.map((run) => run.repository_id))]);
    const contexts = await access.contexts(actor, [...found.values()]);
    return new Map(
      runs.flatMap((run) => {
        const repository = found.get(run.repository_id);
        if (!repository || !contexts.get(repository.id)?.may('read', 'actions')) return [];
        const home = `${repository.ownerName}/${repository.name}`;
        const place = `${home}/actions/runs/${run.id}`;
        const subject = {
          title: `${home}: ${run.title || run.workflow_name} #${run.number}`,
          ownerName: repository.ownerName,
          state: isFinal(run.status) ? ('closed' as const) : ('open' as const),
          ...{ path: `/${place}`, apiPath: `/api/v1/repos/${place}` },
        };
        return [[run.id, subject] as const];
      }),
    );
  },
});

/** Reviewers of an environment hear that a job waits for them. */
export async function notifyReviewers(
  { deploymentId }: { readonly deploymentId: number },
  deps: RunSubjectDeps & { readonly notifications: Notifications; readonly teams: ReviewingTeams },
): Promise<void> {
  const { database, accounts, repositories, notifications, teams } = deps;
  const deployment = await database.query(DeploymentRow).findById(deploymentId);
  const environment = deployment && (await database.query(EnvironmentRow).findById(deployment.environment_id));
  const run = deployment && (await database.query(RunRow).findById(deployment.run_id));
  const repository = run && (await repositories.byId(run.repository_id));
  if (!environment || !repository || deployment.review !== 'pending' || isFinal(deployment.status)) return;
  const reviewing = await teams.of(repository.ownerId, [environment]);
  const actor = (await accounts.byId(deployment.creator_id))?.name ?? 'gitea-actions';
  await notifications.notify({
    subject: { kind: runSubject, id: run.id },
    // who started the run is told as well, where they may approve it themselves
    actorId: environment.prevents_self_review ? deployment.creator_id : 0,
    userIds: [...new Set([...environment.reviewers, ...(await teams.members([...reviewing.values()]))])],
    reason: reviewReason,
    at: Number(deployment.created_at),
    event: `deployment/${environment.id}/${deployment.attempt}`,
    mail: {
      line: t.later('mail.deployment', { actor, environment: environment.name }),
      url: `${repositories.htmlUrl(repository)}/actions/runs/${run.id}`,
    },
  });
}
