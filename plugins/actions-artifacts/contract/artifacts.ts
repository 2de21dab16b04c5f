import { defineService } from '@mortise/plugin-sdk';

/** Files that a job has handed over. */
export interface Artifact {
  readonly id: number;
  readonly runId: number;
  readonly attemptId: number;
  readonly repositoryId: number;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly isExpired: boolean;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Markdown that a step has left for the page of its run. */
export interface StepSummary {
  readonly jobId: number;
  /** Index of the step, from 0. */
  readonly step: number;
  readonly content: string;
}

/** Artifacts and summaries of runs, for pages. */
export interface RunArtifacts {
  /** Of one attempt, by name; the files of an artifact of the older protocol count as one. */
  ofAttempt(runId: number, attemptId: number): Promise<Artifact[]>;
  /** One after another, in the order of jobs and steps; together at most 1 MiB, further ones are left out. */
  summaries(jobIds: readonly number[]): Promise<StepSummary[]>;
  /** Takes one away, with its content. */
  remove(runId: number, attemptId: number, name: string): Promise<boolean>;
}
export const runArtifacts = defineService<RunArtifacts>('actions-artifacts.runArtifacts');
