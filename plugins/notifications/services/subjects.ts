import type { PointReader } from '@mortise/plugin-sdk';
import type { NotificationKind, NotificationRequest, NotificationSubjectKind } from '../contract/notifications.js';
import { subjectKey } from '../models/subject-key.js';

/** What a thread is about, as its row says it. */
export interface Subject {
  readonly kind: NotificationKind;
  /** Null: outside of repositories. */
  readonly repositoryId: number | null;
  readonly issueId: number | null;
  readonly sha: string;
  /** Of the unique index. */
  readonly key: string;
}

export function subjectOf({ about }: Pick<NotificationRequest, 'about'>): Subject {
  const outside = { repositoryId: null, issueId: null, sha: '' };
  if ('subject' in about) {
    const { kind, id } = about.subject;
    return { ...outside, kind, key: subjectKey(kind, id) };
  }
  if ('issue' in about) {
    const { id, isPull, repositoryId } = about.issue;
    return { kind: isPull ? 'pull' : 'issue', repositoryId, issueId: id, sha: '', key: subjectKey('issue', id) };
  }
  const { repositoryId } = about;
  if ('sha' in about)
    return { kind: 'commit', repositoryId, issueId: null, sha: about.sha, key: `commit:${repositoryId}:${about.sha}` };
  return { kind: 'repository', repositoryId, issueId: null, sha: '', key: subjectKey('repository', repositoryId) };
}

/** What threads are about outside of repositories, as plugins declare it. */
export class SubjectKinds {
  constructor(private readonly kinds: PointReader<NotificationSubjectKind>) {}

  names(): string[] {
    return this.kinds.list().map(({ key }) => key);
  }

  /** Undefined: the plugin that declared it is off by now. */
  get(kind: NotificationKind): NotificationSubjectKind | undefined {
    return this.kinds.get(kind);
  }

  /** Throws for one that no plugin declared: it could be shown to nobody. */
  check(kind: NotificationKind): NotificationSubjectKind {
    const subjectKind = this.kinds.get(kind);
    if (!subjectKind) throw new Error(`unknown subject "${kind}"; contribute it to the point notifications.subjects`);
    return subjectKind;
  }
}
