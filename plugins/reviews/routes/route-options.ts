import { Forbidden, Joi } from '@mortise/plugin-sdk';
import type { Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { pullResource, type PullContext } from '@mortise/pulls/api';
import { mustBeActive, refuseBlocked, repositoryApi, repositoryResource } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

export const pullsPath = `${repositoryApi}/pulls` as const;
export const pullPath = `${pullsPath}/{index}` as const;
export const tags = ['repository'];

export const readPull = { actor: 'anyone', scope: 'repository', resource: pullResource } as const;
export const usePull = { ...readPull, actor: 'user' } as const;
/** For what is named by its id alone. */
export const usePulls = { actor: 'user', scope: 'repository', resource: repositoryResource, unit: 'pulls' } as const;

const id = Joi.number().integer().positive().max(Number.MAX_SAFE_INTEGER).required();
export const byId = Joi.object<{ readonly id: number }>({ id });

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
