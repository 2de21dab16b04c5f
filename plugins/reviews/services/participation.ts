import { Forbidden, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { PullContext } from '@mortise/pulls/api';
import { mustBeActive, refuseBlocked } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** Reviews show code. */
export function mustReadCode({ context }: Pick<PullContext, 'context'>): void {
  if (!context.may('read', 'code')) throw Forbidden(t.later('error.code'));
}

/** Locked conversations are for those who may write; and nobody writes to people who block them. */
export async function checkParticipation(
  accounts: Accounts,
  { context, repository, issue, may }: PullContext,
  actor: Actor,
): Promise<void> {
  mustBeActive(context);
  if (issue.isLocked && !may('write')) throw Forbidden(t.later('error.locked'));
  await refuseBlocked(accounts, actor, repository.ownerId);
  if (!may('write')) await refuseBlocked(accounts, actor, issue.posterId);
}
