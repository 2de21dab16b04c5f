/**
 * A conversation in protocol version 2 over one connection. Its requests stand for themselves (gitprotocol-v2), so each
 * is answered as over HTTP: references from memory, packs from the cache, and git runs only while it works.
 */
import { Readable } from 'node:stream';
import { BadRequest, Problem } from '@mortise/plugin-sdk';
import type { GitExchange } from '../contract/git-transport.js';
import { packet } from './packet-lines.js';

/** Beyond a quarter of a million wanted objects. git keeps what it is told in memory. */
export const maxRequestBytes = 16 * 1024 * 1024;

export function converse(
  advertisement: Buffer,
  input: Readable | Buffer,
  answer: (request: Buffer) => Promise<GitExchange | Buffer>,
): GitExchange {
  let finish: (code: number) => void = () => undefined;
  const done = new Promise<number>((resolve) => (finish = resolve));
  let stderr = () => '';
  const source = Buffer.isBuffer(input) ? Readable.from([input], { objectMode: false }) : input;

  async function* speak(): AsyncGenerator<Buffer> {
    let code = -1;
    try {
      yield advertisement;
      for await (const request of requests(source)) {
        const given = await answer(request);
        if (Buffer.isBuffer(given)) {
          yield given;
          continue;
        }
        stderr = given.stderrExcerpt;
        yield* given.output as AsyncIterable<Buffer>;
        if ((code = await given.done) !== 0) return;
      }
      code = 0;
    } catch (error) {
      if (!Problem.is(error)) throw error;
      code = 128;
      yield packet(`ERR ${error.message}`);
    } finally {
      finish(code);
    }
  }
  const output = Readable.from(speak(), { objectMode: false, highWaterMark: 256 * 1024 });
  // who leaves early may leave before the generator began
  output.once('close', () => finish(-1));
  return { output, done, stderrExcerpt: () => stderr() };
}

/** Requests end with a flush packet; an end between two of them is the end of the conversation. */
async function* requests(source: Readable): AsyncGenerator<Buffer> {
  let buffer = Buffer.alloc(0);
  let length = 0;
  let at = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    if (length + chunk.length > maxRequestBytes) throw BadRequest('The request is too large.');
    if (length + chunk.length > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(8192, 2 * (length + chunk.length)));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    length += chunk.copy(buffer, length);
    while (at + 4 <= length) {
      const digits = buffer.toString('latin1', at, at + 4);
      if (!/^[0-9a-f]{4}$/i.test(digits)) throw BadRequest('This is not the Git protocol.');
      const size = parseInt(digits, 16);
      at += Math.max(size, 4);
      if (size !== 0) continue;
      if (at === 4) return; // a lone flush says goodbye
      const request = Buffer.from(buffer.subarray(0, at));
      length = buffer.copy(buffer, 0, at, length);
      at = 0;
      yield request;
    }
  }
}
