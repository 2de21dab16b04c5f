/**
 * The contract of `pulls`: pull requests, what they change, how they are merged, and points by which reviews, checks and
 * queues take part. No behaviour.
 */
export * from './contract/imports.js';
export * from './contract/merge-box-row.js';
export * from './contract/models.js';
export * from './contract/pages.js';
export * from './contract/points.js';
export * from './contract/pulls.js';
