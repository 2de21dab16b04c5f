import type { Database } from '@mortise/plugin-sdk';
import { ApiComparison, type ComparedSite } from './api-comparison.js';
import { ComparisonReport } from './comparison-report.js';
import { PageReader } from './page-reader.js';
import { sourceKeyText, PageWriter } from './page-writer.js';
import { References } from './references.js';
import { removedRows } from './removed-rows.js';
import { SourceDatabase } from './source-database.js';
import { SourceIdentity } from './source-identity.js';
import { SourceSettings } from './source-settings.js';
import { TableComparison } from './table-comparison.js';
import type { TakeoverRunner } from './takeover-runner.js';

interface VerifierOptions {
  readonly from: string;
  /** Both servers by their API, where the other one runs. */
  readonly api?: { readonly source: ComparedSite; readonly target: ComparedSite };
  readonly progress?: (line: string) => void;
}

interface VerifierDeps {
  readonly database: Database;
  readonly runner: Pick<TakeoverRunner, 'mappings'>;
  readonly api: ApiComparison;
}

/** Compares the other server with this one after a pass, table by table and page by page. Nothing is written. */
export class TakeoverVerifier {
  constructor(private readonly deps: VerifierDeps) {}

  async run({ from, api, progress }: VerifierOptions): Promise<ComparisonReport> {
    const { database, runner } = this.deps;
    const settings = SourceSettings.open(from);
    const source = await SourceDatabase.open(settings);
    const report = new ComparisonReport(settings.file);
    try {
      await new SourceIdentity(database).check(settings, source, false);
      const mappings = await runner.mappings();
      const writer = new PageWriter(database);
      const references = new References(
        database,
        source,
        new Map(mappings.map((mapping) => [mapping.id, mapping])),
        false,
      );
      const reader = new PageReader(source);
      const tables = new TableComparison({ database, writer, settings, source, reader, references, report });
      for (const mapping of mappings) {
        const comparison = await tables.compare(mapping);
        for await (const gone of removedRows(writer, source, mapping))
          for (const row of gone) report.differ(comparison, 'it is gone there and still here', sourceKeyText(row));
        progress?.(`… ${comparison.compared} of ${mapping.id}`);
      }
    } finally {
      await source.close();
    }
    if (api) await this.deps.api.compare(api.source, api.target, report, progress);
    return report;
  }
}
