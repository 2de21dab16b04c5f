import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { MailChoiceRow } from '../models/mail-choice.js';
import { NotificationRow } from '../models/notification.js';
import { subjectKey } from '../models/subject-key.js';
import { mailChoices } from '../services/mail-choices.js';
import { subjectReference } from '../services/subjects.js';

const statuses: Readonly<Record<number, NotificationRow['status']>> = { 1: 'unread', 2: 'read', 3: 'pinned' };
/** What `notification.source` is there. */
const sources = { issue: 1, pull: 2, commit: 3, repository: 4 };

/** Columns of what a thread is about; undefined where there is no counterpart. */
function subjectColumns(row: SourceRow): Partial<NotificationRow> | undefined {
  const source = row.number('source');
  const repositoryId = row.number('repo_id');
  const id = row.number('issue_id');
  const sha = row.text('commit_id');
  if (source === sources.issue || source === sources.pull)
    return {
      kind: source === sources.pull ? 'pull' : 'issue',
      issue_id: id,
      subject: subjectKey('issue', id),
      sha: '',
    };
  if (source === sources.commit && sha) {
    const { kind, key } = subjectReference({ subject: { repositoryId, sha } });
    return { kind, issue_id: null, subject: key, sha };
  }
  if (source !== sources.repository) return undefined;
  const { kind, key } = subjectReference({ subject: { repositoryId } });
  return { kind, issue_id: null, subject: key, sha: '' };
}

const notifications: TableMapping = {
  id: 'notifications.notifications',
  table: 'notification',
  idTable: NotificationRow,
  references: {
    user_id: 'accounts.users',
    repository_id: 'repositories.repositories',
    issue_id: 'issues.issues',
    actor_id: { to: 'accounts.users', fallback: 0 },
  },
  map(row) {
    const status = statuses[row.number('status')];
    const subject = subjectColumns(row);
    if (!status || !subject) return skippedRow('it is about something that has no counterpart');
    return targetRow(NotificationRow, {
      id: row.number('id'),
      user_id: row.number('user_id'),
      repository_id: row.number('repo_id'),
      ...subject,
      status,
      // it does not say why; of repositories there are only offers of them
      reason: subject.kind === 'repository' ? 'transfer' : 'participating',
      comment_id: row.number('comment_id'),
      actor_id: row.number('updated_by'),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix') || row.time('created_unix'),
    });
  },
};

/** Which notifications an account gets by mail: in the same words. */
const mailChoiceRows: TableMapping = {
  id: 'notifications.mail_choices',
  table: 'user',
  references: { user_id: 'accounts.users' },
  filter: (row) => isMailChoice(row.text('email_notifications_preference')),
  map: (row) =>
    targetRow(MailChoiceRow, { user_id: row.number('id'), mail: row.text('email_notifications_preference') }),
};
const isMailChoice = (value: string): boolean => mailChoices.some((choice) => choice === value);

export const tables: readonly TableMapping[] = [notifications, mailChoiceRows];
