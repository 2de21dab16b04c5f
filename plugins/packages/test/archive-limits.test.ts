// Database: SQLite alone. Nothing is written: archives are read, or refused.
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Problem } from '@mortise/plugin-sdk';
import { packBzip2, tarEntries, unpack, zipEntries, type Packing } from '../api.js';
import { alwaysAllowedBytes } from '../contract/decompression-limit.js';
import { withUploader } from '../contract/uploader.js';
import { bzip2Bomb, hostileZstd, smallBzip2Bomb, tar, tarHead, xzBomb, zip, zstd } from '../testing.js';

export const lab = Lab.script();
const { describe, it } = lab;

const entryOf = (size: number) => tarHead('long', size);
const honest = tar({ 'info/index.json': '{"name":"tool"}' });

/** The names of a tar, or why it was refused. */
const names = (visitor: string, packed: Buffer, packing: Packing) =>
  withUploader(visitor, async () => {
    const found: string[] = [];
    try {
      for await (const { name } of tarEntries(unpack(Readable.from([packed], { objectMode: false }), packing)))
        found.push(name);
      return found;
    } catch (error) {
      return Problem.is(error) ? `${error.status} ${error.message}` : String(error);
    }
  });
const grows = '400 The archive cannot be read: it grows too much when it is unpacked.';

describe('S1: reading archives', { timeout: 120_000 }, () => {
  it('refuses, in every packing, few bytes that become many', async () => {
    const zeros = Buffer.concat([entryOf(2 ** 31), Buffer.alloc(80 * 1024 * 1024)]);
    for (const [packing, packed] of [
      ['bzip2', await bzip2Bomb(entryOf(2 ** 31), 80)],
      ['xz', await xzBomb(entryOf(2 ** 31), 80)],
      ['zstd', hostileZstd(entryOf(2 ** 31))[0]!],
      ['gzip', gzipSync(zeros)],
    ] as const) {
      expect(packed.length, packing).to.be.below(250_000);
      expect(await names('eve', packed, packing), packing).to.equal(grows);
    }
  });

  it('stops unpacking a few hundred bytes at a bounded number of bytes, however fast the machine is', async () => {
    const bomb = smallBzip2Bomb();
    expect(bomb.length).to.be.below(500);
    let unpacked = 0;
    const refused = await withUploader('eve', async () => {
      try {
        for await (const piece of unpack(Readable.from([bomb], { objectMode: false }), 'bzip2'))
          unpacked += (piece as Buffer).length;
      } catch (error) {
        return String(error);
      }
      return 'unpacked';
    });
    expect(refused).to.contain('it grows too much when it is unpacked');
    // of the half gigabyte that it would become
    expect(unpacked).to.be.at.most(alwaysAllowedBytes.thread + 200 * bomb.length);
  });

  it('reads what grows no more than text does, and small archives of zeros', async () => {
    const zeros = tar({ zeros: Buffer.alloc(1024 * 1024) });
    for (const [packing, packed] of [
      ['bzip2', await packBzip2(zeros)],
      ['gzip', gzipSync(zeros)],
      ['zstd', zstd(zeros)],
    ] as const)
      expect(await names('ada', packed, packing), packing).to.equal(['zeros']);
  });

  it('S1: refuses a tar whose header has a size that is no number, rather than wait for ever', async () => {
    // a file, and the header of a long name, which is no entry
    for (const type of ['0', 'L']) {
      const odd = tar({ a: 'text' });
      odd[124] = 0x81;
      odd.write(type, 156, 'latin1');
      odd.fill(0x20, 148, 156);
      const sum = odd.subarray(0, 512).reduce((total, byte) => total + byte, 0);
      odd.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
      const read = async () => {
        for await (const entry of tarEntries(Readable.from([odd], { objectMode: false }))) await entry.content(100);
      };
      await expect(read(), type).to.reject(Problem, /cannot be read/);
    }
  });

  it('gives turns to visitors one after the other, however many archives one of them sends', async () => {
    const bomb = await bzip2Bomb(entryOf(2 ** 31), 80);
    const packed = await packBzip2(honest);
    let done = 0;
    const others = Array.from({ length: 6 }, () => names('eve', bomb, 'bzip2').finally(() => done++));
    for (let n = 0; n < 3; n++) expect(await names('ada', packed, 'bzip2')).to.equal(['info/index.json']);
    // one thread is left for others while she has all that she wants
    expect(done).to.be.at.most(3);
    expect(new Set(await Promise.all(others))).to.equal(new Set([grows]));
  });

  it('lets a bounded number wait, and tells the others to come again', async () => {
    const packed = await packBzip2(honest);
    const all = await Promise.all(Array.from({ length: 40 }, () => names('eve', packed, 'bzip2')));
    const refused = all.filter((one) => typeof one === 'string');
    expect(refused.length).to.be.within(15, 20);
    expect(new Set(refused)).to.equal(new Set(['503 Too many archives are being read. Try again in a moment.']));
    const problem = await new Promise<unknown>((resolve) => {
      for (let n = 0; n < 40; n++)
        withUploader('eve', () =>
          unpack(Readable.from([packed]), 'bzip2')
            .on('error', resolve)
            .resume(),
        );
    });
    expect((problem as Problem).headers).to.equal({ 'retry-after': '10' });
  });

  it('reads the directory of a zip with 60,000 entries in pieces, so that others have their turn', async () => {
    const packed = zip(Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`folder/file-${n}`, ''])));
    const source = { size: packed.length, read: async (at: number, size: number) => packed.subarray(at, at + size) };
    let turns = 0;
    let next = setImmediate(function count() {
      turns++;
      next = setImmediate(count);
    });
    expect(await zipEntries(source)).to.have.length(60_000);
    clearImmediate(next);
    expect(turns).to.be.above(100);
  });
});
