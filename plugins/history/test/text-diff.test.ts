import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { textDiffs } from '../services/text-diff.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('issue 29: differences of texts', () => {
  it('are told word by word', () => {
    expect(textDiffs.compare('a rim of steel', 'a hub of steel')).to.equal([
      { kind: 'same', text: 'a ' },
      { kind: 'removed', text: 'rim' },
      { kind: 'added', text: 'hub' },
      { kind: 'same', text: ' of steel' },
    ]);
  });

  it('of long texts line by line, and of what shares nothing in a bounded time', () => {
    const line = 'the same words again and again\n';
    const changes = textDiffs.compare(line.repeat(8_000), `${line.repeat(8_000)}more\n`)!;
    expect(changes.map(({ kind }) => kind)).to.equal(['same', 'added']);
    const noise = (seed: number) => Array.from({ length: 120_000 }, (_, at) => (at * seed) % 9_973).join('\n');
    const started = performance.now();
    textDiffs.compare(noise(7), noise(31));
    expect(performance.now() - started).to.be.below(5_000);
  });
});
