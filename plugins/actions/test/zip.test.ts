import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { zipStream } from '../services/zip.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('archives that are made while they are read', () => {
  it('are read by others', async () => {
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
});
