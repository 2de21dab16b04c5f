// All figures, one after the other, as they are wanted of a quiet machine:
//
//   node bench/all.mjs [--against FOLDER] [--name NAME]
//
// FOLDER: another checkout, built, that starts and first requests are compared with. The address of a MySQL server is
// taken from MORTISE_TEST_MYSQL (such as mysql://root@127.0.0.1:3306); without one those columns stay empty.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './site.mjs';

const { values: options } = parseArgs({
  options: { against: { type: 'string' }, name: { type: 'string', default: 'latest' } },
});
const against = options.against ? ['--against', options.against] : [];
const parts = [
  ['start', ...against],
  ['first-requests', ...against],
  ['beside-others'],
  ['costs'],
  ['run', '--name', options.name],
];
for (const [part, ...args] of parts) {
  console.log(`\n== ${part}\n`);
  const { status } = spawnSync(process.execPath, [join(root, 'bench', `${part}.mjs`), ...args], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
