/** The contract of `notifications`: telling people what concerns them. Types, references and events; no behaviour. */
import {
  defineEvent,
  definePoint,
  defineService,
  type Actor,
  type Keyed,
  type Slot,
  type Text,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Issue } from '@mortise/issues/api';
import type { MailSubject } from '@mortise/mail/api';
import type { Repository } from '@mortise/repositories/api';

/** `unread` and `pinned` ones are shown in the inbox; a pinned one stays there whatever happens. */
export type NotificationStatus = 'unread' | 'read' | 'pinned';

/** What a thread is about in a repository. */
export type RepositorySubjectKind = 'issue' | 'pull' | 'commit' | 'repository';

/** What a thread is about: a {@link RepositorySubjectKind}, or a key of {@link notificationSubjects}. */
export type NotificationKind = string;

/** What a thread is about outside of repositories. */
export interface NotificationSubject {
  readonly title: string;
  /** Name of the account that it belongs to. */
  readonly ownerName: string;
  readonly state: '' | 'open' | 'closed';
  /** Paths of its page and of its record, below the root of the site. */
  readonly path: string;
  readonly apiPath: string;
}

/** A kind of subjects outside of repositories, such as project boards of organizations. Its key has at most 20 characters. */
export interface NotificationSubjectKind extends Keyed {
  /** `subject.type` of the REST surface. */
  readonly apiType: string;
  readonly label: Text;
  readonly icon: string;
  /** Of these accounts, those who may see it, by id. One batch of queries however many. */
  readersAmong(accounts: readonly Account[], id: number): Promise<ReadonlySet<number>>;
  /** Of these, those that the actor may see, by id. One batch of queries however many. */
  find(ids: readonly number[], actor: Actor): Promise<ReadonlyMap<number, NotificationSubject>>;
}
/** Extension point: what users can be notified of outside of repositories. */
export const notificationSubjects = definePoint.keyed<NotificationSubjectKind>('notifications.subjects');

/**
 * Why somebody is told, a key of {@link notificationReasons}; this plugin brings `watching`, `participating`, `mentioned`,
 * `assigned`, `review_requested` and `transfer`.
 */
export type NotificationReason = string;

/** A reason, with what the inbox says of it. Its key has at most 20 characters. */
export interface NotificationReasonKind extends Keyed {
  /** To whom is told: `You were mentioned`. */
  readonly label: Text;
  /**
   * Meant for one alone: also mailed to those who want mail only of that, not told to who blocks whose deed it was, and
   * shown in the place of what a thread said before. Default false.
   */
  readonly isPersonal?: boolean;
}
/** Extension point: why people are told. */
export const notificationReasons = definePoint.keyed<NotificationReasonKind>('notifications.reasons');

/** One row of `notification`: all that an account was told of one thing. Times are milliseconds since 1970 UTC. */
export interface Notification {
  readonly id: number;
  readonly userId: number;
  readonly kind: NotificationKind;
  readonly status: NotificationStatus;
  readonly reason: NotificationReason;
  /** 0: about something outside of repositories. */
  readonly repositoryId: number;
  /** 0: not about an issue or pull request. */
  readonly issueId: number;
  /** Of what is outside of repositories; else 0. */
  readonly subjectId: number;
  /** Of a commit. */
  readonly sha: string;
  /** The first unread comment, or the last one that was told of; 0: none. */
  readonly commentId: number;
  /** Whose deed was told of last. */
  readonly actorId: number;
  readonly createdAt: number;
  /** When there was news last. */
  readonly updatedAt: number;
}

/** What is told. */
export interface NotificationRequest {
  /** An issue, a pull request, a repository or one of its commits, or something of a kind of {@link notificationSubjects}. */
  readonly subject:
    | { readonly issue: Issue }
    | { readonly repositoryId: number }
    | { readonly repositoryId: number; readonly sha: string }
    | { readonly kind: NotificationKind; readonly id: number };
  /** Where it is about a repository: the unit that one must be able to read to hear of it; default: any, of commits `code`. */
  readonly unit?: string;
  /** Whose deed it was; they are not told. 0: nobody's. */
  readonly actorId: number;
  /** Accounts to tell. Absent, of issues and pull requests: all who follow it and all who watch the repository. */
  readonly userIds?: readonly number[];
  /** Default: `participating`, or `watching` for those who only watch the repository. */
  readonly reason?: NotificationReason;
  /** Those among them, or beside them, whom the text mentions. */
  readonly mentionedIds?: readonly number[];
  /** Those among them, or beside them, who were assigned with it. */
  readonly assigneeIds?: readonly number[];
  /** The comment in which it happened. */
  readonly commentId?: number;
  /** When it happened, the same however often it is told. Default: now. */
  readonly at?: number;
  /**
   * Tells it apart from what else happened to the same at that time: `closed`. What has a time and was told once is not
   * told again.
   */
  readonly event?: string;
  /** Also sent by mail, to those who want mail. */
  readonly mail?: NotificationMail;
}

export interface NotificationMail {
  /** A sentence: `ada closed this issue.` */
  readonly line: Text;
  /** A further one, for those who were assigned with it. */
  readonly assignedLine?: Text;
  /** The first of its thread, which the others answer: the opening of an issue or pull request. */
  readonly isFirst?: boolean;
  /** Markdown that somebody wrote. */
  readonly text?: string;
  /** Unit of the repository that one must be able to read to be sent the text, beside that of the subject. */
  readonly textUnit?: string;
  /** Page that it is read on; default: that of the subject. */
  readonly url?: string;
  /** What an answer by mail is about; default: the issue or pull request, and nothing of what is neither. */
  readonly answers?: MailSubject;
}

/** Somebody who is told. */
export interface NotificationReceiver {
  readonly account: Account;
  readonly reason: NotificationReason;
  /** May read what was written; others are told that something was. */
  readonly mayReadText: boolean;
}

/** What is told, to whom, and in which repository or about what outside of one: all receivers may read what it is about. */
export interface NotificationDelivery {
  readonly request: NotificationRequest;
  readonly repository?: Repository;
  readonly subject?: NotificationSubject;
  readonly receivers: readonly NotificationReceiver[];
}

/** A way by which people hear of news beside the inbox and mail, such as push messages to a phone. */
export interface NotificationChannel extends Keyed {
  /**
   * For up to 100 receivers at a time, before the transaction that notes that they were told. Gives what is stored in that
   * transaction, such as a job that sends; undefined: nothing. Sends nothing by itself: after a failure it runs again.
   */
  prepare(notice: NotificationDelivery): Promise<(() => Promise<void>) | undefined>;
}
/** Extension point: ways by which people hear of news. One that throws is passed over. */
export const notificationChannels = definePoint.keyed<NotificationChannel>('notifications.channels', {
  fallback: { prepare: undefined },
});

export interface MailSettingsContext {
  readonly actor: Actor;
}
/** What else people choose to get by mail: below the notifications on the same page. */
export const mailSettings = definePoint.keyed<Slot<MailSettingsContext>>('notifications.mailSettings');

/** Tells people what concerns them. */
export interface Notifications {
  /** `[service] ENABLE_NOTIFY_MAIL`, where there is mail: what people are told is also sent to them. */
  readonly sendsMail: boolean;
  /**
   * Those who may read what it is about hear of it, some at a time: their thread becomes unread, unless it is pinned.
   * What concerns one in person (mentions, requests) is not told to who blocks whose deed it was. Outside of a
   * transaction; after a failure the rest is told when it is told again.
   */
  notify(request: NotificationRequest): Promise<void>;
  /** Unread threads of things that the account may read. Costs nothing while nothing changes. */
  unread(actor: Actor): Promise<number>;
  /** Somebody looks at the issue or pull request: their thread is read, unless it is pinned. */
  markSeen(userId: number, issueId: number): Promise<void>;
  /** The same of something outside of repositories. Costs nothing where the actor has no unread thread at all. */
  markSubjectSeen(actor: Actor, kind: NotificationKind, id: number): Promise<void>;
  /** These things outside of repositories are no more: in the transaction that deletes them. */
  forgetSubjects(kind: NotificationKind, ids: readonly number[]): Promise<void>;
}
export const notifications = defineService<Notifications>('notifications.notifications');

/** The number of unread threads of these accounts may be another. */
export const unreadChanged = defineEvent<{ readonly userIds: readonly number[] }>('notifications.unreadChanged');
