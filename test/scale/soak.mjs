#!/usr/bin/env node
// A server of two workers under a mixed load at a steady pace: does anything grow that ought to stay? Ends with 1 when
// something grew, or when an operation failed.
//
//   node test/scale/soak.mjs --minutes 60 [--engine sqlite|mariadb] [--picture FILE.svg] [--table FILE.md]
//                            [--samples FILE.jsonl] [--seed 1] [--pace 1]
import { appendFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { runSoak } from './soak/run.mjs';
import { chart, countsTable, table } from './soak/report.mjs';
import { grown, compareQuarters } from './soak/growth.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    engine: { type: 'string', default: 'sqlite' },
    picture: { type: 'string' },
    table: { type: 'string' },
    samples: { type: 'string' },
    seed: { type: 'string', default: '1' },
    pace: { type: 'string', default: '1' },
  },
});
const minutes = Number(values.minutes);
const begun = Date.now();
const say = (text) => console.error(`[${((Date.now() - begun) / 1000).toFixed(0).padStart(5)} s] ${text}`);
let count = 0;
const ending = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => ending.abort());
const result = await runSoak({
  minutes,
  signal: ending.signal,
  engine: values.engine,
  seed: Number(values.seed),
  pace: Number(values.pace),
  // twenty datasets, and no shorter than it takes to use one
  datasetMs: Math.max(20_000, (minutes * 60_000) / 20),
  onSample(sample, load, site) {
    if (values.samples) appendFileSync(values.samples, `${JSON.stringify(sample)}\n`);
    if (count++ % 6) return;
    const sum = (key) => Object.values(load.counts).reduce((total, one) => total + one[key], 0);
    const memory = Object.entries(sample.series)
      .filter(([name]) => name.endsWith('resident memory (MB)'))
      .map(([, value]) => value.toFixed(0));
    site.takeMails();
    say(`${sum('done')} done, ${sum('failed')} failed, ${sum('skipped')} left out; memory ${memory.join(', ')} MB`);
    for (const line of load.failures.splice(0)) say(line);
  },
});
const rows = compareQuarters(result.samples);
const worse = grown(rows);
// what came last
for (const line of result.failures) say(line);
const failed = Object.values(result.counts).reduce((sum, one) => sum + one.failed, 0);
const title = `${minutes} minutes on ${values.engine}, ${cpus().length} cores`;
if (values.picture) writeFileSync(values.picture, chart(result.samples, rows, title));
const text = `${title}: the server took ${(100 * result.cpu).toFixed(0)} % of a core; ${result.delivered} webhooks, ${result.mails} mails and ${result.liveMessages} live messages arrived; the machine was stalled for ${(result.stalledMs / 1000).toFixed(0)} s.

${countsTable(result.counts)}
${table(rows)}`;
if (values.table) writeFileSync(values.table, text);
console.log(text);
for (const line of [...new Set(result.log)].slice(0, 50)) console.log(`logged: ${line}`);
for (const { name, before, after } of worse) console.log(`grew: ${name} from ${before} to ${after}`);
const replaced = new Set(result.samples.flatMap(({ pids }) => pids)).size - result.samples[0].pids.length;
if (replaced) console.log(`${replaced} processes of the server were started anew`);
console.log(worse.length + failed + replaced === 0 ? 'flat' : `${worse.length} grew, ${failed} operations failed`);
process.exit(Number(worse.length + failed + replaced > 0));
