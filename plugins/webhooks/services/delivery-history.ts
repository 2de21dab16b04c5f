import { NotFound, type Database } from '@mortise/plugin-sdk';
import { DeliveryRow } from '../models/delivery.js';

/** What was sent. */
export class DeliveryHistory {
  constructor(
    private readonly database: Database,
    private readonly keep: number,
  ) {}

  /** Newest first, without the bulk. */
  async list(hookId: number, limit: number, offset = 0): Promise<DeliveryRow[]> {
    return this.database
      .query(DeliveryRow)
      .select('id', 'hook_id', 'uuid', 'event', 'event_type', 'state', 'attempts', 'created_at', 'delivered_at')
      .where('hook_id', hookId)
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset);
  }

  /** How many wait, and when the oldest is tried again (0: soon). */
  async queue(hookId: number): Promise<{ waiting: number; nextAttempt: number }> {
    const waiting = () => this.database.query(DeliveryRow).where({ hook_id: hookId, state: 'waiting' });
    const head = await waiting().select('next_attempt_at').orderBy('overtaken').orderBy('id').first();
    return { waiting: head ? await waiting().resultSize() : 0, nextAttempt: Number(head?.next_attempt_at ?? 0) };
  }

  /** How many the receiver did not take that later ones go before. */
  async overtaken(hookId: number): Promise<number> {
    return this.database.query(DeliveryRow).where({ hook_id: hookId, state: 'waiting', overtaken: true }).resultSize();
  }

  async get(hookId: number, id: number): Promise<DeliveryRow> {
    const row = await this.database.query(DeliveryRow).findOne({ id, hook_id: hookId });
    if (!row) throw NotFound('delivery');
    return row;
  }

  /** Counts of waiting and of failed deliveries; both are read from an index. */
  async counts(): Promise<{ state: 'waiting' | 'failed'; count: number }[]> {
    const rows = (await this.database
      .knex()('hook_delivery')
      .whereIn('state', ['waiting', 'failed'])
      .groupBy('state')
      .select('state')
      .count({ count: '*' })) as unknown as { state: string; count: number | string }[];
    const found = new Map(rows.map(({ state, count }) => [state, Number(count)]));
    return (['waiting', 'failed'] as const).map((state) => ({ state, count: found.get(state) ?? 0 }));
  }

  /** Keeps the newest of each hook; what still waits stays. */
  async trim(): Promise<void> {
    const crowded = (await this.database
      .knex()('hook_delivery')
      .select('hook_id')
      .groupBy('hook_id')
      .havingRaw('count(*) > ?', [this.keep])) as { hook_id: number }[];
    for (const { hook_id: hookId } of crowded) {
      await this.database.write(async () => {
        const oldest = await this.database
          .query(DeliveryRow)
          .select('id')
          .where('hook_id', hookId)
          .orderBy('id', 'desc')
          .offset(this.keep - 1)
          .limit(1)
          .first();
        if (oldest)
          await this.database
            .query(DeliveryRow)
            .delete()
            .where('hook_id', hookId)
            .where('id', '<', oldest.id)
            .whereNot('state', 'waiting');
      });
    }
  }
}
