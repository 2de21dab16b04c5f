/**
 * The contract of `pulls`: pull requests, what they change, how they are merged, and points by which reviews, checks and
 * queues take part. No behaviour.
 */
export { type ImportedPull, type PullImports, pullImports } from './contract/imports.js';
export { MergeBoxRow } from './contract/merge-box-row.js';
export {
  type PullPageContext,
  pullMergeBox,
  type PullDiff,
  type PullDiffExtension,
  pullDiffExtensions,
  type NewPullField,
  newPullFields,
  type PullPages,
  pullPages,
  conversationCounters,
} from './contract/pages.js';
export * from './contract/points.js';
export {
  mergeStyles,
  type MergeStyle,
  type PullRequest,
  type PullContext,
  pullResource,
  type MergeOptions,
  type BlockerLink,
  type MergeBlocker,
  type ApprovalSubject,
  type Pulls,
  pulls,
  type PullEvent,
  pullChanged,
} from './contract/pulls.js';
