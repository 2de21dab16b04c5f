import type { Readable } from 'node:stream';
import { proxyBase } from '../../api.js';
import { withIdleTimeout } from './idle-timeout.js';
import { tooMuch } from './concurrency-limit.js';

const pieceBytes = 128 * 1024;
const mark = Buffer.from(proxyBase);

/** A text with its marks replaced, in pieces as they are wanted: no second copy of it. */
export function* replaced(body: Buffer, base: string): Generator<Buffer> {
  const address = Buffer.from(base);
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer) => {
    parts.push(part);
    size += part.length;
  };
  for (let at = 0; at < body.length;) {
    const next = body.subarray(at, at + pieceBytes + mark.length - 1).indexOf(mark);
    // a placeholder that begins in this chunk is complete in the part searched
    const end = next < 0 ? Math.min(body.length, at + pieceBytes) : at + next;
    add(body.subarray(at, end));
    if (next >= 0) add(address);
    at = next < 0 ? end : end + mark.length;
    if (size < pieceBytes) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(parts);
}

/** Long documents on their way to clients: as many as like read one, but only so many bytes of different ones are held. */
export class LongDocuments {
  private readonly readers = new Map<Buffer, number>();

  constructor(
    private readonly maxBytes = 256 * 1024 * 1024,
    private readonly maxIdleMs?: number,
  ) {}

  /** Throws 503 where others fill the room. */
  open(body: Buffer, base: string): Readable {
    if (!this.readers.has(body)) {
      let held = 0;
      for (const other of this.readers.keys()) held += other.length;
      if (held > 0 && held + body.length > this.maxBytes) throw tooMuch();
    }
    return withIdleTimeout(this.counted(body, base), this.maxIdleMs);
  }

  /** Counts from the first piece on: an answer may be dropped before that. */
  private *counted(body: Buffer, base: string): Generator<Buffer> {
    this.readers.set(body, (this.readers.get(body) ?? 0) + 1);
    try {
      yield* replaced(body, base);
    } finally {
      const left = this.readers.get(body)! - 1;
      if (left > 0) this.readers.set(body, left);
      else this.readers.delete(body);
    }
  }
}
