import type { VNode } from 'preact';
import {
  defineRoute,
  pageRoute,
  inEnglish,
  Joi,
  lastPage,
  NotFound,
  reply,
  toId,
  webPage,
  type Route,
  type Text,
} from '@mortise/plugin-sdk';
import { repositoryPageContext } from '@mortise/repositories/api';
import type { RunSectionView } from '../../contract/run-page-sections.js';
import { isFinal } from '../../contract/states.js';
import type { JobRow } from '../../models/job.js';
import { taskOf } from '../../services/logs/log-archive.js';
import { t } from '../../texts/index.js';
import { ReviewBox, type RunDeployments } from '../deployments/review-box.js';
import { runSearchOf, queryText } from '../run-search.js';
import type { RunListFilter, RunDetails } from './run-reader.js';
import { loadAnsiRenderer } from './log-lines.js';
import { JobView, logPage, stepViews, waitingText } from './job-view.js';
import { RunList, RunRows, WorkflowInputs } from './run-list.js';
import { baseOf, param, readPage, root, workflowPage, writePage, type Context, type RunPageDeps } from './page-deps.js';
import { abilitiesOf, RunFrame, RunSummary, type RunAbilities } from './run-frame.js';
import { runStateJson, type CurrentJob, type StepCursor } from './run-state-json.js';
import { waitingReason } from './waiting-reason.js';
import { workflowsOf } from './workflow-list.js';

const islands = ['actions', 'actions-style'] as const;
const maxRefreshed = 50;
const maxLines = 500;

const cursors = Joi.object<{ readonly logCursors?: readonly StepCursor[] }>({
  logCursors: Joi.array()
    .max(1000)
    .items(
      Joi.object({
        step: Joi.number().integer().min(0).required(),
        cursor: Joi.number().integer().min(0).allow(null),
        expanded: Joi.boolean(),
      }).options({ stripUnknown: true }),
    ),
}).options({ stripUnknown: true });

const filterOf = (query: Readonly<Record<string, unknown>>): RunListFilter => ({
  ...runSearchOf(query),
  workflow: queryText(query, 'workflow'),
  source: toId(query.scoped_workflow_source_repo_id),
  branch: queryText(query, 'branch'),
});

const lastRunsOf = ({ id }: { readonly id: number }, { workflow, source }: RunListFilter) => ({
  ...{ repository_id: id, workflow_id: workflow },
  ...{ is_scoped_run: source > 0, workflow_repo_id: source },
});

const mayWrite = ({ resource }: Context) => resource.may('write', 'actions') && !resource.repository.isArchived;

type RunJobProps = Omit<Parameters<typeof JobView>[0], 'own' | 'steps' | 'mayRerun'> & {
  readonly base: string;
  readonly details: RunDetails;
  readonly abilities: RunAbilities;
  readonly rows: Parameters<typeof stepViews>[1];
};

const RunJob = ({ base, details, job, abilities, ...more }: RunJobProps): VNode => (
  <RunFrame base={base} details={details} may={abilities} job={job}>
    <JobView
      {...more}
      own={`${base}/runs/${details.run.id}/jobs/${job.id}`}
      job={job}
      steps={stepViews(job, more.rows)}
      mayRerun={abilities.rerun}
    />
  </RunFrame>
);

/** The pages of a run and its jobs, and their state as scripts ask for it. */
class RunPages {
  readonly deps: RunPageDeps;

  constructor(deps: RunPageDeps) {
    this.deps = deps;
  }

  page(context: Context, title: Text, body: VNode, more: readonly string[] = []) {
    return this.deps.pages.page(repositoryPageContext(context), 'actions', {
      title,
      body,
      islands: [...islands, ...more],
    });
  }

  /** The run of the address, or where it is now. */
  async #find(context: Context): Promise<{ details: RunDetails } | { to: string }> {
    const { reader } = this.deps;
    const query = context.query as { readonly by_id?: unknown; readonly by_index?: unknown };
    const by = { id: query.by_id === '1', index: query.by_index === '1' };
    const { row, moved } = await reader.run(context.resource.repository.id, param(context, 'run'), by);
    if (!moved) {
      const attempt = param(context, 'attempt');
      if (attempt && !toId(attempt)) throw NotFound('attempt');
      return { details: await reader.details(row, toId(attempt)) };
    }
    const own = `${baseOf(this.deps, context)}/runs/${row.id}`;
    const jobParam = param(context, 'job');
    return { to: jobParam ? `${own}/jobs/${(await reader.job(row, jobParam)).job.id}` : own };
  }

  async #abilities(context: Context, details: RunDetails): Promise<RunAbilities> {
    return abilitiesOf(details, {
      mayWrite: mayWrite(context),
      viewWorkflow: (await workflowPage(this.deps, context, details.run)) !== undefined,
    });
  }

  async #findJob(context: Context): Promise<{ details: RunDetails; job: JobRow } | { to: string }> {
    const { reader } = this.deps;
    const found = await this.#find(context);
    if ('to' in found) return found;
    const { run } = found.details;
    const { job, moved } = await reader.job(run, param(context, 'job'));
    if (moved) return { to: `${baseOf(this.deps, context)}/runs/${run.id}/jobs/${job.id}` };
    const details =
      job.run_attempt_id === found.details.attempt?.id ? found.details : await reader.details(run, job.attempt);
    return { details, job };
  }

  /** What other plugins know about the attempt. */
  async #sections(context: Context, details: RunDetails): Promise<readonly RunSectionView[]> {
    const { run, attempt, jobs } = details;
    if (!attempt) return [];
    const pageContext = {
      repository: context.resource.repository,
      ...{ runId: run.id, attemptId: attempt.id, attempt: attempt.number, jobs },
      base: `${baseOf(this.deps, context)}/runs/${run.id}`,
      mayWrite: mayWrite(context),
      ...{ actor: context.actor, remoteAddress: context.remoteAddress },
    };
    return Promise.all(this.deps.sections().map((section) => section.load(pageContext)));
  }

  /** Of a run none of whose jobs deploys nothing is asked. */
  async #deployments({ actor, resource }: Context, { run, jobs }: RunDetails): Promise<RunDeployments | undefined> {
    if (!jobs.some(({ environment }) => environment)) return undefined;
    const { reviews, accounts, teams } = this.deps;
    const viewerId = actor.kind === 'user' ? actor.id : 0;
    const [pending, reviewed] = [await reviews.pending(run, viewerId), await reviews.reviewed(run.id)];
    const ids = [
      ...pending.flatMap(({ environment }) => environment.reviewers),
      ...reviewed.map(({ deployment }) => deployment.reviewer_id),
    ];
    const reviewing = new Map(pending.flatMap((one) => one.teams.map((team) => [team.id, team] as const)));
    const visible = await teams.visible([...reviewing.values()], actor, resource.may('admin'));
    return {
      ...{ pending, reviewed, users: await accounts.byIds([...new Set(ids)]) },
      visibleTeams: new Set(visible.map(({ id }) => id)),
    };
  }

  async showRun(context: Context) {
    const found = await this.#find(context);
    if ('to' in found) return reply.redirect(found.to, 302);
    const { details } = found;
    const base = baseOf(this.deps, context);
    const sections = await this.#sections(context, details);
    const deployments = await this.#deployments(context, details);
    const body = (
      <RunFrame base={base} details={details} may={await this.#abilities(context, details)}>
        {deployments ? (
          <ReviewBox
            {...deployments}
            own={`${base}/runs/${details.run.id}`}
            isReadOnly={context.resource.repository.isArchived}
          />
        ) : null}
        <RunSummary
          {...{ base, details, sections }}
          annotations={await this.deps.annotations.ofJobs(details.jobs)}
          lastRuns={await this.deps.reader.lastRuns(details.run)}
        />
      </RunFrame>
    );
    const more = [...new Set(sections.flatMap((section) => section.islands ?? []))];
    return this.page(context, details.run.title || details.run.workflow_name, body, more);
  }

  async showJob(context: Context) {
    const { reader, logs, runners } = this.deps;
    const found = await this.#findJob(context);
    if ('to' in found) return reply.redirect(found.to, 302);
    const { details, job } = found;
    const task = taskOf(job);
    const from = toId((context.query as { from?: unknown }).from);
    const body = (
      <RunJob
        {...{ details, job, from }}
        base={baseOf(this.deps, context)}
        abilities={await this.#abilities(context, details)}
        rows={await reader.steps(task)}
        log={task ? (await logs.states([task])).get(task) : undefined}
        lines={task ? await logs.read(task, { from, limit: logPage }) : []}
        colours={await loadAnsiRenderer()}
        waiting={await waitingReason(runners, context.resource.repository, details, job)}
      />
    );
    if (task && !isFinal(job.status) && context.actor.kind === 'user') logs.watch(task, context.actor.id);
    return this.page(context, job.name, body);
  }

  async #currentJob(context: Context, details: RunDetails, job: JobRow): Promise<CurrentJob> {
    const { reader, logs, runners } = this.deps;
    const task = taskOf(job);
    const rows = await reader.steps(task);
    // what scripts read is English, as in the API
    const steps = inEnglish(() => stepViews(job, rows));
    const waiting = await waitingReason(runners, context.resource.repository, details, job);
    const { logCursors = [] } = context.payload as { readonly logCursors?: readonly StepCursor[] };
    const open = logCursors.filter(({ expanded }) => expanded).slice(0, 4);
    const found = [];
    for (const { step, cursor } of open) {
      const at = steps[step];
      if (!at || !task || at.start === Infinity) continue;
      const from = at.start + (cursor ?? 0);
      const limit = Math.min(maxLines, at.end - from);
      const lines = limit > 0 ? await logs.read(task, { from, limit }) : [];
      // the first and the last step are of the runner, and have no times of their own
      const started = Math.floor(Number(rows[step - 1]?.started_at ?? job.started_at) / 1000);
      found.push({ step, cursor: (cursor ?? 0) + lines.length, lines, started });
    }
    return { name: job.name, detail: waiting ? inEnglish(() => waitingText(waiting)) : '', steps, logs: found };
  }

  async state(context: Context) {
    const found = param(context, 'job') ? await this.#findJob(context) : await this.#find(context);
    if ('to' in found) return reply.redirect(found.to, 302);
    const { details } = found;
    const job = 'job' in found ? await this.#currentJob(context, details, found.job as JobRow) : undefined;
    const of = {
      base: baseOf(this.deps, context),
      repositoryId: context.resource.repository.id,
      details,
      may: await this.#abilities(context, details),
      sections: (await this.#sections(context, details)).map((section) => section.state),
      job,
    };
    return reply.json(inEnglish(() => runStateJson(of)));
  }
}

/** A page, and what scripts ask of its state at the same address. */
const pageAndState = (pages: RunPages, path: string, show: (context: Context) => Promise<unknown>): Route[] => [
  pageRoute(path, readPage, (context) => show(context as unknown as Context)),
  defineRoute({
    method: 'POST',
    path,
    surface: 'page',
    access: readPage,
    request: { payload: cursors },
    handler: (context) => pages.state(context as unknown as Context),
  }),
];

const runList = (pages: RunPages) =>
  pageRoute(root, readPage, async (given) => {
    const context = given as unknown as Context;
    const { deps } = pages;
    const { reader } = deps;
    const { repository } = context.resource;
    const query = context.query as Readonly<Record<string, unknown>>;
    const filter = filterOf(query);
    const base = baseOf(deps, context);
    if (typeof query.run_ids === 'string') {
      const ids = query.run_ids.split(',').map(toId).filter(Boolean).slice(0, maxRefreshed);
      const { rows, actors } = await reader.byIds(repository.id, ids);
      return webPage({ title: t.later('unit'), fragment: true, body: <RunRows {...{ base, rows, actors }} /> });
    }
    const { page: number, limit, offset } = context.page;
    const { rows, total, actors } = await reader.list(repository.id, filter, { limit, offset }, context.actor);
    const address = `${deps.site.url(`/${repository.ownerName}/${repository.name}`)}/actions/workflows`;
    const body = (
      <RunList
        {...{ base, filter, rows, actors }}
        lastRuns={filter.workflow ? await reader.lastRuns(lastRunsOf(repository, filter)) : []}
        isAsked={query.run === '1'}
        workflows={await workflowsOf(deps, repository)}
        page={number}
        last={lastPage(total, limit)}
        mayWrite={context.resource.may('write', 'actions') && !repository.isArchived}
        mayAdminister={context.resource.may('admin') && !repository.isArchived}
        branch={repository.defaultBranch}
        badge={filter.workflow && `${address}/${encodeURIComponent(filter.workflow)}/badge.svg`}
      />
    );
    return pages.page(context, t.later('unit'), body);
  });

// other branches may ask for other things
const dispatchInputs = ({ deps }: RunPages) =>
  pageRoute(`${root}/workflow-dispatch-inputs`, writePage, async (given) => {
    const context = given as unknown as Context;
    const query = context.query as Readonly<Record<string, unknown>>;
    const { workflow, source } = filterOf(query);
    const inputs = await deps.dispatcher.inputsAt({
      repository: context.resource.repository,
      workflowId: workflow,
      sourceId: source,
      ref: typeof query.ref === 'string' ? query.ref.slice(0, 255) : context.resource.repository.defaultBranch,
    });
    return webPage({ title: t.later('workflow.run'), fragment: true, body: <WorkflowInputs inputs={inputs} /> });
  });

/** The list of runs, a run, one of its attempts, and a job. */
export function runPages(deps: RunPageDeps): Route[] {
  const pages = new RunPages(deps);
  const showRun = (context: Context) => pages.showRun(context);
  return [
    runList(pages),
    dispatchInputs(pages),
    ...pageAndState(pages, `${root}/runs/{run}`, showRun),
    ...pageAndState(pages, `${root}/runs/{run}/attempts/{attempt}`, showRun),
    ...pageAndState(pages, `${root}/runs/{run}/jobs/{job}`, (context) => pages.showJob(context)),
  ];
}
