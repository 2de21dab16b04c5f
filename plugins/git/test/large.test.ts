import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { GitCaches } from '../services/caches.js';
import { readChanges } from '../services/differences.js';
import { Listing } from '../services/listing.js';
import { Listings } from '../services/listings.js';
import { parseTree } from '../services/objects.js';
import type { GitRunner } from '../services/git-runner.js';
import { Tree } from '../services/tree.js';

export const lab = Lab.script();
const { describe, it } = lab;

const oid = 'a'.repeat(40);
const row = (path: string, size: number | string = 7) => `100644 blob ${oid} ${String(size).padStart(7)}\t${path}\0`;
const treeBytes = (names: readonly string[], mode = '100644') =>
  Buffer.concat(names.flatMap((name) => [Buffer.from(`${mode} ${name}\0`), Buffer.alloc(20, 0xaa)]));
const numbered = (count: number, name = 'file') => Array.from({ length: count }, (_, at) => `${name}-${at}`);

/** A git that writes this, in pieces, and counts how often it was asked. */
function fakeGit(output: string, pieces = 1000) {
  const bytes = Buffer.from(output);
  const git = { runs: 0, limits: { readMs: 1000 } };
  const stream = () => {
    git.runs++;
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += pieces) parts.push(bytes.subarray(at, at + pieces));
    return Readable.from(parts);
  };
  return { git, runner: { ...git, stream } as unknown as GitRunner };
}

describe('large trees', () => {
  it('are listed in pages, and kept as they came', async () => {
    const all = numbered(5000, 'ünder/file');
    const { git, runner } = fakeGit(all.map((path) => row(path)).join(''));
    const listings = new Listings('/', '1:', runner, new GitCaches(48));
    const { entries, total } = await listings.page('t', 4990, 100);
    expect(total).to.equal(5000);
    expect(entries.map((entry) => entry.path)).to.equal(all.slice(4990));
    expect(entries[0]).to.equal({
      mode: '100644',
      type: 'blob',
      oid,
      path: 'ünder/file-4990',
      name: 'file-4990',
      size: 7,
    });
    expect((await listings.page('t')).entries).to.have.length(5000);
    expect((await listings.page('t', 6000, 10)).entries).to.equal([]);
    expect(git.runs).to.equal(1);
  });

  it('that are larger than the cache are read page by page', async () => {
    const caches = new GitCaches(1);
    const { git, runner } = fakeGit(
      numbered(10_000)
        .map((path) => row(path))
        .join(''),
      5000,
    );
    const listings = new Listings('/', '1:', runner, caches);
    for (const offset of [0, 5000, 9999]) {
      const { entries, total } = await listings.page('t', offset, 2);
      expect(total).to.equal(10_000);
      expect(entries[0]?.path).to.equal(`file-${offset}`);
    }
    let seen = 0;
    await listings.each('t', () => void seen++);
    expect(seen).to.equal(10_000);
    expect(git.runs).to.equal(5);
    expect(caches.results.calculatedSize).to.be.below(1000);
  });

  it('the estimated size of a tree in a cache is what it takes', () => {
    const text = numbered(1000)
      .map((path) => row(path))
      .join('');
    const listing = new Listing(Buffer.from(text));
    expect(listing.weight).to.be.within(text.length, text.length + 5000);
    expect(new Listing(Buffer.alloc(0)).slice(0, 10)).to.equal([]);
    expect(new Listing(Buffer.from(row('x', 'BAD') + row('y', '-'))).slice(0, 2).map((one) => one.size)).to.equal([
      undefined,
      undefined,
    ]);
  });

  it('are kept as bytes when they are large, and give the same entries', () => {
    for (const count of [10, 20_000]) {
      const bytes = treeBytes(numbered(count));
      const tree = new Tree(bytes, 'sha1');
      const last = { mode: '100644', type: 'blob', name: `file-${count - 1}`, oid };
      expect(tree.find(`file-${count - 1}`)).to.equal(last as never);
      expect(tree.find('file')).to.be.undefined();
      expect(tree.entries).to.have.length(count);
      expect(tree.entries.at(-1)).to.equal(last as never);
      expect(tree.weight).to.be.most(Math.max(count === 10 ? 2200 : 0, bytes.length));
    }
  });

  it('may hold any word as a mode', () => {
    const [entry] = parseTree(treeBytes(['x'], 'constructor'), 'sha1');
    expect(entry).to.include({ mode: 'constructor', type: 'blob' });
    expect(parseTree(treeBytes(['x'], '40000'), 'sha1')[0]).to.include({ mode: '040000', type: 'tree' });
  });
});

describe('long differences', () => {
  it('are read in pieces, renamed and repeated paths included', async () => {
    const zero = '0'.repeat(40);
    const raw = [
      `:000000 100644 ${zero} ${oid} A\0one\0`,
      `:100644 100644 ${oid} ${oid} R090\0from\0to\0`,
      `:100644 000000 ${oid} ${zero} D\0:gone\0`,
      `:100644 100644 ${oid} ${oid} M\0last\0`,
    ].join('');
    const counts = ['3\t0\tone\0', '2\t1\t\0from\0to\0', '-\t-\tlast\0', '0\t9\t:gone\0'].join('');
    for (const piece of [1, 7, 10_000]) {
      const bytes = Buffer.from(raw + counts);
      const parts: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += piece) parts.push(bytes.subarray(at, at + piece));
      const changes = await readChanges(Readable.from(parts) as AsyncIterable<Buffer>);
      expect(changes.map((one) => [one.path, one.status, one.additions, one.deletions, one.binary])).to.equal([
        ['one', 'added', 3, 0, false],
        ['to', 'renamed', 2, 1, false],
        [':gone', 'deleted', 0, 9, false],
        ['last', 'modified', 0, 0, true],
      ]);
      expect(changes[1]?.oldPath).to.equal('from');
    }
    expect(await readChanges(Readable.from([]) as AsyncIterable<Buffer>)).to.equal([]);
  });
});

describe('more references than files that may be open', () => {
  it('loose references are read to the last where few files may be open', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'many-refs-'));
    await mkdir(join(folder, 'refs', 'heads', 'deep'), { recursive: true });
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    for (const name of numbered(600)) await writeFile(join(folder, 'refs', 'heads', 'deep', name), `${oid}\n`);
    const module = new URL('../services/ref-table.js', import.meta.url).href;
    const script = `const { RefTables } = await import('${module}');
      const { RefFingerprints } = await import('${module.replace('ref-table', 'ref-fingerprints')}');
      const { all } = await new RefTables(new RefFingerprints(), new Map()).get('${folder}');
      process.stdout.write(String(all.length));`;
    const limited = ['-c', 'ulimit -n 200; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)('sh', limited);
    await rm(folder, { recursive: true });
    expect(stdout).to.equal('600');
  });
});
