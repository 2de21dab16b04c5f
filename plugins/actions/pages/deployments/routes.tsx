import { lastPage, pageRoute, toId, formText, type Route } from '@mortise/plugin-sdk';
import { mustBeActive, repositoryPageContext } from '@mortise/repositories/api';
import type { DeploymentHistory } from '../../services/deployments/deployment-history.js';
import { maxComment } from '../../services/deployments/deployment-reviews.js';
import type { EnvironmentService } from '../../services/deployments/environment-service.js';
import { maxEnvironments } from '../../services/deployments/deployment-gate.js';
import { t } from '../../texts/index.js';
import { actionForm } from '../runs/action-handlers.js';
import { baseOf, readPage, root, runOf, type Context, type RunPageDeps } from '../runs/page-deps.js';
import { queryText } from '../run-search.js';
import { DeploymentHistoryView } from './history.js';

interface DeploymentPageDeps extends RunPageDeps {
  readonly environments: EnvironmentService;
  readonly history: DeploymentHistory;
}

const historyPage = (deps: DeploymentPageDeps) =>
  pageRoute(`${root}/deployments`, readPage, async (given) => {
    const context = given as unknown as Context;
    const { environments, history, accounts } = deps;
    const { repository } = context.resource;
    const { page, limit, offset } = context.page;
    const name = queryText(context.query as Readonly<Record<string, unknown>>, 'environment');
    const chosen = name ? await environments.get(repository.id, name) : undefined;
    const all = await environments.list(repository.id, { limit: maxEnvironments, offset: 0 });
    const of = { repositoryId: repository.id, ...(chosen && { environmentId: chosen.id }) };
    const { rows, total } = await history.list(of, { limit, offset });
    const body = (
      <DeploymentHistoryView
        {...{ chosen, rows, page }}
        base={baseOf(deps, context)}
        environments={all.rows}
        current={await history.current(chosen ? [chosen.id] : [])}
        environmentOf={await history.environments(rows)}
        creators={await accounts.byIds([...new Set(rows.map((row) => row.creator_id))].filter((id) => id > 0))}
        last={lastPage(total, limit)}
        mayAdminister={context.resource.may('admin') && !repository.isArchived}
      />
    );
    const title = t.later('deployment.all');
    return deps.pages.page(repositoryPageContext(context), 'actions', { title, body, islands: ['actions-style'] });
  });

const reviewForm = (deps: DeploymentPageDeps) =>
  actionForm(`${root}/runs/{run}/review-deployments`, { ...readPage, actor: 'user' }, async (context, values) => {
    mustBeActive(context.resource);
    const run = await runOf(deps, context);
    const review = {
      environmentIds: [values.environment ?? []].flat().slice(0, maxEnvironments).map(toId),
      isApproved: formText(values, 'state', 10) === 'approved',
      comment: formText(values, 'comment', maxComment + 1),
    };
    await deps.reviews.review(run, review, context.actor.id);
    return `${baseOf(deps, context)}/runs/${run.id}`;
  });

/** The history of deployments, and the form of reviewers on the page of a run. */
export const deploymentPageRoutes = (deps: DeploymentPageDeps): Route[] => [historyPage(deps), reviewForm(deps)];
