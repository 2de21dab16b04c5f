// Database: SQLite alone; the format asks the database nothing by itself, and its kit runs on both.
import { spawnSync } from 'node:child_process';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { compareVersions } from '../services/versions.js';

export const lab = Lab.script();
const { describe, it } = lab;

/** The older first, or equal ones with `=`. */
const pairs: readonly (readonly [string, string, ('=' | '<')?])[] = [
  ['1.0', '1.0', '='],
  ['1.0-1', '1.0', '='],
  ['1.0-1', '1.0-2'],
  ['1.9', '1.10'],
  ['1.0', '1.0.1'],
  ['1.0rc1', '1.0'],
  ['1.0a', '1.0b'],
  ['1.0alpha', '1.0beta'],
  ['1.0beta', '1.0pre'],
  ['1.0.a', '1.0.1'],
  ['1.0a', '1.0.a'],
  ['1.0.rc', '1.0_1'],
  ['1.0.', '1.0.1'],
  ['1.0', '1.0.'],
  ['1..0', '1.0', '<'],
  ['1.001', '1.1', '='],
  ['1.0+1', '1.0.1', '='],
  ['9.9-9', '1:0.1-1'],
  ['0:1.0', '1.0', '='],
  ['1:1.0', '2:0.1'],
  ['1.0-1', '1.0-1.1'],
  ['12345678901234567890', '12345678901234567891'],
];
const hasPacman = spawnSync('vercmp', ['1', '1']).status === 0;

describe('versions of Arch (PKG-14)', () => {
  for (const [older, newer, how = '<'] of pairs) {
    const expected = how === '=' ? 0 : older === '1..0' ? 1 : -1;
    it(`${older} ${how} ${newer}`, () => {
      expect(Math.sign(compareVersions(older, newer))).to.equal(expected);
      expect(Math.sign(compareVersions(newer, older))).to.equal(0 - expected);
    });
  }

  it('are compared as pacman does', { skip: !hasPacman, timeout: 20_000 }, () => {
    for (const [left, right] of pairs) {
      const said = Number(spawnSync('vercmp', [left, right], { encoding: 'utf8' }).stdout.trim());
      expect(Math.sign(compareVersions(left, right)), `${left} and ${right}`).to.equal(Math.sign(said));
    }
  });
});
