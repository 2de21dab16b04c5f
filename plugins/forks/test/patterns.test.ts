import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { compileGlob } from '@mortise/plugin-sdk';

export const lab = Lab.script();
const { describe, it } = lab;

describe('patterns of templates', () => {
  it('matches paths with patterns, quickly whatever they are', () => {
    for (const [pattern, path, fits] of [
      ['*.txt', 'a.txt', true],
      ['*.txt', 'd/a.txt', false],
      ['**/*.txt', 'a.txt', true],
      ['**/*.txt', 'd/e/a.txt', true],
      ['d/**', 'd/e/a.txt', true],
      ['d/?', 'd/e', true],
      ['d/{a,b}.txt', 'd/b.txt', true],
      ['d/[ab].txt', 'd/c.txt', false],
      ['d/*/x', 'd/x', false],
      ['a*b*c', 'aXXbYYc', true],
      ['a*b*c', 'acb', false],
    ] as const)
      expect(compileGlob(pattern)?.matches(path), `${pattern} ${path}`).to.equal(fits);
    const started = process.cpuUsage();
    expect(compileGlob('*a'.repeat(200))?.matches('a'.repeat(4000) + 'b')).to.be.false();
    expect(compileGlob('**/'.repeat(50) + 'x')?.matches('a/'.repeat(200) + 'b')).to.be.false();
    // Of the processor, not of the clock: others may be using the machine. It takes 0.2 s.
    expect(process.cpuUsage(started).user).to.be.below(5_000_000);
  });
});
