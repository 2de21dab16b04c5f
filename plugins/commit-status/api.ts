/**
 * The contract of `commit-status`: what machines say of commits, how it is asked for, and how it is said.
 */
export {
  type StatusState,
  type CommitStatus,
  type CommitStatuses,
  commitStatuses,
  combineStates,
  statusLink,
  commitStatusCreated,
} from './contract/commit-status.js';
export { describeStatus } from './services/descriptions.js';
