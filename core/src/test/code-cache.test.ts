import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const module = new URL('../cli/code-cache.js', import.meta.url).href;

describe('what node compiled', () => {
  let folder: string;
  const kept = () => readdirSync(join(folder, 'kept')).sort();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-code-'));
    writeFileSync(join(folder, 'part.cjs'), 'exports.name = __filename.split("/").pop();');
    writeFileSync(join(folder, 'main.cjs'), 'module.exports = () => `main and ${require("./part.cjs").name}`;');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Loads `main.cjs` in a process of its own; gives what it says. */
  const load = (mark = 'main.cjs', file = 'main.cjs') => {
    const script = `
      const { keepCompiled } = await import(${JSON.stringify(module)});
      keepCompiled(${JSON.stringify(join(folder, 'kept'))}, { mark: ${JSON.stringify(mark)} });
      const { createRequire } = await import('node:module');
      console.log(createRequire(import.meta.url)(${JSON.stringify(folder)} + '/${file}')());`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(run.stderr).to.equal('');
    return run.stdout.trim();
  };

  it('is kept once for each file, readable by its owner only, and used again', () => {
    expect(load()).to.equal('main and part.cjs');
    const first = kept();
    expect(first.map((name) => name.split('-', 1)[0])).to.equal(['main.cjs', 'part.cjs']);
    expect(statSync(join(folder, 'kept', first[0]!)).mode & 0o077).to.equal(0);
    const written = first.map((name) => statSync(join(folder, 'kept', name)).mtimeMs);
    expect(load()).to.equal('main and part.cjs');
    expect(kept()).to.equal(first);
    expect(first.map((name) => statSync(join(folder, 'kept', name)).mtimeMs)).to.equal(written);
  });

  it('belongs to the text: another one of the same length replaces it', () => {
    load();
    const path = join(folder, 'main.cjs');
    writeFileSync(path, readFileSync(path, 'utf8').replace('main and', 'MAIN AND'));
    const before = kept();
    expect(load()).to.equal('MAIN AND part.cjs');
    expect(kept()).to.have.length(2).and.not.equal(before);
  });

  it('is made anew when it cannot be used', () => {
    load();
    for (const name of kept()) writeFileSync(join(folder, 'kept', name), 'nonsense');
    expect(load()).to.equal('main and part.cjs');
    for (const name of kept()) expect(statSync(join(folder, 'kept', name)).size).to.be.above(100);
  });

  it('is not written by a process that loads little, nor where nothing can be written', () => {
    load('other.cjs');
    expect(() => kept()).to.throw();
    writeFileSync(join(folder, 'kept'), 'a file');
    expect(load()).to.equal('main and part.cjs');
  });
});
