import type { Budget, Contexts, Evaluation } from './evaluation.js';
import { hasExpression, interpolate, interpolateValue, usesContext } from './interpolate.js';
import { cellName, expandMatrix, maxParallel, strategyContext, type Cell } from './matrix.js';
import { stepName } from './parse-jobs.js';
import { Payloads } from './payload.js';
import type { DeclaredPermissions, Job, RawConcurrency, Workflow } from './types.js';
import { cut, isList, isMap, isTruthy, limits, toText, WorkflowError, type Value } from './values.js';

/** A job with one combination of its matrix, as a run has it. */
export interface PlannedJob {
  /** Id in the file. */
  readonly id: string;
  /** With the suffix of the combination, at most 255 characters. */
  readonly name: string;
  readonly cell: Cell;
  readonly needs: readonly string[];
  readonly if?: string;
  /** Labels that a runner must have; none for callers. */
  readonly runsOn: readonly string[];
  readonly continueOnError: boolean;
  /** Minutes. */
  readonly timeoutMinutes?: number;
  readonly maxParallel?: number;
  readonly isCaller: boolean;
  readonly uses?: string;
  readonly concurrency?: RawConcurrency;
  /** The job's, else the workflow's; absent when neither says. */
  readonly permissions?: DeclaredPermissions;
  readonly stepNames: readonly string[];
  /** The `strategy` context. */
  readonly strategy: Value;
  /** YAML of this one job, for its runner and for a re-run. */
  readonly payload: string;
  /** Known only when the needs have ended: plan it again then, from the payload. */
  readonly isDeferred: boolean;
}

/** Does the value use what is known only when needs have ended? */
const waits = (value: Value | undefined): boolean => usesContext(value, 'needs');

/** The matrix uses `needs`. */
export const matrixWaitsForNeeds = (job: Job): boolean => waits(job.strategy?.matrix);

/** Matrix, labels or `continue-on-error` use `needs`. */
export const jobWaitsForNeeds = (job: Job): boolean =>
  matrixWaitsForNeeds(job) || waits(job.runsOn) || waits(job.continueOnError);

/** Group or `cancel-in-progress` use `needs`. */
export const concurrencyWaitsForNeeds = ({ group, cancelInProgress }: RawConcurrency): boolean =>
  waits(group) || waits(cancelInProgress);

/** All jobs of a workflow in the order of the file, combinations by name. Throws `WorkflowError`. */
export function planJobs(workflow: Workflow, contexts: Contexts): readonly PlannedJob[] {
  const planned: PlannedJob[] = [];
  const payloads = new Payloads(workflow);
  for (const job of workflow.jobs) {
    planned.push(
      ...(jobWaitsForNeeds(job) ? [deferred(workflow, job, payloads)] : planJob(workflow, job, contexts, payloads)),
    );
    if (planned.length > limits.jobsPerRun)
      throw new WorkflowError(`the run would have more than ${limits.jobsPerRun} jobs`);
  }
  return planned;
}

/** One job in all its combinations. With `needs` in the contexts, also one that waited for them. Throws `WorkflowError`. */
export function planJob(
  workflow: Workflow,
  job: Job,
  contexts: Contexts,
  payloads = new Payloads(workflow),
): readonly PlannedJob[] {
  const cells = expandMatrix(job, { contexts });
  const title = workflow.runName === undefined ? undefined : (runTitle(workflow, contexts) ?? '');
  return cells.map((cell, index) => {
    const strategy = strategyContext(job, index, cells.length);
    const evaluation: Evaluation = { contexts: { ...contexts, matrix: cell.values, strategy } };
    const name = nameOf(job, cell, evaluation);
    const runsOn = job.uses === undefined ? labelsOf(job, evaluation) : [];
    const continueOnError = flagOf(job, evaluation);
    const changes: { [key: string]: Value } = { name };
    if (runsOn.length > 0) changes['runs-on'] = runsOn.length === 1 ? runsOn[0]! : runsOn;
    if (job.continueOnError !== undefined) changes['continue-on-error'] = continueOnError;
    if (job.strategy) changes.strategy = strategyOf(job, cell);
    return {
      ...common(workflow, job),
      name,
      cell,
      runsOn,
      continueOnError,
      strategy,
      payload: payloads.of(job, changes, title),
      isDeferred: false,
    };
  });
}

const deferred = (workflow: Workflow, job: Job, payloads: Payloads): PlannedJob => ({
  ...common(workflow, job),
  name: cut(job.name !== undefined && !hasExpression(job.name) ? job.name : job.id, limits.nameLength),
  cell: { values: {} },
  runsOn: [],
  continueOnError: false,
  strategy: strategyContext(job, 0, 1),
  payload: payloads.of(job, {}),
  isDeferred: true,
});

function common(workflow: Workflow, job: Job) {
  const minutes = job.timeoutMinutes;
  const limit = maxParallel(job);
  const permissions = job.permissions ?? workflow.permissions;
  return {
    id: job.id,
    needs: job.needs,
    ...(job.if === undefined ? {} : { if: job.if }),
    ...(typeof minutes === 'number' && minutes > 0 ? { timeoutMinutes: minutes } : {}),
    ...(limit === undefined ? {} : { maxParallel: limit }),
    isCaller: job.uses !== undefined,
    ...(job.uses === undefined ? {} : { uses: job.uses }),
    ...(job.concurrency ? { concurrency: job.concurrency } : {}),
    ...(permissions ? { permissions } : {}),
    stepNames: job.steps.map(stepName),
  };
}

function nameOf(job: Job, cell: Cell, evaluation: Evaluation): string {
  const raw = job.name ?? job.id;
  if (hasExpression(raw)) {
    const name = within(`jobs.${job.id}.name`, () => interpolate(raw, evaluation)).trim();
    if (name !== '') return cut(name, limits.nameLength);
  }
  const suffix = cellName(cell);
  return cut(suffix === '' ? raw : `${hasExpression(raw) ? job.id : raw} (${suffix})`, limits.nameLength);
}

/** `runs-on` as a text, a list, or a mapping of `group` and `labels`. */
function labelsOf(job: Job, evaluation: Evaluation): string[] {
  if (job.runsOn === undefined) return [];
  return within(`jobs.${job.id}.runs-on`, () => {
    const value = interpolateValue(job.runsOn!, evaluation);
    const plain = isMap(value) ? [value.group ?? null, ...asList(value.labels ?? null)] : asList(value);
    if (plain.some((one) => typeof one === 'object' && one !== null))
      throw new WorkflowError('must be a text, a list of texts, or a mapping of "group" and "labels"');
    return [...new Set(plain.map(toText).filter((label) => label !== ''))].slice(0, 100);
  });
}

const asList = (value: Value): readonly Value[] => (isList(value) ? value : [value]);

function flagOf(job: Job, evaluation: Evaluation): boolean {
  if (job.continueOnError === undefined) return false;
  const value = within(`jobs.${job.id}.continue-on-error`, () => interpolateValue(job.continueOnError!, evaluation));
  return value !== 'false' && isTruthy(value);
}

function strategyOf(job: Job, cell: Cell): Value {
  const { failFast, maxParallel: most } = job.strategy!;
  return {
    ...(failFast === undefined ? {} : { 'fail-fast': failFast }),
    ...(most === undefined ? {} : { 'max-parallel': most }),
    matrix: Object.fromEntries(Object.entries(cell.values).map(([key, value]) => [key, [value]])),
  };
}

/** `run-name` with its expressions evaluated, at most 255 characters; undefined when there is none. Throws `WorkflowError`. */
export function runTitle(workflow: Workflow, contexts: Contexts): string | undefined {
  const raw = workflow.runName;
  if (raw === undefined) return undefined;
  const title = within('run-name', () => interpolate(raw, { contexts }))
    .replace(/\s+/g, ' ')
    .trim();
  return title === '' ? undefined : cut(title, limits.nameLength);
}

/** Group and flag of `concurrency`; undefined without a group. Throws `WorkflowError`. */
export function evaluateConcurrency(
  concurrency: RawConcurrency | undefined,
  contexts: Contexts,
  budget?: Budget,
): { readonly group: string; readonly cancelInProgress: boolean } | undefined {
  if (!concurrency) return undefined;
  const evaluation: Evaluation = { contexts, ...(budget && { budget }) };
  return within('concurrency', () => {
    const group = cut(interpolate(concurrency.group, evaluation).trim(), limits.nameLength);
    const flag = interpolateValue(concurrency.cancelInProgress, evaluation);
    return group === '' ? undefined : { group, cancelInProgress: flag === true || flag === 'true' };
  });
}

/** Errors of the work name the place. */
export function within<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof WorkflowError && !error.where) throw new WorkflowError(error.message, where);
    throw error;
  }
}
