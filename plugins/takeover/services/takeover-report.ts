/** What a pass did with the rows of a table. */
export interface TableCounts {
  readonly id: string;
  readonly table: string;
  read: number;
  written: number;
  unchanged: number;
  removed: number;
  /** How many rows by reason. */
  readonly skipped: Map<string, number>;
}

/** Reasons listed per table at most; what is beyond is counted together. */
const maxReasons = 100;

/** Counts what came, what did not and why. */
export class TakeoverReport {
  readonly tables: TableCounts[] = [];
  readonly #problems = new Map<string, number>();

  begin(id: string, table: string): TableCounts {
    const counts = { id, table, read: 0, written: 0, unchanged: 0, removed: 0, skipped: new Map<string, number>() };
    this.tables.push(counts);
    return counts;
  }

  skip(counts: TableCounts, reason: string): void {
    count(counts.skipped, reason);
  }

  report(text: string): void {
    count(this.#problems, text);
  }

  lines(): string[] {
    const lines = this.tables.flatMap(({ id, read, written, unchanged, removed, skipped }) => [
      `${id}: ${read} read, ${written} written, ${unchanged} unchanged, ${removed} removed, ${sum(skipped)} skipped`,
      ...[...skipped].map(([reason, times]) => `  ${times} skipped: ${reason}`),
    ]);
    return [...lines, ...[...this.#problems].map(([text, times]) => (times === 1 ? text : `${text} (${times} times)`))];
  }
}

const sum = (reasons: ReadonlyMap<string, number>): number => [...reasons.values()].reduce((a, b) => a + b, 0);

function count(all: Map<string, number>, text: string): void {
  const key = all.has(text) || all.size < maxReasons ? text : 'further reasons';
  all.set(key, (all.get(key) ?? 0) + 1);
}
