/** What the threads are asked and what they answer: plain data, for it travels between threads. */
import type { BoundCall, Contexts, NeedResult, ParsedWorkflow, PlannedJob, Workflow } from '../workflow/index.js';

interface ParseTask {
  readonly kind: 'parse';
  readonly text: string | Uint8Array;
  readonly file: string;
}

interface PlanTask {
  readonly kind: 'plan';
  readonly workflow: Workflow;
  readonly contexts: Contexts;
}

/** A job that is stored as the only one of a workflow of its own. */
export interface StoredJob {
  readonly id: string;
  readonly payload: string;
}

/** A job calls a workflow. */
export interface CallTask {
  readonly kind: 'call';
  readonly caller: StoredJob;
  /** As the caller names it. */
  readonly uses: string;
  readonly callee: string;
  readonly file: string;
  /** Of the caller. */
  readonly contexts: Contexts;
}

/** The needs of a job have ended that its matrix is made of. */
export interface MatrixTask {
  readonly kind: 'matrix';
  readonly job: StoredJob;
  readonly contexts: Contexts;
}

/** The jobs of a called workflow have ended. */
export interface OutputsTask {
  readonly kind: 'outputs';
  readonly callee: string;
  readonly file: string;
  readonly jobs: ReadonlyMap<string, NeedResult>;
  readonly inputs: BoundCall['inputs'];
}

export type Task = ParseTask | PlanTask | CallTask | MatrixTask | OutputsTask;

/** What becomes of a workflow in a run. */
export interface Plan {
  readonly title?: string;
  readonly concurrency?: { readonly group: string; readonly cancelInProgress: boolean };
  readonly jobs: readonly PlannedJob[];
  /** Why the run fails at once; then there are no jobs. */
  readonly problem?: string;
  /** What of the run itself it was made with: of another run it would be another. */
  readonly uses: { readonly id: boolean; readonly number: boolean };
}

/** Or why the job fails. */
export type CallPlan =
  | (BoundCall & {
      readonly hasOutputs: boolean;
      readonly jobs: readonly PlannedJob[];
      readonly problem?: undefined;
    })
  | { readonly problem: string };

export type ExpandedMatrix =
  | { readonly jobs: readonly PlannedJob[]; readonly problem?: undefined }
  | { readonly problem: string };

/** Without those that cannot be made. */
export type CallOutputs = Readonly<Record<string, string>>;

interface Answers {
  readonly parse: ParsedWorkflow;
  readonly plan: Plan;
  readonly call: CallPlan;
  readonly matrix: ExpandedMatrix;
  readonly outputs: CallOutputs;
}

export type Answer<T extends Task> = Answers[T['kind']];
