import type { AuditedAct } from '@mortise/plugin-sdk';
import type { Repository } from '../api.js';

/** For the audit log: an act on a repository, which may be gone already. */
export const auditedRepositoryAct = (
  verb: string,
  { id, name, ownerId, ownerName }: Pick<Repository, 'id' | 'name' | 'ownerId' | 'ownerName'>,
  details?: AuditedAct['details'],
): AuditedAct => ({
  action: `repository.${verb}`,
  target: { kind: 'repository', id, name: `${ownerName}/${name}` },
  ownerId,
  repositoryId: id,
  ...(details && { details }),
});

/** Changes that have acts of their own, or none. */
const apart = new Set(['name', 'isPrivate', 'isArchived', 'body']);

/** The acts of one edit; a rename is audited where it is done. `changes`: by fields, what was asked for. */
export function auditedChanges(before: Repository, after: Repository, changes: object): AuditedAct[] {
  const acts: AuditedAct[] = [];
  if (before.isPrivate !== after.isPrivate)
    acts.push(auditedRepositoryAct('change_visibility', after, { isPrivate: after.isPrivate }));
  if (before.isArchived !== after.isArchived)
    acts.push(auditedRepositoryAct(after.isArchived ? 'archive' : 'unarchive', after));
  const [was, is]: Readonly<Record<string, unknown>>[] = [{ ...before }, { ...after }];
  const asked = Object.entries(changes)
    .filter(([field, value]) => value !== undefined && !apart.has(field))
    .map(([field]) => (field === 'unitConfig' ? 'units' : field));
  const changed = [...new Set(asked)].filter((field) => JSON.stringify(was![field]) !== JSON.stringify(is![field]));
  if (changed.length) acts.push(auditedRepositoryAct('edit', after, { changed }));
  return acts;
}
