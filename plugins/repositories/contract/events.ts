import { defineEvent, type Actor } from '@mortise/plugin-sdk';

export const repositoryCreated = defineEvent<{
  repositoryId: number;
  actorId: number;
  actorKind: Actor['kind'];
  forkOfId: number;
  /** Name of the set of labels to start with (`GET /label/templates`). */
  issueLabels?: string;
}>('repositories.created');
export const repositoryEdited = defineEvent<{ repositoryId: number; actorId: number }>('repositories.edited');
/** These repositories (one, which comes first, and its forks) became private, or everybody's again. Subscribe `within`. */
export const repositoryVisibilityChanged = defineEvent<{ repositoryIds: readonly number[]; isPrivate: boolean }>(
  'repositories.visibilityChanged',
);
/** An account may not see the repository any more. Subscribe `within`. */
export const repositoryAccessLost = defineEvent<{ repositoryId: number; userId: number }>('repositories.accessLost');
/**
 * People may have less access to repositories of an owner than before, who left a team for instance. Subscribe `after`:
 * what they keep that needs the access is asked about again.
 */
export const repositoryAccessReduced = defineEvent<{ ownerId: number; userIds: readonly number[] }>(
  'repositories.accessReduced',
);
/** A new name or a new owner; both are `owner/name`. `actorId`: who gave it, where that is known. */
export const repositoryRenamed = defineEvent<{ repositoryId: number; from: string; to: string; actorId?: number }>(
  'repositories.renamed',
);
/** A repository waits for an account, a person or an organization, to take it. */
export const transferOffered = defineEvent<{
  readonly repositoryId: number;
  readonly actorId: number;
  readonly recipientId: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}>('repositories.transferOffered');
/** Subscribe `within`: remove what belongs to the repository. */
export const repositoryDeleting = defineEvent<{ repositoryId: number }>('repositories.deleting');
export const repositoryDeleted = defineEvent<{
  repositoryId: number;
  ownerId: number;
  actorId: number;
  /** The record as it was, for those who tell about it. */
  record: Record<string, unknown>;
}>('repositories.deleted');
