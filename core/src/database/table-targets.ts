/** What a statement that defines something would change. */
interface Targets {
  readonly tables: readonly string[];
  /** It cannot be told from the text what it would change. */
  readonly opaque?: string;
}

const table = String.raw`((?:[\w$]+\s*\.\s*)?[\w$]+)`;
const forms = [
  String.raw`^alter (?:online )?(?:ignore )?table (?:if exists )?${table}`,
  String.raw`^alter (?:online )?(?:ignore )?table .* exchange partition .* with table ${table}`,
  String.raw`^truncate (?:table )?${table}`,
  String.raw`^create or replace table ${table}`,
  String.raw`^create (?:or replace )?(?:unique |fulltext |spatial )?index (?:if not exists )?[\w$]+ (?:using \w+ )?on ${table}`,
  String.raw`^drop index (?:if exists )?[\w$]+ on ${table}`,
  String.raw`^create (?:or replace )?(?:definer ?= ?\S+ )?trigger .*? on ${table} for each row`,
].map((form) => new RegExp(form));
const dropped = /^drop (?:temporary )?tables? (?:if exists )?(.*?)(?: restrict| cascade)?$/;
const renamed = /^rename tables? (?:if exists )?(.*)$/;
const opaque =
  /^(?:(?:create|alter|drop) (?:or replace )?(?:definer ?= ?\S+ )?(?:aggregate )?(?:database|schema|procedure|function|event|package|server|tablespace|user|role)|call|prepare|execute|set statement|begin not atomic)\b/;

/** Tables that the statements of a text of MySQL or MariaDB would create anew, alter, rename, empty or drop. */
export function definitionTargets(sql: string): Targets {
  const tables: string[] = [];
  for (const statement of statementsOf(sql)) {
    const match = opaque.exec(statement);
    if (match) return { tables, opaque: match[0] };
    for (const form of forms) {
      const name = form.exec(statement)?.[1];
      if (name) tables.push(bare(name));
    }
    const list = dropped.exec(statement)?.[1] ?? renamed.exec(statement)?.[1];
    for (const part of list?.split(',') ?? [])
      tables.push(bare(/^[\w$.\s]*?(?=(?: wait \d+| nowait)? to |$)/.exec(part.trim())?.[0] ?? ''));
  }
  return { tables: tables.filter(Boolean) };
}

const bare = (name: string): string => name.split('.').at(-1)!.trim();

/** One by one, in small letters, without comments, texts and quotes of names. What runs only on MariaDB runs. */
function statementsOf(sql: string): string[] {
  const plain = sql
    .replace(/'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"/gs, "''")
    .replace(/\/\*M?!\d*(.*?)\*\//gs, ' $1 ')
    .replace(/\/\*.*?\*\//gs, ' ')
    .replace(/(?:--\s|#).*$/gm, ' ')
    .replaceAll('`', '')
    .replace(/\s+/g, ' ')
    .replace(/ ?\. ?/g, '.')
    .toLowerCase();
  return plain.split(';').map((one) => one.trim());
}
