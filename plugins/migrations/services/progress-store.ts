import type { Database } from '@mortise/plugin-sdk';
import { importSteps, type ImportStep, type StepProgress } from '../contract/importer.js';
import { ImportItemRow, digestOf, type ItemKind } from '../models/item.js';
import { ImportStepRow } from '../models/step.js';
import { cleanNumber } from './sanitize.js';

/** Something that was written, under what the source calls it. */
export interface WrittenItem {
  readonly kind: ItemKind;
  readonly key: string;
  readonly localId: number;
  readonly number?: number;
}

export interface StoredStep extends StepProgress {
  readonly position: string | undefined;
}

const maxNote = 2000;
const itemsPerStatement = 100;

/** All steps in their order; those that nobody has begun are waiting. */
function orderedSteps(rows: readonly ImportStepRow[]): StoredStep[] {
  const rowByStep = new Map(rows.map((row) => [row.step, row]));
  return importSteps.map((step) => {
    const row = rowByStep.get(step);
    return {
      step,
      state: row?.state ?? 'waiting',
      position: row?.position || undefined,
      done: row?.done ?? 0,
      total: row?.total ?? 0,
      note: row?.note ?? '',
    };
  });
}

/** What an import remembers to go on: how far each step is, and what was written. */
export class ProgressStore {
  constructor(private readonly database: Database) {}

  /** All steps in their order; those that nobody has begun are waiting. */
  async steps(repositoryId: number): Promise<StoredStep[]> {
    return (await this.stepsOf([repositoryId])).get(repositoryId)!;
  }

  /** Of several imports, by their repositories; one query. */
  async stepsOf(repositoryIds: readonly number[]): Promise<Map<number, StoredStep[]>> {
    const rows = repositoryIds.length
      ? await this.database.query(ImportStepRow).whereIn('repository_id', [...repositoryIds])
      : [];
    return new Map(repositoryIds.map((id) => [id, orderedSteps(rows.filter((row) => row.repository_id === id))]));
  }

  async step(repositoryId: number, step: ImportStep): Promise<StoredStep> {
    return (await this.steps(repositoryId)).find((one) => one.step === step)!;
  }

  /** Joins the caller's transaction. */
  async save(repositoryId: number, { step, position = '', note, ...progress }: StoredStep): Promise<void> {
    await this.database.write(async () => {
      const columns = { ...progress, position, note: note.slice(0, maxNote) };
      const changed = await this.database
        .query(ImportStepRow)
        .where({ repository_id: repositoryId, step })
        .patch(columns);
      if (!changed) await this.database.query(ImportStepRow).insert({ ...columns, repository_id: repositoryId, step });
    });
  }

  /** In the transaction that writes them. */
  async record(repositoryId: number, items: readonly WrittenItem[]): Promise<void> {
    for (let at = 0; at < items.length; at += itemsPerStatement)
      await this.database
        .knex()('repository_import_item')
        .insert(
          items.slice(at, at + itemsPerStatement).map(({ kind, key, localId, number = 0 }) => ({
            repository_id: repositoryId,
            kind,
            digest: digestOf(kind, key),
            local_id: localId,
            number,
          })),
        );
  }

  /** Ids of what was written before, by what the source calls it. */
  async find(repositoryId: number, kind: ItemKind, keys: readonly string[]): Promise<Map<string, number>> {
    const ids = new Map<string, number>();
    const byDigest = new Map(keys.map((key) => [digestOf(kind, key), key]));
    const digests = [...byDigest.keys()];
    for (let at = 0; at < digests.length; at += 500) {
      const rows = await this.database
        .query(ImportItemRow)
        .where('repository_id', repositoryId)
        .whereIn('digest', digests.slice(at, at + 500));
      for (const row of rows) ids.set(byDigest.get(row.digest)!, row.local_id);
    }
    return ids;
  }

  /** Issues and pull requests by their numbers. */
  async byNumbers(repositoryId: number, numbers: readonly number[]): Promise<Map<number, ImportItemRow>> {
    const validNumbers = [...new Set(numbers)].filter((number) => cleanNumber(number) !== undefined);
    const rowByNumber = new Map<number, ImportItemRow>();
    for (let at = 0; at < validNumbers.length; at += 500) {
      const rows = await this.database
        .query(ImportItemRow)
        .where('repository_id', repositoryId)
        .whereIn('kind', ['issue', 'pull'])
        .whereIn('number', validNumbers.slice(at, at + 500));
      for (const row of rows) rowByNumber.set(row.number, row);
    }
    return rowByNumber;
  }

  /** Those after a number, lowest first. */
  async numbersAfter(
    repositoryId: number,
    kinds: readonly ItemKind[],
    after: number,
    limit: number,
  ): Promise<{ number: number; isPull: boolean }[]> {
    const rows = await this.database
      .query(ImportItemRow)
      .where('repository_id', repositoryId)
      .whereIn('kind', [...kinds])
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit);
    return rows.map(({ number, kind }) => ({ number, isPull: kind === 'pull' }));
  }

  async forgetItems(repositoryId: number): Promise<void> {
    await this.database.write(
      async () => void (await this.database.query(ImportItemRow).delete().where('repository_id', repositoryId)),
    );
  }

  /** Everything of an import that nobody looks at: no page shows it, and nothing goes on from it. */
  async forget(repositoryId: number): Promise<void> {
    await this.database.write(async () => {
      await this.database.query(ImportItemRow).delete().where('repository_id', repositoryId);
      await this.database.query(ImportStepRow).delete().where('repository_id', repositoryId);
    });
  }

  /** Ids of all that was written of a kind. */
  async idsOf(repositoryId: number, kind: ItemKind): Promise<number[]> {
    const rows = await this.database
      .query(ImportItemRow)
      .select('local_id')
      .where({ repository_id: repositoryId, kind });
    return rows.map((row) => row.local_id);
  }
}
