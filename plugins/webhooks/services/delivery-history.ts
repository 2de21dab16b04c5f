import { NotFound, type Database } from '@mortise/plugin-sdk';
import { DeliveryRow } from '../models/delivery.js';

/** A delivery as lists show it. */
export interface DeliverySummary extends Pick<DeliveryRow, 'id' | 'uuid' | 'event_type' | 'state' | 'created_at'> {
  /** Of the answer; 0: there was none. */
  readonly status: number;
  /** Milliseconds until the answer, or until it was given up. */
  readonly took: number;
}

export const summaryOf = ({ id, uuid, event_type, state, created_at, response }: DeliveryRow): DeliverySummary => ({
  ...{ id, uuid, event_type, state, created_at },
  status: response?.status ?? 0,
  took: response?.took ?? 0,
});

/** Deliveries deleted in one transaction: others wait for it. */
const forgottenAtOnce = 200;

/** What was sent. */
export class DeliveryHistory {
  constructor(
    private readonly database: Database,
    private readonly keep: number,
  ) {}

  /** Newest first, without the bulk. */
  async list(
    hookId: number,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ items: DeliverySummary[]; total: number }> {
    const ofHook = () => this.database.query(DeliveryRow).where('hook_id', hookId);
    const total = await ofHook().resultSize();
    const inResponse = (name: 'status' | 'took') =>
      this.database.knex().raw(`json_extract(response, '$.${name}') as ${name}`);
    const rows = (await ofHook()
      .select('id', 'uuid', 'event_type', 'state', 'created_at', inResponse('status'), inResponse('took'))
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)) as unknown as DeliverySummary[];
    // MariaDB gives parts of JSON as texts
    return { items: rows.map((row) => ({ ...row, status: Number(row.status), took: Number(row.took) })), total };
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

  /** Deletes what came to its end before this time, in milliseconds; stops between two slices when the job must end. */
  async forgetBefore(time: number, signal: AbortSignal): Promise<void> {
    const old = () =>
      this.database
        .query(DeliveryRow)
        .select('id')
        .whereNot('state', 'waiting')
        .where('delivered_at', '<', time)
        .orderBy('id')
        .limit(forgottenAtOnce);
    for (let rows = await old(); rows.length > 0 && !signal.aborted; rows = await old()) {
      const ids = rows.map(({ id }) => id);
      await this.database.write(() => this.database.query(DeliveryRow).delete().whereIn('id', ids));
    }
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
