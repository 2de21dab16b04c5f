import type { Budget, Contexts, Evaluation } from './evaluation.js';
import { hasExpression, interpolate, interpolateValue, usesContext } from './interpolate.js';
import { environmentName, isEnvironmentName } from './environment.js';
import { cellName, expandMatrix, strategyContext, strategyOf, type Cell } from './matrix.js';
import { stepName } from './parse-jobs.js';
import { Payloads } from './payload.js';
import type { DeclaredPermissions, Job, RawConcurrency, Workflow } from './types.js';
import {
  cut,
  isList,
  isMap,
  isTruthy,
  limits,
  numberOf,
  toText,
  within,
  WorkflowError,
  type Value,
  type ValueMap,
} from './values.js';

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
  /** Name of the environment that it deploys to. */
  readonly environment?: string;
  readonly isCaller: boolean;
  readonly uses?: string;
  readonly concurrency?: RawConcurrency;
  /** The job's, else the workflow's; absent when neither says. */
  readonly permissions?: DeclaredPermissions;
  readonly stepNames: readonly string[];
  /** The `strategy` context. */
  readonly strategy: ValueMap;
  /** YAML of this one job, for its runner and for a re-run. */
  readonly payload: string;
  /** Known only when the needs have ended: plan it again then, from the payload. */
  readonly isDeferred: boolean;
}

/** Does the value use what is known only when needs have ended? */
const waits = (value: Value | undefined): boolean => usesContext(value, 'needs');

/** The matrix uses `needs`. */
const matrixWaitsForNeeds = (job: Job): boolean => waits(job.strategy?.matrix);

/** Anything of its strategy, labels, `continue-on-error` or `timeout-minutes`, or its environment, uses `needs`. */
const jobWaitsForNeeds = (job: Job): boolean =>
  matrixWaitsForNeeds(job) ||
  // without needs it would never be planned, and its environment guard nothing
  (job.needs.length > 0 && waits(environmentName(job.environment))) ||
  [job.strategy?.failFast, job.strategy?.maxParallel, job.runsOn, job.continueOnError, job.timeoutMinutes].some(waits);

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
  const common = commonOf(workflow, job);
  const shared = strategyOf(job, { contexts });
  const title = workflow.runName === undefined ? undefined : (runTitle(workflow, contexts) ?? '');
  return cells.map((cell) => {
    const strategy = strategyContext(shared, cell.index, cells.length);
    const evaluation: Evaluation = { contexts: { ...contexts, matrix: cell.values, strategy } };
    const name = nameOf(job, cell, evaluation);
    const runsOn = job.uses === undefined ? labelsOf(job, evaluation) : [];
    const continueOnError = flagOf(job, evaluation);
    const timeoutMinutes = minutesOf(job, evaluation);
    const environment = job.uses === undefined ? environmentOf(job, evaluation) : '';
    const changes: { [key: string]: Value } = { name };
    if (runsOn.length > 0) changes['runs-on'] = runsOn.length === 1 ? runsOn[0]! : runsOn;
    if (job.continueOnError !== undefined) changes['continue-on-error'] = continueOnError;
    if (timeoutMinutes !== undefined) changes['timeout-minutes'] = timeoutMinutes;
    if (job.strategy) changes.strategy = payloadStrategy(job, strategy, cell);
    return {
      ...common,
      ...(shared.maxParallel === undefined ? {} : { maxParallel: shared.maxParallel }),
      ...(timeoutMinutes === undefined ? {} : { timeoutMinutes }),
      ...(environment === '' ? {} : { environment }),
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
  ...commonOf(workflow, job),
  name: cut(job.name !== undefined && !hasExpression(job.name) ? job.name : job.id, limits.nameLength),
  cell: { values: {}, index: 0 },
  runsOn: [],
  continueOnError: false,
  strategy: strategyContext({ failFast: true }, 0, 1),
  payload: payloads.of(job, {}),
  isDeferred: true,
});

function commonOf(workflow: Workflow, job: Job) {
  const permissions = job.permissions ?? workflow.permissions;
  return {
    id: job.id,
    needs: job.needs,
    ...(job.if === undefined ? {} : { if: job.if }),
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
  const suffix = cellName(cell.values);
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

/** Undefined without a limit. */
function minutesOf(job: Job, evaluation: Evaluation): number | undefined {
  if (job.timeoutMinutes === undefined) return undefined;
  const value = within(`jobs.${job.id}.timeout-minutes`, () => interpolateValue(job.timeoutMinutes!, evaluation));
  const minutes = isMap(value) || isList(value) ? NaN : numberOf(toText(value));
  return minutes > 0 && Number.isFinite(minutes) ? minutes : undefined;
}

/** Empty without one. */
function environmentOf(job: Job, evaluation: Evaluation): string {
  const name = environmentName(job.environment);
  if (name === undefined) return '';
  return within(`jobs.${job.id}.environment`, () => {
    const text = toText(interpolateValue(name, evaluation)).trim();
    if (text !== '' && !isEnvironmentName(text))
      throw new WorkflowError(
        `the name of an environment has 1 to ${limits.nameLength} characters, without line breaks, quotes, commas, semicolons and backslashes`,
      );
    return text;
  });
}

/**
 * `strategy` of the payload of one combination: its matrix has one value in each list, so the runner cannot count the
 * combinations itself.
 */
function payloadStrategy({ strategy }: Job, context: ValueMap, cell: Cell): Value {
  const { 'fail-fast': failFast, 'max-parallel': maxParallel, ...counts } = context;
  return {
    ...(strategy?.failFast === undefined ? {} : { 'fail-fast': failFast! }),
    ...(strategy?.maxParallel === undefined ? {} : { 'max-parallel': maxParallel! }),
    ...counts,
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
