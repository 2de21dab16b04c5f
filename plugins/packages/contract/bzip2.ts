/** bzip2, with blocks of the smallest kind and one table for each. Writes what every reader of bzip2 reads. */

/** Bytes of a block before its rotations are sorted. */
const blockBytes = 100_000 - 20;
const maxRun = 255;
const groupSymbols = 50;
const maxCodeLength = 17;

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  return sum;
});

class Bits {
  #out = Buffer.alloc(64 * 1024);
  #length = 0;
  #kept = 0;
  #count = 0;

  put(value: number, bits: number): void {
    for (let left = bits; left > 0;) {
      const take = Math.min(left, 8 - this.#count);
      this.#kept = (this.#kept << take) | ((value >>> (left - take)) & ((1 << take) - 1));
      left -= take;
      this.#count += take;
      if (this.#count === 8) this.#write();
    }
  }

  #write(): void {
    if (this.#length === this.#out.length) this.#out = Buffer.concat([this.#out, Buffer.alloc(this.#out.length)]);
    this.#out[this.#length++] = this.#kept;
    this.#kept = this.#count = 0;
  }

  finish(): Buffer {
    if (this.#count > 0) this.put(0, 8 - this.#count);
    return this.#out.subarray(0, this.#length);
  }
}

interface Block {
  /** With long runs shortened. */
  readonly bytes: Uint8Array;
  readonly checksum: number;
  /** Place behind it in the data. */
  readonly end: number;
}

/** Four of the same are followed by the number of those that go on. */
function blockAt(data: Buffer, start: number): Block {
  const bytes = new Uint8Array(blockBytes);
  let [at, length, checksum] = [start, 0, -1];
  while (at < data.length && length + 5 <= blockBytes) {
    const byte = data[at]!;
    let run = 1;
    while (run < maxRun && data[at + run] === byte) run++;
    for (let count = 0; count < run; count++) checksum = (checksum << 8) ^ crcTable[(checksum >>> 24) ^ byte]!;
    for (let count = 0; count < Math.min(run, 4); count++) bytes[length++] = byte;
    if (run >= 4) bytes[length++] = run - 4;
    at += run;
  }
  return { bytes: bytes.subarray(0, length), checksum: ~checksum >>> 0, end: at };
}

/** The rotations of a block in their order, by doubling what is compared. */
function sortRotations(bytes: Uint8Array): Int32Array {
  const { length } = bytes;
  let order = new Int32Array(length);
  let classes = Int32Array.from(bytes);
  let found = 256;
  let next = new Int32Array(length);
  let nextClasses = new Int32Array(length);
  const sort = (shifted: Int32Array, into: Int32Array) => {
    const counts = new Int32Array(Math.max(found, 256) + 1);
    for (let at = 0; at < length; at++) counts[classes[at]! + 1]!++;
    for (let at = 1; at < counts.length; at++) counts[at]! += counts[at - 1]!;
    for (let at = 0; at < length; at++) into[counts[classes[shifted[at]!]!]!++] = shifted[at]!;
  };
  sort(
    Int32Array.from({ length }, (_, at) => at),
    order,
  );
  for (let step = 0; ; step = step === 0 ? 1 : step * 2) {
    if (step > 0) {
      const shifted = order.map((place) => (place - step + length) % length);
      sort(shifted, next);
      [order, next] = [next, order];
    }
    let last = -1;
    for (let at = 0; at < length; at++) {
      const [one, before] = [order[at]!, at > 0 ? order[at - 1]! : -1];
      const same =
        before >= 0 &&
        classes[one] === classes[before] &&
        (step === 0 || classes[(one + step) % length] === classes[(before + step) % length]);
      nextClasses[one] = same ? last : ++last;
    }
    [classes, nextClasses] = [nextClasses, classes];
    found = last + 1;
    if (found === length || step >= length) return order;
  }
}

/** Lengths of codes by how often each symbol is there; halved until the longest is short enough. */
function codeLengths(often: readonly number[]): number[] {
  for (let weights = often.map((count) => Math.max(1, count)); ; weights = weights.map((one) => (one >>> 1) + 1)) {
    const lengths = new Array<number>(weights.length).fill(0);
    let nodes = weights.map((weight, symbol) => ({ weight, symbols: [symbol] }));
    while (nodes.length > 1) {
      nodes.sort((a, b) => a.weight - b.weight);
      const [a, b, ...rest] = nodes as [(typeof nodes)[0], (typeof nodes)[0], ...typeof nodes];
      const symbols = [...a.symbols, ...b.symbols];
      for (const symbol of symbols) lengths[symbol]!++;
      nodes = [...rest, { weight: a.weight + b.weight, symbols }];
    }
    if (Math.max(...lengths) <= maxCodeLength) return lengths;
  }
}

function codesOf(lengths: readonly number[]): number[] {
  const codes = new Array<number>(lengths.length).fill(0);
  for (let length = 1, code = 0; length <= maxCodeLength; length++, code <<= 1)
    for (const [symbol, own] of lengths.entries()) if (own === length) codes[symbol] = code++;
  return codes;
}

/** The last bytes of the rotations as symbols: how far forward each was moved, and runs of zero in two digits. */
function symbolsOf(last: Uint8Array, used: readonly number[]): number[] {
  const front = [...used];
  const symbols: number[] = [];
  let run = 0;
  const flush = () => {
    for (; run > 0; run = (run - 1) >>> 1) symbols.push(run & 1 ? 0 : 1);
  };
  for (const byte of last) {
    const place = front.indexOf(byte);
    if (place === 0) {
      run++;
      continue;
    }
    flush();
    front.splice(place, 1);
    front.unshift(byte);
    symbols.push(place + 1);
  }
  flush();
  symbols.push(used.length + 1);
  return symbols;
}

function writeBlock(bits: Bits, { bytes, checksum }: Block): void {
  const order = sortRotations(bytes);
  const last = Uint8Array.from(order, (place) => bytes[(place + bytes.length - 1) % bytes.length]!);
  const used = [...new Set(bytes)].sort((a, b) => a - b);
  const symbols = symbolsOf(last, used);
  const often = new Array<number>(used.length + 2).fill(0);
  for (const symbol of symbols) often[symbol]!++;
  const lengths = codeLengths(often);
  const codes = codesOf(lengths);
  bits.put(0x314159, 24);
  bits.put(0x265359, 24);
  bits.put(checksum, 32);
  bits.put(0, 1);
  bits.put(order.indexOf(0), 24);
  const rows = Array.from({ length: 16 }, (_, row) => used.filter((byte) => byte >>> 4 === row));
  for (const row of rows) bits.put(row.length > 0 ? 1 : 0, 1);
  for (const row of rows)
    if (row.length > 0)
      for (let column = 0; column < 16; column++) bits.put(row.some((b) => (b & 15) === column) ? 1 : 0, 1);
  const groups = Math.ceil(symbols.length / groupSymbols);
  // there are at least two tables; all groups take the first
  bits.put(2, 3);
  bits.put(groups, 15);
  for (let group = 0; group < groups; group++) bits.put(0, 1);
  for (let count = 0; count < 2; count++) {
    let length = lengths[0]!;
    bits.put(length, 5);
    for (const own of lengths) {
      for (; length < own; length++) bits.put(0b10, 2);
      for (; length > own; length--) bits.put(0b11, 2);
      bits.put(0, 1);
    }
  }
  for (const symbol of symbols) bits.put(codes[symbol]!, lengths[symbol]!);
}

export function encodeBzip2(data: Buffer): Buffer {
  const bits = new Bits();
  bits.put(0x425a6831, 32);
  let all = 0;
  for (let at = 0; at < data.length;) {
    const block = blockAt(data, at);
    writeBlock(bits, block);
    all = ((all << 1) | (all >>> 31)) ^ block.checksum;
    at = block.end;
  }
  bits.put(0x177245, 24);
  bits.put(0x385090, 24);
  bits.put(all >>> 0, 32);
  return bits.finish();
}
