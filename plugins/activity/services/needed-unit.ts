import { holdsScope, type Actor, type TokenCategory } from '@mortise/plugin-sdk';
import type { ActivityKind } from '../contract/activity.js';

/** The unit of the repository that one must be able to read to hear of an entry; undefined: that of none, its record. */
const unitOfKind: Readonly<Record<ActivityKind, string | undefined>> = {
  create_repo: undefined,
  rename_repo: undefined,
  star_repo: undefined,
  watch_repo: undefined,
  transfer_repo: undefined,
  commit_repo: 'code',
  push_tag: 'code',
  delete_tag: 'code',
  delete_branch: 'code',
  mirror_sync_push: 'code',
  mirror_sync_create: 'code',
  mirror_sync_delete: 'code',
  create_issue: 'issues',
  comment_issue: 'issues',
  close_issue: 'issues',
  reopen_issue: 'issues',
  create_pull_request: 'pulls',
  comment_pull: 'pulls',
  merge_pull_request: 'pulls',
  close_pull_request: 'pulls',
  reopen_pull_request: 'pulls',
  approve_pull_request: 'pulls',
  reject_pull_request: 'pulls',
  pull_review_dismissed: 'pulls',
  pull_request_ready_for_review: 'pulls',
  auto_merge_pull_request: 'pulls',
  publish_release: 'releases',
  create_project: 'projects',
  close_project: 'projects',
  reopen_project: 'projects',
  delete_project: 'projects',
};

/** The units that entries can need. */
export const neededUnits: readonly string[] = [
  ...new Set(Object.values(unitOfKind).filter((unit) => unit !== undefined)),
];

/** The kinds of entries that need one of these units. */
export const kindsOf = (units: readonly string[]): ActivityKind[] =>
  (Object.entries(unitOfKind) as [ActivityKind, string | undefined][])
    .filter(([, unit]) => unit !== undefined && units.includes(unit))
    .map(([kind]) => kind);

/** Categories of tokens that read a unit in the REST surface; with none of them, feeds tell what is open to all. */
const scopesOfUnit: Readonly<Record<string, readonly TokenCategory[]>> = {
  issues: ['issue'],
  pulls: ['issue', 'repository'],
  projects: ['issue'],
};

/** May the actor's credential read the unit of repositories that are not open to all? */
export const holdsUnit = (actor: Actor, unit: string): boolean =>
  (scopesOfUnit[unit] ?? ['repository']).some((scope) => holdsScope(actor, scope, 'read'));
