import { database, definePoint, defineService, events, jobs, type AnyRef, type PluginHost } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { notificationReasons, notifications, notificationSubjects } from '@mortise/notifications/api';
import { teams, type Teams } from '@mortise/organizations/api';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { deploymentWaiting } from '../contract/deployments.js';
import { runsDeleted } from '../contract/events.js';
import { secrets, variables } from '../contract/secrets.js';
import { environmentRoutes } from '../routes/environments.js';
import { environmentLevel } from '../routes/levels.js';
import { deploymentRoutes } from '../routes/runs/deployments.js';
import { secretRoutes, variableRoutes } from '../routes/secrets.js';
import { DeploymentHistory } from '../services/deployments/deployment-history.js';
import { DeploymentReviews } from '../services/deployments/deployment-reviews.js';
import { EnvironmentPresenter } from '../services/deployments/environment-presenter.js';
import { EnvironmentService } from '../services/deployments/environment-service.js';
import { ReviewingTeams } from '../services/deployments/reviewing-teams.js';
import { notifyReviewers, reviewReason, runSubject, runSubjects } from '../services/deployments/reviewer-notices.js';
import { resumeRun } from '../services/runs/job-definitions.js';
import { RunReconciler } from '../services/runs/run-reconciler.js';
import { t } from '../texts/index.js';
import { reconcilerDeps } from './runs.js';

/** Where teams come from, where there is such a plugin; not part of the contract. */
const teamSource = definePoint.one<Teams>('actions.teamSource');
export const environmentsRef = defineService<EnvironmentService>('actions.environments');
export const reviewingTeamsRef = defineService<ReviewingTeams>('actions.reviewingTeams');
export const deploymentReviewsRef = defineService<DeploymentReviews>('actions.deploymentReviews');
export const deploymentHistoryRef = defineService<DeploymentHistory>('actions.deploymentHistory');

export const deploymentProvides: readonly AnyRef[] = [
  environmentsRef,
  reviewingTeamsRef,
  teamSource,
  deploymentReviewsRef,
  deploymentHistoryRef,
  deploymentWaiting,
  resumeRun,
];

/** Environments, what is deployed to them, and who reviews that. */
export function registerDeployments(host: PluginHost): void {
  const base = { database, accounts, repositories } as const;
  const access = repositoryAccess;
  const source = host.point(teamSource);
  host.service(reviewingTeamsRef, {}, () => new ReviewingTeams(() => source.list()[0]));
  host.whenPresent('organizations', () => host.contribute(teamSource, { teams }, (services) => services.teams));
  host.service(
    environmentsRef,
    { database, events, jobs, accounts, access, teams: reviewingTeamsRef },
    (services) => new EnvironmentService(services),
  );
  host.service(
    deploymentReviewsRef,
    { deps: reconcilerDeps, teams: reviewingTeamsRef },
    ({ deps, teams }) => new DeploymentReviews(deps, teams),
  );
  host.service(deploymentHistoryRef, { database }, (services) => new DeploymentHistory(services));
  host.job(resumeRun, {}, { deps: reconcilerDeps }, ({ runId }, { deps }) =>
    deps.database.write(async () => {
      const reconciler = new RunReconciler(deps);
      await reconciler.add(runId);
      await reconciler.run();
    }),
  );
  host.routes(
    {
      ...{ ...base, environments: environmentsRef, reviews: deploymentReviewsRef, history: deploymentHistoryRef },
      ...{ secrets, variables, teams: reviewingTeamsRef },
    },
    (services) => {
      const all = { ...services, presenter: new EnvironmentPresenter(services) };
      const level = environmentLevel(services.environments);
      return [
        ...environmentRoutes(all),
        ...deploymentRoutes(all),
        ...secretRoutes(level, services),
        ...variableRoutes(level, services),
      ];
    },
  );
  host.whenPresent('notifications', () => {
    host.contribute(notificationReasons, {
      key: reviewReason,
      label: t.later('reason.deploymentReview'),
      isPersonal: true,
    });
    host.contribute(notificationSubjects, { ...base, access }, runSubjects);
    const noticeDeps = { ...base, access, notifications, teams: reviewingTeamsRef };
    host.on(deploymentWaiting, 'after', 'notify-reviewers', noticeDeps, notifyReviewers);
    host.on(runsDeleted, 'within', 'forget-threads', { notifications }, (event, services) =>
      services.notifications.forgetSubjects(runSubject, event.runIds),
    );
  });
}
