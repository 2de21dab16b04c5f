import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { mergeStyles, type MergeStyle } from '../contract/pulls.js';
import { AutoMergeRow } from '../models/auto-merge.js';
import { PullRow } from '../models/pull.js';
import type { DraftTitles } from '../services/draft-titles.js';

const users = 'accounts.users';
const repositories = 'repositories.repositories';
const maxBranch = 255;
const maxOid = 64;
/** What `pull_request.status` is of one that was merged by other means than the server's. */
const mergedByHand = 3;

/** Topics there begin with the name of their account. */
const topicOf = (branch: string): string => branch.replace(/^[^/]*\//, '');

function mergeColumns(row: SourceRow) {
  const isMerged = row.flag('has_merged');
  const style: MergeStyle = row.number('status') === mergedByHand ? 'manually-merged' : 'merge';
  return {
    is_merged: isMerged,
    merged_at: isMerged ? row.time('merged_unix') : 0,
    merger_id: isMerged ? row.number('merger_id') : 0,
    merge_commit: isMerged ? row.text('merged_commit_id', maxOid) : '',
    merge_style: isMerged ? style : '',
    deletes_branch: false,
  } as const;
}

/** What git says is found out when the pass ends: a pull request without a head waits for that. */
const unread = {
  head_oid: '',
  base_oid: '',
  open_key: null,
  conflicts: null,
  commit_count: 0,
  changed_files: 0,
  additions: 0,
  deletions: 0,
  version: 1,
} as const;

const pulls = (drafts: Pick<DraftTitles, 'isDraft'>): TableMapping => ({
  id: 'pulls.pulls',
  table: 'pull_request',
  // what git says, after the pass
  derived: [
    'head_oid',
    'base_oid',
    'merge_base',
    'merge_state',
    'open_key',
    'version',
    'commit_count',
    'changed_files',
    'additions',
    'deletions',
  ],
  references: {
    issue_id: 'issues.issues',
    repository_id: repositories,
    // gone
    head_repository_id: { to: repositories, fallback: null },
    topic_owner_id: { to: users, fallback: 0 },
    merger_id: { to: users, fallback: 0 },
  },
  related: {
    issue: {
      table: 'issue',
      column: 'id',
      localColumn: 'issue_id',
      columns: ['index', 'name', 'poster_id', 'is_closed'],
    },
  },
  // found out here, or read of those alone that are merged
  ignored: [
    'type',
    'conflicted_files',
    'commits_ahead',
    'commits_behind',
    'changed_protected_files',
    'head_user_name',
    'merged_commit_id',
    'merged_unix',
    'merger_id',
  ],
  map(row) {
    const [issue] = row.related('issue');
    if (!issue) return skippedRow('it has no issue');
    const isAgit = row.number('flow') === 1;
    const isOpen = !row.flag('has_merged') && !issue.flag('is_closed');
    const headBranch = row.text('head_branch', maxBranch);
    return targetRow(PullRow, {
      ...unread,
      ...mergeColumns(row),
      issue_id: row.number('issue_id'),
      repository_id: row.number('base_repo_id'),
      number: row.number('index') || issue.number('index'),
      base_branch: row.text('base_branch', maxBranch),
      head_repository_id: row.number('head_repo_id') || null,
      head_branch: isAgit ? topicOf(headBranch) : headBranch,
      flow: isAgit ? 'agit' : 'branch',
      topic_owner_id: isAgit ? issue.number('poster_id') : 0,
      merge_base: row.text('merge_base', maxOid),
      merge_state: isOpen ? 'checking' : 'clean',
      is_open: isOpen,
      is_draft: drafts.isDraft(issue.text('name')),
      allow_maintainer_edit: row.flag('allow_maintainer_edit'),
    });
  },
});

const autoMerges: TableMapping = {
  id: 'pulls.auto_merges',
  table: 'pull_auto_merge',
  derived: ['head_oid'],
  after: ['pulls.pulls'],
  references: { issue_id: 'issues.issues', user_id: users },
  related: { pull: { table: 'pull_request', column: 'id', localColumn: 'pull_id', columns: ['issue_id'] } },
  ignored: ['pull_id'],
  map(row) {
    const [pull] = row.related('pull');
    if (!pull) return skippedRow('it has no pull request');
    const style = mergeStyles.find((known) => known === row.text('merge_style'));
    if (!style) return skippedRow('its way of merging is not known');
    const [title = '', ...lines] = row.text('message').split('\n');
    return targetRow(AutoMergeRow, {
      issue_id: pull.number('issue_id'),
      user_id: row.number('doer_id'),
      // that of the pull request, once it is known
      head_oid: '',
      style,
      title,
      message: lines.join('\n').trim(),
      delete_branch: row.has('delete_branch_after_merge') ? row.flag('delete_branch_after_merge') : null,
      created_at: row.time('created_unix'),
    });
  },
};

export const tables = (drafts: Pick<DraftTitles, 'isDraft'>): readonly TableMapping[] => [pulls(drafts), autoMerges];
