// Sources and tests are read whole: none has over 400 lines.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { lengthFaults } from '../support/length-faults.mjs';
import { root } from '../support/server.mjs';
import { trackedFiles } from '../support/tracked-files.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const max = 400;

/** Those that are longer, with their lines: they may shrink, not grow, and leave the list when they are short enough. */
const longer = {
  'test/attacks/every-route.test.mjs': 410,
  'test/hostile/fixtures/hostile-repository.mjs': 541,
  'test/hostile/repositories.test.mjs': 778,
  'test/requirements/contents.test.mjs': 565,
};

describe('lengths of sources and tests', () => {
  it('are found when they are over the limit, over their exception, or within the limit despite one', () => {
    const lengths = { a: 400, b: 401, c: 450, d: 451, e: 400 };
    expect(lengthFaults(lengths, { c: 450, d: 450, e: 450, f: 450 }, max)).to.equal([
      'b has 401 lines, over 400',
      'd has 451 lines, over 450',
      'e needs no exception any more',
      'f needs no exception any more',
    ]);
  });

  it('are at most 400 lines, but for those that were longer', () => {
    const files = trackedFiles('*.ts', '*.tsx', '*.mjs')?.filter((file) => !file.includes('/generated/'));
    if (!files) return;
    expect(files.length).to.be.above(1000);
    const lengths = {};
    for (const file of files) {
      try {
        lengths[file] = readFileSync(join(root, file), 'latin1').split('\n').length - 1;
      } catch (error) {
        // removed, and not committed yet
        if (error.code !== 'ENOENT') throw error;
      }
    }
    expect(lengthFaults(lengths, longer, max)).to.equal([]);
  });
});
