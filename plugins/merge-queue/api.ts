/** The contract of `merge-queue`: what waits to be merged, and what becomes of it. */
export { mergeQueueChanged } from './contract/merge-queue.js';
