/**
 * Indexes of many packages, kept in pieces: a change makes the pieces of its packages anew, and takes the others over from
 * the files that are served, packed as they are.
 */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Problem } from '@mortise/plugin-sdk';
import type { IndexBuild, IndexFile } from './indexes.js';
import type { XzBlock } from './lzma.js';
import { packXzBlock } from './pack.js';
import type { PackageFile, PackageStore, ReceivedBlob } from './store.js';

/** How pieces are joined: gzip as members, xz as blocks of one stream, which every reader reads. */
export type PiecePacking = 'none' | 'gzip' | 'xz';

export interface PiecedFile {
  readonly name: string;
  readonly packing: PiecePacking;
}

export interface PiecedIndex {
  /** The part of the index whose files these are. */
  readonly part: string;
  /** Ids of the packages that have changed since the files were made; undefined: all may have. */
  readonly changed: readonly number[] | undefined;
  /** The same text in several packings. Where there are several, the first is not packed. */
  readonly files: readonly [PiecedFile, ...PiecedFile[]];
  /** Ids of all packages of the part, in the order of the index. */
  all(): Promise<readonly number[]>;
  /** What the index says of each of these packages; none of what is no part of it. */
  textOf(ids: readonly number[]): Promise<ReadonlyMap<number, Buffer>>;
  /** Ends the text. */
  readonly end?: Buffer;
}

/** Where the pieces of the other files of a part are; never served. */
export const piecesFile = '.pieces';
const pieceBytes = 64 * 1024;
const atOnce = 200;
const pack = promisify(gzip);

interface Piece {
  readonly ids: readonly number[];
  /** Bytes of the text. */
  readonly raw: number;
  /** Bytes in each file; of a block of xz without its padding. */
  readonly packed: number[];
}

/** Pieces of before that stay as they are, or packages of which pieces are made. */
type Step = { readonly from: number; readonly to: number } | { readonly ids: readonly number[] };
/** The same when the text is known; `at`: where it begins in the file that is not packed. */
type Made = { readonly from: number; readonly to: number } | { readonly piece: Piece; readonly at: number };

interface Packer {
  readonly head: () => Promise<Buffer>;
  /** The packed text, and the size to remember of it. */
  pack(text: Buffer): Promise<{ readonly bytes: Buffer; readonly size: number }>;
  /** What a piece of such a size takes in the file. */
  lengthOf(size: number): number;
  /** What follows the pieces, with the end of the text. */
  end(pieces: readonly XzBlock[], text: Buffer | undefined): Promise<Buffer>;
}

const none = Buffer.alloc(0);
const nothing = () => Promise.resolve(none);
/** Loaded with the first index, not at the start. */
const lzma = () => import('./lzma.js');
const packers: Readonly<Record<PiecePacking, Packer>> = {
  none: {
    head: nothing,
    pack: (text) => Promise.resolve({ bytes: text, size: text.length }),
    lengthOf: (size) => size,
    end: (_pieces, text = none) => Promise.resolve(text),
  },
  gzip: {
    head: nothing,
    pack: async (text) => {
      const bytes = await pack(text);
      return { bytes, size: bytes.length };
    },
    lengthOf: (size) => size,
    end: (_pieces, text) => (text ? pack(text) : Promise.resolve(none)),
  },
  xz: {
    head: async () => (await lzma()).xzHead,
    pack: async (text) => {
      const block = await packXzBlock(text);
      return { bytes: (await lzma()).padXzBlock(block), size: block.length };
    },
    lengthOf: (size) => Math.ceil(size / 4) * 4,
    end: async (pieces, text) => {
      const { padXzBlock, xzEnd } = await lzma();
      if (!text) return xzEnd(pieces);
      const block = await packXzBlock(text);
      return Buffer.concat([padXzBlock(block), xzEnd([...pieces, { packed: block.length, raw: text.length }])]);
    },
  },
};

/** The files of a part, and what is remembered of their pieces. No files: no package is of the part. */
export async function makePieces(
  build: Pick<IndexBuild, 'current' | 'keep'>,
  store: Pick<PackageStore, 'open'>,
  index: PiecedIndex,
): Promise<readonly IndexFile[]> {
  const served = new Map((build.current.get(index.part) ?? []).map((file) => [file.name, file]));
  const assemble = async (before: readonly Piece[] | undefined): Promise<readonly IndexFile[]> => {
    const steps = before ? stepsOf(before, index.changed!) : [{ ids: await index.all() }];
    const assembly = new Assembly(store, index, before ?? [], served);
    const first = await build.keep(Readable.from(assembly.texts(steps)));
    if (assembly.pieces.length === 0) return [];
    const files: IndexFile[] = [{ name: index.files[0].name, content: first }];
    for (const [at, { name }] of index.files.entries())
      if (at > 0) files.push({ name, content: await build.keep(Readable.from(assembly.packed(at, first))) });
    return [...files, { name: piecesFile, content: Buffer.from(JSON.stringify(assembly.pieces)) }];
  };
  try {
    return await assemble(index.changed && (await piecesBefore(store, index, served)));
  } catch (error) {
    // the content of a file that is served was lost: with all of its packages it is there again
    if (!index.changed || !Problem.is(error) || error.code !== 'not_found') throw error;
    return assemble(undefined);
  }
}

/** Undefined where they were never kept, or don't tell of the files that are served. */
async function piecesBefore(
  store: Pick<PackageStore, 'open'>,
  { files, end }: PiecedIndex,
  served: ReadonlyMap<string, PackageFile>,
): Promise<readonly Piece[] | undefined> {
  const file = served.get(piecesFile);
  if (!file) return undefined;
  const bytes = Buffer.concat((await (await store.open(file)).toArray()) as Buffer[]);
  const pieces = JSON.parse(bytes.toString('utf8')) as readonly Piece[];
  if (pieces.some(({ packed }) => packed.length !== files.length)) return undefined;
  for (const [at, { name, packing }] of files.entries()) {
    const packer = packers[packing];
    const within = pieces.reduce((sum, { packed }) => sum + packer.lengthOf(packed[at]!), (await packer.head()).length);
    const after = (await packer.end(blocksOf(pieces, at), end)).length;
    if (served.get(name)?.size !== within + after) return undefined;
  }
  return pieces;
}

const blocksOf = (pieces: readonly Piece[], file: number): readonly XzBlock[] =>
  pieces.map(({ raw, packed }) => ({ raw, packed: packed[file]! }));

/** Pieces with packages that have changed are made anew; new packages come last. */
function stepsOf(before: readonly Piece[], changed: readonly number[]): readonly Step[] {
  const fresh = new Set(changed);
  const touched = before.map(({ ids }) => ids.filter((id) => fresh.has(id)));
  for (const id of touched.flat()) fresh.delete(id);
  const steps: Step[] = [];
  for (const [at, { ids, raw }] of before.entries()) {
    const takesNew = at === before.length - 1 && fresh.size > 0 && raw < pieceBytes;
    const previous = steps.at(-1);
    if (takesNew) {
      steps.push({ ids: [...ids, ...fresh] });
      fresh.clear();
    } else if (touched[at]!.length > 0) steps.push({ ids });
    else if (previous && 'to' in previous) steps[steps.length - 1] = { from: previous.from, to: at + 1 };
    else steps.push({ from: at, to: at + 1 });
  }
  return fresh.size > 0 ? [...steps, { ids: [...fresh] }] : steps;
}

/** Makes one file after the other, with one piece at a time in memory. */
class Assembly {
  /** Of the files that are made, when the first of them is. */
  readonly pieces: Piece[] = [];
  readonly #made: Made[] = [];

  constructor(
    private readonly store: Pick<PackageStore, 'open'>,
    private readonly index: PiecedIndex,
    private readonly before: readonly Piece[],
    private readonly served: ReadonlyMap<string, PackageFile>,
  ) {}

  /** The first file, for which packages are asked what they say. */
  async *texts(steps: readonly Step[]): AsyncGenerator<Buffer> {
    const packer = packers[this.index.files[0].packing];
    yield await packer.head();
    let at = 0;
    for (const step of steps) {
      if ('to' in step) {
        const stays = this.before.slice(step.from, step.to);
        this.#made.push(step);
        this.pieces.push(...stays);
        at += stays.reduce((sum, { raw }) => sum + raw, 0);
        yield* this.#stays(0, step);
        continue;
      }
      for await (const { ids, text } of this.#filled(step.ids)) {
        const { bytes, size } = await packer.pack(text);
        const piece = { ids, raw: text.length, packed: [size] };
        this.#made.push({ piece, at });
        this.pieces.push(piece);
        at += text.length;
        yield bytes;
      }
    }
    yield await packer.end(blocksOf(this.pieces, 0), this.index.end);
  }

  /** A further file: what is new is read from the first, which is not packed. */
  async *packed(file: number, first: ReceivedBlob): AsyncGenerator<Buffer> {
    const packer = packers[this.index.files[file]!.packing];
    yield await packer.head();
    for (const made of this.#made) {
      if ('to' in made) {
        yield* this.#stays(file, made);
        continue;
      }
      const { piece, at } = made;
      const text = await this.store.open(first, { start: at, end: at + piece.raw - 1 });
      const { bytes, size } = await packer.pack(Buffer.concat((await text.toArray()) as Buffer[]));
      piece.packed[file] = size;
      yield bytes;
    }
    yield await packer.end(blocksOf(this.pieces, file), this.index.end);
  }

  async *#stays(file: number, { from, to }: { readonly from: number; readonly to: number }): AsyncGenerator<Buffer> {
    const { name, packing } = this.index.files[file]!;
    const { head, lengthOf } = packers[packing];
    const first = (await head()).length;
    const lengthUntil = (end: number) =>
      this.before.slice(0, end).reduce((sum, { packed }) => sum + lengthOf(packed[file]!), first);
    const range = { start: lengthUntil(from), end: lengthUntil(to) - 1 };
    yield* (await this.store.open(this.served.get(name)!, range)) as AsyncIterable<Buffer>;
  }

  /** Pieces of about the same size, whole packages each. */
  async *#filled(ids: readonly number[]): AsyncGenerator<{ readonly ids: number[]; readonly text: Buffer }> {
    let piece: { ids: number[]; texts: Buffer[]; bytes: number } = { ids: [], texts: [], bytes: 0 };
    for (let at = 0; at < ids.length; at += atOnce) {
      const some = ids.slice(at, at + atOnce);
      const texts = await this.index.textOf(some);
      for (const id of some) {
        const text = texts.get(id);
        if (!text || text.length === 0) continue;
        piece.ids.push(id);
        piece.texts.push(text);
        piece.bytes += text.length;
        if (piece.bytes < pieceBytes) continue;
        yield { ids: piece.ids, text: Buffer.concat(piece.texts) };
        piece = { ids: [], texts: [], bytes: 0 };
      }
    }
    if (piece.bytes > 0) yield { ids: piece.ids, text: Buffer.concat(piece.texts) };
  }
}
