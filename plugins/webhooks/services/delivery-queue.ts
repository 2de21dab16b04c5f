import type { Database, JobOptions, Jobs, Logger } from '@mortise/plugin-sdk';
import { deliverHook } from '../contract/webhooks.js';
import { DeliveryRow, type ReceivedResponse } from '../models/delivery.js';
import type { HookDispatcher } from './hook-dispatcher.js';
import { deadPauseMs, giveUpMs, type DeliverySender, type DeliveryResult } from './delivery-sender.js';

interface QueueDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly dispatcher: HookDispatcher;
  readonly sender: DeliverySender;
  /** Milliseconds within which one attempt ends for sure. */
  readonly attemptMs: number;
  /** What waits is given up instead. */
  readonly isDisabled: boolean;
}

/** One job sends this long before it hands on to another, so that other accounts get their turn. */
const turnMs = 15_000;
const unasked = 'the receiver had taken nothing for a day';
const disabled = 'webhooks are disabled on this site';
const columns = ['id', 'hook_id', 'state', 'attempts', 'lease_until', 'next_attempt_at'] as const;

/** A job with it sends what waits now; while one is there that has not begun, no other is stored. */
export const soonKey = (hookId: number): string => `hook ${hookId}`;

/**
 * Sends the deliveries of a hook in their order: any of its jobs sends the oldest that waits, and then what waits behind
 * it, so a hook has few jobs however much is queued. While a receiver cannot be reached nothing but the oldest is tried for
 * some minutes, with growing pauses; then later ones go before it. One that the receiver itself answers with 500 is
 * overtaken at once. A receiver that takes nothing at all is asked rarely, each time with another delivery.
 */
export class DeliveryQueue {
  constructor(private readonly deps: QueueDeps) {}

  async run(deliveryId: number, signal: AbortSignal, log: Logger): Promise<void> {
    const { database, jobs, dispatcher, sender, attemptMs } = this.deps;
    const own = await this.#row(deliveryId);
    if (!own) return;
    if (this.deps.isDisabled) {
      await database.write(() => this.#giveUp(own.hook_id, disabled));
      return;
    }
    const until = Date.now() + turnMs;
    for (let isFirst = true; ; isFirst = false) {
      const head = await this.#head(own.hook_id);
      if (!head) return;
      // in a pause only the job that was stored for its end tries again
      if (head.id !== deliveryId && Number(head.next_attempt_at) > Date.now()) return;
      const group = await dispatcher.groupOfHook(own.hook_id);
      const later = (options: JobOptions) =>
        database.write(() => jobs.enqueue(deliverHook, { deliveryId: head.id }, { ...options, group }));
      if (!isFirst && (signal.aborted || Date.now() > until)) {
        await later({ uniqueKey: soonKey(own.hook_id) });
        return;
      }
      if (!(await this.#claim(head.id, attemptMs))) {
        // another process sends it, or was interrupted: retried when its lease ends
        await later({ uniqueKey: `after ${own.hook_id}`, runAt: Date.now() + attemptMs });
        return;
      }
      const sent = await sender.send(head.id, signal, log);
      if (!sent) continue;
      if (sent.overtaken) {
        await this.#skipFailing(head, sent, group);
        if (sent.failingSince === undefined) continue;
      } else if (sent.isDead) await this.#pauseHook(own.hook_id, group);
      else await later({ runAt: sent.retryAt! });
      return;
    }
  }

  /**
   * Of a receiver that has taken nothing for a day: what has waited as long as what was given up is given up with it, unasked,
   * and the oldest that is left is tried in an hour.
   */
  async #pauseHook(hookId: number, group: string): Promise<void> {
    const { database, jobs } = this.deps;
    const now = Date.now();
    await database.write(async () => {
      await this.#giveUp(hookId, unasked, now - giveUpMs);
      const head = await this.#waiting(hookId).clearOrder().orderBy('overtaken').orderBy('id').first();
      if (!head) return;
      const runAt = now + deadPauseMs;
      await database.query(DeliveryRow).patch({ next_attempt_at: runAt, overtaken: false }).where('id', head.id);
      await jobs.enqueue(deliverHook, { deliveryId: head.id }, { group, runAt });
    });
  }

  /** Fails what has waited since then, for this reason; what is being sent just now goes on. */
  async #giveUp(hookId: number, error: string, since = Date.now()): Promise<void> {
    const now = Date.now();
    const response: ReceivedResponse = { status: 0, headers: {}, body: '', error, took: 0 };
    await this.deps.database
      .query(DeliveryRow)
      .patch({ state: 'failed', response, delivered_at: now })
      .where({ hook_id: hookId, state: 'waiting' })
      .where('created_at', '<=', since)
      .where('lease_until', '<', now);
  }

  /**
   * Lets later deliveries go before one. Where the receiver takes nothing at all the next of them asks it after a pause
   * as long as it has been so already; what was overtaken then waits until it is well.
   */
  async #skipFailing(
    { id, hook_id: hookId }: DeliveryRow,
    { retryAt, failingSince: unwellSince }: DeliveryResult,
    group: string,
  ): Promise<void> {
    const { database, jobs } = this.deps;
    const now = Date.now();
    await database.write(async () => {
      if (unwellSince === undefined) {
        await jobs.enqueue(deliverHook, { deliveryId: id }, { group, runAt: retryAt! });
        return;
      }
      const runAt = now + Math.min(deadPauseMs, Math.max(15_000, now - unwellSince));
      const next = (await this.#waiting(hookId).where('overtaken', false).first())?.id ?? id;
      if (next !== id)
        await database
          .query(DeliveryRow)
          .patch({ next_attempt_at: now + giveUpMs })
          .where('id', id);
      await database.query(DeliveryRow).patch({ next_attempt_at: runAt, overtaken: false }).where('id', next);
      await jobs.enqueue(deliverHook, { deliveryId: next }, { group, runAt });
    });
  }

  /** Tries the oldest that waits now, whatever its pause. */
  async wake(hookId: number): Promise<void> {
    const { database, jobs, dispatcher } = this.deps;
    const head = await this.#head(hookId);
    if (!head) return;
    const group = await dispatcher.groupOfHook(hookId);
    await database.write(() =>
      jobs.enqueue(deliverHook, { deliveryId: head.id }, { group, uniqueKey: `wake ${hookId}` }),
    );
  }

  async #row(id: number): Promise<DeliveryRow | undefined> {
    return this.deps.database
      .query(DeliveryRow)
      .select(...columns)
      .findById(id);
  }

  async #head(hookId: number): Promise<DeliveryRow | undefined> {
    return this.#waiting(hookId)
      .where((due) => due.where('overtaken', false).orWhere('next_attempt_at', '<=', Date.now()))
      .first();
  }

  #waiting(hookId: number) {
    return this.deps.database
      .query(DeliveryRow)
      .select(...columns)
      .where({ hook_id: hookId, state: 'waiting' })
      .orderBy('id');
  }

  async #claim(id: number, forMs: number): Promise<boolean> {
    const now = Date.now();
    const claimed = await this.deps.database.write(() =>
      this.deps.database
        .query(DeliveryRow)
        .patch({ lease_until: now + forMs })
        .where({ id, state: 'waiting' })
        .where('lease_until', '<', now),
    );
    return claimed > 0;
  }
}
