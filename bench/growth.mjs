// The frame of measurements that ask what grows with the data: the same rows with little and with much of it, on SQLite
// and on MariaDB, quiet and with small writes beside them; writes bench/results/<name>.md.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, startYardstick, whileWriting } from './measure.mjs';
import { makeSite, root } from './site.mjs';

/** The library and the databases are those of the server. */
const knexOf = createRequire(join(root, 'core/package.json'))('knex');

/** The database of a site that is stopped. */
export function openDatabase(site, mysql) {
  if (!mysql)
    return knexOf({ client: 'better-sqlite3', connection: { filename: site.databaseFile }, useNullAsDefault: true });
  const { hostname, port, username, password } = new URL(mysql);
  const connection = { host: hostname, port: Number(port || 3306), user: username, password, database: site.database };
  return knexOf({ client: 'mysql2', connection });
}

/** Milliseconds of `count` runs of `step`, one after the other. */
export async function timesOf(count, step) {
  const times = [];
  for (let n = 0; n < count; n++) {
    const begin = performance.now();
    await step(n);
    times.push(performance.now() - begin);
  }
  return times;
}

export const median = (times) => [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)];

/**
 * `prepare(site)`: over the API, before the data; `add(knex, numbers, prepared)`: the data, into the tables of the stopped
 * server; `tables`: those that it filled; `ready(site, prepared)`: when the server runs again, and gives what `rows` gets;
 * `rows`: [name, path, headers, body to post] of what is asked; `after(site, prepared, engine, size)`: more to measure;
 * `written`: the repository that small writes go to, `root/big` where nothing is said.
 */
export async function measureGrowth(given) {
  const { options, few, many, about, prepare, add, tables, ready, rows, goals, after, written } = given;
  const seconds = Number(options.seconds);
  const warm = Number(options.warm ?? 1);
  const rounds = Number(options.rounds ?? 1);
  const work = mkdtempSync(join(tmpdir(), 'mortise-bench-growth-'));
  const port = 4900 + (process.pid % 90);
  const yardstick = await startYardstick(port + 9);
  const lines = [];
  const further = [];
  const engines = [['SQLite'], ...(options.mysql ? [['MariaDB', options.mysql]] : [])].filter(
    ([engine]) => !options.engine || engine === options.engine,
  );
  for (const [engine, mysql] of engines) {
    const shares = {};
    for (const [size, numbers] of Object.entries({ few, many })) {
      const site = await makeSite({ work, port: port + (size === 'few' ? 1 : 2) + (mysql ? 2 : 0), mysql });
      await site.start();
      const prepared = await prepare(site);
      const writing = (await site.api('POST', '/users/root/tokens', { name: 'writes', scopes: ['all'] })).sha1;
      await site.stop();
      const knex = openDatabase(site, mysql);
      const added = await knex.transaction((all) => add(all, numbers, prepared));
      await knex.raw(mysql ? `analyze table ${tables.join(', ')}` : 'analyze');
      await knex.destroy();
      await site.start();
      const known = await ready(site, { ...prepared, ...added });
      for (const [name, path, headers, body] of rows(known)) {
        if (options.only && !new RegExp(options.only).test(name)) continue;
        const url = site.base + path;
        const begin = performance.now();
        const first = await fetch(url, body ? { headers, body, method: 'POST' } : { headers });
        await first.arrayBuffer();
        const cold = performance.now() - begin;
        const measure = async () => {
          await load(url, headers, warm, body);
          return yardstick.often(rounds, () => load(url, headers, seconds, body));
        };
        const quiet = await measure();
        if (size === 'few') {
          shares[name] = quiet.share;
          continue;
        }
        const busy = await whileWriting(site.base, writing, measure, written);
        const goal = goals[name];
        const bad = quiet.bad + busy.bad;
        const cells = [
          engine,
          name,
          `\`${path}\``,
          first.status,
          cold.toFixed(0),
          quiet.rate.toFixed(0),
          `${quiet.share.toFixed(2)} %`,
          quiet.p99,
          goal ? `${goal} %` : '–',
          bad ? `${bad} failed` : !goal ? '–' : quiet.share >= goal ? 'met' : 'missed',
          `${((100 * quiet.share) / shares[name]).toFixed(0)} %`,
          `${((100 * busy.share) / quiet.share).toFixed(0)} %`,
        ];
        lines.push(`| ${cells.join(' | ')} |`);
        console.log(lines.at(-1));
        if (rounds > 1) console.log(`  rounds: ${quiet.shares.map((share) => `${share.toFixed(2)} %`).join(', ')}`);
      }
      for (const line of (await after?.(site, known, engine, size)) ?? []) {
        further.push(line);
        console.log(line);
      }
      await site.close();
    }
  }
  yardstick.stop();

  const text = `# Benchmark: ${options.name}

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} cores, one worker, load generator on the same machine, 8 connections,
${seconds} s a figure after ${warm} s of warming up${rounds > 1 ? `, the median of ${rounds} by their share of the yardstick` : ''}. ${about}

Yardstick (bare Node HTTP server, 3 KB of JSON), measured before and after each figure: ${Math.min(...yardstick.rates).toFixed(0)} to ${Math.max(...yardstick.rates).toFixed(0)} req/s.
"Of few": compared with little data. "Busy": with twenty small writes a second beside it, compared with quiet.

| database | operation | request | status | first ms | req/s | % of yardstick | p99 ms | goal | | of few | busy |
|---|---|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
${further.length ? `\n${further.join('\n')}\n` : ''}`;
  mkdirSync(join(root, 'bench/results'), { recursive: true });
  writeFileSync(join(root, 'bench/results', `${options.name}.md`), text);
  console.log(text);
  rmSync(work, { recursive: true, force: true });
  process.exit(0);
}
