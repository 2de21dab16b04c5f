import type { VNode } from 'preact';
import { definePoint, defineService, type Actor, type Keyed } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';

/** The attempt whose page is rendered. */
export interface RunPageContext {
  readonly repository: Repository;
  readonly runId: number;
  readonly attemptId: number;
  /** From 1. */
  readonly attempt: number;
  /** Jobs of the attempt, in their order. */
  readonly jobs: readonly { readonly id: number; readonly name: string }[];
  /** Path of the run's page. */
  readonly base: string;
  /** May the reader change the run? */
  readonly mayWrite: boolean;
  readonly actor: Actor;
  /** Of a visitor who is not signed in. */
  readonly remoteAddress?: string;
}

/** Part of the JSON state of a run. */
export interface RunSectionState {
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

/** One plugin's section about one attempt. */
export interface RunSectionView {
  readonly state: RunSectionState;
  /** What the page needs in the browser. */
  readonly islands?: readonly string[];
  /** Below the jobs; called in the reader's language. */
  render(): VNode | null;
}

/** Sections that other plugins add to the page of a run. */
export interface RunPageSection extends Keyed {
  readonly order?: number;
  load(place: RunPageContext): Promise<RunSectionView>;
}
export const runPageSections = definePoint.keyed<RunPageSection>('actions.runPageSections');

/** Resolves the attempts named in page addresses. */
export interface RunAttempts {
  /** `number` 0: the newest. Undefined: the repository has no such run, or that no such attempt. */
  idOf(repositoryId: number, runId: number, number: number): Promise<number | undefined>;
}
export const runAttempts = defineService<RunAttempts>('actions.runAttempts');
