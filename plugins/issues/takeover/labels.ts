import { skippedRow, targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { IssueLabelRow } from '../models/issue-label.js';
import { LabelRow } from '../models/label.js';
import { colorDigits } from '../services/labels.js';

const maxName = 100;
const maxDescription = 1024;
const grey = 'cccccc';

const labels: TableMapping = {
  id: 'issues.labels',
  table: 'label',
  idTable: LabelRow,
  references: { repository_id: 'repositories.repositories', organization_id: 'accounts.users' },
  // counted here
  ignored: ['num_issues', 'num_closed_issues', 'updated_unix'],
  map(row) {
    if (!row.number('repo_id') && !row.number('org_id')) return skippedRow('it belongs to nothing');
    const name = row.text('name', maxName);
    return targetRow(LabelRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id') || null,
      organization_id: row.number('repo_id') ? null : row.number('org_id'),
      name,
      lower_name: name.toLowerCase(),
      color: colorDigits(row.text('color')) ?? grey,
      description: row.text('description', maxDescription),
      is_exclusive: row.flag('exclusive'),
      archived_at: row.time('archived_unix'),
      created_at: row.time('created_unix'),
    });
  },
};

const issueLabels: TableMapping = {
  id: 'issues.issue_labels',
  table: 'issue_label',
  idTable: IssueLabelRow,
  references: { issue_id: 'issues.issues', label_id: 'issues.labels' },
  related: {
    issue: { table: 'issue', column: 'id', localColumn: 'issue_id', columns: ['is_pull', 'is_closed', 'created_unix'] },
  },
  map(row) {
    const [issue] = row.related('issue');
    return targetRow(IssueLabelRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      label_id: row.number('label_id'),
      is_pull: issue?.flag('is_pull') ?? false,
      is_closed: issue?.flag('is_closed') ?? false,
      issue_created_at: issue?.time('created_unix') ?? 0,
    });
  },
};

export const labelTables: readonly TableMapping[] = [labels, issueLabels];
