#!/usr/bin/env node
// Three nodes, a Galera cluster, Redis with Sentinel, S3 and proxies on hosts of their own, under load while they are killed
// and cut off. Needs root. Ends with 1 when anything was lost, doubled or wrong.
//
//   node test/scale/cluster.mjs --minutes 60 --faults 1000 [--seed 7] [--writers each] [--keep]
import { parseArgs } from 'node:util';
import { missingRequirement } from './cluster/network.mjs';
import { runCluster } from './cluster/run-cluster.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    faults: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    writers: { type: 'string', default: 'one' },
    keep: { type: 'boolean', default: false },
  },
});
const reason = missingRequirement();
if (reason) {
  console.log(`skipped: ${reason}`);
  process.exit(0);
}
const { minutes, faults, seed, writers, keep } = values;
const result = await runCluster({
  minutes: Number(minutes),
  maxFaults: Number(faults),
  seed: Number(seed),
  writers,
  keep,
});
console.log(JSON.stringify(result, undefined, 2));
process.exit(Number([result.lost, result.doubled, result.other, result.violations].some((list) => list.length > 0)));
