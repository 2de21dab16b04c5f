import { Readable } from 'node:stream';

/** A stream of pieces that is ended where nobody takes the next one for so long: what it holds is for others then. */
export function patient(pieces: AsyncIterable<Buffer> | Iterable<Buffer>, maxIdleMs = 60_000): Readable {
  async function* watched(): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      const clock = setTimeout(() => content.destroy(new Error('nobody took the next piece')), maxIdleMs);
      try {
        yield piece;
      } finally {
        clearTimeout(clock);
      }
    }
  }
  const content: Readable = Readable.from(watched(), { objectMode: false });
  return content;
}
