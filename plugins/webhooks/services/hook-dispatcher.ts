import { randomUUID } from 'node:crypto';
import { NotFound, type Database, type QueryCache, type Jobs, type PointReader } from '@mortise/plugin-sdk';
import type { ActivityEventKind } from '@mortise/activity-events/api';
import type { Repositories } from '@mortise/repositories/api';
import {
  deliverHook,
  type HookDescription,
  redeliverHook,
  type HookEvent,
  type HookPayload,
  type HookOwner,
  type RedeliveryBatch,
  type Webhooks,
} from '../contract/webhooks.js';
import { DeliveryRow } from '../models/delivery.js';
import { HookRow } from '../models/hook.js';
import { matchesBranch } from './branch-filter.js';
import { EventNames } from './event-names.js';
import type { HookService } from './hook-service.js';
import { soonKey } from './delivery-queue.js';

interface HookDispatcherDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly repositories: Repositories;
  readonly events: PointReader<ActivityEventKind>;
  readonly hooks: HookService;
  /** Of the owners whom an event concerns, as JSON. */
  readonly listeners: QueryCache<readonly HookRow[]>;
  /** The same by repository and owner: most events have no listeners. */
  readonly about: QueryCache<readonly HookRow[]>;
  /** Nothing is heard, whatever is stored. */
  readonly isDisabled: boolean;
}

/** Deliveries that are sent again with one request. */
const maxRedelivered = 1000;
/** Deliveries stored by one transaction: payloads are large, and other writers wait. */
const batchSize = 20;

export type DeliveryRange = Pick<RedeliveryBatch, 'since' | 'before' | 'all'>;

const keyOf = ({ repositoryId, ownerId }: Pick<HookEvent, 'repositoryId' | 'ownerId'>) =>
  JSON.stringify([repositoryId ?? null, ownerId ?? null]);

/** Finds who wants to hear of something and stores a delivery for each. */
export class HookDispatcher implements Webhooks {
  readonly hooks: HookService;

  constructor(private readonly deps: HookDispatcherDeps) {
    this.hooks = deps.hooks;
  }

  /** False where it is known that no hook listens to this kind of event there. */
  mayBeHeard(eventType: string, about: Pick<HookEvent, 'repositoryId' | 'ownerId'>): boolean {
    if (this.deps.isDisabled) return false;
    const hooks = this.deps.about.peek(keyOf(about));
    return !hooks || hooks.some((hook) => EventNames.wants(hook.events, eventType));
  }

  async deliver(event: HookEvent): Promise<void> {
    if (this.deps.isDisabled) return;
    const filtered = this.deps.events.get(event.eventType)?.filtered ?? false;
    const { at = Date.now() } = event;
    const listening = (await this.listeners(event)).filter(
      (hook) =>
        hook.created_at <= at &&
        EventNames.wants(hook.events, event.eventType) &&
        (!filtered || matchesBranch(hook.branch_filter, event.ref)),
    );
    if (listening.length === 0) return;
    const payload = await event.payload();
    if (payload) await this.store(listening, event, payload, await event.describe?.());
  }

  /** Sends to one hook whatever it listens to (HOK-21). */
  async deliverTo(hookId: number, event: HookEvent): Promise<void> {
    const payload = await event.payload();
    if (payload) await this.store(await this.byId(hookId), event, payload, await event.describe?.());
  }

  /** The same again, as a delivery of its own. */
  async redeliver(delivery: DeliveryRow): Promise<number> {
    const { event, event_type: eventType, payload, description } = delivery;
    const hooks = await this.byId(delivery.hook_id);
    const [id] = await this.store(hooks, { event, eventType, payload: () => payload }, payload, description);
    if (id === undefined) throw NotFound('webhook');
    return id;
  }

  /** All of a time range again, in their order, as deliveries of their own: jobs store them. Gives their number. */
  async redeliverRange(hookId: number, range: DeliveryRange): Promise<number> {
    const wanted = { ...range, hookId, after: 0, until: Number.MAX_SAFE_INTEGER };
    const ids = await this.#past(wanted, maxRedelivered);
    const until = ids.at(-1);
    if (until === undefined) return 0;
    const group = await this.groupOfHook(hookId);
    await this.deps.database.write(() => this.deps.jobs.enqueue(redeliverHook, { ...wanted, until }, { group }));
    return ids.length;
  }

  /** One piece and the job for the rest, or neither: whatever fails in between, nothing is sent twice or left out. */
  async redeliverBatch(piece: RedeliveryBatch): Promise<void> {
    const { database, jobs } = this.deps;
    const { hookId } = piece;
    const group = await this.groupOfHook(hookId);
    await database.write(async () => {
      const ids = await this.#past(piece, batchSize);
      for (const id of ids) {
        // one by one: payloads are large
        const delivery = await database.query(DeliveryRow).findById(id);
        if (!delivery) continue;
        const { event, event_type, payload, description } = delivery;
        const again = await database.query(DeliveryRow).insert({
          hook_id: hookId,
          uuid: randomUUID(),
          once_key: null,
          event,
          event_type,
          payload,
          description,
          state: 'waiting',
          created_at: Date.now(),
        });
        await jobs.enqueue(deliverHook, { deliveryId: again.id }, { group, uniqueKey: soonKey(hookId) });
      }
      const last = ids.at(-1);
      if (last !== undefined && last < piece.until)
        await jobs.enqueue(redeliverHook, { ...piece, after: last }, { group });
    });
  }

  async #past({ hookId, since, before, all, after, until }: RedeliveryBatch, limit: number): Promise<number[]> {
    const rows = await this.deps.database
      .query(DeliveryRow)
      .select('id')
      .where('hook_id', hookId)
      .whereIn('state', all ? ['failed', 'succeeded'] : ['failed'])
      .where('created_at', '>=', since)
      .where('created_at', '<=', before)
      .where('id', '>', after)
      .where('id', '<=', until)
      .orderBy('id')
      .limit(limit);
    return rows.map(({ id }) => id);
  }

  private async byId(hookId: number): Promise<HookRow[]> {
    return this.deps.database.query(HookRow).where('id', hookId);
  }

  async groupOfHook(hookId: number): Promise<string> {
    const [hook] = await this.byId(hookId);
    return hook ? this.groupOf(hook) : 'site';
  }

  /** The account whose deliveries share their places; a repository's hooks belong to its owner. */
  private async groupOf({ owner_kind: kind, owner_id: id }: HookRow): Promise<string> {
    if (kind === 'repository') return `account ${(await this.deps.repositories.basicsById(id))?.ownerId ?? 0}`;
    return kind === 'user' || kind === 'organization' ? `account ${id}` : 'site';
  }

  private async listeners(event: HookEvent): Promise<readonly HookRow[]> {
    const { about, database } = this.deps;
    const key = keyOf(event);
    const known = about.peek(key);
    if (known) return known;
    // caches take nothing from a transaction: the next event of the same place finds it
    if (database.inTransaction())
      database.afterCommit(() => void about.load(key, () => this.#listenersAbout(event)).catch(() => undefined));
    return about.load(key, () => this.#listenersAbout(event));
  }

  async #listenersAbout({ repositoryId, ownerId }: HookEvent): Promise<readonly HookRow[]> {
    const owners: HookOwner[] = [{ ownerKind: 'system', ownerId: 0 }];
    let owner = ownerId;
    if (repositoryId !== undefined) {
      owners.push({ ownerKind: 'repository', ownerId: repositoryId });
      owner ??= (await this.deps.repositories.basicsById(repositoryId))?.ownerId;
    }
    // one account is only one of them
    if (owner) owners.push({ ownerKind: 'user', ownerId: owner }, { ownerKind: 'organization', ownerId: owner });
    const { database, listeners } = this.deps;
    const key = JSON.stringify(owners);
    const load = async (): Promise<readonly HookRow[]> =>
      database
        .query(HookRow)
        .where('active', true)
        .where((any) => {
          for (const hookOwner of owners)
            void any.orWhere({ owner_kind: hookOwner.ownerKind, owner_id: hookOwner.ownerId });
        })
        .orderBy('id');
    return listeners.peek(key) ?? listeners.load(key, load);
  }

  private async store(
    hooks: readonly HookRow[],
    { eventType, event, once }: HookEvent,
    payload: HookPayload,
    description?: HookDescription | null,
  ): Promise<number[]> {
    const { database, jobs } = this.deps;
    const onceKey = once?.slice(0, 191) ?? null;
    const targets = await Promise.all(
      hooks.map(async (hook) => ({ hookId: hook.id, group: await this.groupOf(hook) })),
    );
    return database.write(async () => {
      const told = onceKey
        ? await database
            .query(DeliveryRow)
            .select('hook_id')
            .where('once_key', onceKey)
            .whereIn(
              'hook_id',
              hooks.map(({ id }) => id),
            )
        : [];
      const before = new Set(told.map((row) => row.hook_id));
      const ids: number[] = [];
      for (const { hookId, group } of targets) {
        if (before.has(hookId)) continue;
        const row = await database.query(DeliveryRow).insert({
          hook_id: hookId,
          uuid: randomUUID(),
          once_key: onceKey,
          event: event ?? eventType,
          event_type: eventType,
          payload: { ...payload },
          description: description ?? null,
          state: 'waiting',
          created_at: Date.now(),
        });
        await jobs.enqueue(deliverHook, { deliveryId: row.id }, { group, uniqueKey: soonKey(hookId) });
        ids.push(row.id);
      }
      return ids;
    });
  }
}
