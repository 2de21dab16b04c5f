import { actAudited, type AuditedAct, type Events } from '@mortise/plugin-sdk';
import type { ActionScope } from '../contract/scopes.js';

/** Puts an act on what belongs to the site, an owner or a repository into the audit log; in the transaction of the act. */
export const auditInScope = (
  events: Events,
  { ownerId, repositoryId }: ActionScope,
  act: Pick<AuditedAct, 'action' | 'target' | 'details'>,
): Promise<void> =>
  events.emit(actAudited, { ...act, ...(ownerId && { ownerId }), ...(repositoryId && { repositoryId }) });
