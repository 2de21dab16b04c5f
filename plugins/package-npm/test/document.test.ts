import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { maxDocument, readPublishBody } from '../services/document-reader.js';

export const lab = Lab.script();
const { describe, it } = lab;

interface Stored {
  readonly bytes: Buffer;
}

const store = async (content: Readable): Promise<Stored> => ({
  bytes: Buffer.concat((await content.toArray()) as Buffer[]),
});
/** Pieces of so many bytes. */
const pieces = (text: string | Buffer, size: number): Readable => {
  const bytes = Buffer.from(text);
  return Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size)),
  );
};
const read = (text: string | Buffer, size = 7, encoding?: string) =>
  readPublishBody(pieces(text, size), encoding, store);
const document = (data: string, more: object = {}) => ({
  name: 'a',
  versions: { '1.0.0': { name: 'a', _attachments: { x: { data: 'aGVyZQ==' } }, data: 'no' } },
  ...more,
  _attachments: { 'a-1.0.0.tgz': { content_type: 'x', data, length: 5 } },
});

describe('what is published arrives without being held', () => {
  it('takes the tarball out of the document, whatever the pieces', async () => {
    const tarball = randomBytes(1000);
    const given = { ...document(tarball.toString('base64')), readme: 'after "it" \\ ü 😀' };
    for (const size of [1, 2, 3, 5, 64, 100_000]) {
      for (const text of [JSON.stringify(given), JSON.stringify(given, null, 2)]) {
        const { document: rest, attachment } = await read(text, size);
        expect(attachment!.blob.bytes.equals(tarball)).to.be.true();
        expect([attachment!.name, attachment!.sha384]).to.equal([
          'a-1.0.0.tgz',
          createHash('sha384').update(tarball).digest('base64'),
        ]);
        expect(rest).to.equal({ ...document(''), readme: given.readme });
      }
    }
  });

  it('finds it under any spelling, packed, in any order, and takes the one that is a tarball', async () => {
    const text = JSON.stringify(document('aGVsbG8='));
    const escaped = text
      .replace('"_attachments":{"a', '"\\u005fattachments":{"a')
      .replace('"data":"aGVsbG8="', '"d\\u0061ta" : "aGVs\\nb\\u0047\\u0038="');
    expect((await read(escaped)).attachment!.blob.bytes.toString()).to.equal('hello');
    expect((await read(gzipSync(text), 7, 'gzip')).attachment!.blob.bytes.toString()).to.equal('hello');
    const slashes = JSON.stringify(document('SIGNS')).replace('SIGNS', '\\/\\/\\/\\/');
    expect((await read(slashes)).attachment!.blob.bytes).to.equal(Buffer.from('////', 'base64'));
    const two = {
      _attachments: { 'a.txt': { data: 'dGV4dA==' }, 'a.tgz': { data: 'dGFy' }, 'b.tgz': { data: 'b3RoZXI=' } },
      name: 'a',
    };
    const { attachment, document: rest } = await read(JSON.stringify(two));
    expect([attachment!.name, attachment!.blob.bytes.toString(), rest.name]).to.equal(['a.tgz', 'tar', 'a']);
  });

  it('knows a document without one', async () => {
    for (const given of [
      {},
      { _attachments: {} },
      { _attachments: { a: { data: 7 } } },
      { _attachments: [{ data: 'aa' }] },
      { data: 'aa' },
    ]) {
      const { attachment, document: rest } = await read(JSON.stringify(given));
      expect([attachment, rest]).to.equal([undefined, given]);
    }
  });

  it('refuses what is no document, and no base64', async () => {
    const whole = JSON.stringify(document('aGVsbG8='));
    const wrong = [
      '',
      '[]',
      '"x"',
      'null',
      '{"a":',
      whole.slice(0, -1),
      whole.slice(0, whole.indexOf('aGVsbG8=') + 4),
      `${whole}x`,
      '['.repeat(100_000),
      '{"a":'.repeat(100_000),
      ...['aGVsbG8', 'a', 'a===', '=', 'aGVs=bG8', 'aGVsbG8=aGVs', 'aGV!', 'aGV\\"s', 'ü', '-_-_'].flatMap((data) =>
        data === 'aGVsbG8' ? [] : [JSON.stringify(document('DATA')).replace('DATA', data)],
      ),
    ];
    for (const text of wrong)
      for (const size of [3, 100_000]) await expect(read(text, size), text.slice(0, 200)).to.reject(Error);
    await expect(read('not gzip', 7, 'gzip')).to.reject(/could not be read/);
    // padding that is left out harms nothing
    expect((await read(JSON.stringify(document('aGVsbG8')))).attachment!.blob.bytes.toString()).to.equal('hello');
  });

  it('bounds what comes beside the tarball', async () => {
    const readme = 'x'.repeat(maxDocument);
    await expect(read(JSON.stringify(document('aGVsbG8=', { readme })), 65_536)).to.reject(/is larger than/);
    const keys = `{"_attachments":{"${'k'.repeat(maxDocument)}":{"data":"aaaa"}}}`;
    await expect(read(keys, 65_536)).to.reject(/is larger than/);
  });

  it('reads no faster than the tarball is taken, however large it is', async () => {
    let given = 0;
    let taken = 0;
    let ahead = 0;
    const block = randomBytes(48 * 1024);
    const count = 2000;
    const source = Readable.from(
      (function* () {
        yield Buffer.from('{"_attachments":{"a.tgz":{"data":"');
        for (let at = 0; at < count; at++) {
          given += block.length;
          ahead = Math.max(ahead, given - taken);
          yield Buffer.from(block.toString('base64'));
        }
        yield Buffer.from('"}},"name":"a"}');
      })(),
      { objectMode: false },
    );
    const { document: rest, attachment } = await readPublishBody(source, undefined, async (content) => {
      for await (const bytes of content as AsyncIterable<Buffer>) {
        taken += bytes.length;
        if (taken % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      return taken;
    });
    expect([attachment!.blob, rest.name]).to.equal([block.length * count, 'a']);
    // of almost 100 MB a few pieces are under way at any time
    expect(ahead).to.be.below(1_000_000);
  });

  it('a refusal in the middle leaves the connection to be answered', async () => {
    const source = pieces(JSON.stringify(document(randomBytes(100_000).toString('base64'))), 1000);
    await expect(
      readPublishBody(source, undefined, async (content) => {
        for await (const bytes of content) throw new Error(`too much: ${(bytes as Buffer).length > 0}`);
      }),
    ).to.reject('too much: true');
    expect(source.destroyed && !source.readableEnded).to.be.false();
  });
});
