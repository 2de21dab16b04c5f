import type { Database, QueryCache } from '@mortise/plugin-sdk';
import { TransferRow } from '../models/transfer.js';

/** A repository that waits to be handed over. */
export interface PendingTransfer {
  readonly doerId: number;
  readonly recipientId: number;
  /** Of an organization: those that get it. */
  readonly teamIds: readonly number[];
}

/** Transfers that wait for their recipients; a hot read. */
export class PendingTransfers {
  constructor(
    private readonly database: Database,
    /** By the id of the repository. */
    private readonly known: QueryCache<PendingTransfer | undefined>,
  ) {}

  /** Those of many repositories at once, by repository. */
  async of(repositoryIds: readonly number[]): Promise<Map<number, PendingTransfer>> {
    const loaded = await this.known.loadMany(repositoryIds, async (missing) => {
      const rows = await this.database.query(TransferRow).whereIn('repository_id', [...missing]);
      const byId = new Map(
        rows.map((row) => [
          row.repository_id,
          { doerId: row.doer_id, recipientId: row.recipient_id, teamIds: row.team_ids ?? [] },
        ]),
      );
      return new Map(missing.map((id) => [id, byId.get(id)]));
    });
    return new Map([...loaded].flatMap(([id, transfer]) => (transfer ? [[id, transfer] as const] : [])));
  }
}
