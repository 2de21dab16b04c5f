import { cutToLength, type SourceRow } from '@mortise/plugin-sdk';
import type { RawRow } from './source-database.js';

/** The end of the year 9999: what is later is no time, and dates here could not say it. */
const maxSeconds = 253_402_300_799;

/** A row of the source with the rows that are read beside it. Notes which columns somebody asked for. */
export class TableRow implements SourceRow {
  constructor(
    readonly raw: RawRow,
    private readonly read: Set<string>,
    private readonly beside = new Map<string, readonly TableRow[]>(),
  ) {}

  has(column: string): boolean {
    this.read.add(column);
    return this.raw[column] !== undefined;
  }

  number(column: string): number {
    const value = Number(this.#value(column) ?? 0);
    return Number.isFinite(value) ? value : 0;
  }

  text(column: string, maxLength?: number): string {
    const value = this.#value(column);
    if (value === undefined || value === null) return '';
    const text = Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
    return maxLength === undefined ? text : cutToLength(text, maxLength);
  }

  flag(column: string): boolean {
    const value = this.#value(column);
    if (Buffer.isBuffer(value)) return value.some((byte) => byte !== 0);
    return Boolean(value) && !['0', 'f', 'false'].includes(String(value).toLowerCase());
  }

  time(column: string): number {
    return Math.min(Math.max(0, this.number(column)), maxSeconds) * 1000;
  }

  json(column: string): unknown {
    const text = this.text(column);
    if (text === '') return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  }

  texts(column: string): string[] {
    const value = this.json(column);
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
  }

  bytes(column: string): Buffer | undefined {
    const value = this.#value(column);
    if (Buffer.isBuffer(value)) return value;
    return typeof value === 'string' ? Buffer.from(value) : undefined;
  }

  related(name: string): readonly TableRow[] {
    return this.beside.get(name) ?? [];
  }

  /** Puts rows of another table beside it. */
  relate(name: string, rows: readonly TableRow[]): void {
    this.beside.set(name, rows);
  }

  /** All that was read, for comparing. */
  get content(): unknown {
    return [this.raw, [...this.beside].map(([name, rows]) => [name, rows.map(({ raw }) => raw)])];
  }

  #value(column: string): unknown {
    this.read.add(column);
    return this.raw[column];
  }
}
