/**
 * The contract of `webhooks`: what a hook is, how another plugin adds a kind of receiver ({@link webhookKinds}).
 * Hooks get all activity events (`@mortise/activity-events/api`).
 */
import type Joi from 'joi';
import { type Actor, defineJob, definePoint, defineService, type Keyed, type Text } from '@mortise/plugin-sdk';
import type { ActivityEvent, ActivityTone } from '@mortise/activity-events/api';
import type { Repository } from '@mortise/repositories/api';

/** Where a hook hangs (HOK-01); also the value of the header `X-Mortise-Hook-Installation-Target-Type` (HOK-22). */
export type HookOwnerKind = 'repository' | 'organization' | 'user' | 'system' | 'default';

/** The body of a delivery, as receivers know it (HOK-28). */
export type HookPayload = Readonly<Record<string, unknown>>;

export type HookContentType = 'json' | 'form';

/** One row of `webhook` without its secrets. Times are milliseconds since 1970 UTC. */
export interface Hook {
  readonly id: number;
  readonly ownerKind: HookOwnerKind;
  /** Id of the repository, organization or user; 0 for system and default hooks. */
  readonly ownerId: number;
  /** Key of the {@link WebhookKind}. */
  readonly kind: string;
  /** Empty: shown by its address (HOK-03). */
  readonly name: string;
  readonly url: string;
  readonly method: 'POST' | 'GET' | 'PUT';
  readonly contentType: HookContentType;
  readonly events: readonly string[];
  readonly branchFilter: string;
  readonly active: boolean;
  readonly hasSecret: boolean;
  readonly hasAuthorization: boolean;
  /** Until then deliveries are signed with the secret before as well, milliseconds since 1970 UTC; 0: with one alone. */
  readonly previousUntil: number;
  /** Settings of the kind, as strings. */
  readonly settings: Readonly<Record<string, string>>;
  readonly lastStatus: 'none' | 'succeeded' | 'failed';
  /** Since when the receiver takes nothing (it is asked rarely then); 0: it is well. */
  readonly failingSince: number;
  /** Account that made it; 0: not known, or the site. */
  readonly creatorId: number;
  /** Since when its creator may not administer the repository any more; 0: they may. A user who changes it becomes its creator. */
  readonly creatorLeftAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

// ---------------------------------------------------------------- kinds of receivers

/** An event in one line, in the language of the site. */
export interface HookDescription {
  /** Plain text without a full stop: `ada pushed 2 commits to main in ada/tool`. */
  readonly title: string;
  /** Absolute address of the page that shows it. */
  readonly url: string;
  readonly tone: ActivityTone;
}

/** What has happened, for one hook. */
export interface HookDelivery {
  /** UUID of the delivery; the same for all attempts. */
  readonly id: string;
  /** What the receiver calls the event: `push`, `issues`, `pull_request`, … */
  readonly event: string;
  /** The finer type, the key of an `ActivityEventKind` of `activity-events`: `issue_label`, … */
  readonly eventType: string;
  readonly payload: HookPayload;
  /** The event in one line, for chats; undefined: its kind has none, or what it is about is gone. */
  readonly description?: HookDescription;
  readonly hook: Hook;
  /** Plain text; empty when the hook has none. For signatures only. */
  readonly secret: string;
  /** The secret before, while both count; receivers that know it go on until they know the new one. */
  readonly previousSecret?: string;
  /** When this attempt is made, for signatures with a time. Milliseconds since 1970 UTC. */
  readonly sentAt: number;
}

export interface HookRequest {
  /** Default: the hook's. */
  readonly method?: string;
  /** Default: the hook's. */
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as it is; none for GET. */
  readonly body: string;
}

/** A field of the kind on the form and in `config` of the API; values are strings. */
export interface HookSetting {
  /** Name in `config` of the API and of the form field, for instance `channel`. */
  readonly name: string;
  readonly label: Text;
  readonly help?: Text;
  readonly placeholder?: Text;
  readonly required?: boolean;
  /**
   * How it is asked for; default `text`. `checkbox` is `true` or `false`. A `password` is stored encrypted, and is neither shown
   * nor returned by the API; left empty it stays as it was. All of them are strings for the kind.
   */
  readonly type?: 'text' | 'password' | 'select' | 'checkbox' | 'number';
  /** Of a `select`. */
  readonly options?: readonly { readonly value: string; readonly label: Text }[];
  /** Of a `number`. */
  readonly min?: number;
  readonly max?: number;
}

/**
 * Extension point: a kind of receiver. One small folder: it turns a delivery into a request. Sending, retries, the
 * authorization header, history and pages belong to `webhooks`.
 */
export interface WebhookKind extends Keyed {
  /** Value of `type` in the API: `mortise`, `slack`, … */
  readonly key: string;
  /** Further accepted values of `type`; a hook made with one keeps it. */
  readonly aliases?: readonly string[];
  readonly label: Text;
  /** Octicon name. */
  readonly icon?: string;
  readonly order?: number;
  /** Sends signed payloads: the form asks for secret and content type. Default false. */
  readonly signed?: boolean;
  /** Always sends JSON: the form does not ask for the content type. Default: asked for where it is `signed`. */
  readonly jsonOnly?: boolean;
  /** Own fields beside address and events. */
  readonly settings?: readonly HookSetting[];
  /** Checks the own fields (strings); its message is shown to the person. */
  readonly schema?: Joi.ObjectSchema;
  /**
   * The address is made from the settings (for instance a room): `config.url` is then not asked for. `given` is the
   * address that a client of the API has sent, or that the hook has already.
   */
  address?(settings: Readonly<Record<string, string>>, given?: string): string;
  /** The settings after an edit, before they are checked. Default: what is given replaces what was there. */
  merge?(
    before: Readonly<Record<string, string>>,
    given: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>>;
  /** Undefined: this kind has nothing to say about the event; nothing is sent. Throws for what it cannot send. */
  request(delivery: HookDelivery): HookRequest | undefined | Promise<HookRequest | undefined>;
}
export const webhookKinds = definePoint.keyed<WebhookKind>('webhooks.kinds');

// ---------------------------------------------------------------- events

/** Something for hooks. Made of every activity event; others than `webhooks` itself only need it to try something out. */
export interface HookEvent {
  /** Key of an `ActivityEventKind` of `activity-events`. */
  readonly eventType: string;
  /** What the receiver calls it, where it differs: `issues` for `issue_label`. */
  readonly event?: string;
  /** Hooks of the repository, of its owner and of the system hear it. */
  readonly repositoryId?: number;
  /** For events without a repository, or in a repository that is gone: its owner (user or organization). */
  readonly ownerId?: number;
  /** Full reference for the branch filter. */
  readonly ref?: string;
  /** When it happened, in milliseconds: hooks that were made later do not hear of it; absent: now. */
  readonly at?: number;
  /** With the same key again (deliveries of events repeat after a crash), it is sent once. */
  readonly once?: string;
  /** Built at most once, and only when a hook wants it; undefined: there is nothing to send. */
  payload(): Promise<HookPayload | undefined> | HookPayload;
  /** In one line; asked for after the payload. */
  describe?(): Promise<HookDescription | undefined>;
}

export interface Webhooks {
  /**
   * Stores a delivery for each hook that wants it and sends them in the background. In a transaction the deliveries are
   * part of it. Owners of events announce them (`@mortise/activity-events/api`), and hooks hear it.
   */
  deliver(event: HookEvent): Promise<void>;
  /** For pages and routes of other levels, such as organizations. */
  readonly hooks: HookLevels;
}
export const webhooks = defineService<Webhooks>('webhooks.webhooks');

/** A place where hooks hang. */
export interface HookOwner {
  readonly ownerKind: HookOwnerKind;
  readonly ownerId: number;
}

/** Model `CreateHookOption` of the API. */
export interface CreateHookOption {
  type: string;
  name?: string | null;
  config: Record<string, string>;
  events?: string[];
  branch_filter?: string;
  authorization_header?: string;
  active?: boolean;
}
export type EditHookOption = Partial<Omit<CreateHookOption, 'type'>>;

/** Model `Hook` of the API. */
export interface ApiHook {
  id: number;
  type: string;
  name: string;
  branch_filter: string;
  config: Record<string, string>;
  events: string[];
  authorization_header: string;
  active: boolean;
  updated_at: string;
  created_at: string;
}

/** Hooks of any level; who may is decided by the routes. */
export interface HookLevels {
  list(
    hookOwner: HookOwner | readonly HookOwner[],
    page: { limit: number; offset: number },
  ): Promise<{ items: Hook[]; total: number }>;
  /** NotFound when the place has none with that id. */
  get(hookOwner: HookOwner | readonly HookOwner[], id: number): Promise<Hook>;
  create(hookOwner: HookOwner, option: CreateHookOption, actor: Actor): Promise<Hook>;
  edit(hook: Hook, option: EditHookOption): Promise<Hook>;
  delete(hook: Hook): Promise<void>;
  /** Removes all of a place, in the caller's transaction or its own. */
  deleteAll(hookOwner: HookOwner): Promise<void>;
  /** Copies the default hooks, or those of a template, to a new repository. */
  copy(from: HookOwner, to: Repository): Promise<void>;
  toApi(hook: Hook): ApiHook;
}

/** What of a hook's past deliveries is still to be sent again. Times are milliseconds since 1970 UTC, both included. */
export interface RedeliveryBatch {
  readonly hookId: number;
  readonly since: number;
  readonly before: number;
  /** Those that succeeded too; default: failed ones alone. */
  readonly all: boolean;
  /** Ids of deliveries: after the first, up to the last. */
  readonly after: number;
  readonly until: number;
}

/** Sends a stored delivery and those of its hook that wait behind it. */
export const deliverHook = defineJob<{ deliveryId: number }>('webhooks.deliver');
/** Stores a piece of the deliveries that are sent again, and the job for the next piece. */
export const redeliverHook = defineJob<RedeliveryBatch>('webhooks.redeliver');
/** Stores the deliveries of an activity event that could not be stored in its transaction. */
export const handleActivityEvent = defineJob<{ activityEvent: ActivityEvent }>('webhooks.hear');
export const trimDeliveries = defineJob<Record<string, never>>('webhooks.trim');
