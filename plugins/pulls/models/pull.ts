import { createHash } from 'node:crypto';
import { BaseModel } from '@mortise/plugin-sdk';
import type { MergeStyle, PullRequest } from '../api.js';
import type { MergeState } from '../contract/pulls.js';

export class PullRow extends BaseModel {
  static override tableName = 'pull_request';
  static override idColumn = 'issue_id';
  static override booleans = ['is_open', 'is_draft', 'allow_maintainer_edit', 'is_merged', 'deletes_branch'];
  static override json = ['conflicts'];
  declare issue_id: number;
  declare repository_id: number;
  declare number: number;
  declare base_branch: string;
  declare head_repository_id: number | null;
  declare head_branch: string;
  declare flow: PullRequest['flow'];
  declare topic_owner_id: number;
  declare head_oid: string;
  declare base_oid: string;
  declare merge_base: string;
  declare merge_state: MergeState;
  declare conflicts: string[] | null;
  declare commit_count: number;
  declare changed_files: number;
  declare additions: number;
  declare deletions: number;
  declare version: number;
  declare is_open: boolean;
  declare open_key: string | null;
  declare is_draft: boolean;
  declare allow_maintainer_edit: boolean;
  declare is_merged: boolean;
  declare merged_at: number;
  declare merger_id: number;
  declare merge_commit: string;
  declare merge_style: MergeStyle | '';
  declare deletes_branch: boolean;
}

export const toPull = (row: PullRow): PullRequest => ({
  issueId: row.issue_id,
  repositoryId: row.repository_id,
  index: row.number,
  baseBranch: row.base_branch,
  headRepositoryId: row.head_repository_id ?? 0,
  headBranch: row.head_branch,
  flow: row.flow,
  topicOwnerId: row.topic_owner_id,
  headOid: row.head_oid,
  baseOid: row.base_oid,
  mergeBase: row.merge_base,
  mergeState: row.merge_state,
  conflicts: row.conflicts ?? [],
  commitCount: row.commit_count,
  changedFiles: row.changed_files,
  additions: row.additions,
  deletions: row.deletions,
  version: row.version,
  isOpen: row.is_open,
  isDraft: row.is_draft,
  allowMaintainerEdit: row.allow_maintainer_edit,
  isMerged: row.is_merged,
  mergedAt: Number(row.merged_at),
  mergerId: row.merger_id,
  mergeCommit: row.merge_commit,
  mergeStyle: row.merge_style,
});

type Between = Pick<
  PullRequest,
  'repositoryId' | 'baseBranch' | 'headRepositoryId' | 'headBranch' | 'flow' | 'topicOwnerId'
>;

/** The same for pull requests between the same branches; topics of the same name belong to accounts, whatever they are called. */
export const openKeyOf = (pull: Between): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        pull.repositoryId,
        pull.baseBranch,
        pull.headRepositoryId,
        pull.headBranch,
        pull.flow,
        ...(pull.topicOwnerId ? [pull.topicOwnerId] : []),
      ]),
    )
    .digest('hex');
