import type { TableMapping } from '@mortise/plugin-sdk';
import { mapRow } from './page-mapper.js';
import { PageReader } from './page-reader.js';
import { SourceContext } from './source-context.js';
import type { SourceDatabase } from './source-database.js';
import type { SourceSettings } from './source-settings.js';

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
    this.tried++;
    if (decrypted === undefined) this.failed++;
    return decrypted;
  }
}

async function tryRows(
  mapping: TableMapping,
  settings: SourceSettings,
  source: SourceDatabase,
): Promise<CountingContext> {
  const context = new CountingContext(settings, source);
  if (source.faultOf(mapping.table, mapping.key ?? ['id'])) return context;
  // one of its own: these rows are not mapped for good
  for await (const { rows } of new PageReader(source).pages(mapping))
    for (const { row } of rows) {
      if (context.tried >= maxTried) return context;
      await mapRow(mapping, row, context);
    }
  return context;
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
  for (const mapping of mappings) {
    if (!mapping.hasSecrets) continue;
    const counts = await tryRows(mapping, settings, source);
    tried += counts.tried;
    failed += counts.failed;
    if (counts.failed > 0) tables.push(`${mapping.id}: ${counts.failed} of ${counts.tried}`);
  }
  if (failed <= tried / 2) return undefined;
  return `Values of the other server (${tables.join(', ')}) cannot be decrypted with ${settings.placeOf('security', 'SECRET_KEY')}: they were encrypted with another key.`;
}
