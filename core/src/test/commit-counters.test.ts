import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { CommitCounters, countsIn, hasAll, Slot, type VersionRow } from '../database/commit-counters.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('A11: counts of commits', () => {
  const row = (process: string, commits: number, recent = ''): VersionRow => ({ process, slot: 0, commits, recent });

  it('say what others changed', () => {
    const log = new CommitCounters();
    expect(log.takeChangedTables([row('a', 3, 'x;y;z')])).to.be.undefined();
    expect(log.takeChangedTables([row('a', 3, 'x;y;z')])!.size).to.equal(0);
    expect([...log.takeChangedTables([row('a', 5, 'p,q;r;x'), row(log.process, 9, 'own')])!]).to.equal(['p', 'q', 'r']);
    expect(log.seenElsewhere).to.equal(5);
    // more commits than are told
    expect(log.takeChangedTables([row('a', 9, 'p;q;r'), row(log.process, 9, 'own')])).to.be.undefined();
    expect(log.takeChangedTables([row('a', 10, '*;p;q'), row(log.process, 9, 'own')])).to.be.undefined();
  });

  it('stay right while rows are swept', () => {
    const look = (second: VersionRow[]) => {
      const log = new CommitCounters();
      log.takeChangedTables([row('', 4), row('a', 3, 'x'), row('b', 2, 'y')]);
      return log.takeChangedTables(second);
    };
    expect(look([row('', 7), row('b', 2, 'y')])!.size).to.equal(0);
    expect([...look([row('', 7), row('a', 1, 'n;x'), row('b', 3, 'm;y')])!]).to.equal(['n', 'm']);
    // swept with a commit that was not seen, or begun anew and further than before
    expect(look([row('', 8), row('b', 2, 'y')])).to.be.undefined();
    expect(look([row('', 7), row('a', 3, 'n;n;n'), row('b', 2, 'y')])).to.be.undefined();
    // emptied by somebody
    expect(look([])).to.be.undefined();
  });

  it('say whether a replica has all that is known, by others and by this process', () => {
    const log = new CommitCounters();
    expect(log.known()).to.be.undefined();
    log.takeChangedTables([row('', 4), row('a', 3, 'x')]);
    const has = (...rows: VersionRow[]) => hasAll(countsIn(rows), log.known()!);
    expect(has(row('', 4), row('a', 3))).to.be.true();
    expect(has(row('', 4), row('a', 5), row('b', 1))).to.be.true();
    expect(has(row('', 4), row('a', 2))).to.be.false();
    expect(has(row('', 4))).to.be.false();
    // swept there after this process looked
    expect(has(row('', 7))).to.be.true();
    const slot = log.take();
    slot.next(new Set(['x']));
    expect(has(row('', 4), row('a', 3))).to.be.true();
    slot.committed();
    expect(has(row('', 4), row('a', 3))).to.be.false();
    expect(has(row('', 4), row('a', 3), row(log.process, 1))).to.be.true();
  });

  it('of one row tell no more than fits', () => {
    const slot = new Slot(0);
    expect(slot.next(new Set(['b', 'a']))).to.equal('a,b');
    expect(slot.next(new Set(['c']))).to.equal('c');
    slot.committed();
    expect(slot.next(undefined)).to.equal('*;c');
    expect(slot.next(new Set([...Array(200).keys()].map((number) => `table_${number}`)))).to.equal('*');
    for (let round = 0; round < 30; round++) {
      expect(slot.next(new Set([`t${round}`])).split(';').length).to.be.most(16);
      slot.committed();
    }
  });
});
