import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { arMembers, packBzip2, packingOf, unpack, type Packing } from '../api.js';
import { ar, hostileZstd, packXz, zstd } from '../testing.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** Fixed bytes of every kind: words that repeat, a long run, and noise. */
function sample(): Buffer {
  const words = Buffer.from(Array.from({ length: 40_000 }, (_, n) => `Package: tool-${n % 977} ${n * n}\n`).join(''));
  const noise = Buffer.alloc(200_000);
  for (let at = 0, seed = 1; at < noise.length; at++)
    noise[at] = (seed = (seed * 1103515245 + 12345) & 0x7fffffff) >>> 16;
  return Buffer.concat([words, Buffer.alloc(300_000), noise, words.subarray(0, 5000)]);
}
const read = async (packed: Buffer, packing: Packing, max?: number) => {
  const parts: Buffer[] = [];
  const source = Readable.from([packed.subarray(0, 10), packed.subarray(10)]);
  for await (const part of unpack(source, packing, max)) parts.push(part as Buffer);
  return Buffer.concat(parts);
};
const tool = (name: string, input: Buffer, ...args: string[]) =>
  spawnSync(name, args, { input, maxBuffer: 256 * 1024 * 1024 }).stdout;
const has = (name: string) => spawnSync(name, ['--version']).status === 0;

describe('packings of archives', { timeout: 60_000 }, () => {
  const data = sample();
  const empty = Buffer.alloc(0);
  // packing takes a second, so it is done once
  let packedXz: Promise<Buffer> | undefined;
  let packedBzip2: Promise<Buffer> | undefined;
  const xzOfData = () => (packedXz ??= packXz(data));
  const bzip2OfData = () => (packedBzip2 ??= packBzip2(data));

  it('knows them by their first bytes', () => {
    expect(packingOf(gzipSync(data))).to.equal('gzip');
    expect(packingOf(zstd(data))).to.equal('zstd');
    expect(packingOf(Buffer.from('BZh9'))).to.equal('bzip2');
    expect(packingOf(empty)).to.be.undefined();
  });

  it('unpacks what it packed itself', async () => {
    for (const bytes of [data, empty, Buffer.from('a'), Buffer.alloc(1000), randomBytes(300_000)]) {
      const packed = await (bytes === data ? xzOfData() : packXz(bytes));
      expect(packingOf(packed)).to.equal('xz');
      expect((await read(packed, 'xz')).equals(bytes)).to.be.true();
      const other = await (bytes === data ? bzip2OfData() : packBzip2(bytes));
      expect((await read(other, 'bzip2')).equals(bytes)).to.be.true();
    }
    expect((await bzip2OfData()).length).to.be.below(data.length / 2);
    expect((await xzOfData()).length).to.be.below(data.length / 2);
    expect((await read(zstd(data), 'zstd')).equals(data)).to.be.true();
    expect((await read(gzipSync(data), 'gzip')).equals(data)).to.be.true();
  });

  it(
    'reads what the programs of each packing write',
    { skip: !has('xz') || !has('zstd') || !has('bzip2') },
    async () => {
      const packed: readonly (readonly [Packing, Buffer])[] = [
        ['xz', tool('xz', data, '-c')],
        ['xz', tool('xz', data, '-c', '-9e', '--check=crc32')],
        ['zstd', tool('zstd', data, '-c')],
        ['zstd', tool('zstd', data, '-c', '--ultra', '-20')],
        [
          'zstd',
          Buffer.concat([tool('zstd', data.subarray(0, 9), '-c'), tool('zstd', data.subarray(9), '-c', '--no-check')]),
        ],
        ['bzip2', tool('bzip2', data, '-c')],
        [
          'bzip2',
          Buffer.concat([tool('bzip2', data.subarray(0, 9), '-c'), tool('bzip2', data.subarray(9), '-c', '-1')]),
        ],
      ];
      for (const [packing, bytes] of packed) expect((await read(bytes, packing)).equals(data), packing).to.be.true();
      expect(tool('xz', await xzOfData(), '-dc').equals(data)).to.be.true();
      expect(tool('bzip2', await bzip2OfData(), '-dc').equals(data)).to.be.true();
    },
  );

  it('refuses what is damaged, cut off or none', async () => {
    const packed: readonly (readonly [Packing, Buffer])[] = [
      ['xz', await xzOfData()],
      ['zstd', zstd(data)],
    ];
    for (const [packing, bytes] of packed) {
      await expect(read(bytes.subarray(0, bytes.length - 100), packing), `${packing} cut off`).to.reject();
      await expect(read(Buffer.concat([bytes.subarray(0, 12), Buffer.alloc(500, 0xff)]), packing)).to.reject();
    }
    for (const packing of ['xz', 'zstd', 'bzip2', 'gzip'] as const) {
      await expect(read(Buffer.from('this is none of them, whatever it is called'), packing)).to.reject();
    }
    for (const packing of ['xz', 'zstd', 'bzip2'] as const) await expect(read(empty, packing)).to.reject();
  });

  it('notices what was changed on the way', { skip: !has('zstd') }, async () => {
    const bytes = tool('zstd', data, '-c');
    for (const at of [60, 5000, 60_000, bytes.length - 3]) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0x10;
      const got = await read(changed, 'zstd').catch(() => undefined);
      expect(got, `changed at ${at}`).to.be.undefined();
    }
  });

  it('stops at the bound, in little time and memory', async () => {
    const zeros = Buffer.alloc(8 * 1024 * 1024);
    const xz = await packXz(zeros);
    await expect(read(xz, 'xz', 4 * 1024 * 1024)).to.reject(/too large/);
    const began = process.cpuUsage();
    for (const bytes of hostileZstd(Buffer.from('x'))) await expect(read(bytes, 'zstd', 64 * 1024 * 1024)).to.reject();
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).to.be.below(10_000);
  });

  it('lets go of a thread whose reader stops', async () => {
    const packed = await xzOfData();
    for (let count = 0; count < 6; count++)
      for await (const piece of unpack(Readable.from([packed]), 'xz')) {
        expect((piece as Buffer).length).to.be.above(0);
        break;
      }
    expect((await read(packed, 'xz')).length).to.equal(data.length);
  });
});

describe('ar archives', () => {
  const members = (bytes: Buffer) =>
    arMembers({
      size: bytes.length,
      read: (start, length) => Promise.resolve(bytes.subarray(start, start + length)),
    });

  it('tells the places of members', async () => {
    const bytes = ar({ 'debian-binary': '2.0\n', 'odd/': 'abc', last: 'z' });
    const found = await members(bytes);
    expect(found.map(({ name }) => name)).to.equal(['debian-binary', 'odd', 'last']);
    expect(found.map(({ start, size }) => bytes.toString('latin1', start, start + size))).to.equal([
      '2.0\n',
      'abc',
      'z',
    ]);
  });

  it('an archive that is damaged is refused', async () => {
    await expect(members(Buffer.from('!<arch>'))).to.reject(/no ar/);
    await expect(members(ar([{ name: 'a', data: 'b', size: 900 }]))).to.reject(/too early/);
    await expect(members(Buffer.concat([ar({ a: 'b' }), Buffer.from('x'.repeat(80))]))).to.reject(/damaged/);
    await expect(members(ar(Array.from({ length: 99 }, () => ({ name: 'a' }))))).to.reject(/too many/);
  });
});
