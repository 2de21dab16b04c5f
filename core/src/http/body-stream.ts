import { PassThrough, type Readable } from 'node:stream';

/**
 * The body for a reader that may give up in the middle: destroying the request itself would end the connection before the
 * client has its answer.
 */
export function bodyStream(source: Readable): Readable {
  const body: PassThrough = new PassThrough({
    destroy(error, done) {
      source.unpipe(body);
      done(error);
    },
  });
  // a route may have answered without reading it when the client hangs up
  body.on('error', () => undefined);
  source
    .once('error', (error) => body.destroy(error))
    .once('close', () => {
      if (!source.readableEnded) body.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    });
  return source.pipe(body);
}
