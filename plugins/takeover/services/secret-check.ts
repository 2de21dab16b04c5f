import type { TableMapping } from '@mortise/plugin-sdk';
import { mapRow } from './page-mapper.js';
import { PageReader } from './page-reader.js';
import { SourceContext } from './source-context.js';
import type { SourceDatabase } from './source-database.js';
import type { SourceSettings } from './source-settings.js';
import { groupByTable, type TableGroup } from './table-order.js';

/**
 * From this version of its schema on, Forgejo (10) encrypts in another way (`modules/keying` of its source), which is not
 * read: both servers had parted by then.
 */
const firstKeyedVersion = 25;
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
 * Says that encrypted values cannot be read, and why; undefined: they can, or nothing is encrypted. Few of a table that
 * cannot be decrypted are damaged.
 */
export async function secretKeyFault(
  mappings: readonly TableMapping[],
  settings: SourceSettings,
  source: SourceDatabase,
): Promise<string | undefined> {
  const tables: string[] = [];
  for (const group of groupByTable(mappings.filter(({ hasSecrets }) => hasSecrets)))
    for (const [mapping, { tried, failed }] of await tryRows(group, settings, source))
      if (failed > tried / 2) tables.push(`${mapping.id}: ${failed} of ${tried}`);
  if (tables.length === 0) return undefined;
  const what = `Values of the other server (${tables.join(', ')}) cannot be decrypted`;
  return source.forgejoVersion >= firstKeyedVersion
    ? `${what}: Forgejo 10 and later encrypt them in a way of their own.`
    : `${what} with ${settings.placeOf('security', 'SECRET_KEY')}: they were encrypted with another key.`;
}
