import {
  BadRequest,
  contentDisposition,
  defineRoute,
  pageRoute,
  Forbidden,
  formText,
  isChecked,
  Joi,
  NotFound,
  Problem,
  reply,
  toId,
  type Access,
  type FormValues,
  type Route,
} from '@mortise/plugin-sdk';
import type { Repository, RepositoryContext } from '@mortise/repositories/api';
import type { RunRow } from '../../models/run.js';
import { RunRow as Runs } from '../../models/run.js';
import type { RerunSelection } from '../../services/runs/rerun-service.js';
import { logArchive, logFileOf, taskOf } from '../../services/logs/log-archive.js';
import {
  administer,
  baseOf,
  jobOf,
  param,
  readPage,
  root,
  runOf,
  workflowPage,
  writePage,
  type Context,
  type RunPageDeps,
} from './page-deps.js';

/** Fields of the form itself; all others are inputs, as scripts send them. */
const ownFields = new Set(['workflow', 'ref', 'scoped_workflow_source_repo_id', '_csrf']);

/** Values of the fields of the form that asks for a run; boxes that are not ticked are not sent. */
function inputsOf(values: FormValues): Record<string, string> {
  const inputs: Record<string, string> = {};
  for (const name of Object.keys(values)) {
    const [kind, ...rest] = name.split('.');
    const input = rest.join('.');
    if (kind === 'boolean' && input) inputs[input] ??= 'false';
    if (kind === 'inputs' && input) inputs[input] = formText(values, name, 65_536);
    if (!input && !ownFields.has(name)) inputs[name] ??= formText(values, name, 65_536);
  }
  return inputs;
}

const anyForm = Joi.object<FormValues>().unknown();

/** A form; `run` gives the address that it leads to. A refusal is a page of its own. */
export const actionForm = (
  path: string,
  access: Access<RepositoryContext>,
  run: (context: Context, values: FormValues) => Promise<string>,
): Route =>
  defineRoute<RepositoryContext>({
    method: 'POST',
    path,
    surface: 'page',
    payload: { as: 'form' },
    request: { payload: anyForm },
    access,
    async handler(context) {
      try {
        return reply.redirect(await run(context as unknown as Context, context.payload as FormValues));
      } catch (error) {
        // what cannot be done now was asked for in vain; what is not there stays missing
        throw Problem.is(error) && (error.code === 'conflict' || error.code === 'invalid')
          ? BadRequest(error.text)
          : error;
      }
    },
  });

/** What these routes share. */
function runActsContext(deps: RunPageDeps) {
  const { lifecycle, reruns, disabledWorkflows, scoped } = deps;
  const pageOfRun = (context: Context, run: Pick<RunRow, 'id'>) => `${baseOf(deps, context)}/runs/${run.id}`;
  const act = (name: string, run: (row: RunRow, context: Context) => Promise<unknown>) =>
    actionForm(`${root}/runs/{run}/${name}`, writePage, async (context) => {
      const row = await runOf(deps, context);
      await run(row, context);
      return name === 'delete' ? `${baseOf(deps, context)}?deleted=${row.number}` : pageOfRun(context, row);
    });
  const rerun = async (row: RunRow, which: RerunSelection, context: Context) => {
    const off = await disabledWorkflows.of(row.repository_id);
    const source = row.is_scoped_run ? row.workflow_repo_id : 0;
    if (off.has(disabledWorkflows.key(source, row.workflow_id))) throw BadRequest('workflow is disabled');
    return reruns.rerun(row, which, context.actor.id);
  };
  /** It has a file, or had one and has runs; what is off may always be switched on. */
  const isKnown = async (repository: Repository, workflow: string, source: number): Promise<boolean> => {
    if (!workflow) return false;
    const files = source
      ? ((await scoped.sourcesFor(repository)).find((one) => one.repositoryId === source)?.files ?? [])
      : await deps.workflows.list(repository);
    if (files.some(({ id }) => id === workflow)) return true;
    if ((await disabledWorkflows.of(repository.id)).has(disabledWorkflows.key(source, workflow))) return true;
    const run = deps.database.query(Runs).where({ repository_id: repository.id, workflow_id: workflow });
    return (
      (await run
        .where({ is_scoped_run: source > 0 })
        .select('id')
        .first()) !== undefined
    );
  };
  const toggle = (name: 'enable' | 'disable') =>
    actionForm(`${root}/${name}`, administer, async (context, values) => {
      const { repository } = context.resource;
      const workflow = formText(values, 'workflow', 255);
      const source = toId(formText(values, 'scoped_workflow_source_repo_id', 20));
      if (!(await isKnown(repository, workflow, source))) throw NotFound('workflow');
      if (name === 'disable' && source && (await scoped.isRequired(repository, source, workflow)))
        throw Forbidden('a required workflow cannot be disabled');
      await disabledWorkflows.set(repository.id, source, workflow, name === 'disable');
      const query = new URLSearchParams({ workflow });
      if (source) query.set('scoped_workflow_source_repo_id', String(source));
      return `${baseOf(deps, context)}?${query.toString()}`;
    });
  return { act, lifecycle, rerun, deps, toggle, pageOfRun };
}

type RunActsRouteContext = ReturnType<typeof runActsContext>;

const rerunJob = ({ act, deps, rerun }: RunActsRouteContext) =>
  act('jobs/{job}/rerun', async (row, context) => {
    const job = await jobOf(deps, row, param(context, 'job'));
    return rerun(row, { what: 'job', jobId: job.id }, context);
  });

const dispatchWorkflow = ({ deps, pageOfRun }: RunActsRouteContext) =>
  actionForm(`${root}/run`, writePage, async (context, values) => {
    const made = await deps.dispatcher.dispatch(
      {
        repository: context.resource.repository,
        workflowId: formText(values, 'workflow', 255),
        sourceId: toId(formText(values, 'scoped_workflow_source_repo_id', 20)),
        ref: formText(values, 'ref', 255),
        inputs: inputsOf(values),
      },
      context.actor,
    );
    return pageOfRun(context, made);
  });

const approveAllChecks = ({ deps, lifecycle }: RunActsRouteContext) =>
  actionForm(`${root}/approve-all-checks`, writePage, async (context, values) => {
    const commit =
      formText(values, 'commit_id', 64) || String((context.query as { commit_id?: unknown }).commit_id ?? '');
    const { repository } = context.resource;
    const rows = await deps.database
      .query(Runs)
      .where({ repository_id: repository.id, need_approval: true })
      .where((either) => void either.where('commit_sha', commit).orWhere('status_sha', commit));
    for (const row of rows) await lifecycle.checkApprover(row, context.actor.id);
    for (const row of rows) await lifecycle.approve(row.id, context.actor.id);
    const back = formText(values, 'back', 255);
    const home = baseOf(deps, context);
    return isChecked(values, 'stay') && back.startsWith(home.replace(/actions$/, '')) ? back : home;
  });

const jobLog = ({ deps }: RunActsRouteContext) =>
  pageRoute(`${root}/runs/{run}/jobs/{job}/logs`, readPage, async (context) => {
    const run = await runOf(deps, context as unknown as Context);
    const job = await jobOf(deps, run, context.params.job);
    const text = taskOf(job) ? await deps.logs.text(taskOf(job)) : undefined;
    if (!text) throw NotFound('log');
    return reply
      .bytes(text, 'text/plain; charset=utf-8')
      .header('content-disposition', contentDisposition('attachment', logFileOf(run, job)))
      .header('x-content-type-options', 'nosniff');
  });

const runLogs = ({ deps }: RunActsRouteContext) =>
  pageRoute(`${root}/runs/{run}/logs`, readPage, async (context) => {
    const run = await runOf(deps, context as unknown as Context);
    const number = toId((context.query as { readonly attempt?: unknown }).attempt);
    const { attempt } = await deps.reader.details(run, number);
    const archive = await logArchive(deps, run, attempt?.id);
    if (!archive) throw NotFound('log');
    return reply
      .bytes(archive.content, 'application/zip')
      .header('content-disposition', contentDisposition('attachment', archive.name));
  });

const workflowFile = ({ deps }: RunActsRouteContext) =>
  pageRoute(`${root}/runs/{run}/workflow`, readPage, async (context) => {
    const run = await runOf(deps, context as unknown as Context);
    const to = await workflowPage(deps, context as unknown as Context, run);
    if (!to) throw NotFound('workflow');
    return reply.redirect(to, 302);
  });

/** What the forms on pages of runs do. */
export function runActionRoutes(deps: RunPageDeps): Route[] {
  const context = runActsContext(deps);
  const { act, lifecycle, rerun, toggle } = context;
  return [
    act('cancel', (row) => lifecycle.cancel(row.id, { force: false })),
    act('force-cancel', (row) => lifecycle.cancel(row.id, { force: true })),
    act('approve', (row, { actor }) => lifecycle.approve(row.id, actor.id)),
    act('delete', (row) => lifecycle.delete(row.id)),
    act('rerun', (row, context) => rerun(row, { what: 'all' }, context)),
    act('rerun-failed', (row, context) => rerun(row, { what: 'failed' }, context)),
    rerunJob(context),
    toggle('enable'),
    toggle('disable'),
    dispatchWorkflow(context),
    approveAllChecks(context),
    jobLog(context),
    runLogs(context),
    workflowFile(context),
  ];
}
