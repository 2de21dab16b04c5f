import { randomBytes } from 'node:crypto';
import type { Database } from '@mortise/plugin-sdk';

/**
 * Each process counts its commits in rows of its own of this table, in the transactions that it counts, so that the
 * others learn of them: a row for each transaction that it has open at once, therefore nobody waits for anybody's row.
 * The row with an empty process has the counts of rows that were swept.
 */
export const versionTable = 'data_version';

export interface VersionRow {
  readonly process: string;
  readonly slot: number;
  readonly commits: number;
  /** Tables of the last commits, the newest first: `a,b;c;*`. */
  readonly recent: string;
}

/** Commits by row of the table. */
export type CommitCounts = ReadonlyMap<string, number>;

const everything = '*';
const maxRecent = 16;
const maxRecentLength = 1500;
const swept = '/0';
const keyOf = ({ process, slot }: { process: string; slot: number }) => `${process}/${slot}`;

export const countsIn = (rows: readonly Pick<VersionRow, 'process' | 'slot' | 'commits'>[]): CommitCounts =>
  new Map(rows.map((row) => [keyOf(row), Number(row.commits)]));

/** Are the commits of the second among those of the first, read at another server? */
export function hasAll(counts: CommitCounts, wanted: CommitCounts): boolean {
  // swept after the second was read, so it has all that was counted before
  if ((counts.get(swept) ?? 0) > (wanted.get(swept) ?? 0)) return true;
  for (const [key, commits] of wanted) if ((counts.get(key) ?? 0) < commits) return false;
  return true;
}

/** The row of one open transaction at a time. */
export class Slot {
  readonly number: number;
  #recent: readonly string[] = [];
  #commits = 0;
  #next: readonly string[] = [];

  constructor(number: number) {
    this.number = number;
  }

  /** What to store as `recent` with a commit to these tables; undefined: any. */
  next(tables: ReadonlySet<string> | undefined): string {
    const newest = tables ? [...tables].sort().join(',') : everything;
    let all = [newest, ...this.#recent].slice(0, maxRecent);
    while (all.length > 1 && all.join(';').length > maxRecentLength) all = all.slice(0, -1);
    this.#next = all;
    const text = all.join(';');
    return text.length > maxRecentLength ? everything : text;
  }

  committed(): void {
    this.#recent = this.#next;
    this.#commits++;
  }

  /** Transactions whose commit was acknowledged. */
  get commits(): number {
    return this.#commits;
  }
}

/** The slots of this process, and what it has seen of the commits of others. */
export class CommitCounters {
  readonly process = randomBytes(12).toString('hex');
  readonly #free: Slot[] = [];
  readonly #slots: Slot[] = [];
  #seen: CommitCounts | undefined;

  take(): Slot {
    const free = this.#free.pop();
    if (free) return free;
    const slot = new Slot(this.#slots.length);
    this.#slots.push(slot);
    return slot;
  }

  /** What this process knows to be committed, by itself and by others; undefined: it has not looked yet. */
  known(): CommitCounts | undefined {
    if (!this.#seen) return undefined;
    const known = new Map(this.#seen);
    for (const { number: slot, commits } of this.#slots) {
      const key = keyOf({ process: this.process, slot });
      known.set(key, Math.max(commits, known.get(key) ?? 0));
    }
    return known;
  }

  /** A slot whose transaction may still be open at the server is not given back: its row may be locked. */
  giveBack(slot: Slot): void {
    this.#free.push(slot);
  }

  /** Tables to which others committed since the last look; undefined: it may be any. */
  takeChangedTables(rows: readonly VersionRow[]): ReadonlySet<string> | undefined {
    const now = countsIn(rows);
    const seen = this.#seen;
    this.#seen = now;
    if (!seen) return undefined;
    // What was counted in rows that are gone must have come into the row of what was swept, and nothing else.
    let gone = 0;
    for (const [key, before] of seen) if (key !== swept && (now.get(key) ?? -1) < before) gone += before;
    if ((now.get(swept) ?? 0) - (seen.get(swept) ?? 0) !== gone) return undefined;
    const changed = new Set<string>();
    for (const row of rows) {
      const key = keyOf(row);
      if (key === swept || row.process === this.process) continue;
      const known = seen.get(key) ?? 0;
      const news = row.commits - (known > row.commits ? 0 : known);
      if (news === 0) continue;
      const recent = row.recent.split(';').slice(0, news);
      if (recent.length < news || recent.includes(everything)) return undefined;
      for (const tables of recent) for (const table of tables.split(',')) changed.add(table);
    }
    return changed;
  }

  /** Commits of other processes that the last look saw. */
  get seenElsewhere(): number {
    let total = 0;
    for (const [key, commits] of this.#seen ?? []) if (!key.startsWith(`${this.process}/`)) total += commits;
    return total;
  }
}

const retentionMs = 3_600_000;

/** Adds the counts of processes that have long not committed to the row of what was swept, and drops their rows. */
export async function sweepVersions(
  database: Pick<Database, 'knex' | 'write'>,
  before = Date.now() - retentionMs,
): Promise<void> {
  const old = () => database.knex()(versionTable).whereNot('process', '').where('touched_at', '<', before);
  if (!(await old().first('process'))) return;
  await database.write(async () => {
    const rows = await old().orderBy('process').forUpdate().select<VersionRow[]>('process', 'slot', 'commits');
    if (rows.length === 0) return;
    const commits = rows.reduce((total, row) => total + row.commits, 0);
    const knex = database.knex();
    await knex(versionTable)
      .insert({ process: '', slot: 0, commits, recent: '', touched_at: Date.now() })
      .onConflict(['process', 'slot'])
      .merge({ commits: knex.raw('?? + ?', [`${versionTable}.commits`, commits]) });
    for (const { process, slot } of rows) await knex(versionTable).where({ process, slot }).delete();
  });
}
