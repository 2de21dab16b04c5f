import { writeBehind, type Database, type Logger, type WriteBehind } from '@mortise/plugin-sdk';
import { RunnerActivityRow } from '../../models/runner-activity.js';
import type { RunnerActivityTimes } from './runner-records.js';

const writeIntervalMs = { online: 30_000, active: 5_000 };
type Kind = 'online' | 'active';

/** When runners were last online and active: buffered in memory, and written periodically. */
export class RunnerActivity {
  readonly #online: WriteBehind;
  readonly #active: WriteBehind;

  constructor(
    private readonly database: Database,
    log: Logger,
  ) {
    const behind = (kind: Kind) =>
      writeBehind({
        name: `times at which runners were ${kind}`,
        keep: 'latest',
        delayMs: 200,
        restMs: writeIntervalMs[kind],
        log,
        write: (values) => this.#write(kind, values),
      });
    this.#online = behind('online');
    this.#active = behind('active');
  }

  noteActive(runnerId: number): void {
    this.#active.add(runnerId, Date.now());
  }

  /** A runner that was offline is written at once, so that all processes see it. */
  async noteOnline(runnerId: number, now: number): Promise<void> {
    const wasOffline = now - (this.#online.get(runnerId) ?? 0) > writeIntervalMs.online;
    this.#online.add(runnerId, now);
    if (wasOffline) await this.#online.flush();
  }

  /** By runner; absent: never heard of. One query. */
  async of(ids: readonly number[]): Promise<(id: number) => RunnerActivityTimes> {
    const rows = ids.length ? await this.database.query(RunnerActivityRow).whereIn('runner_id', ids) : [];
    const known = new Map(rows.map((row) => [row.runner_id, row]));
    return (id) => ({
      onlineAt: Math.max(known.get(id)?.online_at ?? 0, this.#online.get(id) ?? 0),
      activeAt: Math.max(known.get(id)?.active_at ?? 0, this.#active.get(id) ?? 0),
    });
  }

  async close(): Promise<void> {
    await this.#online.close();
    await this.#active.close();
  }

  async #write(kind: Kind, values: readonly (readonly [number, number])[]): Promise<void> {
    const column = `${kind}_at` as const;
    await this.database.write(async () => {
      const ids = values.map(([id]) => id);
      // Rows are made with their runner, and gone with it.
      const present = await this.database.query(RunnerActivityRow).select('runner_id').whereIn('runner_id', ids);
      const known = new Set(present.map((row) => row.runner_id));
      for (const [id, at] of values)
        if (known.has(id))
          await this.database
            .query(RunnerActivityRow)
            .findById(id)
            .where(column, '<', at)
            .patch({ [column]: at });
    });
  }
}
