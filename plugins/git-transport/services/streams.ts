/** Reading the beginning of a stream without losing it. */
import { Readable, Transform } from 'node:stream';
import { BadRequest, unreadableBody } from '@mortise/plugin-sdk';

/** Reads until there is enough (or all there is); the rest is still to come from the source. */
export async function peek(
  source: Readable,
  enough: (head: Buffer) => boolean,
): Promise<{ head: Buffer; ended: boolean }> {
  let head: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = source.read() as Buffer | null;
    if (chunk) {
      head = head.length ? Buffer.concat([head, chunk]) : chunk;
      if (enough(head)) return { head, ended: false };
      continue;
    }
    if (source.readableEnded || source.destroyed) return { head, ended: true };
    await more(source);
  }
}

function more(source: Readable): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const clear = () => source.off('readable', done).off('end', done).off('close', done).off('error', failed);
    const done = () => {
      clear();
      resolve();
    };
    const failed = (error: Error) => {
      clear();
      reject(unreadableBody(error, 'The request could not be read'));
    };
    source.once('readable', done).once('end', done).once('close', done).once('error', failed);
  });
}

/** The source as it was before {@link peek}. */
export function putBack(source: Readable, { head, ended }: { head: Buffer; ended: boolean }): Readable {
  if (ended) return Readable.from(head.length ? [head] : [], { objectMode: false });
  if (head.length) source.unshift(head);
  return source;
}

/** The same source, cut off with an error when it is longer than that. */
export function limitBytes(source: Readable, max: number): Readable {
  let size = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > max) done(BadRequest('The request is too large.'));
      else done(null, chunk);
    },
  });
  source.once('error', (error) => counter.destroy(error));
  source.once('close', () => {
    if (!source.readableEnded) counter.destroy(new Error('the request was cut off'));
  });
  // what else is sent is read and dropped, so that the answer gets through
  counter.once('error', () => source.unpipe(counter).resume());
  return source.pipe(counter);
}
