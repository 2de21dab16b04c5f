/** The contract of `time-tracking`: time that people spend on issues. Types, references and events; no behaviour. */
import { defineEvent, defineService, type Actor } from '@mortise/plugin-sdk';

/** Model `StopWatch` of the REST surface. */
export interface ApiStopwatch {
  created: string;
  seconds: number;
  /** In words. */
  duration: string;
  issue_index: number;
  issue_title: string;
  repo_owner_name: string;
  repo_name: string;
}

/** Stopwatches that run. */
interface Stopwatches {
  /** Those of the actor, on issues that the actor may read. */
  running(actor: Actor): Promise<ApiStopwatch[]>;
}
export const stopwatches = defineService<Stopwatches>('time-tracking.stopwatches');

/** A person started, stopped or discarded a stopwatch. */
export const stopwatchesChanged = defineEvent<{ readonly userId: number }>('time-tracking.stopwatchesChanged');
