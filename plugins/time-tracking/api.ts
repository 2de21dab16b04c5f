/** The contract of `time-tracking`: time that people spend on issues. Types and events; no behaviour. */
import { defineEvent } from '@mortise/plugin-sdk';

/** A person started, stopped or discarded a stopwatch. */
export const stopwatchesChanged = defineEvent<{ readonly userId: number }>('time-tracking.stopwatchesChanged');
