/**
 * The contract of `issues`: issues and what pull requests have in common with them, their labels, milestones and
 * timelines; points by which other plugins add to them, and what happens to them. Of behaviour only what fields say of
 * themselves, and how YAML of a repository is read.
 */
export { type FieldValues, type PullFieldRecords, issueFieldsOfPulls } from './contract/fields.js';
export {
  type OriginalAuthor,
  type ImportedReaction,
  type ImportedIssue,
  type IssueImports,
  issueImports,
} from './contract/imports.js';
export {
  type Issue,
  unitOf,
  pathOf,
  type IssueContext,
  issueResource,
  issueResolver,
  type IssueSort,
  type IssueSearch,
  type IssueFollowers,
  type Issues,
  issues,
  type IssueAction,
  type IssueEvent,
  issueChanged,
  issuesFreed,
  issuesDeleting,
} from './contract/issues.js';
export { durationText } from './contract/duration.js';
export type { Label } from './contract/labels.js';
export * from './contract/milestones.js';
export {
  type ApiLabel,
  type ApiMilestone,
  type ApiIssue,
  timeOrNull,
  labelSchema,
  milestoneSchema,
  issueSchema,
  trackedTimeSchema,
} from './contract/models.js';
export {
  type IssuePageContext,
  issueSidebar,
  conversationEnd,
  type IssueStyle,
  type IssueRowProperties,
  issueRowProperties,
  type CommentMarks,
  type IssuePages,
  issuePages,
  conversationIslands,
} from './contract/pages.js';
export {
  type IssueModelFields,
  issueModelFields,
  issueFilters,
  type IssueProjects,
  issueProjects,
  type CloseCheck,
  closeChecks,
  issueVisits,
  issueRecords,
  issueOptions,
} from './contract/points.js';
export {
  type TimelineEntry,
  type NewTimelineEntry,
  type TimelinePageView,
  type TimelineLine,
  type TimelineKind,
  timelineKinds,
  type Timeline,
  timeline,
  type CommentEvent,
  commentChanged,
} from './contract/timeline.js';
export { parseYaml } from './contract/yaml.js';
