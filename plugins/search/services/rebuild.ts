import type { Database, Finding, PointReader } from '@mortise/plugin-sdk';
import type { SearchDocument, SearchIndex, SearchSource } from '../api.js';
import { DocumentRow } from '../models/document.js';
import { IndexProgressRow } from '../models/source.js';
import { commitKind, fileKind } from './code-sources.js';
import { rowOf } from './search-index.js';

const batchSize = 200;

/** Makes the index from its sources: at first, anew, or what is missing. */
export class Rebuild {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly index: SearchIndex;
      readonly sources: PointReader<SearchSource>;
    },
  ) {}

  /** Are there texts that were never indexed, or not as they are now? Kinds without any texts are done at once. */
  async isDue(): Promise<boolean> {
    const { database } = this.deps;
    const states = await this.#states();
    let isDue = false;
    for (const source of this.deps.sources.list()) {
      const state = states.get(source.key);
      if (state?.version === source.version && state.is_complete) continue;
      if ((await source.count()) > 0) isDue = true;
      else await database.write(() => this.#note(source, 0, true));
    }
    return isDue;
  }

  /** Goes on where it was interrupted; `isAnew`: all from the beginning. */
  async run(options: { readonly isAnew?: boolean; readonly signal?: AbortSignal } = {}): Promise<number> {
    const { database } = this.deps;
    if (options.isAnew) await database.write(() => database.query(IndexProgressRow).delete());
    const states = await this.#states();
    let count = 0;
    for (const source of this.deps.sources.list()) {
      const state = states.get(source.key);
      const isSame = state?.version === source.version;
      if (isSame && state.is_complete) continue;
      let last: number | undefined = isSame ? state.last_id : 0;
      while (last !== undefined && !options.signal?.aborted) {
        const done = await this.#batch(source, last);
        count += done.count;
        last = done.last;
      }
    }
    return count;
  }

  /** Brings up what was written without its knowing, as takeovers write; not code, which is compared with git. */
  async refresh(): Promise<number> {
    let count = 0;
    for (const source of this.deps.sources.list()) {
      if (source.key === fileKind || source.key === commitKind) continue;
      const [newest] = await this.deps.database
        .query(DocumentRow)
        .where('kind', source.key)
        .orderBy('resource_id', 'desc')
        .limit(1);
      let last: number | undefined = 0;
      while (last !== undefined) {
        const done = await this.#batch(source, last, { newestId: newest?.resource_id ?? 0 });
        count += done.count;
        last = done.last;
      }
    }
    return count;
  }

  /** `newestId`: only what has changed is written, and what stands behind the last text up to this id goes. */
  #batch(
    source: SearchSource,
    after: number,
    { newestId }: { readonly newestId?: number } = {},
  ): Promise<{ count: number; last: number | undefined }> {
    const { database, index } = this.deps;
    return database.write(async () => {
      const documents = await source.batch(after, batchSize);
      const onlyChanged = newestId !== undefined;
      const last = documents.at(-1)?.id;
      const end = last ?? newestId;
      const stale = database.query(DocumentRow).delete().where('kind', source.key).where('resource_id', '>', after);
      if (end !== undefined) void stale.where('resource_id', '<=', end);
      void stale.whereNotIn(
        'resource_id',
        documents.map(({ id }) => id),
      );
      // what comes in while this runs has greater ids, and may stand in the index already
      if (end !== undefined) await stale;
      const changed = onlyChanged ? await this.#changed(source, documents) : documents;
      await index.put(changed);
      if (!onlyChanged) await this.#note(source, last ?? after, last === undefined);
      return { count: changed.length, last };
    });
  }

  async #changed(source: SearchSource, documents: readonly SearchDocument[]): Promise<SearchDocument[]> {
    const rows = await this.deps.database
      .query(DocumentRow)
      .where('kind', source.key)
      .whereIn(
        'resource_id',
        documents.map(({ id }) => id),
      );
    const byId = new Map(rows.map((row) => [row.resource_id, row]));
    return documents.filter((document) => {
      const row = byId.get(document.id);
      return (
        !row || Object.entries(rowOf(document)).some(([column, value]) => row[column as keyof DocumentRow] !== value)
      );
    });
  }

  async *findings(fix: boolean): AsyncGenerator<Finding> {
    for (const source of this.deps.sources.list()) {
      const [wanted, there] = await Promise.all([
        source.count(),
        this.deps.database.query(DocumentRow).where('kind', source.key).resultSize(),
      ]);
      if (wanted === there) continue;
      const text = `The search index has ${there} of ${wanted} texts of the kind ${source.key}.`;
      if (!fix) yield { level: 'warning', text: `${text} mortise search rebuild makes it anew.` };
      else {
        await this.run({ isAnew: true });
        yield { level: 'warning', text, fixed: true };
        return;
      }
    }
  }

  async #states(): Promise<Map<string, IndexProgressRow>> {
    const rows = await this.deps.database.query(IndexProgressRow);
    return new Map(rows.map((row) => [row.kind, row]));
  }

  async #note(source: SearchSource, lastId: number, isComplete: boolean): Promise<void> {
    await this.deps.database
      .query(IndexProgressRow)
      .insert({ kind: source.key, version: source.version, last_id: lastId, is_complete: isComplete })
      .onConflict('kind')
      .merge();
  }
}
