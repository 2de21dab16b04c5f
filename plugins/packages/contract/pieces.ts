/**
 * Indexes of many packages, kept in pieces: a change makes the pieces of its packages anew, and takes the others over from
 * the files that are served, packed as they are. Packages stand in the order of their ids, or of keys such as their names, so
 * that an index is the same however it came about.
 */
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { Problem } from '@mortise/plugin-sdk';
import type { IndexBuild, IndexFile } from './indexes.js';
import { packers, type PackedChunk, type ChunkPacking } from './packers.js';
import { IndexStaging, type StagedBytes } from './spool.js';
import type { PackageFile, PackageStore } from './store.js';

interface ChunkedFile {
  readonly name: string;
  readonly packing: ChunkPacking;
  /** Which text of the packages it has; default the first. */
  readonly text?: number;
  /** Makes what stands before the packed text in the file, for instance a signature over it. */
  readonly seal?: (packed: Readable) => Promise<Buffer>;
}

/** What an index says of a package. */
export interface PackageEntries {
  /** How many entries of the index these are. */
  readonly entries: number;
  readonly texts: readonly Buffer[];
}

interface TextFrame {
  readonly head?: Buffer;
  readonly end?: Buffer;
}

interface ChunkedIndex {
  /** The part of the index whose files these are. */
  readonly part: string;
  /** Ids of the packages that have changed since the files were made; undefined: all may have. */
  readonly changed: readonly number[] | undefined;
  /** One text in several packings, several texts, or both. */
  readonly files: readonly [ChunkedFile, ...ChunkedFile[]];
  /** Ids of all packages of the part. */
  all(): Promise<readonly number[]>;
  /**
   * By what packages stand in order, for instance their names: each has another, which stays the same. At most 500 are asked
   * for at once, and those that are gone have none. Default: their ids.
   */
  keysOf?(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** What the index says of each of these packages; none of what is no part of it. */
  textsOf(ids: readonly number[]): Promise<ReadonlyMap<number, PackageEntries>>;
  /** What stands around the packages in a text, of which entries and bytes are counted. */
  frame?(text: number, packages: { readonly entries: number; readonly bytes: number }): TextFrame | Promise<TextFrame>;
}

/** Tells of the pieces of the other files of a part; never served. */
export const chunkListFile = '.pieces';
const chunkBytes = 64 * 1024;
/** Packages whose texts are asked for at once: few at first, then as many as will likely come to these bytes. */
const firstBatch = 10;
const maxBatch = 200;
const batchBytes = 1024 * 1024;
const empty = Buffer.alloc(0);

interface Chunk {
  readonly ids: readonly number[];
  /** The same in number, where packages stand in order by other keys than their ids. */
  readonly keys?: readonly string[];
  readonly entries: number;
  /** Bytes and CRC32 of each text. */
  readonly raw: readonly number[];
  readonly crc: readonly number[];
  /** Bytes in each file, as {@link PackedChunk} has them. */
  readonly packed: readonly number[];
}

/** What is remembered of the files of a part. */
interface ChunkList {
  readonly files: readonly {
    readonly name: string;
    readonly packing: ChunkPacking;
    readonly text: number;
    readonly sha256: string;
    /** Where the first piece begins. */
    readonly first: number;
  }[];
  readonly pieces: readonly Chunk[];
}

/** Pieces of before that stay as they are, or packages of which pieces are made. */
type Step = { readonly from: number; readonly to: number } | { readonly ids: readonly number[] };
/** The same when they are packed, for each file. */
type PackedStep = { readonly from: number; readonly to: number } | { readonly packed: readonly StagedBytes[] };

type ChunkBuild = Pick<IndexBuild, 'current' | 'keep'>;
type ChunkStore = Pick<PackageStore, 'open'>;

/** The files of a part, and what is remembered of their pieces. No files: no package is of the part. */
export async function buildChunkedIndex(
  build: ChunkBuild,
  store: ChunkStore,
  index: ChunkedIndex,
): Promise<readonly IndexFile[]> {
  const served = new Map((build.current.get(index.part) ?? []).map((file) => [file.name, file]));
  try {
    const before = index.changed && (await readChunkList(store, index, served));
    return await new Assembly(build, store, index, served, before).make();
  } catch (error) {
    // the content of a file that is served was lost: with all of its packages it is there again
    if (!index.changed || !Problem.is(error) || error.code !== 'not_found') throw error;
    return new Assembly(build, store, index, served, undefined).make();
  }
}

/** Undefined where they were never kept, were kept in another way, or don't tell of the files that are served. */
async function readChunkList(
  store: ChunkStore,
  { files, keysOf }: ChunkedIndex,
  served: ReadonlyMap<string, PackageFile>,
): Promise<ChunkList | undefined> {
  const file = served.get(chunkListFile);
  if (!file) return undefined;
  const bytes = Buffer.concat((await (await store.open(file)).toArray()) as Buffer[]);
  const kept = JSON.parse(bytes.toString('utf8')) as Partial<ChunkList>;
  if (kept.files?.length !== files.length) return undefined;
  if (kept.pieces?.some(({ keys }) => Boolean(keys) !== Boolean(keysOf))) return undefined;
  const isSame = kept.files.every(({ name, packing, text, sha256 }, at) => {
    const wanted = files[at]!;
    const same = name === wanted.name && packing === wanted.packing && text === (wanted.text ?? 0);
    return same && served.get(name)?.sha256 === sha256;
  });
  return isSame ? (kept as ChunkList) : undefined;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** In which packages stand. */
class PackageOrder {
  constructor(private readonly keys?: ReadonlyMap<number, string>) {}

  isBefore(one: number, other: number): boolean {
    return this.keys ? this.keys.get(one)! < this.keys.get(other)! : one < other;
  }

  /** Without those that are gone. */
  sort(ids: Iterable<number>): number[] {
    const { keys } = this;
    const known = keys ? [...ids].filter((id) => keys.has(id)) : [...ids];
    return known.sort((one, other) => (this.isBefore(one, other) ? -1 : 1));
  }

  keysOf(ids: readonly number[]): { readonly keys?: readonly string[] } {
    return this.keys ? { keys: ids.map((id) => this.keys!.get(id)!) } : {};
  }
}

const maxKeysPerQuery = 500;

/** The keys of what has a piece are known; only those of the others are asked for. */
async function packageOrderOf(
  { keysOf }: ChunkedIndex,
  before: readonly Chunk[],
  ids: readonly number[],
): Promise<PackageOrder> {
  if (!keysOf) return new PackageOrder();
  const keys = new Map(before.flatMap((piece) => piece.ids.map((id, at) => [id, piece.keys![at]!] as const)));
  const fresh = ids.filter((id) => !keys.has(id));
  for (let at = 0; at < fresh.length; at += maxKeysPerQuery)
    for (const [id, key] of await keysOf(fresh.slice(at, at + maxKeysPerQuery))) keys.set(id, key);
  return new PackageOrder(keys);
}

/** Pieces with packages that have changed are made anew; new packages come where they belong. */
function stepsOf(before: readonly Chunk[], changed: readonly number[], order: PackageOrder): readonly Step[] {
  const fresh = new Set(changed);
  const more = before.map(() => [] as number[]);
  const isTouched = before.map(({ ids }) => ids.filter((id) => fresh.delete(id)).length > 0);
  const behind: number[] = [];
  for (const id of order.sort(fresh)) {
    const at = before.findLastIndex(({ ids }) => order.isBefore(ids[0]!, id));
    const isFull =
      at === before.length - 1 &&
      sum(before[at]?.raw ?? []) >= chunkBytes &&
      order.isBefore(before[at]!.ids.at(-1)!, id);
    if (before.length === 0 || isFull) behind.push(id);
    else more[Math.max(0, at)]!.push(id);
  }
  const steps: Step[] = [];
  const add = (ids: readonly number[]) => {
    const previous = steps.at(-1);
    if (previous && 'ids' in previous) steps[steps.length - 1] = { ids: [...previous.ids, ...ids] };
    else steps.push({ ids });
  };
  for (const [at, { ids, raw }] of before.entries()) {
    const previous = steps.at(-1);
    if (isTouched[at] || more[at]!.length > 0) {
      // what has become small goes together with its neighbour
      const neighbour = before[at - 1];
      if (previous && 'to' in previous && neighbour && sum(neighbour.raw) + sum(raw) < chunkBytes) {
        if (previous.from === at - 1) steps.pop();
        else steps[steps.length - 1] = { from: previous.from, to: at - 1 };
        add(neighbour.ids);
      }
      add(order.sort([...ids, ...more[at]!]));
    } else if (previous && 'to' in previous) steps[steps.length - 1] = { from: previous.from, to: at + 1 };
    else steps.push({ from: at, to: at + 1 });
  }
  if (behind.length > 0) add(behind);
  return steps;
}

/** Packs what has changed first, since what stands before it in a file may depend on it. */
class Assembly {
  readonly #pieces: Chunk[] = [];
  readonly #made: PackedStep[] = [];
  readonly #first: number[] = [];
  readonly #spool: IndexStaging;
  #order = new PackageOrder();

  constructor(
    private readonly build: ChunkBuild,
    private readonly store: ChunkStore,
    private readonly index: ChunkedIndex,
    private readonly served: ReadonlyMap<string, PackageFile>,
    private readonly before: ChunkList | undefined,
  ) {
    this.#spool = new IndexStaging(build, store);
  }

  async make(): Promise<readonly IndexFile[]> {
    const { before, index } = this;
    const ids = before ? index.changed! : await index.all();
    this.#order = await packageOrderOf(index, before?.pieces ?? [], ids);
    const steps = before ? stepsOf(before.pieces, ids, this.#order) : [{ ids: this.#order.sort(ids) }];
    for (const step of steps) {
      if ('to' in step) {
        this.#made.push(step);
        this.#pieces.push(...before!.pieces.slice(step.from, step.to));
      } else for await (const { ids, all } of this.#filled(step.ids)) await this.#add(ids, all);
    }
    if (this.#pieces.length === 0) return [];
    const made: IndexFile[] = [];
    const files: ChunkList['files'][number][] = [];
    for (const [at, { name, packing, text = 0, seal }] of index.files.entries()) {
      const sealed = seal ? await seal(Readable.from(this.#content(at, empty))) : empty;
      const content = await this.build.keep(Readable.from(this.#content(at, sealed)));
      made.push({ name, content });
      files.push({ name, packing, text, sha256: content.sha256, first: this.#first[at]! });
    }
    const kept: ChunkList = { files, pieces: this.#pieces };
    return [...made, { name: chunkListFile, content: Buffer.from(JSON.stringify(kept)) }];
  }

  async #add(ids: readonly number[], all: readonly PackageEntries[]): Promise<void> {
    const count = 1 + Math.max(...this.index.files.map(({ text = 0 }) => text));
    const texts = Array.from({ length: count }, (_, n) => Buffer.concat(all.map((one) => one.texts[n] ?? empty)));
    const packed: StagedBytes[] = [];
    const sizes: number[] = [];
    for (const { packing, text = 0 } of this.index.files) {
      const { bytes, size } = await packedOf(packing, texts[text]!);
      packed.push(await this.#spool.add(bytes));
      sizes.push(size);
    }
    this.#made.push({ packed });
    this.#pieces.push({
      ids,
      ...this.#order.keysOf(ids),
      entries: sum(all.map(({ entries }) => entries)),
      raw: texts.map(({ length }) => length),
      crc: texts.map((text) => crc32(text)),
      packed: sizes,
    });
  }

  /** A file, from what is packed: as often as it is asked for. */
  async *#content(file: number, sealed: Buffer): AsyncGenerator<Buffer> {
    const { packing, text = 0 } = this.index.files[file]!;
    const packer = packers[packing];
    const packages = {
      entries: sum(this.#pieces.map(({ entries }) => entries)),
      bytes: sum(this.#pieces.map(({ raw }) => raw[text]!)),
    };
    const { head = empty, end = empty } = (await this.index.frame?.(text, packages)) ?? {};
    const [packedHead, packedEnd] = [await packedOf(packing, head), await packedOf(packing, end)];
    const front = Buffer.concat([sealed, await packer.start(), packedHead.bytes]);
    this.#first[file] = front.length;
    yield front;
    for (const made of this.#made) {
      if ('to' in made) yield* this.#stays(file, made);
      else yield* this.#spool.read(made.packed[file]!);
    }
    const all: PackedChunk[] = [
      { raw: head.length, crc: crc32(head), packed: packedHead.size },
      ...this.#pieces.map(({ raw, crc, packed }) => ({ raw: raw[text]!, crc: crc[text]!, packed: packed[file]! })),
      { raw: end.length, crc: crc32(end), packed: packedEnd.size },
    ];
    yield Buffer.concat([packedEnd.bytes, await packer.finish(all.filter(({ raw }) => raw > 0))]);
  }

  async *#stays(file: number, { from, to }: { readonly from: number; readonly to: number }): AsyncGenerator<Buffer> {
    const { name, packing } = this.index.files[file]!;
    const { files, pieces } = this.before!;
    const until = (end: number) =>
      files[file]!.first + sum(pieces.slice(0, end).map(({ packed }) => packers[packing].lengthOf(packed[file]!)));
    const [start, end] = [until(from), until(to) - 1];
    if (end >= start) yield* (await this.store.open(this.served.get(name)!, { start, end })) as AsyncIterable<Buffer>;
  }

  /** Pieces of about the same size, whole packages each; what is left over goes with the last. */
  async *#filled(ids: readonly number[]): AsyncGenerator<{ readonly ids: number[]; readonly all: PackageEntries[] }> {
    let waiting: { readonly id: number; readonly texts: PackageEntries; readonly bytes: number }[] = [];
    let bytes = 0;
    const take = (max: number) => {
      let [count, taken] = [0, 0];
      while (count < waiting.length && taken < max) taken += waiting[count++]!.bytes;
      const piece = waiting.slice(0, count);
      waiting = waiting.slice(count);
      bytes -= taken;
      return { ids: piece.map(({ id }) => id), all: piece.map(({ texts }) => texts) };
    };
    let atOnce = firstBatch;
    for (let at = 0; at < ids.length;) {
      const some = ids.slice(at, at + atOnce);
      at += some.length;
      const found = await this.index.textsOf(some);
      let foundBytes = 0;
      for (const id of some) {
        const texts = found.get(id);
        const size = sum((texts?.texts ?? []).map(({ length }) => length));
        if (!texts || size === 0) continue;
        foundBytes += size;
        waiting.push({ id, texts, bytes: size });
        bytes += size;
        while (bytes >= 2 * chunkBytes && waiting.length > 1) yield take(chunkBytes);
      }
      const fitting = Math.floor((some.length * batchBytes) / Math.max(1, foundBytes));
      atOnce = Math.max(1, Math.min(maxBatch, 2 * atOnce, fitting));
    }
    if (waiting.length > 0) yield take(Infinity);
  }
}

const packedOf = async (packing: ChunkPacking, text: Buffer) =>
  text.length > 0 ? packers[packing].pack(text) : { bytes: empty, size: 0 };
