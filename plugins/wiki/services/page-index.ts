import type { WikiEntry } from '../contract/wiki.js';
import { nameOfFile, pageEnding, titleOfFile } from './page-names.js';

export const toEntry = (path: string, oid: string): WikiEntry => ({
  path,
  oid,
  name: nameOfFile(path) ?? path,
  title: titleOfFile(path),
});

/** `mode SP type SP oid TAB path` of a page: a file with the ending, and no link. */
const page = /^100\d{3} blob ([0-9a-f]+)\t([^]+)$/;
const isPagePath = (path: string) =>
  path.endsWith(pageEnding) && path !== pageEnding && !path.endsWith(`/${pageEnding}`);

/**
 * The pages of all folders in git's order. A wiki may have many thousands: they are kept as one piece of memory, about
 * 60 bytes a page, and names are made only for those that are asked for.
 */
export class PageIndex {
  /** One after the other: `oid SP path`. */
  private readonly bytes: Buffer;
  /** Where rows begin, and where the last one ends. */
  private readonly starts: Uint32Array;

  /** Of what `ls-tree -r -z` tells. */
  constructor(listing: string) {
    const rows: string[] = [];
    for (let at = 0, end = listing.indexOf('\0'); end >= 0; at = end + 1, end = listing.indexOf('\0', at)) {
      const [, oid, path] = page.exec(listing.slice(at, end)) ?? [];
      if (oid && path && isPagePath(path)) rows.push(`${oid} ${path}`);
    }
    this.bytes = Buffer.from(rows.join(''));
    this.starts = new Uint32Array(rows.length + 1);
    rows.forEach((row, index) => (this.starts[index + 1] = this.starts[index]! + Buffer.byteLength(row)));
  }

  get length(): number {
    return this.starts.length - 1;
  }

  /** Bytes that it takes. */
  get weight(): number {
    return this.bytes.length + this.starts.byteLength + 200;
  }

  /** The rows below a folder; git lists them one after the other. */
  range(folder: string): { readonly from: number; readonly to: number } {
    if (!folder) return { from: 0, to: this.length };
    const prefix = Buffer.from(`${folder}/`);
    let from = 0;
    while (from < this.length && !this.isBelow(from, prefix)) from++;
    let to = from;
    while (to < this.length && this.isBelow(to, prefix)) to++;
    return { from, to };
  }

  private isBelow(row: number, prefix: Buffer): boolean {
    const start = this.pathStart(row);
    const end = start + prefix.length;
    return end < this.starts[row + 1]! && this.bytes.compare(prefix, 0, prefix.length, start, end) === 0;
  }

  entries(from: number, to: number): WikiEntry[] {
    const last = Math.min(to, this.length);
    return Array.from({ length: Math.max(0, last - from) }, (_, index) => this.entry(from + index));
  }

  entry(row: number): WikiEntry {
    const start = this.pathStart(row);
    return toEntry(this.path(row), this.bytes.toString('latin1', this.starts[row], start - 1));
  }

  path(row: number): string {
    return this.bytes.toString('utf8', this.pathStart(row), this.starts[row + 1]);
  }

  private pathStart(row: number): number {
    return this.bytes.indexOf(0x20, this.starts[row]) + 1;
  }
}
