// The start of a server with a migrated database: processor time until it answers, and, with another checkout (built),
// the same of that in turn.
//
//   node bench/start.mjs [--runs 15] [--against FOLDER]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeSite, root } from './site.mjs';

const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '15' }, against: { type: 'string' } },
});
const work = mkdtempSync(join(tmpdir(), 'mortise-start-'));
const port = 4900 + (process.pid % 90);
const trees = [root, ...(options.against ? [options.against] : [])];

const sides = [];
for (const [index, tree] of trees.entries()) {
  const site = await makeSite({ work, port: port + index, tree });
  await site.start();
  await site.stop();
  sides.push({ tree, site, cpu: [], wall: [] });
}
for (let run = 0; run < Number(options.runs); run++) {
  for (const { site, cpu, wall } of sides) {
    wall.push(await site.start());
    cpu.push(site.cpuMs());
    await site.stop();
  }
}
rmSync(work, { recursive: true, force: true });

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
for (const { tree, cpu, wall } of sides) {
  const which = tree === root ? 'this checkout' : tree;
  console.log(
    `start, ${which}: ${median(cpu).toFixed(0)} ms of processor time (least ${Math.min(...cpu)}), ${median(wall).toFixed(0)} ms`,
  );
}
if (sides.length > 1) {
  const ratios = sides[0].cpu.map((own, index) => own / sides[1].cpu[index]);
  console.log(`start, against it, run by run: ${median(ratios).toFixed(2)}`);
}
process.exit(0);
