#!/usr/bin/env node
// Measures the rows that speed is judged by, each against its goal, and writes bench/results/<name>.md.
//
//   node bench/platform.mjs [--name platform] [--seconds 3] [--warm 2] [--only "issue|pull"] [--engine SQLite|MariaDB]
//                           [--commits 6000] [--mysql ADDRESS]
//
// Two workers, 8 connections, anonymous; the load generator runs on the same machine. Each row quiet and beside twenty
// small writes a second. MariaDB: that of `--mysql` or MORTISE_TEST_MYSQL, otherwise one of its own where it is installed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startMariadb } from '../test/services/engines.mjs';
import { gitSeconds, shallowClone } from './git-rows.mjs';
import { makeRepository } from './make-repository.mjs';
import { load, startYardstick, whileWriting } from './measure.mjs';
import { fill, issues, pulls, rowsOf } from './platform-data.mjs';
import { makeSite, root } from './site.mjs';

const { values: options } = parseArgs({
  options: {
    name: { type: 'string', default: 'platform' },
    seconds: { type: 'string', default: '3' },
    warm: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    engine: { type: 'string' },
    commits: { type: 'string', default: '6000' },
    mysql: { type: 'string', default: process.env.MORTISE_TEST_MYSQL },
  },
});
const seconds = Number(options.seconds);
const warm = Number(options.warm);
const isAsked = (name) => new RegExp(options.only).test(name);

/** How much of the quiet rate is left beside writes, in percent. */
const busyGoal = 80;
/** Of the seconds over `file://`. */
const cloneGoal = 0.8;

const verdict = (isMet) => (isMet ? 'met' : 'missed');

/** The lines of a table: what `known` names, on one engine. */
async function measureRows({ site, engine, known, yardstick }) {
  const writing = { authorization: `token ${known.token}`, 'content-type': 'application/json' };
  const lines = [];
  for (const [name, path, goal, posted] of rowsOf(known)) {
    if (!isAsked(name)) continue;
    const url = site.base + path;
    const headers = posted && writing;
    const body = posted && JSON.stringify(posted);
    const begin = performance.now();
    const first = await fetch(url, { headers, body, method: posted ? 'POST' : 'GET' });
    await first.arrayBuffer();
    const cold = performance.now() - begin;
    const measure = async () => {
      await load(url, headers, warm, body);
      return yardstick.against(() => load(url, headers, seconds, body));
    };
    const quiet = await measure();
    const busy = await whileWriting(site.base, known.token, measure);
    const bad = quiet.bad + busy.bad;
    const left = (100 * busy.share) / quiet.share;
    const cells = [
      engine,
      name,
      `\`${path}\``,
      first.status,
      cold.toFixed(0),
      quiet.rate.toFixed(0),
      `${quiet.share.toFixed(2)} %`,
      quiet.p99,
      `${goal} %`,
      bad ? `${bad} failed` : verdict(quiet.share >= goal),
      `${left.toFixed(0)} %`,
      verdict(left >= busyGoal),
      busy.writes,
    ];
    lines.push(`| ${cells.join(' | ')} |`);
    console.log(lines.at(-1));
  }
  return lines;
}

/** The line of the shallow clone, on one engine. */
async function measureClone({ site, engine, known, source, work }) {
  const places = [`file://${source}`, `${site.base}/root/big.git`];
  const measure = async () => {
    const [local, remote] = gitSeconds(work, places.map(shallowClone), 11);
    return { local, remote, ratio: remote / local };
  };
  const { local, remote, ratio } = await measure();
  const busy = await whileWriting(site.base, known.token, measure);
  const left = (100 * ratio) / busy.ratio;
  const ms = (one) => `${(one * 1000).toFixed(1)} ms`;
  const cells = [
    engine,
    ms(local),
    ms(remote),
    `${ratio.toFixed(2)}×`,
    `≤ ${cloneGoal}×`,
    verdict(ratio <= cloneGoal),
    `${left.toFixed(0)} %`,
    verdict(left >= busyGoal),
  ];
  const line = `| ${cells.join(' | ')} |`;
  console.log(line);
  return line;
}

const work = mkdtempSync(join(tmpdir(), 'mortise-bench-platform-'));
const mariadb = options.mysql || options.engine === 'SQLite' ? undefined : await startMariadb(work);
const engines = [
  ['SQLite', undefined],
  ['MariaDB', options.mysql ?? mariadb?.url],
].filter(([engine, mysql]) => (engine === 'SQLite' || mysql) && (!options.engine || engine === options.engine));
const source = join(work, 'source.git');
await makeRepository(source, { commits: Number(options.commits) });
const port = 4600 + (process.pid % 300);
const yardstick = await startYardstick(port);
process.on('exit', () => {
  yardstick.stop();
  mariadb?.child.kill();
});
const lines = [];
const clones = [];
for (const [at, [engine, mysql]] of engines.entries()) {
  const site = await makeSite({ work, port: port + 1 + at, mysql, workers: 2 });
  try {
    await site.start();
    const known = await fill(site, source);
    // the maintenance after a push is not what is measured; it begins at once here, and ends in this time
    await sleep(20_000);
    lines.push(...(await measureRows({ site, engine, known, yardstick })));
    if (isAsked('shallow clone')) clones.push(await measureClone({ site, engine, known, source, work }));
  } finally {
    await site.close();
  }
}

const text = `# Benchmark: ${options.name}

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} cores, two workers, load generator on the same machine, 8 connections, anonymous,
${seconds} s a figure after ${warm} s of warming up. Repository: ${options.commits} commits, ${issues} issues, ${pulls} pull requests.

Yardstick (bare Node HTTP server, 3 KB of JSON), measured before and after each figure: ${Math.min(...yardstick.rates).toFixed(0)} to ${Math.max(...yardstick.rates).toFixed(0)} req/s.
"Busy": with twenty small writes a second to the same repository beside it, compared with quiet (goal: ${busyGoal} %); the last
column says how many of them were acknowledged in a second.

| database | operation | request | status | first ms | req/s | % of yardstick | p99 ms | goal | | busy | | writes |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
${
  clones.length
    ? `
| database | shallow clone over \`file://\` | from Mortise | of \`file://\` | goal | | busy | |
|---|---|---|---|---|---|---|---|
${clones.join('\n')}
`
    : ''
}`;
mkdirSync(join(root, 'bench/results'), { recursive: true });
writeFileSync(join(root, 'bench/results', `${options.name}.md`), text);
console.log(text);
rmSync(work, { recursive: true, force: true });
process.exit(0);
