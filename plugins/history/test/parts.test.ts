import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { layOutGraph } from '../services/graph.js';
import { searchRefs } from '../services/recent-refs.js';
import { splitTrailers } from '../services/trailers.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the graph', () => {
  it('gives branches lanes of their own and joins them where they meet', () => {
    const rows = layOutGraph([
      { oid: 'm', parents: ['b', 's'] },
      { oid: 's', parents: ['a'] },
      { oid: 'b', parents: ['a'] },
      { oid: 'a', parents: [] },
    ]);
    expect(rows.map((row) => row.lane)).to.equal([0, 1, 0, 1]);
    expect(rows[0]!.lines.map(([from, to]) => [from, to])).to.equal([
      [0, 0],
      [0, 1],
    ]);
    expect(rows[2]!.lines.map(([from, to]) => [from, to])).to.equal([
      [0, 1],
      [1, 1],
    ]);
    expect(rows[3]!.lines).to.equal([]);
  });
});

describe('trailers', () => {
  it('are told from the message, with the people that they name', () => {
    const { text, trailers } = splitTrailers(
      'More on it.\n\nnote: not a trailer\n\nCo-authored-by: Ada L <ada@example.com>\nFixes: #12',
    );
    expect(text).to.equal('More on it.\n\nnote: not a trailer');
    expect(trailers).to.equal([
      { key: 'Co-authored-by', value: 'Ada L <ada@example.com>', author: { name: 'Ada L', email: 'ada@example.com' } },
      { key: 'Fixes', value: '#12' },
    ]);
  });

  it('leave a last paragraph alone that holds more than them', () => {
    for (const body of ['Signed-off-by: Ada <a@b>\nand more', 'todo: tidy up', ''])
      expect(splitTrailers(body)).to.equal({ text: body, trailers: [] });
  });
});

describe('search of references', () => {
  it('finds names anywhere, whole ones first, else in the order that they have', () => {
    const refs = ['v5.3.0', 'v5.2.1', 'v5.2.0', '5.2', 'main'].map((name) => ({ name }));
    expect(searchRefs(refs, '5.2').map(({ name }) => name)).to.equal(['5.2', 'v5.2.1', 'v5.2.0']);
    expect(searchRefs(refs, ' V5.3').map(({ name }) => name)).to.equal(['v5.3.0']);
    expect(searchRefs(refs, '')).to.have.length(5);
  });
});
