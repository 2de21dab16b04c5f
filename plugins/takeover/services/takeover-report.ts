import { cutToLength } from '@mortise/plugin-sdk';

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
  readonly #notes = new Map<string, number>();

  begin(id: string, table: string): TableCounts {
    const counts = { id, table, read: 0, written: 0, unchanged: 0, removed: 0, skipped: new Map<string, number>() };
    this.tables.push(counts);
    return counts;
  }

  skip(counts: TableCounts, reason: string): void {
    count(counts.skipped, reason);
  }

  /** What is damaged, or comes only in part. */
  report(text: string): void {
    count(this.#problems, text);
  }

  /** What is worth knowing, and no damage. */
  note(text: string): void {
    count(this.#notes, text);
  }

  problems(): string[] {
    return linesOf(this.#problems);
  }

  lines(): string[] {
    const lines = this.tables.flatMap(({ id, read, written, unchanged, removed, skipped }) => [
      `${id}: ${read} read, ${written} written, ${unchanged} unchanged, ${removed} removed, ${sum(skipped)} skipped`,
      ...[...skipped].map(([reason, times]) => `  ${times} skipped: ${reason}`),
    ]);
    return [...lines, ...this.problems(), ...linesOf(this.#notes)];
  }
}

const sum = (reasons: ReadonlyMap<string, number>): number => [...reasons.values()].reduce((a, b) => a + b, 0);

const linesOf = (texts: ReadonlyMap<string, number>): string[] =>
  [...texts].map(([text, times]) => (times === 1 ? text : `${text} (${times} times)`));

const maxReasonLength = 1000;

/** A reason may quote the source, whose texts have any length, and characters that a terminal obeys. */
export const reasonText = (text: string): string =>
  cutToLength(text.slice(0, 2 * maxReasonLength).replace(/\p{Cc}+/gu, ' '), maxReasonLength);

function count(all: Map<string, number>, text: string): void {
  const reason = reasonText(text);
  const key = all.has(reason) || all.size < maxReasons ? reason : 'further reasons';
  all.set(key, (all.get(key) ?? 0) + 1);
}
