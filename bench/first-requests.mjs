// First requests after a start, each to a server of its own that answered one request before (so that what every first
// request costs is not in it): time, and processor time with that of git.
//
//   node bench/first-requests.mjs [--runs 5] [--commits 6000] [--against FOLDER] [--only home] [--source FOLDER]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeRepository } from './make-repository.mjs';
import { makeSite, root } from './site.mjs';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    commits: { type: 'string', default: '6000' },
    against: { type: 'string' },
    only: { type: 'string', default: '' },
    source: { type: 'string' },
  },
});
const rows = [
  ['web: repo home', '/root/big', 300],
  ['compare 200 commits', '/api/v1/repos/root/big/compare/older...main', 300],
  ['web: compare 200 commits', '/root/big/compare/older...main'],
  ['commits 10 full', '/api/v1/repos/root/big/commits?limit=10'],
  ['web: commit list', '/root/big/commits/branch/main'],
].filter(([name]) => name.includes(options.only));

const work = mkdtempSync(join(tmpdir(), 'mortise-first-'));
const source = options.source ?? join(work, 'source.git');
if (!options.source) await makeRepository(source, { commits: Number(options.commits) });
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

const sides = [];
for (const [index, tree] of [root, ...(options.against ? [options.against] : [])].entries()) {
  const site = await makeSite({ work, port: 4990 + (process.pid % 90) + index, tree });
  await site.start();
  await site.fill(source, 1);
  // the maintenance after the push is not what is measured
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  await site.stop();
  sides.push({ name: tree === root ? 'this checkout' : tree, site });
}
for (const [name, path, goal] of rows) {
  const figures = sides.map(() => ({ ms: [], cpu: [] }));
  for (let run = 0; run < Number(options.runs); run++) {
    for (const [index, { site }] of sides.entries()) {
      await site.start();
      const before = site.cpuMs();
      const begin = performance.now();
      const answer = await fetch(site.base + path);
      await answer.arrayBuffer();
      figures[index].ms.push(performance.now() - begin);
      figures[index].cpu.push(site.cpuMs() - before);
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
      await site.stop();
    }
  }
  for (const [index, { ms, cpu }] of figures.entries()) {
    const least = (list) => Math.min(...list).toFixed(0);
    console.log(
      `first ${name}, ${sides[index].name}: ${median(ms).toFixed(0)} ms (least ${least(ms)}${goal ? `, goal ${goal}` : ''}), ${median(cpu)} ms of processor time (least ${least(cpu)})`,
    );
  }
}
rmSync(work, { recursive: true, force: true });
process.exit(0);
