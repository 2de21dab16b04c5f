// Contracts are narrow: what a plugin exports for others, others use, or a guide for authors of plugins names it.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { trackedFiles } from '../support/tracked-files.mjs';
import { ExportIndex, exportsIn, importsIn } from '../support/unused-exports.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

/** Names in code of the guides, also in the middle of a sentence. */
const namesInCode = (text) =>
  [...text.matchAll(/```[^]*?```|`[^`\n]+`/g)].flatMap(([code]) => code.match(/[A-Za-z_]\w*/g) ?? []);

describe('exports', () => {
  const tracked = trackedFiles('*.ts', '*.tsx', '*.mjs', 'docs/*.md', '*README.md');
  const files = tracked?.filter((path) => !path.startsWith('docs/decisions/'));
  const index = files && new ExportIndex(files);
  const guides = files?.filter((path) => /^docs\/plugin/.test(path)).map((path) => index.textOf(path));
  const named = new Set(guides?.flatMap(namesInCode));

  it('of a contract are used by another plugin or named in the guides', () => {
    if (!index) return;
    const contracts = index.sources.filter((path) => /^plugins\/[^/]+\/api\.ts$/.test(path));
    expect(contracts.length).to.be.above(30);
    const unused = contracts.flatMap((path) => {
      const folder = path.replace('api.ts', '');
      const isUsed = (name) => named.has(name) || index.usersOf(path, name).some((user) => !user.startsWith(folder));
      const names = [...index.namesOf(path)];
      if (names.length === 0) return [`${path}: exports nothing; remove it, and "./api" in package.json`];
      return names.filter((name) => !isUsed(name)).map((name) => `${path}: ${name}`);
    });
    expect(unused, 'export it from where it is declared, not from api.ts').to.equal([]);
  });

  it('are found however they are written', () => {
    const { declared, given } = exportsIn(
      'a.ts',
      `export const a = 1, { b, c: [d] } = x; export interface E {} export type F = 1; class G {} export { G as H };
       export * from './i.js'; export { j as k, type L } from './l.js'; const hidden = 1; export default hidden;`,
    );
    expect([...declared]).to.equal(['a', 'b', 'd', 'E', 'F', 'H']);
    expect(given).to.equal([
      { from: './i.js', list: undefined },
      {
        from: './l.js',
        list: [
          { name: 'k', original: 'j' },
          { name: 'L', original: 'L' },
        ],
      },
    ]);
  });

  it('are used however they are imported', () => {
    const used = (text) =>
      importsIn(text).flatMap(({ from, names }) => (names ?? ['all']).map((name) => `${from} ${name}`));
    expect(used("import { a, type B as C } from './x.js'; export { d } from './y.js';")).to.equal([
      './x.js a',
      './x.js B',
      './y.js d',
    ]);
    expect(used("import * as x from './x.js'; x.one(); other.x.two();")).to.equal(['./x.js one']);
    expect(used("const { a, b: c } = await import('./x.js');")).to.equal(['./x.js a', './x.js b']);
    expect(used("(await import('./x.js')).a(); type T = import('./y.js').B; void import('./z.js');")).to.equal([
      './x.js a',
      './y.js B',
      './z.js all',
    ]);
  });
});
