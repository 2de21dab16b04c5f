import type { ObjectStore } from './store.js';

const smallest = 64;
const largest = 4096;
const maxBytes = 4 * 1024 * 1024;

/** FNV-1a of the key; where it ends in ten zero bits a chunk may end. */
function isBoundary(key: string): boolean {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash & 0x3ff) === 0;
}

/**
 * Lines, kept as texts of a few hundred or thousand. Where a text ends depends on the lines' keys alone, so that a line
 * that comes or goes changes one text of a long list and the others are there already.
 */
export class ListWriter {
  readonly #store: ObjectStore;
  readonly #hashes: string[] = [];
  #lines: string[] = [];
  #bytes = 0;
  count = 0;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  async add(value: unknown, key: string): Promise<void> {
    const line = JSON.stringify(value);
    this.#lines.push(line);
    this.#bytes += line.length;
    this.count++;
    const { length } = this.#lines;
    if (length >= largest || this.#bytes >= maxBytes || (length >= smallest && isBoundary(key))) await this.#flush();
  }

  async end(): Promise<string[]> {
    await this.#flush();
    return this.#hashes;
  }

  async #flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    this.#hashes.push(await this.#store.addText(`${this.#lines.join('\n')}\n`));
    this.#lines = [];
    this.#bytes = 0;
  }
}

export async function writeList<T>(store: ObjectStore, values: Iterable<T>, keyOf: (value: T) => string) {
  const writer = new ListWriter(store);
  for (const value of values) await writer.add(value, keyOf(value));
  return writer.end();
}

export async function* readList<T>(store: ObjectStore, hashes: readonly string[]): AsyncIterable<T> {
  for (const hash of hashes)
    for (const line of (await store.text(hash)).split('\n')) if (line) yield JSON.parse(line) as T;
}
