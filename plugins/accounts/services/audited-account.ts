import type { AuditedAct } from '@mortise/plugin-sdk';
import { changeColumns, type AccountRow } from '../models/account.js';

/** What says how somebody looks at pages, and what every sign-in moves. */
const unaudited = new Set<string>(['language', 'theme', 'diffViewStyle', 'lastLoginAt']);

/** For the audit log: an act on an account; organizations are accounts too. */
export function auditedAccountAct(
  verb: 'create' | 'edit' | 'rename' | 'delete' | 'change_password',
  { id, kind, name }: Pick<AccountRow, 'id' | 'kind' | 'name'>,
  details?: AuditedAct['details'],
): AuditedAct {
  const isOrganization = kind === 'organization';
  return {
    action: `${isOrganization ? 'organization' : 'user'}.${verb}`,
    target: { kind: isOrganization ? 'organization' : 'user', id, name },
    ...(isOrganization ? { ownerId: id } : { userId: id }),
    ...(details && { details }),
  };
}

/** For the audit log: an act on an address of a user. */
export const auditedEmailAct = (
  verb: 'add' | 'confirm' | 'change_primary' | 'delete',
  userId: number,
  email: string,
  details?: AuditedAct['details'],
): AuditedAct => ({
  action: `email.${verb}`,
  target: { kind: 'email', name: email },
  userId,
  ...(details && { details }),
});

/** Fields that a patch really changes; of switches and the visibility with the new value. */
export function changedFields(before: AccountRow, patch: Readonly<Record<string, unknown>>): string[] {
  const columns: Readonly<Record<string, unknown>> = { ...before };
  return Object.entries(changeColumns)
    .filter(([field, column]) => !unaudited.has(field) && column in patch && patch[column] !== columns[column])
    .map(([field, column]) => {
      const value = patch[column];
      return typeof value === 'boolean' || field === 'visibility' ? `${field}=${String(value)}` : field;
    });
}
