import { Readable } from 'node:stream';

/** Ends a stream whose consumer takes no chunk within the timeout, to release what it holds. */
export function withIdleTimeout(pieces: AsyncIterable<Buffer> | Iterable<Buffer>, maxIdleMs = 60_000): Readable {
  async function* watched(): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      const clock = setTimeout(
        () => content.destroy(new Error('the client did not read the next chunk in time')),
        maxIdleMs,
      );
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
