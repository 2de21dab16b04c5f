import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Matcher, MemoryCache } from '@mortise/plugin-sdk';
import { isRefName } from '@mortise/git/api';
import { checkFilePatterns, checkRuleName, checkTagPattern, Patterns } from '../services/patterns.js';

export const lab = Lab.script();
const { describe, it } = lab;

const kept = new Map<string, Matcher>();
const patterns = new Patterns({
  get: (key: string) => kept.get(key),
  set: (key: string, value: Matcher) => void kept.set(key, value),
} as unknown as MemoryCache<Matcher>);

const fits = (kind: 'branch' | 'tag' | 'context' | 'files', pattern: string, text: string) =>
  patterns[kind](pattern).matches(text);

describe('patterns', () => {
  it('fits branches by name and by globs in which slashes count', () => {
    const cases: [pattern: string, name: string, fits: boolean][] = [
      ['main', 'main', true],
      ['main', 'Main', false],
      ['main', 'xmain', false],
      ['release/*', 'release/1', true],
      ['release/*', 'release/1/fix', false],
      ['release/**', 'release/1/fix', true],
      ['**', 'any/thing', true],
      ['**/fix', 'fix', true],
      ['**/fix', 'a/b/fix', true],
      ['**/fix', 'prefix', false],
      ['v?', 'v1', true],
      ['v?', 'v/', false],
      ['v[0-9]', 'v7', true],
      ['v[!0-9]', 'v7', false],
      ['v[!0-9]', 'vx', true],
      ['rel/{1,3}', 'rel/3', true],
      ['rel/{1,3}', 'rel/2', false],
      ['a.b', 'axb', false],
      ['a+(b)', 'a+(b)', true],
      // a name that is no pattern, though it has signs of one
      ['odd{name', 'odd{name', true],
    ];
    for (const [pattern, name, result] of cases)
      expect(fits('branch', pattern, name), `${pattern} on ${name}`).to.equal(result);
  });

  it('fits tags by globs over everything, or by expressions between slashes', () => {
    expect(fits('tag', '*', 'a/b')).to.be.true();
    expect(fits('tag', 'v*', 'v1.0')).to.be.true();
    expect(fits('tag', 'v*', 'w1')).to.be.false();
    expect(fits('tag', '/^rel-\\d+$/', 'rel-12')).to.be.true();
    expect(fits('tag', '/^rel-\\d+$/', 'rel-x')).to.be.false();
    expect(fits('tag', '/rc/', 'v1-rc2')).to.be.true();
  });

  it('fits files without case, several patterns at once', () => {
    expect(fits('files', 'keys/**; *.lock', 'Keys/a/b.pem')).to.be.true();
    expect(fits('files', 'keys/**; *.lock', 'build.lock')).to.be.true();
    expect(fits('files', 'keys/**; *.lock', 'sub/build.lock')).to.be.false();
    expect(fits('files', '/docs/**', 'docs/a.md')).to.be.true();
    expect(fits('files', '.github/**', '.github/x')).to.be.true();
    expect(fits('files', 'a*b', 'a\nb')).to.be.true();
  });

  it('refuses broken patterns when they are written', () => {
    expect(() => checkRuleName('a[', isRefName)).to.throw(/not a valid (tag|branch name or) pattern/);
    expect(() => checkRuleName('a b', isRefName)).to.throw(/not a valid (tag|branch name or) pattern/);
    expect(() => checkRuleName('a\u0000b*', isRefName)).to.throw(/not a valid (tag|branch name or) pattern/);
    expect(() => checkRuleName('rel/{1,3}', isRefName)).not.to.throw();
    expect(() => checkTagPattern('/(/')).to.throw(/not a valid (tag|branch name or) pattern/);
    expect(() => checkTagPattern('/(?=a)/')).to.throw(/not a valid (tag|branch name or) pattern/);
    expect(() => checkFilePatterns('a;b[')).to.throw(/not a valid file pattern/);
    expect(() => checkFilePatterns(Array.from({ length: 101 }, (_, n) => `f${n}`).join(';'))).to.throw(/at most 100/);
  });

  it('takes no longer for patterns that make other engines hang', () => {
    const text = `${'a'.repeat(240)}!`;
    // of this process alone: others may have the machine meanwhile
    const begun = process.cpuUsage();
    expect(fits('tag', '/^(a+)+$/', text)).to.be.false();
    expect(fits('tag', '/^(a|aa|a?)*$/', text)).to.be.false();
    expect(fits('branch', `${'*a'.repeat(90)}`, text)).to.be.false();
    expect(fits('files', `${'**a'.repeat(60)}`, text)).to.be.false();
    expect(process.cpuUsage(begun).user / 1000).to.be.below(2000);
  });
});
