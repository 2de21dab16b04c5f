/** The contract of `time-tracking`: time that people spend on issues. Types, references and events; no behaviour. */
export { stopwatches, stopwatchesChanged } from './contract/time-tracking.js';
