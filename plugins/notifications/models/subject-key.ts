/** How rows name what a thread is about: its kind and its number. */
import type { NotificationKind, RepositorySubjectKind } from '../contract/notifications.js';

export const repositorySubjectKinds: readonly RepositorySubjectKind[] = ['issue', 'pull', 'commit', 'repository'];

export const isRepositorySubject = (kind: NotificationKind): kind is RepositorySubjectKind =>
  repositorySubjectKinds.some((one) => one === kind);

export const subjectKey = (kind: NotificationKind, id: number): string => `${kind}:${id}`;

/** Of a thread outside of repositories. */
export const subjectIdOf = (key: string): number => Number(key.split(':')[1]);
