import type {
  Database,
  PointReader,
  ScheduledTasks,
  TakeoverContext,
  TakeoverKind,
  TakeoverMapping,
} from '@mortise/plugin-sdk';
import type { TakeoverRow } from '../models/takeover-row.js';
import { mapPage } from './page-mapper.js';
import { PageReader, type ReadRow } from './page-reader.js';
import { PageWriter, takenReason } from './page-writer.js';
import { References, type MappedRow } from './references.js';
import { removedRows } from './removed-rows.js';
import { SourceContext } from './source-context.js';
import { SourceDatabase } from './source-database.js';
import { SourceIdentity } from './source-identity.js';
import { SourceSettings } from './source-settings.js';
import { sizeLines } from './source-sizes.js';
import { TakeoverReport, type KindCounts } from './takeover-report.js';
import { inOrder } from './kind-order.js';

interface TakeoverOptions {
  /** Work folder or app.ini of the other server. */
  readonly from: string;
  readonly isDryRun: boolean;
  /** The operator says that it is the server whose rows are here, whatever has changed. */
  readonly isSameServer?: boolean;
  readonly progress?: (line: string) => void;
}

/** What one pass works with. */
interface Pass {
  readonly source: SourceDatabase;
  readonly kinds: readonly TakeoverKind[];
  readonly context: TakeoverContext;
  readonly reader: PageReader;
  readonly references: References;
  readonly report: TakeoverReport;
  readonly options: TakeoverOptions;
}

/** Looks first at repositories that it has not seen: `git fsck` of what has come. */
const repositoryCheck = 'repo_health_check';

/**
 * Takes over another server in passes: each writes what is new or changed since the one before and removes what is gone.
 * A pass that is killed is begun again: what has come is recognized by its digest.
 */
export class TakeoverRunner {
  readonly #writer: PageWriter;
  readonly #identity: SourceIdentity;

  constructor(
    private readonly database: Database,
    private readonly mappings: PointReader<TakeoverMapping>,
    private readonly scheduled: Pick<ScheduledTasks, 'run'>,
  ) {
    this.#writer = new PageWriter(database);
    this.#identity = new SourceIdentity(database);
  }

  async run(options: TakeoverOptions): Promise<TakeoverReport> {
    const settings = SourceSettings.open(options.from);
    const source = await SourceDatabase.open(settings);
    const report = new TakeoverReport();
    try {
      await this.#identity.check(settings, source, options.isSameServer === true);
      if (!options.isDryRun) await this.#identity.record(settings, source);
      const kinds = await this.kinds();
      const context = new SourceContext(settings, options.isDryRun, report);
      const byId = new Map(kinds.map((kind) => [kind.id, kind]));
      const references = new References(this.database, source, byId, options.isDryRun);
      const pass = { source, kinds, context, reader: new PageReader(source), references, report, options };
      options.progress?.(`schema version ${source.schemaVersion}, ${kinds.length} kinds`);
      const counts = new Map(kinds.map((kind) => [kind, report.begin(kind.id, kind.table)]));
      if (!options.isDryRun)
        for (const kind of [...kinds].reverse()) await this.#removeGone(pass, kind, counts.get(kind)!);
      for (const kind of kinds) await this.#takeKind(pass, kind, counts.get(kind)!);
      if (!options.isDryRun) for (const mapping of this.mappings.list()) await mapping.finish?.(context);
      await this.#reportUnknown(pass);
      if (options.isDryRun) {
        const rows = report.kinds.reduce((sum, { read }) => sum + read, 0);
        for (const line of await sizeLines(settings, rows)) report.report(line);
      } else await this.scheduled.run(repositoryCheck);
      return report;
    } finally {
      await source.close();
    }
  }

  /** All kinds, each after those that it names. */
  async kinds(): Promise<TakeoverKind[]> {
    return inOrder((await Promise.all(this.mappings.list().map((mapping) => mapping.kinds()))).flat());
  }

  async #takeKind(pass: Pass, kind: TakeoverKind, counts: KindCounts): Promise<void> {
    const fault = pass.source.faultOf(kind.table, kind.key ?? ['id']);
    if (fault) return pass.report.skip(counts, fault);
    let from = Number.MIN_SAFE_INTEGER;
    for await (const { rows, excluded, after, unnumbered } of pass.reader.pages(kind)) {
      counts.read += rows.length + unnumbered;
      for (let at = 0; at < unnumbered; at++) pass.report.skip(counts, 'its key is not a whole number');
      const stored = await this.#writer.stored(kind.id, from, after[0]);
      from = after[0];
      if (!pass.context.isDryRun)
        counts.removed += await this.#remove(
          pass,
          counts,
          excluded.flatMap((key) => stored.get(key.join()) ?? []),
        );
      await this.#takePage(pass, kind, counts, rows, stored);
    }
    pass.options.progress?.(`… ${counts.read} of ${kind.id}`);
  }

  async #takePage(
    pass: Pass,
    kind: TakeoverKind,
    counts: KindCounts,
    rows: readonly ReadRow[],
    stored: ReadonlyMap<string, TakeoverRow>,
  ): Promise<void> {
    const { context, report } = pass;
    const changed = rows.filter(({ key, digest }) => stored.get(key.join())?.digest !== digest);
    counts.unchanged += rows.length - changed.length;
    const refused: TakeoverRow[] = [];
    const complete = await mapPage(pass, kind, changed, ({ key }, reason) => {
      report.skip(counts, reason);
      const before = stored.get(key.join());
      if (before) refused.push(before);
    });
    if (context.isDryRun) {
      counts.written += complete.length;
      return;
    }
    await this.#remove(pass, counts, refused);
    const taken = await this.#writer.withTakenIds(complete, stored);
    for (let at = 0; at < taken.size; at++) report.skip(counts, takenReason);
    const coming = complete.filter((row) => !taken.has(row));
    if (kind.content) await this.#bringContent(kind.content.bind(kind), pass, rows, coming, stored);
    counts.written += await this.#writer.write(kind.id, coming, stored, (_row, reason) => report.skip(counts, reason));
  }

  /** Of rows that come or have come: files change without their row. */
  async #bringContent(
    content: NonNullable<TakeoverKind['content']>,
    { context, report }: Pass,
    rows: readonly ReadRow[],
    complete: readonly MappedRow[],
    stored: ReadonlyMap<string, TakeoverRow>,
  ): Promise<void> {
    const coming = new Set(complete.map(({ key }) => key.join()));
    for (const { key, row, digest } of rows) {
      const isChanged = coming.has(key.join());
      if (!isChanged && stored.get(key.join())?.digest !== digest) continue;
      try {
        await content(row, context, isChanged);
      } catch (error) {
        report.report(`files of ${key[0]}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** Before anything comes: its name may be another row's by now. */
  async #removeGone(pass: Pass, kind: TakeoverKind, counts: KindCounts): Promise<void> {
    for await (const gone of removedRows(this.#writer, pass.source, kind))
      counts.removed += await this.#remove(pass, counts, gone);
  }

  #remove({ report }: Pass, counts: KindCounts, rows: readonly TakeoverRow[]): Promise<number> {
    return this.#writer.remove(rows, () =>
      report.skip(counts, 'deleted on the other server but kept: rows of this site refer to it'),
    );
  }

  async #reportUnknown({ source, kinds, reader, report }: Pass): Promise<void> {
    // which columns mean something is known of rows that were mapped
    const unchanged = new Set(report.kinds.filter((counts) => counts.unchanged > 0).map(({ table }) => table));
    for (const { table, columns } of reader.unknownColumns(kinds).filter((unknown) => !unchanged.has(unknown.table)))
      report.report(`table ${table}: no counterpart of ${columns.join(', ')}`);
    const known = new Set([
      ...kinds.flatMap(({ table, related = {} }) => [table, ...Object.values(related).map((one) => one.table)]),
      ...this.mappings.list().flatMap(({ ignoredTables = [] }) => ignoredTables),
    ]);
    for (const table of [...source.tables.keys()].sort()) {
      if (known.has(table) || table === 'version' || table.startsWith('sqlite_')) continue;
      const rows = await source.count(table);
      if (rows > 0) report.report(`table ${table}: ${rows} rows are not taken over`);
    }
  }
}
