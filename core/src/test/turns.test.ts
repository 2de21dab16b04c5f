import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { FairTurns } from '../web/turns.js';

export const lab = Lab.script();
const { describe, it } = lab;

const busy = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('turns of large pages', () => {
  it('let others in between two that are ready in the same moment', async () => {
    const turns = new FairTurns();
    const order: string[] = [];
    const large = (name: string) =>
      turns.run(() => {
        busy(15);
        order.push(name);
      });
    const pages = Promise.all([large('one'), large('two'), large('three')]);
    const others = (async () => {
      for (let n = 1; n <= 2; n++) {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`other ${n}`);
      }
    })();
    await Promise.all([pages, others]);
    expect(order.slice(0, 3)).to.equal(['one', 'other 1', 'two']);
    expect(order.indexOf('other 2')).to.be.below(order.indexOf('three'));
  });

  it('are not waited for by small ones, and a page that fails costs no other', async () => {
    const turns = new FairTurns();
    const order: number[] = [];
    await Promise.all([1, 2, 3].map((n) => turns.run(() => order.push(n))));
    expect(order).to.equal([1, 2, 3]);
    await expect(
      turns.run(() => {
        throw new Error('no page');
      }),
    ).to.reject('no page');
    expect(await turns.run(() => 'next')).to.equal('next');
  });
});
