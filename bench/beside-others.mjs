// What a simple read costs another visitor while the worst inputs are worked on (goal: at most 100 ms more).
//
//   node bench/beside-others.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askForWorst, makeWorst, readBeside } from '../test/support/worst-inputs.mjs';
import { makeSite } from './site.mjs';

const work = mkdtempSync(join(tmpdir(), 'mortise-beside-'));
const site = await makeSite({ work, port: 4500 + (process.pid % 90) });
await site.start();
const inputs = await makeWorst(site.base, work);
// the maintenance after the push is not what is measured
await new Promise((resolve) => setTimeout(resolve, 10_000));

const at = (list, share) => [...list].sort((a, b) => a - b)[Math.floor((list.length - 1) * share)];
await readBeside(site.base, { count: 200 });
const quiet = (await readBeside(site.base, { count: 200 })).times;
console.log(`simple read, quiet: ${at(quiet, 0.5).toFixed(1)} ms, longest ${at(quiet, 1).toFixed(1)} ms`);
console.log('beside (three at once) | worked ms | statuses | reads | more ms, median | most');
for (const [what, asked] of Object.entries(inputs)) {
  const { times, result } = await readBeside(site.base, { work: askForWorst(site.base, asked) });
  const more = (share) => (at(times, share) - at(quiet, 0.5)).toFixed(1);
  console.log(
    `${what} | ${result.ms.toFixed(0)} | ${[...new Set(result.statuses)]} | ${times.length} | ${more(0.5)} | ${more(1)}`,
  );
}
await site.close();
rmSync(work, { recursive: true, force: true });
process.exit(0);
