import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { readPages } from '../testing.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the kit for sources', () => {
  const pages = (lost: number) =>
    async function* (after?: string) {
      for (let page = Number(after ?? 0); page < 3; page++)
        yield { items: after && page === lost ? [] : [page], ...(page < 2 && { next: String(page + 1) }) };
    };

  it('reads all pages, and notices a position from which something is missing', async () => {
    expect(await readPages(pages(-1))).to.equal([0, 1, 2]);
    await expect(readPages(pages(2))).to.reject(/in place of/);
  });
});
