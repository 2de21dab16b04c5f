import { Forbidden, Problem, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { mustBeActive, refuseBlocked, type RepositoryContext } from '@mortise/repositories/api';
import { unitOf, type Issue } from '../api.js';
import { t } from '../texts/index.js';

/** Who takes part: an account is enough, where it acts by what it pushed. */
type Participant = Pick<Actor, 'id' | 'isAdmin'> & { readonly kind?: Actor['kind'] | 'organization' };

/** An issue, and what the participant may do in its repository. */
export interface ParticipationTarget {
  readonly issue: Issue;
  readonly context: RepositoryContext;
}

/**
 * Locked conversations are for those who may write; and nobody writes to accounts that block them, unless as an
 * administrator. Of a job that may not write nothing is taken.
 */
export async function checkParticipation(
  accounts: Pick<Accounts, 'blocks'>,
  { context, issue }: ParticipationTarget,
  participant: Participant,
): Promise<void> {
  const mayWrite = context.may('write', unitOf(issue));
  if (issue.isLocked && !mayWrite) throw Forbidden(t.later('error.locked'));
  if (participant.kind === 'task' && !mayWrite) throw Forbidden(t.later('error.needs', { mode: 'write' }));
  await refuseBlocked(accounts, participant, context.repository.ownerId);
  if (!mayWrite) await refuseBlocked(accounts, participant, issue.posterId);
}

/** May an entry of the timeline be made there by what the participant does elsewhere? As if they wrote a comment. */
export async function mayRecordReference(
  accounts: Pick<Accounts, 'blocks'>,
  target: ParticipationTarget,
  participant: Participant,
): Promise<boolean> {
  if (!target.context.may('read', unitOf(target.issue))) return false;
  try {
    mustBeActive(target.context);
    await checkParticipation(accounts, target, participant);
    return true;
  } catch (error) {
    if (Problem.is(error)) return false;
    throw error;
  }
}
