import type { Activity } from '../contract/activity.js';

/** The repositories that entries are about. */
export const repositoryIdsOf = (activities: readonly Activity[]): number[] => [
  ...new Set(activities.flatMap(({ repositoryId }) => (repositoryId ? [repositoryId] : []))),
];

/** The accounts whose names entries need: of those who acted, and of owners without a repository. */
export const accountIdsOf = (activities: readonly Activity[]): number[] => [
  ...new Set(activities.flatMap(({ actorId, ownerId }) => (ownerId ? [actorId, ownerId] : [actorId]))),
];
