import type { Database } from '@mortise/plugin-sdk';
import { IssueRow } from '../models/issue.js';
import { AssigneeRow, SubscriptionRow } from '../models/people.js';

/** Who may not see the repository any more is assigned to nothing there, and told of nothing. */
export async function part(
  database: Database,
  { repositoryId, userId }: { readonly repositoryId: number; readonly userId: number },
): Promise<void> {
  const there = () => IssueRow.query().select('id').where('repository_id', repositoryId);
  for (const row of [AssigneeRow, SubscriptionRow])
    await database.query(row).delete().where('user_id', userId).whereIn('issue_id', there());
}
