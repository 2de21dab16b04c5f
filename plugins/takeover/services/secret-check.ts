import type { TableMapping } from '@mortise/plugin-sdk';
import { mapRow } from './page-mapper.js';
import { PageReader } from './page-reader.js';
import { SourceContext } from './source-context.js';
import type { SourceDatabase } from './source-database.js';
import type { SourceSettings } from './source-settings.js';
import { groupByTable, type TableGroup } from './table-order.js';

/** Encrypted values of one table that are tried. */
const maxTried = 100;

/** Counts what is decrypted; nothing else comes of it. */
class CountingContext extends SourceContext {
  tried = 0;
  failed = 0;

  constructor(settings: SourceSettings, source: SourceDatabase) {
    super(settings, source, true, { report: () => undefined });
  }

  override decrypt(encrypted: string): string | undefined {
    return this.#counted(super.decrypt(encrypted));
  }

  override decryptTotp(encrypted: string): string | undefined {
    return this.#counted(super.decryptTotp(encrypted));
  }

  #counted(decrypted: string | undefined): string | undefined {
    // an empty text has no byte that the key would change
    if (decrypted !== '') this.tried++;
    if (decrypted === undefined) this.failed++;
    return decrypted;
  }
}

async function tryRows(
  group: TableGroup,
  settings: SourceSettings,
  source: SourceDatabase,
): Promise<ReadonlyMap<TableMapping, CountingContext>> {
  const contexts = new Map(group.map((mapping) => [mapping, new CountingContext(settings, source)]));
  const [{ table, key = ['id'] }] = group;
  if (source.faultOf(table, key)) return contexts;
  // one of its own: these rows are not mapped for good
  for await (const page of new PageReader(source).pages(group)) {
    const open = [...contexts].filter(([, { tried }]) => tried < maxTried);
    if (open.length === 0) break;
    for (const [mapping, context] of open)
      for (const { row } of (await page.rowsOf(mapping)).rows) {
        if (context.tried >= maxTried) break;
        await mapRow(mapping, row, context);
      }
  }
  return contexts;
}

/**
 * Says that the SECRET_KEY is not the one of the encrypted values, and where it stands; undefined: it is, or nothing is
 * encrypted. Few that cannot be decrypted are damaged, or of a time with another key.
 */
export async function secretKeyFault(
  mappings: readonly TableMapping[],
  settings: SourceSettings,
  source: SourceDatabase,
): Promise<string | undefined> {
  const tables: string[] = [];
  let [tried, failed] = [0, 0];
  for (const group of groupByTable(mappings.filter(({ hasSecrets }) => hasSecrets)))
    for (const [mapping, counts] of await tryRows(group, settings, source)) {
      tried += counts.tried;
      failed += counts.failed;
      if (counts.failed > 0) tables.push(`${mapping.id}: ${counts.failed} of ${counts.tried}`);
    }
  if (failed <= tried / 2) return undefined;
  return `Values of the other server (${tables.join(', ')}) cannot be decrypted with ${settings.placeOf('security', 'SECRET_KEY')}: they were encrypted with another key.`;
}
