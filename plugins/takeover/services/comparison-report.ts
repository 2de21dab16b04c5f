import { reasonText } from './takeover-report.js';

/** A difference, how often there is one of this kind, and where for instance. */
interface Difference {
  count: number;
  readonly examples: string[];
}

/** What the comparison of one kind, or of one list of the API, has given. */
export interface KindComparison {
  readonly kind: string;
  /** Rows, or entries of the API, of the other server. */
  compared: number;
  readonly differences: Map<string, Difference>;
  /** How many rows did not come, by reason. */
  readonly reasons: Map<string, number>;
}

const maxDifferences = 100;
const maxExamples = 10;

/** Differences between both servers by kind: those with a reason beside those without. */
export class ComparisonReport {
  readonly kinds: KindComparison[] = [];

  constructor(private readonly location: string) {}

  begin(kind: string): KindComparison {
    const comparison = { kind, compared: 0, differences: new Map(), reasons: new Map() };
    this.kinds.push(comparison);
    return comparison;
  }

  /** `example` says where: a key, a path. */
  differ({ differences }: KindComparison, what: string, example: string): void {
    const text = reasonText(what);
    const key = differences.has(text) || differences.size < maxDifferences ? text : 'further differences';
    const difference = differences.get(key) ?? { count: 0, examples: [] };
    difference.count++;
    if (difference.examples.length < maxExamples) difference.examples.push(reasonText(example));
    differences.set(key, difference);
  }

  explain({ reasons }: KindComparison, reason: string): void {
    const text = reasonText(reason);
    const key = reasons.has(text) || reasons.size < maxDifferences ? text : 'further reasons';
    reasons.set(key, (reasons.get(key) ?? 0) + 1);
  }

  /** Differences without a reason. */
  get total(): number {
    return this.kinds
      .flatMap(({ differences }) => [...differences.values()])
      .reduce((sum, { count }) => sum + count, 0);
  }

  lines(): string[] {
    const lines = this.kinds.flatMap(({ kind, compared, differences, reasons }) => [
      `${kind}: ${compared} compared`,
      ...[...differences].map(([what, { count, examples }]) => `  ${count} differ: ${what} (${examples.join(', ')})`),
      ...[...reasons].map(([reason, count]) => `  ${count} with reason: ${reason}`),
    ]);
    return [
      ...lines,
      this.total === 0 ? 'Nothing differs without a reason.' : `${this.total} differences without a reason.`,
    ];
  }

  toJSON(): unknown {
    return {
      source: this.location,
      differences: this.total,
      kinds: this.kinds.map(({ kind, compared, differences, reasons }) => ({
        kind,
        compared,
        differences: [...differences].map(([what, difference]) => ({ what, ...difference })),
        reasons: [...reasons].map(([reason, count]) => ({ reason, count })),
      })),
    };
  }
}
