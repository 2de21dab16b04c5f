import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { englishOf } from '@mortise/plugin-sdk';
import { branchFilter, normalizeBranches } from '../services/branch-filter.js';
import { checkInterval } from '../services/interval.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('MIR: what is typed about mirrors', () => {
  it('patterns take branches by name and by star, and every tag', () => {
    const isWanted = branchFilter(normalizeBranches(' main, release/*\nfix-?'));
    const refs = ['refs/heads/main', 'refs/heads/release/1/a', 'refs/heads/fix-1', 'refs/tags/v1'];
    expect(refs.filter(isWanted)).to.equal(refs);
    expect(['refs/heads/main2', 'refs/heads/fix-10', 'refs/notes/x'].filter(isWanted)).to.equal([]);
    expect(branchFilter('')('refs/heads/any')).to.be.true();
  });

  it('names of the other side are compared in linear time, whatever the pattern', { timeout: 10_000 }, () => {
    const isWanted = branchFilter(normalizeBranches('*a'.repeat(100)));
    expect(isWanted(`refs/heads/${'a'.repeat(2000)}!`)).to.be.false();
  });

  it('refusals name the value and the rule', () => {
    const refused = (text: string) => {
      try {
        return normalizeBranches(text);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused('main,-x')).to.equal('“-x” is not a pattern of branch names.');
    expect(refused('a{b')).to.equal('“a{b” is not a pattern of branch names.');
    expect(refused('a '.repeat(51))).to.equal('There can be at most 50 branch patterns; there are 51.');
    expect(refused('a'.repeat(999) + ',b,c')).to.equal(
      'Branch patterns can have at most 1000 characters in all; there are 1003.',
    );
    expect(checkInterval('1h30m', 0)).to.equal({ interval: 5_400_000 });
    const problem = (text: string) => {
      const checked = checkInterval(text, 600_000);
      return 'problem' in checked ? englishOf(checked.problem) : '';
    };
    expect(problem('soon')).to.contain('“soon” is not an interval');
    expect(problem('1m')).to.contain('The interval 1m is shorter than the minimum of this site, 10m');
  });
});
