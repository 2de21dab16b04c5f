import type { PointReader } from '@mortise/plugin-sdk';
import type { NotificationKind, NotificationRequest, NotificationSubjectKind } from '../contract/notifications.js';
import { subjectKey } from '../models/subject-key.js';

/** What a thread is about, as its row says it. */
export interface SubjectReference {
  readonly kind: NotificationKind;
  /** Null: outside of repositories. */
  readonly repositoryId: number | null;
  readonly issueId: number | null;
  readonly sha: string;
  /** Of the unique index. */
  readonly key: string;
}

export function subjectReference({ subject }: Pick<NotificationRequest, 'subject'>): SubjectReference {
  const outside = { repositoryId: null, issueId: null, sha: '' };
  if ('kind' in subject) {
    const { kind, id } = subject;
    return { ...outside, kind, key: subjectKey(kind, id) };
  }
  if ('issue' in subject) {
    const { id, isPull, repositoryId } = subject.issue;
    return { kind: isPull ? 'pull' : 'issue', repositoryId, issueId: id, sha: '', key: subjectKey('issue', id) };
  }
  const { repositoryId } = subject;
  if ('sha' in subject)
    return {
      kind: 'commit',
      repositoryId,
      issueId: null,
      sha: subject.sha,
      key: `commit:${repositoryId}:${subject.sha}`,
    };
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
