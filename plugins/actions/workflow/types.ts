import type { Value, ValueMap } from './values.js';

/** Something wrong with a workflow file. */
export interface Problem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** A file with an error starts nothing. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export interface ParsedWorkflow {
  /** Absent when a problem is an error. */
  readonly workflow?: Workflow;
  /** The `name:` where it can be read, also of a broken file. */
  readonly name?: string;
  readonly problems: readonly Problem[];
}

export interface Workflow {
  readonly file: string;
  readonly name?: string;
  /** With its expressions. */
  readonly runName?: string;
  readonly on: readonly Trigger[];
  readonly env: ValueMap;
  readonly permissions?: DeclaredPermissions;
  readonly concurrency?: RawConcurrency;
  /** In the order of the file. */
  readonly jobs: readonly Job[];
  /** The whole document. */
  readonly source: ValueMap;
}

/** One entry of `on:`. */
export interface Trigger {
  /** Its key, for example `push`. */
  readonly event: string;
  readonly types?: readonly string[];
  readonly branches?: readonly string[];
  readonly branchesIgnore?: readonly string[];
  readonly tags?: readonly string[];
  readonly tagsIgnore?: readonly string[];
  readonly paths?: readonly string[];
  readonly pathsIgnore?: readonly string[];
  /** Of `workflow_run`: patterns of display names. */
  readonly workflows?: readonly string[];
  /** Unknown filters: such an entry never matches. */
  readonly unknown: readonly string[];
  /** Of `schedule`. */
  readonly crons?: readonly { readonly cron: string; readonly timezone?: string }[];
  /** Of `workflow_dispatch` and `workflow_call`. */
  readonly inputs?: readonly InputDefinition[];
  /** Of `workflow_call`. */
  readonly secrets?: readonly { readonly name: string; readonly required: boolean; readonly description?: string }[];
  /** Of `workflow_call`. */
  readonly outputs?: readonly { readonly name: string; readonly value: string; readonly description?: string }[];
}

export type InputType = 'string' | 'boolean' | 'number' | 'choice' | 'environment';

export interface InputDefinition {
  readonly name: string;
  readonly type: InputType;
  readonly required: boolean;
  readonly default?: Value;
  readonly description?: string;
  readonly options: readonly string[];
}

export interface Job {
  readonly id: string;
  /** With its expressions, as are all below that are not evaluated by name. */
  readonly name?: string;
  readonly needs: readonly string[];
  readonly if?: string;
  readonly runsOn?: Value;
  /** Makes it a caller of a reusable workflow, which no runner gets. */
  readonly uses?: string;
  readonly with: ValueMap;
  readonly secrets?: 'inherit' | ValueMap;
  readonly outputs: { readonly [key: string]: string };
  readonly permissions?: DeclaredPermissions;
  readonly concurrency?: RawConcurrency;
  readonly strategy?: RawStrategy;
  readonly continueOnError?: Value;
  readonly timeoutMinutes?: Value;
  readonly environment?: Value;
  readonly steps: readonly Step[];
  /** Where it stands in the file, from 1. */
  readonly line: number;
  readonly source: ValueMap;
}

export interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly source: ValueMap;
}

export interface RawConcurrency {
  readonly group: string;
  readonly cancelInProgress: Value;
}

export interface RawStrategy {
  readonly matrix?: Value;
  readonly failFast?: Value;
  readonly maxParallel?: Value;
}

/** Units of a repository that a job's token may be given. */
export type Unit = 'code' | 'releases' | 'issues' | 'pull-requests' | 'packages' | 'actions' | 'wiki' | 'projects';
export type Mode = 'none' | 'read' | 'write';
export type PermissionTable = { readonly [unit in Unit]: Mode };

/** `permissions:` as written in a job or workflow. */
export interface DeclaredPermissions {
  readonly units: PermissionTable;
  /** `id-token: write`. */
  readonly idToken: boolean;
}

export type Result = 'success' | 'failure' | 'cancelled' | 'skipped';

export interface NeedResult {
  readonly result: Result;
  readonly outputs: { readonly [key: string]: string };
}
