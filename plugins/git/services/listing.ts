import { Problem } from '@mortise/plugin-sdk';
import { isOid, type PathEntry, type TreeEntry } from '../api.js';

/** What goes to git as a revision must be a whole object id: never an option, never an expression of a user. */
export function whole(...oids: readonly (string | undefined)[]): void {
  for (const oid of oids) if (oid !== undefined && !isOid(oid)) throw new Problem('not_found', 'commit does not exist');
}

/**
 * What `ls-tree -r -t -l -z` wrote, as it came. Entries are read when they are asked for, and hold nothing of it: a
 * tree of 100,000 files takes 8 MB so, and several times as much as objects.
 */
export class Listing {
  /** Where rows begin, and where the last one ends. */
  private readonly starts: Uint32Array;

  constructor(private readonly bytes: Buffer) {
    const starts = new Uint32Array(countRows(bytes) + 1);
    for (let at = 0, row = 1; at < bytes.length; at++) if (bytes[at] === 0) starts[row++] = at + 1;
    this.starts = starts;
  }

  get length(): number {
    return this.starts.length - 1;
  }

  /** Bytes that it takes. */
  get weight(): number {
    return this.bytes.length + this.starts.byteLength + 200;
  }

  slice(offset: number, limit: number): PathEntry[] {
    const from = Math.min(this.length, Math.max(0, offset));
    const to = Math.min(this.length, from + Math.max(0, limit));
    return Array.from({ length: to - from }, (_, index) => this.entry(from + index));
  }

  *[Symbol.iterator](): Generator<PathEntry> {
    for (let row = 0; row < this.length; row++) yield this.entry(row);
  }

  private entry(row: number): PathEntry {
    return readRow(this.bytes.subarray(this.starts[row], this.starts[row + 1]! - 1));
  }
}

export function countRows(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0) count++;
  return count;
}

/** `mode SP type SP oid SP* size TAB path` */
export function readRow(row: Buffer): PathEntry {
  const tab = row.indexOf(0x09);
  const [mode = '', type = 'blob', oid = '', size = '-'] = row.toString('latin1', 0, tab).split(/ +/);
  const path = row.toString('utf8', tab + 1);
  return {
    mode: shared.get(mode) ?? mode,
    type: (shared.get(type) ?? type) as TreeEntry['type'],
    oid,
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
    // `-` for what is no file, `BAD` for one that cannot be read
    ...(/^\d+$/.test(size) ? { size: Number(size) } : {}),
  };
}

/** Words that repeat in every row: one string for all of them. */
const shared = new Map(
  ['040000', '100644', '100755', '120000', '160000', 'blob', 'tree', 'commit'].map((word) => [word, word]),
);
