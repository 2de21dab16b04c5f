/** What a change of one table changes in others: cascading foreign keys and triggers. */
export interface SchemaInfo {
  readonly tables: readonly string[];
  /** Who reads a view reads what its SQL names. */
  readonly views: readonly { readonly name: string; readonly sql: string }[];
  /** Deleting (or replacing) rows of `from` changes rows of `to`. */
  readonly cascades: readonly { readonly from: string; readonly to: string }[];
  /** Any write to `table` runs this SQL too. */
  readonly triggers: readonly { readonly table: string; readonly sql: string }[];
}

const words = /[A-Za-z_][\w$]*/g;
const readsOnly = /^[\s(]*(select|show|explain|describe|values|pragma|savepoint|release|rollback|begin|commit|set)\b/i;
const dropsAll = /^\s*drop\s+(database|schema)\b/i;
const definesData = /^\s*(create|alter|drop|rename|truncate|vacuum|reindex|attach)\b/i;
const deletes = /\b(delete|replace|with)\b/i;
/** Sets columns of one table, up to its condition. */
const update = /^\s*update\s+[`"]?(\w+)[`"]?\s+set\s(.*?)\swhere\s/is;
const countColumn = /_count$/i;
/** `count(*)` reads no column. */
const readsCounts = /_count\b|\*(?!\s*\))/i;
const maxRemembered = 2000;
const maxRememberedLength = 4000;

/**
 * The columns of a table whose names end with `_count` count as a table of their own: they change with what others do, such
 * as giving a star, and most of what is known of a row does not depend on them.
 */
export const countsOf = (table: string): string => `${table}#count`;

/**
 * Tells from the text of a statement which tables it reads or writes. Every word of it that is the name of a table
 * counts, so a column of the same name makes the answer too large, and nothing makes it too small.
 */
export class Statements {
  /** Lower-case name → tables: itself, or those of a view. */
  #tables = new Map<string, readonly string[]>();
  #hasViews = false;
  #cascades = new Map<string, readonly string[]>();
  #triggered = new Map<string, readonly string[]>();
  readonly #read = new Map<string, readonly string[]>();
  readonly #written = new Map<string, readonly string[]>();

  /** The schema as it is now; what was known before is forgotten. */
  learn({ tables, views, cascades, triggers }: SchemaInfo): void {
    this.#tables = new Map(tables.map((name) => [name.toLowerCase(), [name]]));
    // Views of views are known in the second round, and so on.
    for (let round = 0; round < Math.min(5, views.length); round++)
      for (const { name, sql } of views) this.#tables.set(name.toLowerCase(), this.#namesIn(sql));
    this.#hasViews = views.length > 0;
    this.#read.clear();
    this.#written.clear();
    this.#cascades = grouped(cascades.map(({ from, to }) => [from, [to]]));
    this.#triggered = new Map();
    const runs = triggers.map(
      ({ table, sql }) => [table, this.#changedBy(this.#namesIn(sql), deletes.test(sql))] as const,
    );
    this.#triggered = grouped(runs);
  }

  /** Tables that the statement reads; undefined while the schema is not known. */
  read(sql: string): readonly string[] | undefined {
    if (this.#tables.size === 0) return undefined;
    return remembered(this.#read, sql, () => {
      const tables = this.#namesIn(sql);
      // what a view reads is not in the text
      const mayReadCounts = readsCounts.test(sql) || this.#hasViews;
      return mayReadCounts ? [...tables, ...tables.map(countsOf)] : tables;
    });
  }

  /** Tables that the statement may change, none for one that only reads; undefined: it may be any. */
  written(sql: string): readonly string[] | undefined {
    // Nobody can ask for the tables of a database that is gone, nor write down that it is.
    if (readsOnly.test(sql) || dropsAll.test(sql)) return [];
    if (this.#tables.size === 0 || definesData.test(sql)) return undefined;
    return remembered(
      this.#written,
      sql,
      () => this.#countsIn(sql) ?? this.#changedBy(this.#namesIn(sql), deletes.test(sql)),
    );
  }

  /** Where nothing but counts of a table are set: these, and what its triggers change. */
  #countsIn(sql: string): readonly string[] | undefined {
    const [, table = '', set = ''] = update.exec(sql) ?? [];
    const [name, ...others] = this.#tables.get(table.toLowerCase()) ?? [];
    const isOnlyCounts = set.match(words)?.every((word) => countColumn.test(word)) ?? false;
    // a view stands for other tables
    if (!isOnlyCounts || name?.toLowerCase() !== table.toLowerCase() || others.length > 0) return undefined;
    return [countsOf(name), ...(this.#triggered.get(name) ?? [])];
  }

  #changedBy(named: readonly string[], cascades: boolean): readonly string[] {
    const changed = new Set(named);
    for (const table of changed) {
      // A set that grows while it is walked: what is added is walked too.
      for (const other of this.#triggered.get(table) ?? []) changed.add(other);
      if (cascades) for (const other of this.#cascades.get(table) ?? []) changed.add(other);
    }
    return [...changed];
  }

  #namesIn(sql: string): readonly string[] {
    const names = new Set<string>();
    for (const [word] of sql.matchAll(words)) {
      for (const name of this.#tables.get(word.toLowerCase()) ?? []) names.add(name);
    }
    return [...names];
  }
}

function remembered(known: Map<string, readonly string[]>, sql: string, find: () => readonly string[]) {
  const before = known.get(sql);
  if (before) return before;
  const found = find();
  if (sql.length > maxRememberedLength) return found;
  if (known.size >= maxRemembered) known.clear();
  known.set(sql, found);
  return found;
}

function grouped(pairs: readonly (readonly [string, readonly string[]])[]): Map<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const [key, values] of pairs) groups.set(key, [...(groups.get(key) ?? []), ...values]);
  return groups;
}
