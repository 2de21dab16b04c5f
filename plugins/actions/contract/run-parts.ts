import type { VNode } from 'preact';
import { definePoint, defineService, type Actor, type Keyed } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';

/** An attempt of a run whose page is shown. */
export interface RunPlace {
  readonly repository: Repository;
  readonly runId: number;
  readonly attemptId: number;
  /** From 1. */
  readonly attempt: number;
  /** Jobs of the attempt, in their order. */
  readonly jobs: readonly { readonly id: number; readonly name: string }[];
  /** Path of the run's page. */
  readonly base: string;
  readonly csrf: string;
  /** May the reader change the run? */
  readonly mayWrite: boolean;
  readonly actor: Actor;
  /** Of a visitor who is not signed in. */
  readonly remoteAddress?: string;
}

/** As scripts get it in the state of a run. */
export interface RunPartState {
  readonly artifacts?: readonly {
    readonly name: string;
    /** Bytes. */
    readonly size: number;
    readonly status: 'completed' | 'expired';
    /** Seconds since 1970 UTC. */
    readonly expiresUnix: number;
  }[];
  readonly jobSummaries?: readonly { readonly jobId: number; readonly jobName: string; readonly html: string }[];
}

/** What a plugin knows about one attempt. */
export interface RunPartView {
  readonly state: RunPartState;
  /** What the page needs in the browser. */
  readonly islands?: readonly string[];
  /** Below the jobs; called in the reader's language. */
  render(): VNode | null;
}

/** What other plugins keep of runs and show on their pages. */
export interface RunPart extends Keyed {
  readonly order?: number;
  load(place: RunPlace): Promise<RunPartView>;
}
export const runParts = definePoint.keyed<RunPart>('actions.runParts');

/** Finds attempts by what addresses say. */
export interface RunAttempts {
  /** `number` 0: the newest. Undefined: the repository has no such run, or that no such attempt. */
  idOf(repositoryId: number, runId: number, number: number): Promise<number | undefined>;
}
export const runAttempts = defineService<RunAttempts>('actions.runAttempts');
