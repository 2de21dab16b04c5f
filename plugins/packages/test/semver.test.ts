// Database: SQLite alone. Nothing is written: versions are compared.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { compareSemver, parseSemver, tidySemver } from '../api.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('versions by semver 2', () => {
  it('are read strictly', () => {
    for (const good of ['0.0.0', '1.2.3', '1.2.3-rc.1', '1.2.3-0a.b-c+build.01', '1.0.0+incompatible'])
      expect(parseSemver(good), good).to.exist();
    for (const bad of [
      '',
      '1',
      '1.2',
      'v1.2.3',
      '=1.2.3',
      ' 1.2.3',
      '1.2.3 ',
      '01.2.3',
      '1.2.3-01',
      '1.2.3-',
      '1.2.3+',
      `1.2.3-${'a'.repeat(300)}`,
    ])
      expect(parseSemver(bad), bad).to.be.undefined();
  });

  it('are tidied where clients write them tolerantly', () => {
    expect(['v1', '1.2', 'V1.02.3', '1-rc', '=1.2.3+b', '1.2.3.4', 'x1', ''].map(tidySemver)).to.equal([
      '1.0.0',
      '1.2.0',
      '1.2.3',
      '1.0.0-rc',
      '1.2.3+b',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('stand in their order, and before them what is no version', () => {
    const order = [
      'a',
      'b',
      '1.0.0-1',
      '1.0.0-2',
      '1.0.0-11',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-beta',
      '1.0.0',
      '1.0.9',
      '1.0.10',
      '2.0.0',
    ];
    expect([...order].reverse().sort(compareSemver)).to.equal(order);
    expect(compareSemver('1.0.0+a', '1.0.0+b')).to.equal(0);
  });
});
