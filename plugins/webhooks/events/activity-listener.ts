import type { ActivityEvent, ActivityEventKind, PayloadOptions } from '@mortise/activity-events/api';
import { textOf, type Database, type Jobs, type Languages, type Logger, type PointReader } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { handleActivityEvent, type Hook, type HookEvent } from '../contract/webhooks.js';
import type { HookDispatcher } from '../services/hook-dispatcher.js';

export interface ListenerDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly kinds: PointReader<ActivityEventKind>;
  readonly languages: Languages;
  readonly options: PayloadOptions;
}

/** Payloads that are made in one transaction, which others wait for; jobs make those of larger changes. */
const maxInTransaction = 100;

/** Makes of activity events what hooks are sent. */
export class ActivityListener {
  /** By open transaction: payloads that were made in it. */
  readonly #counts = new WeakMap<object, number>();

  constructor(private readonly deps: ListenerDeps) {}

  /** Must wait for the commit: payloads of its kind are read from git. */
  readsGit({ kind }: ActivityEvent): boolean {
    return this.deps.kinds.get(kind)?.readsGit ?? false;
  }

  /**
   * In the transaction of what has happened, so that each delivery says how things stood then, and is there even where
   * all of it is deleted a moment later. At the end of the transaction, when all of the change can be read; of what was
   * deleted at once, for that to which it belonged may be deleted next.
   */
  async record(list: readonly ActivityEvent[], dispatcher: HookDispatcher, log: Logger): Promise<void> {
    for (const one of list) {
      if (this.readsGit(one) || !dispatcher.mayBeHeard(one.kind, one.resource)) continue;
      const store = () => this.#store(one, dispatcher, log);
      if (one.action === 'deleted') await store();
      else this.deps.database.beforeCommit(store);
    }
  }

  /** What fails is tried again by a job, and fails no change. */
  async #store(activityEvent: ActivityEvent, dispatcher: HookDispatcher, log: Logger): Promise<void> {
    const { database, jobs } = this.deps;
    const transaction = database.knex();
    const count = (this.#counts.get(transaction) ?? 0) + 1;
    this.#counts.set(transaction, count);
    // SQLite has the same handle for all that follow
    database.afterCommit(() => void this.#counts.delete(transaction));
    if (count > maxInTransaction) return void (await jobs.enqueue(handleActivityEvent, { activityEvent }));
    try {
      await this.handle([activityEvent], dispatcher);
    } catch (error) {
      const { id, kind } = activityEvent;
      log.warn('could not store webhook deliveries; retrying', {
        event: 'webhook.store',
        activityEvent: id,
        kind,
        error,
      });
      await jobs.enqueue(handleActivityEvent, { activityEvent });
    }
  }

  /** In their order; again after a failure, and then only to the hooks that have not heard it. */
  async handle(list: readonly ActivityEvent[], dispatcher: HookDispatcher): Promise<void> {
    for (const one of list) {
      const event = this.#eventOf(one);
      if (event) await dispatcher.deliver(event);
    }
  }

  /**
   * Sends the newest push that could have been to one hook, whatever it listens to, unless it is switched off (HOK-21);
   * false: there is nothing to make it from.
   */
  async testEvent(
    hook: Hook,
    request: { repository: Repository; ref: string; actorId: number },
    dispatcher: HookDispatcher,
  ): Promise<boolean> {
    const event = await this.sample(request);
    if (event && hook.active) await dispatcher.deliverTo(hook.id, event);
    return event !== undefined;
  }

  /** The newest push that could have been; undefined: there is nothing to make it from. */
  async sample(request: { repository: Repository; ref: string; actorId: number }): Promise<HookEvent | undefined> {
    const sample = await this.deps.kinds.get('push')?.sample?.(request);
    return sample && this.#eventOf(sample);
  }

  /** Undefined: of a plugin that is not loaded any more. */
  #eventOf(activityEvent: ActivityEvent): HookEvent | undefined {
    const { kinds, languages, options } = this.deps;
    const kind = kinds.get(activityEvent.kind);
    if (!kind) return undefined;
    const { repositoryId, ownerId, ref } = activityEvent.resource;
    return {
      eventType: kind.key,
      event: kind.event ?? kind.key,
      ...(repositoryId === undefined ? {} : { repositoryId }),
      ...(ownerId === undefined ? {} : { ownerId }),
      ...(ref === undefined ? {} : { ref }),
      at: activityEvent.at,
      once: activityEvent.id,
      payload: () => kind.payload(activityEvent, options),
      describe: async () => {
        const description = await kind.describe(activityEvent);
        if (!description) return undefined;
        const language = languages.offered()[0]?.tag ?? 'en-US';
        return { ...description, title: languages.in(language, () => textOf(description.title)) };
      },
    };
  }
}
