/** LZMA2 as xz wraps it: greedy, with one look at the last distance. Writes what every reader of xz reads. */
import { crc32 } from './crc32.js';

const bitModelTotal = 2048;
const top = 2 ** 24;
/** Settings of literals and positions: 3, 0 and 2, as xz has them by default. */
const properties = 0x5d;
const dictionaryBits = 22;
const dictionary = 8 * 1024 * 1024;
const maxLength = 273;
const hashBits = 16;
const maxTries = 24;
/** Bounds of a chunk, with room for one more symbol. */
const maxChunkPacked = 65_536 - 128;
const maxChunk = 2 ** 21 - 2 * maxLength;

/** Where the models of each kind begin. */
const at = {
  match: 0,
  rep: 192,
  rep0: 204,
  rep0Long: 216,
  slot: 408,
  special: 664,
  align: 779,
  length: 795,
  repLength: 1309,
  literal: 1823,
  end: 1823 + 0x300 * 8,
} as const;

class RangeCoder {
  readonly models = new Uint16Array(at.end).fill(bitModelTotal / 2);
  #low = 0;
  #range = 0xffffffff;
  #cache = 0;
  #pending = 1;
  #out = Buffer.alloc(65_536 * 2);
  #length = 0;

  get size(): number {
    return this.#length + this.#pending + 4;
  }

  #shift(): void {
    if (this.#low < 0xff000000 || this.#low >= 2 ** 32) {
      const carry = this.#low >= 2 ** 32 ? 1 : 0;
      for (let byte = this.#cache; this.#pending > 0; this.#pending--, byte = 0xff)
        this.#out[this.#length++] = byte + carry;
      this.#cache = (this.#low >>> 24) & 0xff;
    }
    this.#pending++;
    this.#low = (this.#low & 0x00ffffff) * 256;
  }

  bit(model: number, bit: number): void {
    const chance = this.models[model]!;
    const bound = (this.#range >>> 11) * chance;
    if (bit === 0) {
      this.#range = bound;
      this.models[model] = chance + ((bitModelTotal - chance) >>> 5);
    } else {
      this.#low += bound;
      this.#range -= bound;
      this.models[model] = chance - (chance >>> 5);
    }
    while (this.#range < top) {
      this.#range = (this.#range * 256) >>> 0;
      this.#shift();
    }
  }

  direct(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit--) {
      this.#range = this.#range >>> 1;
      if ((value >>> bit) & 1) this.#low += this.#range;
      while (this.#range < top) {
        this.#range = (this.#range * 256) >>> 0;
        this.#shift();
      }
    }
  }

  tree(base: number, bits: number, value: number): void {
    for (let bit = bits - 1, model = 1; bit >= 0; bit--) {
      const one = (value >>> bit) & 1;
      this.bit(base + model, one);
      model = model * 2 + one;
    }
  }

  reverseTree(base: number, bits: number, value: number): void {
    for (let bit = 0, model = 1; bit < bits; bit++) {
      const one = (value >>> bit) & 1;
      this.bit(base + model, one);
      model = model * 2 + one;
    }
  }

  /** The bytes so far; what follows begins anew, with what the models have learnt. */
  finish(): Buffer {
    for (let count = 0; count < 5; count++) this.#shift();
    const bytes = Buffer.from(this.#out.subarray(0, this.#length));
    this.#low = this.#cache = this.#length = 0;
    this.#range = 0xffffffff;
    this.#pending = 1;
    return bytes;
  }
}

/** Finds earlier places with the same four bytes. */
class Matches {
  readonly #heads = new Int32Array(1 << hashBits).fill(-1);
  readonly #before: Int32Array;
  #known = 0;
  length = 0;
  distance = 0;

  constructor(private readonly data: Buffer) {
    this.#before = new Int32Array(data.length);
  }

  #hash(place: number): number {
    const word = this.data.readUInt32LE(place);
    return Math.imul(word, 0x9e3779b1) >>> (32 - hashBits);
  }

  /** Remembers all places before this one. */
  learn(until: number): void {
    const end = Math.min(until, this.data.length - 3);
    for (; this.#known < end; this.#known++) {
      const hash = this.#hash(this.#known);
      this.#before[this.#known] = this.#heads[hash]!;
      this.#heads[hash] = this.#known;
    }
  }

  lengthAt(place: number, distance: number, max: number): number {
    let length = 0;
    while (length < max && this.data[place + length] === this.data[place + length - distance]) length++;
    return length;
  }

  /** The longest at a place; its length is 0 when there is none. */
  find(place: number, max: number): void {
    this.length = this.distance = 0;
    if (max < 4) return;
    let from = this.#heads[this.#hash(place)]!;
    for (let tries = 0; from >= 0 && tries < maxTries && place - from < dictionary; tries++) {
      if (this.length === 0 || this.data[from + this.length] === this.data[place + this.length]) {
        const length = this.lengthAt(place, place - from, max);
        if (length >= 4 && length > this.length) {
          this.length = length;
          this.distance = place - from;
          if (length === max) return;
        }
      }
      from = this.#before[from]!;
    }
  }
}

class Encoder {
  readonly #coder = new RangeCoder();
  readonly #matches: Matches;
  #state = 0;
  #distance = 1;
  #place = 0;

  constructor(private readonly data: Buffer) {
    this.#matches = new Matches(data);
  }

  #literal(): void {
    const { data } = this;
    const coder = this.#coder;
    const byte = data[this.#place]!;
    const before = this.#place > 0 ? data[this.#place - 1]! : 0;
    const base = at.literal + 0x300 * (before >>> 5);
    if (this.#state < 7) coder.tree(base, 8, byte);
    else {
      let symbol = byte | 0x100;
      let likely = data[this.#place - this.#distance]!;
      for (let mask = 0x100; symbol < 0x10000;) {
        likely <<= 1;
        coder.bit(base + mask + (likely & mask) + (symbol >>> 8), (symbol >>> 7) & 1);
        symbol <<= 1;
        mask &= ~(likely ^ symbol);
      }
    }
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
    this.#place++;
  }

  #length(base: number, length: number, position: number): void {
    const coder = this.#coder;
    const value = length - 2;
    coder.bit(base, value < 8 ? 0 : 1);
    if (value < 8) return coder.tree(base + 2 + position * 8, 3, value);
    coder.bit(base + 1, value < 16 ? 0 : 1);
    if (value < 16) return coder.tree(base + 130 + position * 8, 3, value - 8);
    coder.tree(base + 258, 8, value - 16);
  }

  #slotOf(distance: number): number {
    if (distance < 4) return distance;
    const high = 31 - Math.clz32(distance);
    return high * 2 + ((distance >>> (high - 1)) & 1);
  }

  #match(length: number, distance: number, position: number): void {
    const coder = this.#coder;
    const again = distance === this.#distance;
    coder.bit(at.rep + this.#state, again ? 1 : 0);
    if (again) {
      coder.bit(at.rep0 + this.#state, 0);
      coder.bit(at.rep0Long + this.#state * 16 + position, 1);
      this.#length(at.repLength, length, position);
      this.#state = this.#state < 7 ? 8 : 11;
    } else {
      this.#length(at.length, length, position);
      const value = distance - 1;
      const slot = this.#slotOf(value);
      coder.tree(at.slot + Math.min(length - 2, 3) * 64, 6, slot);
      if (slot >= 4) {
        const bits = (slot >>> 1) - 1;
        const base = (2 | (slot & 1)) << bits;
        if (slot < 14) coder.reverseTree(at.special + base - slot - 1, bits, value - base);
        else {
          coder.direct((value - base) >>> 4, bits - 4);
          coder.reverseTree(at.align - 1, 4, (value - base) & 15);
        }
      }
      this.#state = this.#state < 7 ? 7 : 10;
      this.#distance = distance;
    }
    this.#place += length;
  }

  #step(): void {
    const max = Math.min(maxLength, this.data.length - this.#place);
    const matches = this.#matches;
    matches.learn(this.#place);
    matches.find(this.#place, max);
    let { length, distance } = matches;
    const again = this.#place >= this.#distance ? matches.lengthAt(this.#place, this.#distance, max) : 0;
    if (again >= 2 && again + 1 >= length) [length, distance] = [again, this.#distance];
    const position = this.#place & 3;
    this.#coder.bit(at.match + this.#state * 16 + position, length >= 2 ? 1 : 0);
    if (length >= 2) this.#match(length, distance, position);
    else this.#literal();
  }

  /** The next chunk, with its head; undefined: that was all. */
  chunk(): Buffer | undefined {
    const start = this.#place;
    if (start === this.data.length) return undefined;
    while (this.#place < this.data.length && this.#place - start < maxChunk && this.#coder.size < maxChunkPacked)
      this.#step();
    const [size, packed] = [this.#place - start - 1, this.#coder.finish()];
    const first = start === 0;
    const head = Buffer.alloc(first ? 6 : 5);
    head[0] = (first ? 0xe0 : 0x80) | (size >>> 16);
    head.writeUInt16BE(size & 0xffff, 1);
    head.writeUInt16BE(packed.length - 1, 3);
    if (first) head[5] = properties;
    return Buffer.concat([head, packed]);
  }
}

function sumOf(data: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(crc32(data));
  return bytes;
}

const padding = (length: number) => Buffer.alloc((4 - (length % 4)) % 4);
const withSum = (bytes: Buffer) => Buffer.concat([bytes, sumOf(bytes)]);

function variable(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

/** A block of an .xz: its bytes with and without packing. */
export interface XzBlock {
  /** Without its padding. */
  readonly packed: number;
  readonly raw: number;
}

const checkBytes = 4;
const flags = Buffer.from([0, 1]);
const blockHead = withSum(Buffer.from([2, 0, 0x21, 1, dictionaryBits, 0, 0, 0]));

/** What an .xz of blocks that are checked by CRC32 begins with. */
export const xzHead = Buffer.concat([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), withSum(flags)]);

/** One block, without its padding. */
export function encodeXzBlock(data: Buffer): Buffer {
  const chunks: Buffer[] = [];
  const encoder = new Encoder(data);
  for (let chunk = encoder.chunk(); chunk; chunk = encoder.chunk()) chunks.push(chunk);
  return Buffer.concat([blockHead, ...chunks, Buffer.alloc(1), sumOf(data)]);
}

/** A block as it stands in an .xz. */
export function padXzBlock(block: Buffer): Buffer {
  const check = block.length - checkBytes;
  return Buffer.concat([block.subarray(0, check), padding(block.length), block.subarray(check)]);
}

/** What follows the blocks of an .xz. */
export function xzEnd(blocks: readonly XzBlock[]): Buffer {
  const records = blocks.flatMap(({ packed, raw }) => [variable(packed), variable(raw)]);
  const index = Buffer.concat([Buffer.alloc(1), variable(blocks.length), ...records]);
  const indexEnd = Buffer.concat([index, padding(index.length)]);
  const back = Buffer.alloc(4);
  back.writeUInt32LE((indexEnd.length + 4) / 4 - 1);
  const tail = Buffer.concat([back, flags]);
  return Buffer.concat([withSum(indexEnd), sumOf(tail), tail, Buffer.from('YZ')]);
}

/** An .xz of one block. */
export function encodeXz(data: Buffer): Buffer {
  const block = encodeXzBlock(data);
  return Buffer.concat([xzHead, padXzBlock(block), xzEnd([{ packed: block.length, raw: data.length }])]);
}
