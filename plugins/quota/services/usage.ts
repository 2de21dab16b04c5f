import type { Database, PointReader } from '@mortise/plugin-sdk';
import type { StoredBytes, StoredSubject } from '@mortise/accounts/api';
import { countedFor, type Subject } from './subjects.js';

/** Bytes that are stored for an owner. */
export class Usage {
  constructor(private readonly bytes: ReadonlyMap<StoredSubject, number>) {}

  of(stored: StoredSubject): number {
    return this.bytes.get(stored) ?? 0;
  }

  /** Of subjects together; what several of them count is counted once. */
  sum(subjects: readonly Subject[]): number {
    return [...countedFor(subjects)].reduce((sum, stored) => sum + this.of(stored), 0);
  }
}

/** Counts what all plugins store for an owner, in one statement. */
export class UsageCounter {
  constructor(
    private readonly database: Database,
    private readonly sources: PointReader<StoredBytes>,
  ) {}

  async count(ownerId: number): Promise<Usage> {
    const knex = this.database.knex();
    const parts = this.sources.list().map((source) => source.count(knex, ownerId));
    const rows = (await knex.unionAll(parts)) as { subject: StoredSubject; bytes: number | string | null }[];
    const bytes = new Map<StoredSubject, number>();
    for (const row of rows) bytes.set(row.subject, (bytes.get(row.subject) ?? 0) + Number(row.bytes ?? 0));
    return new Usage(bytes);
  }
}
