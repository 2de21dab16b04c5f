import type { Database } from '@mortise/plugin-sdk';
import { IssueRow } from '../models/issue.js';
import { IssueLabelRow } from '../models/issue-label.js';
import { LabelRow } from '../models/label.js';
import { RepositoryIdRow } from '../models/repository-id.js';
import { AssigneeRow } from '../models/assignee.js';
import { MentionRow } from '../models/mention.js';
import { SubscriptionRow } from '../models/subscription.js';

/** Who may not see the repository any more is assigned to nothing there, and told of nothing. */
export async function removeUser(
  database: Database,
  { repositoryId, userId }: { readonly repositoryId: number; readonly userId: number },
): Promise<void> {
  const there = () => IssueRow.query().select('id').where('repository_id', repositoryId);
  for (const row of [AssigneeRow, SubscriptionRow])
    await database.query(row).delete().where('user_id', userId).whereIn('issue_id', there());
}

/** Of two who block each other neither is assigned to what the other owns. */
export async function unassignBlocked(
  { blockerId, blockedId }: { readonly blockerId: number; readonly blockedId: number },
  { database }: { readonly database: Database },
): Promise<void> {
  for (const [owner, other] of [
    [blockerId, blockedId],
    [blockedId, blockerId],
  ] as const) {
    const owned = RepositoryIdRow.query().select('id').where('owner_id', owner);
    const there = IssueRow.query().select('id').whereIn('repository_id', owned);
    await database.query(AssigneeRow).delete().where('user_id', other).whereIn('issue_id', there);
  }
}

/** Who has no account any more is assigned to nothing, mentioned nowhere and told of nothing. What they wrote stays. */
export async function forgetUser(
  { userId }: { readonly userId: number },
  { database }: { readonly database: Database },
): Promise<void> {
  for (const row of [AssigneeRow, MentionRow, SubscriptionRow])
    await database.query(row).delete().where('user_id', userId);
}

/** Labels of an organization stay with it when a repository goes to another owner. */
export async function detachLabels(
  { repositoryId, from, to }: { readonly repositoryId: number; readonly from: string; readonly to: string },
  { database }: { readonly database: Database },
): Promise<void> {
  const ownerOf = (path: string) => path.split('/')[0]!.toLowerCase();
  if (ownerOf(from) === ownerOf(to)) return;
  const there = IssueRow.query().select('id').where('repository_id', repositoryId);
  const foreign = LabelRow.query().select('id').whereNotNull('organization_id');
  await database.query(IssueLabelRow).delete().whereIn('issue_id', there).whereIn('label_id', foreign);
}
