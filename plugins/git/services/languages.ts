import type { PathEntry } from '../api.js';
import type { KnownLanguage } from './language-data.js';
import { generatedName } from './generated-files.js';
import { AttributeFiles } from './language-attributes.js';
import type { LanguageTable } from './language-table.js';

/** What was not written by those whose repository it is, or is no code: unless an attribute says otherwise. */
const vendored =
  /(^|\/)(vendor|node_modules|third[-_]?party|bower_components|dist|extern(al)?s?)\/|\.min\.(js|css)$|(^|\/)jquery[^/]*\.js$/;
const documentation = /(^|\/)(docs?|[Dd]ocumentation)\//;
const hidden = /(^|\/)\./;
/** Settings in these are no code, whatever type they have. */
const configuration = new Set(['INI', 'JSON', 'SQL', 'TOML', 'XML', 'YAML']);

/** Bytes by language; the most first (as the field counts: programming and markup). */
class LanguageCount {
  readonly #sums = new Map<string, number>();

  constructor(
    private readonly table: LanguageTable,
    private readonly attributes?: AttributeFiles,
  ) {}

  add(path: string, size: number): void {
    const language = size > 0 ? this.#of(path) : undefined;
    if (language) this.#sums.set(language, (this.#sums.get(language) ?? 0) + size);
  }

  result(): Record<string, number> {
    return Object.fromEntries([...this.#sums].sort((a, b) => b[1] - a[1]));
  }

  #of(path: string): string | undefined {
    const said = this.attributes?.of(path) ?? {};
    if (said.detectable === false) return undefined;
    if (said.vendored ?? vendored.test(path)) return undefined;
    if (said.generated ?? generatedName.test(path)) return undefined;
    if (said.documentation ?? documentation.test(path)) return undefined;
    if (said.language) {
      const known = this.table.named(said.language);
      return known ? countedAs(known) : said.language;
    }
    if (hidden.test(path)) return undefined;
    const known = this.table.ofFile(path.slice(path.lastIndexOf('/') + 1));
    if (!known) return undefined;
    const isCode = (known.type === 'programming' || known.type === 'markup') && !configuration.has(known.name);
    return isCode || said.detectable ? countedAs(known) : undefined;
  }
}

const countedAs = ({ name, group }: KnownLanguage) => group ?? name;

/** Larger ones, and more of them, are passed over. */
const maxAttributeBytes = 100_000;
const maxAttributeFiles = 20;
const attributeFile = /(^|\/)\.gitattributes$/;

/** The languages of a tree: `each` visits its files, `blob` reads one. */
export async function countLanguages(
  table: LanguageTable,
  tree: {
    readonly each: (visit: (entry: PathEntry) => void) => Promise<void>;
    readonly blob: (oid: string) => Promise<Buffer>;
  },
): Promise<Record<string, number>> {
  const files: { readonly path: string; readonly oid: string }[] = [];
  const counted = async (attributes?: AttributeFiles) => {
    const count = new LanguageCount(table, attributes);
    await tree.each(({ type, mode, path, oid, size = 0 }) => {
      if (type !== 'blob' || mode === '120000') return;
      count.add(path, size);
      if (!attributes && size <= maxAttributeBytes && attributeFile.test(path)) files.push({ path, oid });
    });
    return count.result();
  };
  const plain = await counted();
  const depth = (path: string) => path.split('/').length;
  const attributes = new AttributeFiles();
  for (const { path, oid } of files.sort((a, b) => depth(a.path) - depth(b.path)).slice(0, maxAttributeFiles))
    attributes.add(path, (await tree.blob(oid)).toString('utf8'));
  return attributes.isEmpty ? plain : counted(attributes);
}
