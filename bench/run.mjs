#!/usr/bin/env node
// Measures the rows of the peer figures against a yardstick in one run and writes bench/results/<name>.md.
//
//   node bench/run.mjs [--name NAME] [--seconds 3] [--commits 6000] [--users 10] [--only repo] [--mysql ADDRESS]
//
// One worker, 8 connections, anonymous reads; the load generator runs on the same machine. Each row also with a token,
// with small writes beside it, and on MariaDB (an address such as mysql://root@127.0.0.1:3306; default: that of
// MORTISE_TEST_MYSQL; without one these columns stay empty).
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gitRows } from './git-rows.mjs';
import { makeRepository } from './make-repository.mjs';
import { load, startYardstick, whileWriting } from './measure.mjs';
import { rows as allRows } from './rows.mjs';
import { makeSite, root, untilUp } from './site.mjs';

const { values: options } = parseArgs({
  options: {
    name: { type: 'string', default: 'latest' },
    seconds: { type: 'string', default: '3' },
    commits: { type: 'string', default: '6000' },
    users: { type: 'string', default: '10' },
    only: { type: 'string' },
    mysql: { type: 'string', default: process.env.MORTISE_TEST_MYSQL },
  },
});
const seconds = Number(options.seconds);
const work = mkdtempSync(join(tmpdir(), 'mortise-bench-'));
const port = 4600 + (process.pid % 300);

// ---------------------------------------------------------------- set-up

const source = join(work, 'source.git');
await makeRepository(source, { commits: Number(options.commits) });
const sqlite = await makeSite({ work, port });
await sqlite.start();
await sqlite.stop();
const startMs = await sqlite.start();
await new Promise((resolve) => setTimeout(resolve, 3000));
const idleMb = sqlite.memory();
const token = await sqlite.fill(source, Number(options.users));
const mysql = options.mysql ? await makeSite({ work, port: port + 3, mysql: options.mysql }) : undefined;
await mysql?.start();
const mysqlToken = await mysql?.fill(source, Number(options.users));
// the maintenance after a push is not what is measured; it begins at once here, and ends in this time
await new Promise((resolve) => setTimeout(resolve, 20_000));

// ---------------------------------------------------------------- the rows

const rows = allRows.filter(([name]) => !options.only || name.includes(options.only));

const yardstick = await startYardstick(port + 1);

/** First answer, warm rate, and the rate with writes beside it, each against the yardstick. */
async function measureOn({ base }, path, itsToken) {
  const begin = performance.now();
  const first = await fetch(base + path);
  await first.arrayBuffer();
  const cold = performance.now() - begin;
  const measure = async (headers) => {
    await load(base + path, headers, 1);
    return yardstick.against(() => load(base + path, headers, seconds));
  };
  return {
    status: first.status,
    cold,
    quiet: await measure(),
    token: await measure({ authorization: `token ${itsToken}` }),
    busy: await whileWriting(base, itsToken, () => measure()),
  };
}

const percent = (share, digits = 0) => `${share.toFixed(digits)} %`;
const ratio = (one, other) => percent((100 * one.share) / other.share);
const lines = [];
const rates = [];
for (const [name, path, goal] of rows) {
  const here = await measureOn(sqlite, path, token);
  const there = mysql && (await measureOn(mysql, path, mysqlToken));
  const { quiet } = here;
  const bad = [here, there]
    .flatMap((one) => (one ? [one.quiet, one.token, one.busy] : []))
    .reduce((sum, { bad }) => sum + bad, 0);
  const verdict = bad ? `${bad} failed` : !goal ? '–' : quiet.share >= goal ? 'met' : 'missed';
  const cells = [
    name,
    `\`${path}\``,
    here.status,
    here.cold.toFixed(0),
    quiet.rate.toFixed(0),
    percent(quiet.share, 2),
    quiet.p99,
    goal ? percent(goal, 1) : '–',
    verdict,
    ratio(here.token, quiet),
    ratio(here.busy, quiet),
    ...(there
      ? [
          percent(there.quiet.share, 2),
          ratio(there.quiet, quiet),
          ratio(there.token, there.quiet),
          ratio(there.busy, there.quiet),
        ]
      : ['–', '–', '–', '–']),
  ];
  lines.push(`| ${cells.join(' | ')} |`);
  rates.push(here.busy.writes, ...(there ? [there.busy.writes] : []));
  console.log(lines.at(-1));
}
yardstick.stop();

// ---------------------------------------------------------------- git, and the file

const replayPort = port + 2;
const replay = spawn(process.execPath, [join(root, 'bench/replay.mjs'), String(replayPort), sqlite.base], {
  stdio: 'ignore',
});
await untilUp(`http://127.0.0.1:${replayPort}/api/v1/version`);
const git = gitRows({ work, source, bare: `http://127.0.0.1:${replayPort}`, remote: sqlite.base });
replay.kill();
const afterMb = sqlite.memory();
await sqlite.close();
await mysql?.close();

const text = `# Benchmark: ${options.name}

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} cores, one worker, load generator on the same machine, 8 connections,
${seconds} s a figure after 1 s of warming up. Repository: ${options.commits} commits; ${options.users} further users.

Yardstick (bare Node HTTP server, 3 KB of JSON), measured before and after each figure: ${Math.min(...yardstick.rates).toFixed(0)} to ${Math.max(...yardstick.rates).toFixed(0)} req/s.
All comparisons are of shares of the yardstick. Start with a migrated database: ${startMs.toFixed(0)} ms. Memory: ${idleMb.toFixed(0)} MB idle, ${afterMb.toFixed(0)} MB after the run.
"Token": with a token, compared with anonymous (goal: 80 %). "Busy": with twenty small writes a second to the same
repository beside it, compared with quiet (goal: 50 %); ${Math.min(...rates)} to ${Math.max(...rates)} writes a second were acknowledged. "MariaDB": compared
with SQLite (goal: 60 %).

| operation | request | status | first ms | req/s | % of yardstick | p99 ms | goal | | token | busy | MariaDB, % of yardstick | of SQLite | MariaDB, token | MariaDB, busy |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}

| git over HTTP | \`file://\` | bare server, same answers | Mortise | of \`file://\` | of the bare server | goal |
|---|---|---|---|---|---|---|
${git.join('\n')}
`;
mkdirSync(join(root, 'bench/results'), { recursive: true });
writeFileSync(join(root, 'bench/results', `${options.name}.md`), text);
console.log(text);
rmSync(work, { recursive: true, force: true });
process.exit(0);
