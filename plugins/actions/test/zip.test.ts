import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { zipStream } from '../services/zip.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('archives that are made while they are read', () => {
  it('a zip that is written while it is read opens with unzip and Python', async () => {
    const files = new Map([
      ['a.log', 'first\n'],
      ['folder/b.log', 'x'.repeat(300_000)],
      ['empty.log', ''],
    ]);
    const archive = zipStream(
      [...files, ['gone.log', undefined] as const].map(([name, content]) => ({
        name,
        modifiedAt: Date.UTC(2026, 6, 1),
        open: () => Promise.resolve(content === undefined ? undefined : Readable.from([Buffer.from(content)])),
      })),
    );
    const folder = mkdtempSync(join(tmpdir(), 'mortise-zip-'));
    try {
      const path = join(folder, 'a.zip');
      writeFileSync(path, await buffer(archive));
      expect(execFileSync('unzip', ['-t', path], { encoding: 'utf8' })).to.contain('No errors detected');
      for (const [name, content] of files)
        expect(execFileSync('unzip', ['-p', path, name], { encoding: 'utf8' }), name).to.equal(content);
      expect(execFileSync('unzip', ['-Z1', path], { encoding: 'utf8' }).trim().split('\n')).to.equal([...files.keys()]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('break off when a file does', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('half');
      await Promise.resolve();
      throw new Error('the disk is gone');
    }
    const archive = zipStream([{ name: 'a', modifiedAt: 0, open: () => Promise.resolve(Readable.from(broken())) }]);
    await expect(buffer(archive)).to.reject('the disk is gone');
  });

  it('let go of the file that is being read when nobody reads on', async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) {
          yield randomBytes(65_536);
          await Promise.resolve();
        }
      } finally {
        isClosed = true;
      }
    }
    let opened = 0;
    const open = () => {
      opened++;
      return Promise.resolve(Readable.from(endless()));
    };
    const archive = zipStream(['a', 'b'].map((name) => ({ name, modifiedAt: Date.now(), open })));
    for await (const piece of archive) {
      expect((piece as Buffer).length).to.be.above(0);
      break;
    }
    for (let tries = 0; !isClosed && tries < 1000; tries++) await setTimeout(10);
    expect([isClosed, opened]).to.equal([true, 1]);
  });

  it('hold no name that leads out of the folder, and times before 1980 as well as others', async () => {
    const open = () => Promise.resolve(Readable.from([Buffer.from('x')]));
    await expect(buffer(zipStream([{ name: '../a', modifiedAt: 0, open }]))).to.reject(/path/);
    expect((await buffer(zipStream([{ name: 'a', modifiedAt: -1e12, open }]))).length).to.be.above(100);
    expect((await buffer(zipStream([{ name: 'a', modifiedAt: 4e15, open }]))).length).to.be.above(100);
  });
});
