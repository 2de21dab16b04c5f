// Sources and tests are read whole: none has over 400 lines.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const most = 400;

/** Those that are longer, with their lines: they may shrink, not grow, and leave the list when they are short enough. */
const longer = {
  'core/src/test/jobs.test.ts': 433,
  'plugins/auth-oauth2/test/oidc.test.ts': 554,
  'plugins/oauth2-provider/test/provider.test.ts': 454,
  'plugins/package-npm/test/upstream.test.ts': 450,
  'test/attacks/every-route.test.mjs': 410,
  'test/hostile/fixtures/hostile-repository.mjs': 541,
  'test/hostile/repositories.test.mjs': 778,
  'test/requirements/accounts.test.mjs': 415,
  'test/requirements/contents.test.mjs': 565,
};

/** What is wrong with files of these numbers of lines. */
export function faultsIn(lengths, exceptions) {
  const faults = [];
  for (const [file, lines] of Object.entries(lengths))
    if (lines > (exceptions[file] ?? most)) faults.push(`${file} has ${lines} lines, over ${exceptions[file] ?? most}`);
  for (const file of Object.keys(exceptions))
    if (!(lengths[file] > most)) faults.push(`${file} needs no exception any more`);
  return faults;
}

describe('lengths of sources and tests', () => {
  it('are found when they are over the limit, over their exception, or within the limit despite one', () => {
    const lengths = { a: 400, b: 401, c: 450, d: 451, e: 400 };
    expect(faultsIn(lengths, { c: 450, d: 450, e: 450, f: 450 })).to.equal([
      'b has 401 lines, over 400',
      'd has 451 lines, over 450',
      'e needs no exception any more',
      'f needs no exception any more',
    ]);
  });

  it('are at most 400 lines, but for those that were longer', () => {
    const { status, stdout } = spawnSync('git', ['ls-files', '-z', '--', '*.ts', '*.tsx', '*.mjs'], {
      cwd: root,
      encoding: 'utf8',
    });
    // not in a repository, such as an unpacked archive
    if (status !== 0) return;
    const files = stdout.split('\0').filter((file) => file && !file.includes('/generated/'));
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
    expect(faultsIn(lengths, longer)).to.equal([]);
  });
});
