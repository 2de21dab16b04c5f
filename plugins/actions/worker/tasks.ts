/** What the threads are asked and what they answer: plain data, for it travels between threads. */
import type { Contexts, ParsedWorkflow, PlannedJob, Workflow } from '../workflow/index.js';

export interface ParseTask {
  readonly kind: 'parse';
  readonly text: string | Uint8Array;
  readonly file: string;
}

export interface PlanTask {
  readonly kind: 'plan';
  readonly workflow: Workflow;
  readonly contexts: Contexts;
}

export type Task = ParseTask | PlanTask;

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

export type Answer<T extends Task> = T extends ParseTask ? ParsedWorkflow : Plan;
