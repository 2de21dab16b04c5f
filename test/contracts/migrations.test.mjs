// Migrations of a folder run in the order of their numbers, so each number is used once.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { trackedFiles } from '../support/tracked-files.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

/** Databases keep the names of what was applied: these two pairs stay as they were released, in the order of their names. */
const released = ['migrations/0003_job_groups.ts', 'plugins/packages/migrations/0004_index_mark_package.ts'];

describe('migrations', () => {
  it('have each a number of their own in their folder', () => {
    const files = trackedFiles('migrations/*.ts', 'plugins/*/migrations/*.ts')?.filter((path) => /\/\d{4}_/.test(path));
    if (!files) return;
    expect(files.length).to.be.above(100);
    const numbered = new Set();
    const twice = files.toSorted().filter((path) => {
      const number = path.replace(/_[^/]*$/, '');
      return numbered.size === numbered.add(number).size;
    });
    expect(twice).to.equal(released);
  });
});
