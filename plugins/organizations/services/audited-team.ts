import type { AuditedAct } from '@mortise/plugin-sdk';
import type { Team } from '../api.js';

/** For the audit log: an act on a team, or on who and what is in it. */
export const auditedTeamAct = (
  verb: string,
  { id, name, organizationId }: Pick<Team, 'id' | 'name' | 'organizationId'>,
  more: Pick<AuditedAct, 'userId' | 'repositoryId' | 'details'> = {},
): AuditedAct => ({
  action: `team.${verb}`,
  target: { kind: 'team', id, name },
  ownerId: organizationId,
  ...more,
});
