// Database: SQLite alone. Nothing is written: texts are read, or refused.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readYaml } from '../api.js';

export const lab = Lab.script();
const { describe, it } = lab;

const reading = { what: 'The text', maxRepeated: 1000 };
const refusal = (text: string): string | undefined => {
  try {
    readYaml(text, reading);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('YAML in packages', () => {
  it('is read by the core schema, or with each scalar as a text and without its tags', () => {
    const text = 'a: 1.10\nb: [true, ~, 2020-01-01]\nc: !ruby/object:Gem::Version\n  version: 010\n';
    expect(readYaml('a: 1.5\nb: [true, ~, 2020-01-01]\n', reading)).to.equal({ a: 1.5, b: [true, null, '2020-01-01'] });
    expect(readYaml(text, { ...reading, asTexts: true })).to.equal({
      a: '1.10',
      b: ['true', '~', '2020-01-01'],
      c: { version: '010' },
    });
  });

  it('S1: is refused when it is broken, deep, or means much more than it says', () => {
    for (const [text, why] of [
      ['a: [', /no valid YAML/],
      ['a: 1\na: 2', /stands twice/],
      ['? [a, b]\n: c', /key is no text/],
      ['a: 1\n---\nb: 2', /no valid YAML/],
      ['a: *b', /no valid YAML/],
      ['a: &a [*a]', /no valid YAML|repeats too much/],
      [`a: ${'['.repeat(2000)}`, /nested too deeply/],
      [`a: [${'1,'.repeat(60_000)}]`, /too many values/],
      [`a: &a ${'x'.repeat(500)}\nb: [*a, *a, *a, *a]`, /repeats too much/],
    ] as const)
      expect(refusal(text), text.slice(0, 40)).to.match(why);
    expect(refusal(`a: &a ${'x'.repeat(500)}\nb: [*a]`)).to.be.undefined();
  });

  it('S11: is refused with thousands of aliases before they are looked up, which takes seconds', () => {
    const chain = (count: number) =>
      ['x:', '- &0 [1]', ...Array.from({ length: count }, (_, n) => `- &${n + 1} [*${n}]`)].join('\n');
    expect(refusal(chain(8000))).to.match(/repeats too much/);
  });
});
