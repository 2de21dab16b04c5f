/** Bounded memory for things that never change under their key: parsed objects, and results made from object ids. */
import { LRUCache } from 'lru-cache';
import type { ObjectType } from '../contract/names.js';
import { Tree } from './tree.js';

export interface CachedObject {
  readonly type: ObjectType;
  readonly size: number;
  /** Parsed commit, tree or tag; bytes of small blobs; undefined when only type and size are known. */
  readonly value?: unknown;
}

/** Parsed commits and tags are strings that share one text, which may take two bytes a sign. */
const estimatedBytes = ({ type, value, size }: CachedObject) =>
  value === undefined ? 0 : value instanceof Tree ? value.weight : type === 'blob' ? size : size * 2;

export class GitCaches {
  readonly objects: LRUCache<string, CachedObject>;
  readonly results: LRUCache<string, { value: unknown }>;
  /** Bytes of one result beyond which it is not worth keeping: others would have to go. */
  readonly largestResult: number;
  private readonly loading = new Map<string, Promise<unknown>>();

  constructor(megabytes: number) {
    const bytes = megabytes * 1024 * 1024;
    this.objects = new LRUCache({
      maxSize: Math.floor((bytes * 3) / 4),
      sizeCalculation: (object) => 300 + estimatedBytes(object),
    });
    this.largestResult = Math.floor(bytes / 5);
    this.results = new LRUCache({ maxSize: Math.floor(bytes / 4) });
  }

  /** The cached result, or makes it once however many ask at the same time. */
  async result<T>(key: string, make: () => Promise<T>, sizeOf: (value: T) => number = () => 500): Promise<T> {
    const known = this.results.get(key);
    if (known) return known.value as T;
    const running = this.loading.get(key);
    if (running) return running as Promise<T>;
    const made = make()
      .then((value) => {
        this.results.set(key, { value }, { size: Math.max(1, key.length + sizeOf(value)) });
        return value;
      })
      .finally(() => this.loading.delete(key));
    this.loading.set(key, made);
    return made;
  }
}
