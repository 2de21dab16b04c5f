/**
 * The contract of `actions`: how runs and jobs stand, what happens to them, and services by which runners, artifacts and
 * pages take part.
 */
export * from './contract/clean-up.js';
export * from './contract/events.js';
export { type TaskLogs, taskLogs } from './contract/logs.js';
export { type Runner, registrationTokens } from './contract/runners.js';
export { type ActionScope, siteScope, ownerScope } from './contract/scopes.js';
export { taskIdentities } from './contract/task-identity.js';
export {
  type ResultNumber,
  type TaskPayload,
  type StepReport,
  type TaskReport,
  type RunnerService,
  runnerService,
  type TaskContextEntry,
  taskContextEntries,
} from './contract/tasks.js';
export {
  type RunPageContext,
  type RunPageSection,
  runPageSections,
  type RunAttempts,
  runAttempts,
} from './contract/run-page-sections.js';
export * from './contract/runtime-tasks.js';
export { runtimeTokens } from './contract/runtime-tokens.js';
export { statusNumbers } from './contract/states.js';
export { zipStream, type ZipEntry } from './services/zip.js';
export { actionsSettings } from './settings.js';
