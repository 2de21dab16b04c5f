import type { NeedResult, Result, Value, ValueMap } from '@mortise/actions/workflow';
import type { LogTarget } from './job-log.js';
import type { RunAs } from './run-program.js';

/** One job as a server hands it out. */
export interface JobTask {
  /** A workflow with exactly this job. */
  readonly payload: string;
  /** The `github` context. */
  readonly context: ValueMap;
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
  readonly needs: Readonly<Record<string, NeedResult>>;
}

export interface StepState {
  readonly result?: Result;
  readonly startedAt?: Date;
  readonly stoppedAt?: Date;
  /** First line in the log of the job, and how many. */
  readonly logIndex: number;
  readonly logLength: number;
}

/** Receives the progress of a job. */
export interface JobReporter extends LogTarget {
  step(index: number, state: StepState): void;
  /** Markdown that a step has left for the page of the run, whole each time. */
  summary(index: number, markdown: string): void;
  outputs(outputs: Readonly<Record<string, string>>): void;
}

/** Where and how jobs run. */
export interface RunnerHost {
  /** Folder in which each job gets one of its own, which is removed afterwards. */
  readonly workFolder: string;
  /** An existing working copy instead of a fresh folder; never removed. */
  readonly workspace?: string;
  /** Address of the server as the runner knows it, without a slash at the end; empty without a server. */
  readonly serverUrl: string;
  readonly runnerName: string;
  readonly version: string;
  /** Folder of tools that jobs share, read only to them where they run as somebody else. */
  readonly toolFolder: string;
  readonly runAs?: RunAs;
  /** Program that runs containers: `auto` looks for one, `off` has none. */
  readonly containers: string;
  /** Folders of the machine and volumes of the engine that workflows may give to containers. */
  readonly volumes: readonly string[];
  /** Milliseconds that a job may take. */
  readonly timeout: number;
  /** Bytes that the log of a job may have. */
  readonly maxLogBytes: number;
}

export interface StepOutcome {
  outcome: Result;
  conclusion: Result;
  readonly outputs: Record<string, string>;
}

/** `steps` of a job or of a composite action run in one. */
export interface Scope {
  readonly steps: Map<string, StepOutcome>;
  readonly inputs: Readonly<Record<string, Value>>;
  /** Variables of workflow, job and GITHUB_ENV; shared by all scopes of a job. */
  readonly env: Record<string, string>;
  /** Of the composite action. */
  readonly actionPath: string;
  hasFailed: boolean;
  readonly depth: number;
}

/** What a step has said by commands and files. */
export interface StepOutput {
  readonly outputs: Record<string, string>;
  readonly state: Record<string, string>;
}

/** A step fails with this message. */
export class StepFailure extends Error {}
