import {
  Invalid,
  type Database,
  type PointReader,
  type ScheduledTasks,
  type TakeoverContext,
  type TableMapping,
  type TakeoverMapping,
} from '@mortise/plugin-sdk';
import type { SiteNotices } from '@mortise/admin/api';
import type { TakeoverRow } from '../models/takeover-row.js';
import { IdCounters } from './id-counters.js';
import { mapPage } from './page-mapper.js';
import { PageReader, type ReadRow } from './page-reader.js';
import { PageWriter, takenReason } from './page-writer.js';
import { References, type MappedRow } from './references.js';
import { removedRows } from './removed-rows.js';
import { secretKeyFault } from './secret-check.js';
import { SourceContext } from './source-context.js';
import { SourceDatabase } from './source-database.js';
import { SourceIdentity } from './source-identity.js';
import { SourceSettings } from './source-settings.js';
import { sizeLines } from './source-sizes.js';
import { TakeoverReport, type TableCounts } from './takeover-report.js';
import { groupByTable, orderByReferences, type TableGroup } from './table-order.js';

interface TakeoverOptions {
  /** Work folder or app.ini of the other server. */
  readonly from: string;
  readonly isDryRun: boolean;
  /** The operator says that it is the server whose rows are here, whatever has changed. */
  readonly isSameServer?: boolean;
  /** The operator agrees that what cannot be decrypted is left out. */
  readonly isWithoutSecrets?: boolean;
  readonly progress?: (line: string) => void;
}

/** What one pass works with. */
interface Pass {
  readonly source: SourceDatabase;
  readonly mappings: readonly TableMapping[];
  readonly context: TakeoverContext;
  readonly reader: PageReader;
  readonly references: References;
  readonly report: TakeoverReport;
  readonly options: TakeoverOptions;
}

interface TakeoverRunnerDeps {
  readonly database: Database;
  readonly scheduledTasks: Pick<ScheduledTasks, 'run'>;
  /** Absent: there are no pages for administrators. */
  readonly siteNotices?: SiteNotices;
}

/** `git fsck`; begins with repositories that it has not seen, which are those that were taken over. */
const repositoryCheck = 'repo_health_check';

/**
 * Takes over another server in passes: each writes what is new or changed since the one before and removes what is gone.
 * A pass that is killed is begun again: rows that were written are recognized by their digest.
 */
export class TakeoverRunner {
  readonly #writer: PageWriter;
  readonly #identity: SourceIdentity;
  readonly #idCounters: IdCounters;

  constructor(
    private readonly deps: TakeoverRunnerDeps,
    private readonly plugins: PointReader<TakeoverMapping>,
  ) {
    this.#writer = new PageWriter(deps.database);
    this.#identity = new SourceIdentity(deps.database);
    this.#idCounters = new IdCounters(deps.database);
  }

  async run(options: TakeoverOptions): Promise<TakeoverReport> {
    const settings = SourceSettings.open(options.from);
    const source = await SourceDatabase.open(settings);
    const report = new TakeoverReport();
    try {
      await this.#identity.check(settings, source, options.isSameServer === true);
      const mappings = await this.mappings();
      checkSecrets(await secretKeyFault(mappings, settings, source), options, report);
      if (!options.isDryRun) {
        await this.#identity.record(settings, source);
        // before anything comes: a row of this site that is made meanwhile gets no id of theirs
        await this.#idCounters.raise(mappings, source, (problem) => report.report(problem));
      }
      const context = new SourceContext(settings, source, options.isDryRun, report);
      const byId = new Map(mappings.map((mapping) => [mapping.id, mapping]));
      const references = new References(this.deps.database, source, byId, options.isDryRun);
      const pass = { source, mappings, context, reader: new PageReader(source), references, report, options };
      options.progress?.(`schema version ${source.schemaVersion}, ${mappings.length} tables`);
      const counts = new Map(mappings.map((mapping) => [mapping, report.begin(mapping.id, mapping.table)]));
      if (!options.isDryRun)
        for (const mapping of [...mappings].reverse()) await this.#removeGone(pass, mapping, counts.get(mapping)!);
      for (const group of groupByTable(mappings)) await this.#takeTable(pass, group, counts);
      if (!options.isDryRun) for (const plugin of this.plugins.list()) await plugin.afterPass?.(context);
      await this.#reportUnknown(pass);
      if (options.isDryRun) {
        const rows = report.tables.reduce((sum, { read }) => sum + read, 0);
        for (const line of await sizeLines(settings, rows)) report.note(line);
        return report;
      }
      await this.#notifyAdministrators(settings, report);
      await this.deps.scheduledTasks.run(repositoryCheck);
      return report;
    } finally {
      await source.close();
    }
  }

  /** The output of the command may be read by nobody. */
  async #notifyAdministrators(settings: SourceSettings, report: TakeoverReport): Promise<void> {
    const problems = report.problems();
    if (problems.length === 0) return;
    const title = `The takeover of ${settings.file} found what is damaged or missing there`;
    await this.deps.siteNotices?.add('takeover', [title, ...problems].join('\n'));
  }

  /** Of all plugins, each table after those that its references name. */
  async mappings(): Promise<TableMapping[]> {
    return orderByReferences((await Promise.all(this.plugins.list().map((plugin) => plugin.tables()))).flat());
  }

  async #takeTable(pass: Pass, group: TableGroup, countsOf: ReadonlyMap<TableMapping, TableCounts>): Promise<void> {
    const { context, options, reader, report, source } = pass;
    const [{ table, key = ['id'] }] = group;
    const members = group.map((mapping) => ({ mapping, counts: countsOf.get(mapping)! }));
    const fault = source.faultOf(table, key);
    if (fault) return members.forEach(({ counts }) => report.skip(counts, fault));
    let from = Number.MIN_SAFE_INTEGER;
    for await (const page of reader.pages(group)) {
      for (const { mapping, counts } of members) {
        const { rows, excluded } = await page.rowsOf(mapping);
        counts.read += rows.length + page.unnumbered;
        for (let at = 0; at < page.unnumbered; at++) report.skip(counts, 'its key is not a whole number');
        const stored = await this.#writer.stored(mapping.id, from, page.after[0]);
        const gone = excluded.flatMap((excludedKey) => stored.get(excludedKey.join()) ?? []);
        if (!context.isDryRun) counts.removed += await this.#remove(pass, counts, gone);
        await this.#takePage(pass, mapping, counts, rows, stored);
      }
      from = page.after[0];
    }
    for (const { mapping, counts } of members) options.progress?.(`… ${counts.read} of ${mapping.id}`);
  }

  async #takePage(
    pass: Pass,
    mapping: TableMapping,
    counts: TableCounts,
    rows: readonly ReadRow[],
    stored: ReadonlyMap<string, TakeoverRow>,
  ): Promise<void> {
    const { context, report } = pass;
    const changed = rows.filter(({ key, digest }) => stored.get(key.join())?.digest !== digest);
    counts.unchanged += rows.length - changed.length;
    const refused: TakeoverRow[] = [];
    const complete = await mapPage(pass, mapping, changed, ({ key }, reason) => {
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
    const fitting = complete.filter((row) => !taken.has(row));
    if (mapping.copyFiles) await this.#copyFiles(mapping.copyFiles.bind(mapping), pass, rows, fitting, stored);
    counts.written += await this.#writer.write(mapping.id, fitting, stored, (_row, reason) =>
      report.skip(counts, reason),
    );
  }

  /** Also of rows that were taken over before: files change without their row. */
  async #copyFiles(
    copyFiles: NonNullable<TableMapping['copyFiles']>,
    { context, report }: Pass,
    rows: readonly ReadRow[],
    fitting: readonly MappedRow[],
    stored: ReadonlyMap<string, TakeoverRow>,
  ): Promise<void> {
    const changed = new Set(fitting.map(({ key }) => key.join()));
    for (const { key, row, digest } of rows) {
      const isChanged = changed.has(key.join());
      if (!isChanged && stored.get(key.join())?.digest !== digest) continue;
      try {
        await copyFiles(row, context, isChanged);
      } catch (error) {
        report.report(`files of ${key[0]}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** Before rows are written: a removed row may have had the name of a new one. */
  async #removeGone(pass: Pass, mapping: TableMapping, counts: TableCounts): Promise<void> {
    for await (const gone of removedRows(this.#writer, pass.source, mapping))
      counts.removed += await this.#remove(pass, counts, gone);
  }

  #remove({ report }: Pass, counts: TableCounts, rows: readonly TakeoverRow[]): Promise<number> {
    return this.#writer.remove(rows, () =>
      report.skip(counts, 'deleted on the other server but kept: rows of this site refer to it'),
    );
  }

  async #reportUnknown({ source, mappings, reader, report }: Pass): Promise<void> {
    // which columns mean something is known of rows that were mapped
    const unchanged = new Set(report.tables.filter((counts) => counts.unchanged > 0).map(({ table }) => table));
    for (const { table, columns } of reader.unknownColumns(mappings).filter((unknown) => !unchanged.has(unknown.table)))
      report.note(`table ${table}: no counterpart of ${columns.join(', ')}`);
    const known = new Set([
      ...mappings.flatMap(({ table, related = {} }) => [
        table,
        ...Object.values(related).map((relation) => relation.table),
      ]),
      ...this.plugins.list().flatMap(({ ignoredTables = [] }) => ignoredTables),
    ]);
    for (const table of [...source.tables.keys()].sort()) {
      if (known.has(table) || table === 'version' || table.startsWith('sqlite_')) continue;
      const rows = await source.count(table);
      if (rows > 0) report.note(`table ${table}: ${rows} rows are not taken over`);
    }
  }
}

/** Throws where a pass must not begin; a dry run says so. */
function checkSecrets(fault: string | undefined, options: TakeoverOptions, report: TakeoverReport): void {
  if (fault === undefined) return;
  if (!options.isDryRun && !options.isWithoutSecrets)
    throw Invalid(
      `${fault} Nothing was written. Without them, accounts with one-time codes need their password alone. ` +
        'Where there is a right key, give it; or add --without-secrets to take over the rest.',
    );
  report.report(options.isWithoutSecrets ? fault : `${fault} A pass stops here unless --without-secrets is added.`);
}
