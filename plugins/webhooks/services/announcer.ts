import { randomUUID } from 'node:crypto';
import type { Database, Jobs, PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import {
  deliverHook,
  type Announcement,
  type HookPayload,
  type HookPlace,
  type WebhookEvent,
  type Webhooks,
} from '../api.js';
import { DeliveryRow } from '../models/delivery.js';
import { HookRow } from '../models/hook.js';
import { matchesBranch } from './branch-filter.js';
import { EventNames } from './event-names.js';
import type { HookService } from './hooks.js';

export interface AnnouncerParts {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly events: PointReader<WebhookEvent>;
  readonly hooks: HookService;
}

/** Finds who wants to hear of something and stores a delivery for each. */
export class Announcer implements Webhooks {
  readonly hooks: HookService;

  constructor(private readonly parts: AnnouncerParts) {
    this.hooks = parts.hooks;
  }

  async announce(announcement: Announcement): Promise<void> {
    const filtered = this.parts.events.get(announcement.eventType)?.filtered ?? false;
    const listening = (await this.listeners(announcement)).filter(
      (hook) =>
        EventNames.wants(hook.events, announcement.eventType) &&
        (!filtered || matchesBranch(hook.branch_filter, announcement.ref)),
    );
    if (listening.length === 0) return;
    const payload = await announcement.payload();
    await this.store(
      listening.map((hook) => hook.id),
      announcement,
      payload,
    );
  }

  /** Sends to one hook whatever it listens to (HOK-21). */
  async tell(hookId: number, announcement: Announcement): Promise<void> {
    await this.store([hookId], announcement, await announcement.payload());
  }

  /** The same again, as a delivery of its own. */
  async redeliver(delivery: DeliveryRow): Promise<number> {
    const { event, event_type: eventType, payload } = delivery;
    const [id] = await this.store([delivery.hook_id], { event, eventType, payload: () => payload }, payload);
    return id!;
  }

  private async listeners({ repositoryId, ownerId }: Announcement): Promise<HookRow[]> {
    const places: HookPlace[] = [{ ownerKind: 'system', ownerId: 0 }];
    let owner = ownerId;
    if (repositoryId !== undefined) {
      places.push({ ownerKind: 'repository', ownerId: repositoryId });
      owner ??= (await this.parts.repositories.byId(repositoryId))?.ownerId;
    }
    if (owner) {
      const account = await this.parts.accounts.byId(owner);
      places.push({ ownerKind: account?.kind === 'organization' ? 'organization' : 'user', ownerId: owner });
    }
    return this.parts.database
      .query(HookRow)
      .where('active', true)
      .where((any) => {
        for (const place of places) void any.orWhere({ owner_kind: place.ownerKind, owner_id: place.ownerId });
      })
      .orderBy('id');
  }

  private async store(
    hookIds: readonly number[],
    { eventType, event, once }: Announcement,
    payload: HookPayload,
  ): Promise<number[]> {
    const { database, jobs } = this.parts;
    const onceKey = once?.slice(0, 191) ?? null;
    return database.write(async () => {
      const told = onceKey
        ? await database
            .query(DeliveryRow)
            .select('hook_id')
            .where('once_key', onceKey)
            .whereIn('hook_id', [...hookIds])
        : [];
      const before = new Set(told.map((row) => row.hook_id));
      const ids: number[] = [];
      for (const hookId of hookIds) {
        if (before.has(hookId)) continue;
        const row = await database.query(DeliveryRow).insert({
          hook_id: hookId,
          uuid: randomUUID(),
          once_key: onceKey,
          event: event ?? eventType,
          event_type: eventType,
          payload: { ...payload },
          state: 'waiting',
          created_at: Date.now(),
        });
        await jobs.enqueue(deliverHook, { deliveryId: row.id });
        ids.push(row.id);
      }
      return ids;
    });
  }
}
