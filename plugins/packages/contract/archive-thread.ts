/** A thread that unpacks and packs, one work after the other. What goes wrong here is the fault of the archive. */
import { parentPort } from 'node:worker_threads';
import Bunzip from 'seek-bzip';
import xz from 'xz-decompress';
import type { FromThread, ToThread, UnpackWork } from './threads.js';

const port = parentPort!;
const say = (message: FromThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

// ---------------------------------------------------------------- the way in and out

let wanted: ((bytes: Uint8Array | undefined) => void) | undefined;
let taken: (() => void) | undefined;
let given = 0;
let total = 0;
let maxBytes = 0;
let isStopped = false;
/** Pieces that may wait for the reader. */
const ahead = 8;

function checkStopped(): void {
  if (isStopped) throw new Error('its reader has gone');
}

async function next(): Promise<Uint8Array | undefined> {
  checkStopped();
  const bytes = await new Promise<Uint8Array | undefined>((resolve) => {
    wanted = resolve;
    say({ kind: 'more' });
  });
  checkStopped();
  return bytes;
}

function count(length: number): void {
  checkStopped();
  total += length;
  if (total > maxBytes) throw new Error('it is too large when it is unpacked');
}

async function give(piece: Uint8Array): Promise<void> {
  if (piece.length === 0) return;
  while (given >= ahead && !isStopped) await new Promise<void>((resolve) => (taken = resolve));
  checkStopped();
  given++;
  const bytes = piece.byteLength === piece.buffer.byteLength ? piece : new Uint8Array(piece);
  say({ kind: 'piece', bytes }, [bytes.buffer as ArrayBuffer]);
}

/** Packed bytes, of which so many are at hand as were asked for. */
class Packed extends Bunzip.Stream {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #ended = false;

  /** Gives whether there are so many. */
  async fill(count: number): Promise<boolean> {
    const parts = [this.#bytes.subarray(this.#at)];
    let length = parts[0]!.length;
    if (length >= count) return true;
    while (!this.#ended && length < count) {
      const part = await next();
      if (!part) this.#ended = true;
      else length += parts.push(Buffer.from(part.buffer, part.byteOffset, part.length)) && part.length;
    }
    this.#bytes = Buffer.concat(parts);
    this.#at = 0;
    return length >= count;
  }

  async take(count: number): Promise<Buffer> {
    if (!(await this.fill(count))) throw new Error('it ends too early');
    return this.#bytes.subarray(this.#at, (this.#at += count));
  }

  /** The bytes that were taken last are there again. */
  back(count: number): void {
    this.#at -= count;
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0;) left -= (await this.take(Math.min(left, 65_536))).length;
  }

  override readByte(): number {
    if (this.#at >= this.#bytes.length) throw new Error('it ends too early');
    return this.#bytes[this.#at++]!;
  }
}

// ---------------------------------------------------------------- zstd

/** The memory that one frame may ask for; what `zstd` itself takes without being told to. */
const maxWindow = 2 ** 27;
const maxBlock = 128 * 1024;
/** Bounds of one step. */
const maxStep = 512 * 1024;
const maxBlocks = 2000;
/** After so much, the memory that the library grew to is given back. */
const largeBytes = 16 * 1024 * 1024;

/** Reads the head of a frame: its length, and whether a checksum ends it. */
async function frameHead(packed: Packed): Promise<{ head: Buffer; checksum: boolean }> {
  const start = Buffer.from(await packed.take(5));
  const flags = start[4]!;
  const single = (flags & 0x20) !== 0;
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][flags >> 6]!;
  const rest = await packed.take((single ? 0 : 1) + [0, 1, 2, 4][flags & 3]! + sizeBytes);
  if (single) {
    const size = rest.subarray(rest.length - sizeBytes);
    const bytes = sizeBytes === 8 ? Number(size.readBigUInt64LE()) : size.readUIntLE(0, sizeBytes);
    if (bytes > maxWindow) throw new Error('it needs too much memory');
  } else {
    const base = 2 ** (10 + (rest[0]! >> 3));
    if (base + (base / 8) * (rest[0]! & 7) > maxWindow) throw new Error('it needs too much memory');
  }
  return { head: Buffer.concat([start, rest]), checksum: (flags & 4) !== 0 };
}

/** The library copies through a list of numbers, which takes most of the time. */
function copyQuickly(zstd: object): void {
  interface Memory {
    heapView?(part: object): Uint8Array;
    heapToUint8Array?(part: object): Uint8Array;
  }
  const memory = Reflect.get(zstd, '_mainModule') as Memory | undefined;
  if (memory?.heapView && memory.heapToUint8Array)
    memory.heapToUint8Array = (part) => new Uint8Array(memory.heapView!(part));
}

/**
 * Some blocks at a time, of which it is known before how much they can give. The library tells errors, those of the checksum
 * too, by giving nothing: so the last block that has something goes with what ends the frame.
 */
async function unzstd(packed: Packed): Promise<void> {
  const { Zstd } = await import('@hpcc-js/wasm-zstd');
  const zstd = await Zstd.load();
  copyQuickly(zstd);
  let blocks: Buffer[] = [];
  let [least, max] = [0, 0];
  const step = async () => {
    const piece = zstd.decompressChunk(Buffer.concat(blocks), max);
    if (piece.length < least || piece.length > max) throw new Error('it is damaged');
    blocks = [];
    least = max = 0;
    count(piece.length);
    await give(piece);
  };
  do {
    await packed.fill(8);
    const sign = Buffer.from(await packed.take(4)).readUInt32LE();
    if ((sign & 0xfffffff0) >>> 0 === 0x184d2a50) {
      await packed.skip((await packed.take(4)).readUInt32LE());
      continue;
    }
    if (sign !== 0xfd2fb528) throw new Error('it is no zstd, or damaged');
    packed.back(4);
    const { head, checksum } = await frameHead(packed);
    zstd.reset();
    blocks.push(head);
    for (let last = false; !last;) {
      const block = (await packed.take(3)).readUIntLE(0, 3);
      const [type, size] = [(block >> 1) & 3, block >> 3];
      if (type === 3 || size > maxBlock) throw new Error('it is damaged');
      last = (block & 1) === 1;
      if ((size > 0 && max >= maxStep) || blocks.length >= maxBlocks) await step();
      packed.back(3);
      blocks.push(await packed.take(3 + (type === 1 ? 1 : size)));
      least += type === 2 ? 1 : size;
      max += type === 2 ? maxBlock : size;
    }
    if (checksum) blocks.push(await packed.take(4));
    await step();
  } while (await packed.fill(1));
  if (total > largeBytes) await Zstd.unload();
}

// ---------------------------------------------------------------- bzip2

/** What one block can take when it is packed as badly as can be. */
const maxPackedBlock = 2_500_000;
const pieceBytes = 256 * 1024;

/** Bytes as they come, in pieces. */
class Unpacked extends Bunzip.Stream {
  #pieces: Buffer[] = [];
  #at = 0;

  override writeByte(byte: number): void {
    if (this.#at % pieceBytes === 0) {
      count(pieceBytes);
      this.#pieces.push(Buffer.allocUnsafeSlow(pieceBytes));
      this.#at = 0;
    }
    this.#pieces.at(-1)![this.#at++] = byte;
  }

  async flush(): Promise<void> {
    const pieces = this.#pieces;
    const last = pieces.pop();
    for (const piece of pieces) await give(piece);
    if (last) {
      await give(last.subarray(0, this.#at));
      total -= pieceBytes - this.#at;
    }
    this.#pieces = [];
    this.#at = 0;
  }
}

async function bunzip(packed: Packed): Promise<void> {
  await packed.fill(maxPackedBlock);
  const unpacked = new Unpacked();
  const reader = new Bunzip(packed, unpacked);
  for (;;) {
    await packed.fill(maxPackedBlock);
    if (reader._init_block()) {
      reader._read_bunzip();
      await unpacked.flush();
    } else {
      if (reader.reader.read(32) >>> 0 !== reader.streamCRC) throw new Error('it is damaged');
      if (!(await packed.fill(1))) return;
      reader._start_bunzip(packed, unpacked);
    }
  }
}

// ---------------------------------------------------------------- xz

async function unxz(): Promise<void> {
  const source = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const bytes = await next();
      if (bytes) controller.enqueue(bytes);
      else controller.close();
    },
  });
  const reader = new xz.XzReadableStream(source).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      count(value.length);
      await give(value);
    }
  } finally {
    // the library keeps others waiting for what is not read to its end
    await reader.cancel().catch(() => undefined);
  }
}

const ways: Readonly<Record<UnpackWork['packing'], () => Promise<void>>> = {
  zstd: () => unzstd(new Packed()),
  bzip2: () => bunzip(new Packed()),
  xz: unxz,
};

// ---------------------------------------------------------------- packing by bzip2

const maxPackedAtOnce = 1024 * 1024;
let bzip2: Promise<{ compress(bytes: Uint8Array, blockSize: number, maxSize: number): Uint8Array }> | undefined;

/** A .bz2 is one after the other: the memory of the library does not grow. */
async function packBzip2(content: Uint8Array): Promise<void> {
  bzip2 ??= import('bzip2-wasm').then(async ({ default: BZip2 }) => {
    const library = new BZip2();
    await library.init();
    return library;
  });
  const { length } = content;
  for (let at = 0; at === 0 || at < length; at += maxPackedAtOnce) {
    const piece = content.subarray(at, at + maxPackedAtOnce);
    // what cannot be packed grows by this at most
    const maxSize = Math.ceil(piece.length * 1.01) + 600;
    const bytes = new Uint8Array((await bzip2).compress(piece, 9, maxSize));
    say({ kind: 'piece', bytes }, [bytes.buffer]);
  }
}

// ---------------------------------------------------------------- work

async function work(message: ToThread): Promise<void> {
  if (message.kind === 'pack') await packBzip2(message.content);
  else if (message.kind === 'unpack') {
    given = total = 0;
    maxBytes = message.maxBytes;
    isStopped = false;
    await ways[message.packing]();
  }
  say({ kind: 'end' });
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'bytes') wanted?.(message.bytes);
  else if (message.kind === 'taken') {
    given--;
    taken?.();
  } else if (message.kind === 'stop') {
    isStopped = true;
    wanted?.(undefined);
    taken?.();
  } else
    work(message).catch((error: unknown) =>
      say({ kind: 'wrong', what: error instanceof Error ? error.message : 'it is damaged' }),
    );
});
