/**
 * The contract of `issues`: issues and what pull requests have in common with them, their labels, milestones and
 * timelines; points by which other plugins add to them, and what happens to them. No behaviour.
 */
export * from './contract/imports.js';
export * from './contract/issues.js';
export * from './contract/labels.js';
export * from './contract/milestones.js';
export * from './contract/models.js';
export * from './contract/pages.js';
export * from './contract/points.js';
export * from './contract/timeline.js';
