import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { sortByVersion, isPreRelease, isVersion, readsAsVersion } from '../services/versions.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('versions of npm packages', () => {
  it('are whole semantic versions', () => {
    for (const good of ['0.0.0', '1.2.3', '1.2.3-rc.1', '1.0.0+build.5', '1.0.0-a.b+c', '10.20.30'])
      expect(isVersion(good), good).to.be.true();
    for (const bad of [
      '',
      '1',
      '1.0',
      'v1.0.0',
      ' 1.0.0',
      '1.0.0 ',
      '=1.0.0',
      '01.0.0',
      '1.0.0-01',
      '1.0.0+',
      'latest',
    ])
      expect(isVersion(bad), bad).to.be.false();
    expect(isVersion(`1.0.0-${'a'.repeat(300)}`)).to.be.false();
    expect(isVersion('99999999999999999999.0.0')).to.be.false();
  });

  it('stand in the order that clients know', () => {
    const sorted = ['0.9.9', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta.2', '1.0.0-beta.11'];
    sorted.push('1.0.0', '1.2.0', '1.10.0', '2.0.0-0', '2.0.0');
    const mixed = [...sorted].reverse().map((version) => ({ version }));
    expect(sortByVersion(mixed).map(({ version }) => version)).to.equal(sorted);
    expect(sortByVersion([{ version: '1.0.0' }, { version: 'odd' }]).map(({ version }) => version)).to.equal([
      'odd',
      '1.0.0',
    ]);
    expect([isPreRelease('1.0.0-rc.1'), isPreRelease('1.0.0+rc'), isPreRelease('odd')]).to.equal([true, false, false]);
  });

  it('are no tags, nor are ranges', () => {
    for (const text of [
      '1',
      'v1',
      'v1.0',
      '1.x',
      '1.0.0',
      '1.0.0-rc.1',
      '1-beta',
      '1.0-rc',
      '^1',
      '~1',
      '*',
      'x',
      '01.0',
    ])
      expect(readsAsVersion(text), text).to.be.true();
    for (const text of ['latest', 'beta', 'next', 'lts', 'release-1', 'x1', '1a', 'x-ray'])
      expect(readsAsVersion(text), text).to.be.false();
  });
});
