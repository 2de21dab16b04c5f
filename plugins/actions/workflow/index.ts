/**
 * Workflow files and their expressions: parsing, triggers and filters, jobs and matrices, permissions, calls. Pure
 * computing, bounded by `limits`, and free of anything of the server: runners and the command line use it too. Parsing
 * never throws; everything else throws `WorkflowError` only.
 */
export { bindCall, callOutputs, callTarget, dispatchInputs, inputTexts, typedInputs, type BoundCall } from './calls.js';
export { parseCommand, type WorkflowCommand } from './commands.js';
export { nextTime } from './cron.js';
export { addressOutput, isEnvironmentName } from './environment.js';
export { evaluate } from './evaluate.js';
export { Budget, type Contexts, type Evaluation } from './evaluation.js';
export {
  hasTrigger,
  isSkipped,
  matchTriggers,
  triggersOfEvent,
  wantsChangedFiles,
  type EventProperties,
  type TriggerMatch,
} from './events.js';
export { evaluateCondition, interpolate, interpolateValue, statusFunctions } from './interpolate.js';
export { yamlLibrary } from './library.js';
export { strategyOf } from './matrix.js';
export { aggregateNeed, jobsContext, needsContext, shouldRun } from './needs.js';
export { parseWorkflow, problemText } from './parse.js';
export { stepName } from './parse-jobs.js';
export { isPattern, matchesPatterns } from './patterns.js';
export { effectivePermissions } from './permissions.js';
export { concurrencyWaitsForNeeds, evaluateConcurrency, planJob, planJobs, runTitle, type PlannedJob } from './plan.js';
export type {
  DeclaredPermissions,
  InputDefinition,
  Job,
  NeedResult,
  ParsedWorkflow,
  PermissionTable,
  Problem,
  RawConcurrency,
  Result,
  Trigger,
  Unit,
  Workflow,
} from './types.js';
export { isMap, isTruthy, limits, toText, WorkflowError, type Value, type ValueMap } from './values.js';
