/**
 * The contract of `activity-events`: what has happened, to what, by whom. The owner of an event contributes an
 * {@link ActivityEventKind} and calls {@link ActivityEvents.record} in the transaction of the change; webhooks, feeds and
 * everything else that tells people and machines about it listens to {@link activityRecorded} and knows neither of the others.
 */
import { defineEvent, definePoint, defineService, type Keyed, type Text } from '@mortise/plugin-sdk';
import type { ApiUser } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import type { ApiRepository, Repository } from '@mortise/repositories/api';

/** What an activity event is about. JSON. */
export interface ActivityResource {
  /** In the table of the owner of the event, for instance of the release; 0: it has no row, for instance a branch. */
  readonly id: number;
  /** Number within the repository, of issues and pull requests. */
  readonly index?: number;
  /** What people call it, as it was then: the title of a release, the name of a branch or of a page. */
  readonly title: string;
  /** Full reference, for instance `refs/tags/v1`. */
  readonly ref?: string;
  /** The repository that it is in. */
  readonly repositoryId?: number;
  /** The account that it belongs to; needed where there is no repository, or where the repository is gone. */
  readonly ownerId?: number;
  /** Unit of the repository that one must be able to read to hear of it; default: any. */
  readonly unit?: string;
}

/** Something that has happened. JSON: it waits in the outbox until everybody has heard it. */
export interface ActivityEvent<D extends object = object> {
  /** The same when it is recorded again, for instance by a subscriber that ran twice. At most 191 characters. */
  readonly id: string;
  /** Key of the {@link ActivityEventKind}: `push`, `release`, `issue_label`, … */
  readonly kind: string;
  /** What was done, in the past tense: `created`, `published`, `closed`, … */
  readonly action: string;
  readonly resource: ActivityResource;
  /** Account; 0 or less: nobody who is known, for instance a deploy key. */
  readonly actorId: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** What the kind needs for its description and its payload beyond the resource. */
  readonly data: D;
}

export type NewActivityEvent<D extends object = object> = Omit<ActivityEvent<D>, 'id' | 'at' | 'data'> & {
  /** Default: a new one. */
  readonly id?: string;
  /** Default: now. */
  readonly at?: number;
  /** Default: nothing. */
  readonly data?: D;
};

/** An activity event in one line, for chats, mails and notifications. */
interface ActivityDescription {
  /** Plain text without a full stop, with the names of who and what: `ada published release v1.0 of ada/tool`. */
  readonly title: Text;
  /** Absolute address of the page that shows it. */
  readonly url: string;
  /** What it is for those who wait for it; chats choose a colour by it. */
  readonly tone: ActivityTone;
}
export type ActivityTone = 'neutral' | 'positive' | 'negative' | 'warning';

/** How a payload is made. */
export interface PayloadOptions {
  /** Longest list inside, for instance of the commits of a push. */
  readonly maxItems: number;
}

/** Extension point: a kind of event. Its owner says how it is described; listeners ask only when somebody wants it. */
export interface ActivityEventKind<D extends object = object> extends Keyed {
  /** As hooks store and show it in `events`: `push`, `release`, `issue_label`, … */
  readonly key: string;
  readonly label: Text;
  readonly description?: Text;
  /** Heading where kinds are chosen from, for instance `Repository`, `Issues`. */
  readonly group?: Text;
  readonly order?: number;
  /** The coarser name that receivers know it by: `issues` for `issue_label`. Default: the key. */
  readonly event?: string;
  /** Names in the input of the API that stand for this kind and others, for instance `issues_only`, `pull_request`. */
  readonly inputs?: readonly string[];
  /** It is about a reference: filters for branches apply. */
  readonly filtered?: boolean;
  /**
   * Payload and description read commits and files of git: webhooks ask for them after the commit, and only for these
   * kinds. Default: in the transaction of what has happened, so that they say how things stood then, whatever is changed
   * or deleted a moment later.
   */
  readonly readsGit?: boolean;
  /**
   * Undefined: not worth a line. With SQL only, and perhaps the tip of a branch, unless it {@link ActivityEventKind.readsGit}.
   * Listeners that ask after the commit may find what it is about gone.
   */
  describe(activityEvent: ActivityEvent<D>): Promise<ActivityDescription | undefined>;
  /**
   * The event as receivers on the REST surface know it. Undefined: machines are not told of it, or there is nothing to
   * tell any more. When it is asked for, see {@link ActivityEventKind.describe}.
   */
  payload(
    activityEvent: ActivityEvent<D>,
    options: PayloadOptions,
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Something that could be recorded, to try out a receiver; undefined: nothing is there to make it from. */
  sample?(request: {
    readonly repository: Repository;
    readonly ref: string;
    readonly actorId: number;
  }): Promise<ActivityEvent<D> | undefined>;
}
export const activityEventKinds = definePoint.keyed<ActivityEventKind>('activity-events.kinds');

/**
 * These have happened together, in this order: all that one push moved, for instance. Subscribe `within` for what must be there with the change, with SQL only; otherwise
 * `after`: delivered at least once.
 */
export const activityRecorded = defineEvent<{ readonly activityEvents: readonly ActivityEvent[] }>(
  'activity-events.recorded',
);

export interface ActivityEvents {
  /** Joins the caller's transaction: it is heard when that commits, and not at all when it does not. */
  record(activityEvents: readonly NewActivityEvent[]): Promise<void>;
}
export const activityEvents = defineService<ActivityEvents>('activity-events.activityEvents');

/** What payloads and descriptions of many kinds are made of, as the site sees it. */
export interface ActivityModels {
  /** Model `User`; of the fallback, then of the ghost, where the account is gone or never was one. */
  user(id: number, fallbackId?: number): Promise<ApiUser>;
  /** Model `Repository`. */
  repository(repository: Repository): Promise<ApiRepository>;
  /** Model `PayloadCommit` for each, in the same order. Outside of transactions. */
  commits(repository: Repository, commits: readonly Commit[]): Promise<Record<string, unknown>[]>;
  /** Names for the description; `home`: absolute address of the repository, or of its owner. */
  names(activityEvent: ActivityEvent): Promise<{ actor: string; repository: string; repositoryUrl: string }>;
}
export const activityModels = defineService<ActivityModels>('activity-events.models');

// ---------------------------------------------------------------- kinds of this plugin

/** Of the kinds `push`, `create` and `delete`: one reference that moved. */
export interface PushData {
  /** Full reference. */
  readonly ref: string;
  /** The commit that a new repository begins with: machines are told of the repository alone. */
  readonly isFirst?: boolean;
  /** Object ids; all zeros where the reference was not there. */
  readonly old: string;
  readonly new: string;
  /** Who moved it: `push`, `api`, `mirror`, … as git says. */
  readonly source: string;
  /** Shows only the newest commit: to try out a receiver. */
  readonly isSample?: true;
}

/** Of the kind `repository`, actions `renamed` and `transferred`; both are `owner/name`. */
export interface RepositoryMoved {
  readonly from: string;
  readonly to: string;
}
