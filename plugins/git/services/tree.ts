import type { TreeEntry } from '../api.js';
import type { ObjectFormat } from '../contract/names.js';
import { parseTree } from './objects.js';

/** Bytes beyond which entries are read again when they are asked for, instead of kept. */
const large = 256 * 1024;
/** An entry takes about so much, its name and id included. */
const entryWeight = 220;

/**
 * A tree in memory. Entries take five times the room of a tree's bytes, so of a large one the bytes are kept; who reads
 * at the same time shares the entries, and they go when nobody holds them any more.
 */
export class Tree {
  private readonly cachedEntries: readonly TreeEntry[] | undefined;
  private shared: WeakRef<readonly TreeEntry[]> | undefined;
  /** Bytes that it takes. */
  readonly weight: number;

  constructor(
    private readonly content: Buffer,
    private readonly format: ObjectFormat,
  ) {
    if (content.length > large) {
      this.weight = content.length;
      return;
    }
    this.cachedEntries = parseTree(content, format);
    this.content = Buffer.alloc(0);
    this.weight = this.cachedEntries.length * entryWeight;
  }

  get entries(): readonly TreeEntry[] {
    const known = this.cachedEntries ?? this.shared?.deref();
    if (known) return known;
    const entries = parseTree(this.content, this.format);
    this.shared = new WeakRef(entries);
    return entries;
  }

  find(name: string): TreeEntry | undefined {
    const known = this.cachedEntries ?? this.shared?.deref();
    if (known) return known.find((entry) => entry.name === name);
    return parseTree(this.content, this.format, name)[0];
  }
}
