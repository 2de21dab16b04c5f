/**
 * The contract of `actions`: how runs and jobs stand, what happens to them, and services by which runners, artifacts and
 * pages take part.
 */
export * from './contract/clean-up.js';
export * from './contract/events.js';
export * from './contract/id-tokens.js';
export * from './contract/labels.js';
export * from './contract/logs.js';
export * from './contract/runners.js';
export * from './contract/scopes.js';
export * from './contract/secrets.js';
export * from './contract/task-identity.js';
export * from './contract/tasks.js';
export * from './contract/token-settings.js';
export * from './contract/run-page-sections.js';
export * from './contract/runs.js';
export * from './contract/runtime-tasks.js';
export * from './contract/runtime-tokens.js';
export * from './contract/states.js';
export { zipStream, type ZipEntry } from './services/zip.js';
export { actionsSettings, type ActionsSettings } from './settings.js';
