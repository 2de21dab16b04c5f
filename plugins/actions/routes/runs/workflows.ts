import {
  defineRoute,
  Forbidden,
  Invalid,
  Joi,
  NotFound,
  Problem,
  reply,
  type Route,
  type RouteContext,
  queryFlag,
} from '@mortise/plugin-sdk';
import { repositoryApi, repositoryTags, type Repository, type RepositoryContext } from '@mortise/repositories/api';
import type { Value } from '../../workflow/index.js';
import { RunRow } from '../../models/run.js';
import type { WorkflowDispatcher } from '../../services/runs/workflow-dispatcher.js';
import type { ScopedWorkflows } from '../../services/runs/scoped-workflows.js';
import type { WorkflowPresenter } from '../../services/runs/workflow-presenter.js';
import type { WorkflowFile } from '../../services/runs/workflow-files.js';
import { read, RunAnswers, write, type RunRouteDeps } from './runs.js';
import { dispatchSchema, runListSchema, runQuery, workflowListSchema, workflowSchema } from './schemas.js';

interface WorkflowRouteDeps extends RunRouteDeps {
  readonly workflows: WorkflowPresenter;
  readonly scoped: ScopedWorkflows;
  readonly dispatcher: WorkflowDispatcher;
}

const base = `${repositoryApi}/actions/workflows`;
const tags = repositoryTags;
const off = {
  scoped_workflow_source_repo_id: Joi.number().integer().min(0).description('Of the scoped workflow of that source'),
};
const sourceQuery = Joi.object<{ readonly scoped_workflow_source_repo_id?: number }>(off).label('WorkflowSource');

interface DispatchQuery {
  readonly return_run_details?: boolean;
  readonly scoped_workflow_source_repo_id?: number;
}

type Context = RouteContext<RepositoryContext, { readonly workflow_id: string }>;

/** What these routes share. */
function workflowContext(deps: WorkflowRouteDeps) {
  const { workflows, disabledWorkflows, dispatcher } = deps;
  const responses = new RunAnswers(deps);
  const find = async (repository: Repository, id: string): Promise<WorkflowFile> => {
    const file = (await workflows.list(repository)).find((one) => one.id === id);
    if (!file) throw NotFound('workflow');
    return file;
  };
  const toggle = (name: 'enable' | 'disable', operation: string, summary: string) =>
    defineRoute({
      method: 'PUT',
      path: `${base}/{workflow_id}/${name}`,
      id: operation,
      tags,
      summary,
      access: write,
      request: { query: sourceQuery },
      responses: { 204: null },
      async handler({ resource: { repository }, params, query }) {
        const source = query.scoped_workflow_source_repo_id ?? 0;
        if (source === 0) await find(repository, params.workflow_id);
        else await findScoped(repository, source, params.workflow_id, name);
        await disabledWorkflows.set(repository.id, source, params.workflow_id, name === 'disable');
        return reply.none();
      },
    });
  const findScoped = async (repository: Repository, source: number, id: string, name: 'enable' | 'disable') => {
    const workflow = (await deps.scoped.sourcesFor(repository)).find((one) => one.repositoryId === source);
    if (!workflow?.files.some((file) => file.id === id)) throw NotFound('workflow');
    if (name === 'disable' && (await deps.scoped.isRequired(repository, source, id)))
      throw Forbidden('a required workflow cannot be disabled');
  };
  return { workflows, find, responses, deps, toggle, dispatching: dispatcher };
}

type WorkflowRouteContext = ReturnType<typeof workflowContext>;

const actionsListRepositoryWorkflows = ({ workflows }: WorkflowRouteContext) =>
  defineRoute({
    method: 'GET',
    path: base,
    id: 'ActionsListRepositoryWorkflows',
    tags,
    summary: 'Workflows of the default branch',
    access: read,
    responses: { 200: workflowListSchema },
    async handler({ resource: { repository } }) {
      const list = await workflows.records(repository, await workflows.list(repository));
      return { workflows: list, total_count: list.length };
    },
  });

const actionsGetWorkflow = ({ workflows, find }: WorkflowRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/{workflow_id}`,
    id: 'ActionsGetWorkflow',
    tags,
    summary: 'One workflow',
    access: read,
    responses: { 200: workflowSchema },
    async handler({ resource: { repository }, params }) {
      return (await workflows.records(repository, [await find(repository, params.workflow_id)]))[0];
    },
  });

const actionsListWorkflowRuns = ({ responses, deps, find }: WorkflowRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/{workflow_id}/runs`,
    id: 'ActionsListWorkflowRuns',
    tags,
    summary: 'Runs of one workflow, newest first',
    access: read,
    request: { query: runQuery },
    responses: { 200: runListSchema, 400: null },
    async handler(context) {
      const { repository } = context.resource;
      const id = context.params.workflow_id;
      const list = await responses.listRuns({ repositoryId: repository.id }, context, id);
      if (list.total) return list;
      // one that has no runs and no file is none
      const hasRun = await deps.database
        .query(RunRow)
        .findOne({ repository_id: repository.id, workflow_id: id })
        .select('id');
      if (!hasRun) await find(repository, id);
      return list;
    },
  });

const actionsDispatchWorkflow = ({ dispatching: dispatcher, deps }: WorkflowRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/{workflow_id}/dispatches`,
    id: 'ActionsDispatchWorkflow',
    tags,
    summary: 'Ask for a run of a workflow',
    access: write,
    request: {
      query: Joi.object<DispatchQuery>({
        ...off,
        return_run_details: queryFlag().description('Answers with the run'),
      }).label('DispatchQuery'),
      payload: Joi.object({
        ref: Joi.string().allow('', null).description('Full reference, or name of a branch'),
        inputs: Joi.any().description('Object: values by the names of the inputs'),
      })
        // a form names its inputs so
        .pattern(/^inputs\[.{1,255}\]$/, Joi.any())
        .options({ stripUnknown: true })
        .label('CreateActionWorkflowDispatch'),
    },
    responses: { 200: dispatchSchema, 204: null },
    async handler(context) {
      const { resource, actor, query } = context;
      const { repository } = resource;
      const body = (context.payload ?? {}) as Readonly<Record<string, unknown>>;
      const ref = typeof body.ref === 'string' ? body.ref.trim() : '';
      if (!ref) throw Invalid('ref is required');
      const run = await dispatcher.dispatch(
        {
          repository,
          workflowId: (context as unknown as Context).params.workflow_id,
          sourceId: query.scoped_workflow_source_repo_id ?? 0,
          ref,
          inputs: inputsOf(body),
        },
        actor,
      );
      if (!query.return_run_details) return reply.none();
      return {
        workflow_run_id: run.id,
        run_url: deps.presenter.runUrl(repository, run),
        html_url: deps.presenter.runPage(repository, run),
      };
    },
  });

/** Workflows of a repository: list, one, switches, runs, asking for one (ACT-22, ACT-41, ACT-61, ACT-62). */
export function workflowRoutes(deps: WorkflowRouteDeps): Route[] {
  const context = workflowContext(deps);
  const { toggle } = context;
  return [
    actionsListRepositoryWorkflows(context),
    actionsGetWorkflow(context),
    actionsListWorkflowRuns(context),
    toggle('enable', 'ActionsEnableWorkflow', 'Switch a workflow on'),
    toggle('disable', 'ActionsDisableWorkflow', 'Switch a workflow off'),
    actionsDispatchWorkflow(context),
  ];
}

const isPlain = (value: unknown): value is Value => ['string', 'number', 'boolean'].includes(typeof value);

/** Of a JSON body, or of a form with `inputs[name]`. */
function inputsOf(body: Readonly<Record<string, unknown>>): Record<string, Value> {
  const values: Record<string, Value> = {};
  const given = body.inputs && typeof body.inputs === 'object' ? (body.inputs as Record<string, unknown>) : {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== null && !isPlain(value))
      throw new Problem('invalid', `the input ${name.slice(0, 50)} is no plain value`);
    if (value !== null) values[name] = value;
  }
  for (const [key, value] of Object.entries(body)) {
    const name = /^inputs\[(.+)\]$/.exec(key)?.[1];
    if (name && isPlain(value)) values[name] = value;
  }
  return values;
}
