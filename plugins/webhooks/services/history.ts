import { NotFound, type Database } from '@mortise/plugin-sdk';
import { DeliveryRow } from '../models/delivery.js';

/** What was sent. */
export class History {
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

  async get(hookId: number, id: number): Promise<DeliveryRow> {
    const row = await this.database.query(DeliveryRow).findOne({ id, hook_id: hookId });
    if (!row) throw NotFound('delivery');
    return row;
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
