import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { AssigneeRow } from '../models/assignee.js';
import { IssueRow } from '../models/issue.js';
import { MilestoneRow } from '../models/milestone.js';
import { NumberRow } from '../models/issue-number.js';
import { dueTimeOf } from '../services/due-date.js';

const users = 'accounts.users';
const repositories = 'repositories.repositories';
const maxTitle = 255;
const maxSeconds = 2 ** 31 - 1;

const milestones: TableMapping = {
  id: 'issues.milestones',
  table: 'milestone',
  idTable: MilestoneRow,
  references: { repository_id: repositories },
  // counted here
  ignored: ['num_issues', 'num_closed_issues', 'completeness'],
  map(row) {
    const title = row.text('name', maxTitle);
    return targetRow(MilestoneRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      title,
      lower_title: title.toLowerCase(),
      description: row.text('content'),
      is_closed: row.flag('is_closed'),
      due_at: dueTimeOf(row.time('deadline_unix')),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix') || row.time('created_unix'),
      closed_at: row.time('closed_date_unix'),
    });
  },
};

/** Later versions have pins in a table of their own. */
const pinOrderOf = (row: SourceRow): number =>
  row.has('pin_order') ? row.number('pin_order') : (row.related('pins')[0]?.number('pin_order') ?? 0);

/** Versions before 2020 have the name of the branch alone. */
function refOf(row: SourceRow): string {
  const ref = row.text('ref', maxTitle);
  return ref === '' || ref.startsWith('refs/') ? ref : `refs/heads/${ref}`.slice(0, maxTitle);
}

const issues: TableMapping = {
  id: 'issues.issues',
  table: 'issue',
  idTable: IssueRow,
  references: {
    repository_id: repositories,
    milestone_id: { to: 'issues.milestones', fallback: null },
    // who has no account any more
    poster_id: { to: users, fallback: 0 },
  },
  related: { pins: { table: 'issue_pin', column: 'issue_id' } },
  ignored: ['priority', 'deadline'],
  map(row) {
    if (row.number('index') < 1) return skippedRow('it has no number');
    return targetRow(IssueRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      number: row.number('index'),
      is_pull: row.flag('is_pull'),
      poster_id: row.number('poster_id'),
      original_author: row.text('original_author', maxTitle),
      original_author_id: row.number('original_author_id'),
      title: row.text('name', maxTitle),
      body: row.text('content'),
      is_closed: row.flag('is_closed'),
      is_locked: row.flag('is_locked'),
      milestone_id: row.number('milestone_id') || null,
      comment_count: row.number('num_comments'),
      ...(row.has('content_version') && { content_version: row.number('content_version') }),
      pin_order: pinOrderOf(row),
      ref: refOf(row),
      due_at: dueTimeOf(row.time('deadline_unix')),
      time_estimate: Math.min(maxSeconds, Math.max(0, row.number('time_estimate'))),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix') || row.time('created_unix'),
      closed_at: row.time('closed_unix'),
    });
  },
};

const assignees: TableMapping = {
  id: 'issues.assignees',
  table: 'issue_assignees',
  idTable: AssigneeRow,
  references: { issue_id: issues.id, user_id: users },
  map: (row) =>
    targetRow(AssigneeRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      user_id: row.number('assignee_id'),
    }),
};

/** Servers from before there were several have the one in the issue. */
const soleAssignees: TableMapping = {
  id: 'issues.sole_assignees',
  table: 'issue',
  idTable: AssigneeRow,
  references: assignees.references,
  filter: (row) => row.number('assignee_id') > 0,
  map: (row) =>
    targetRow(AssigneeRow, {
      id: row.number('id'),
      issue_id: row.number('id'),
      user_id: row.number('assignee_id'),
    }),
};

/** The highest number that was given in each repository. */
const numbers: TableMapping = {
  id: 'issues.numbers',
  table: 'issue_index',
  key: ['group_id'],
  references: { repository_id: repositories },
  map: (row) => targetRow(NumberRow, { repository_id: row.number('group_id'), last: row.number('max_index') }),
};

export const issueTables: readonly TableMapping[] = [milestones, issues, assignees, soleAssignees, numbers];
