// Processor time of the server for one warm request of each row, in microseconds: on SQLite, on MariaDB, and with a token;
// the same for changes, and for git. Statements are those that MariaDB counted, bytes those of the answer.
// Steadier than rates where the machine does other things too; what the database server takes is not in it.
//
//   node bench/costs.mjs [--requests 400] [--source FOLDER] [--mysql ADDRESS]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { createConnection } from 'mysql2/promise';
import { makeRepository } from './make-repository.mjs';
import { rows } from './rows.mjs';
import { authorization, makeSite } from './site.mjs';

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '400' },
    source: { type: 'string' },
    mysql: { type: 'string', default: process.env.MORTISE_TEST_MYSQL },
  },
});
const requests = Number(options.requests);
const work = mkdtempSync(join(tmpdir(), 'mortise-costs-'));
const source = options.source ?? join(work, 'source.git');
if (!options.source) await makeRepository(source);
const port = 4400 + (process.pid % 90);
const sites = [];
for (const [index, mysql] of [undefined, ...(options.mysql ? [options.mysql] : [])].entries()) {
  const site = await makeSite({ work, port: port + index, mysql });
  await site.start();
  sites.push({ site, token: await site.fill(source, 2) });
}
// the maintenance after the push is not what is measured
await new Promise((resolve) => setTimeout(resolve, 20_000));

const connection = options.mysql ? await createConnection(options.mysql) : undefined;
/** Statements that MariaDB has taken until now, without this question. */
async function statements() {
  const [[row]] = await connection.query("show global status like 'Questions'");
  return Number(row.Value);
}

/** Of one of the last `amount` times that `work` was done: processor time in µs, and on MariaDB the statements. */
async function measure(site, amount, work) {
  await work(Math.ceil(amount / 2));
  const asked = site.database ? await statements() : 0;
  const before = site.cpuMs();
  await work(amount);
  const taken = ((site.cpuMs() - before) * 1000) / amount;
  return { taken, statements: site.database ? (await statements()) - asked - 1 : 0, amount };
}

const cost = (site, path, headers) =>
  measure(site, requests, async (amount) => {
    const { non2xx, errors } = await autocannon({ url: site.base + path, connections: 4, amount, headers });
    if (non2xx + errors) throw new Error(`${path}: ${non2xx + errors} failed`);
  });

const perRequest = ({ statements, amount }) => (statements / amount).toFixed(1);

console.log(
  '| operation | SQLite, µs | with a token | MariaDB, µs | SQLite / MariaDB | MariaDB with a token | statements | bytes |',
);
console.log('|---|---|---|---|---|---|---|---|');
for (const [name, path] of rows) {
  const found = [];
  for (const { site, token } of sites)
    found.push(await cost(site, path), await cost(site, path, { authorization: `token ${token}` }));
  const bytes = (await (await fetch(sites[0].site.base + path)).arrayBuffer()).byteLength;
  const [sqlite, token, mysql, mysqlToken] = found.map(({ taken }) => taken.toFixed(0));
  const ratio = mysql ? (found[0].taken / found[2].taken).toFixed(2) : '–';
  const asked = mysql ? perRequest(found[2]) : '–';
  console.log(
    `| ${name} | ${sqlite} | ${token} | ${mysql ?? '–'} | ${ratio} | ${mysqlToken ?? '–'} | ${asked} | ${bytes} |`,
  );
}

/** A work tree of the site's repository for the changes of git. */
function workTree(site, name) {
  const folder = join(work, name);
  const git = (...args) => execFileSync('git', ['-c', `http.extraHeader=Authorization: ${authorization}`, ...args]);
  git('clone', '-q', '--depth', '1', `${site.base}/root/big.git`, folder);
  return (...args) => git('-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args);
}

/** Changes one after the other: what an operation costs, not how many fit beside each other. */
function changesOf(site, number) {
  let n = 0;
  const git = workTree(site, `work-${number}`);
  const content = Buffer.from('text').toString('base64');
  return [
    ['create issue', () => site.api('POST', '/repos/root/big/issues', { title: `Issue ${++n}` })],
    ['create comment', () => site.api('POST', '/repos/root/big/issues/1/comments', { body: `Comment ${++n}` })],
    ['edit repository', () => site.api('PATCH', '/repos/root/big', { description: `Description ${++n}` })],
    ['commit a file', () => site.api('POST', `/repos/root/big/contents/file-${++n}`, { content, message: 'file' })],
    [
      'push a commit',
      () => {
        git('commit', '-q', '--allow-empty', '-m', `Commit ${++n}`);
        git('push', '-q', 'origin', `HEAD:refs/heads/pushed`);
      },
    ],
    [
      'shallow clone',
      () =>
        rmSync(join(work, `clone-${number}`), { recursive: true, force: true }) ??
        execFileSync('git', [
          'clone',
          '-q',
          '--bare',
          '--depth',
          '1',
          `${site.base}/root/big.git`,
          join(work, `clone-${number}`),
        ]),
    ],
  ];
}

console.log('\n| change | SQLite, µs | MariaDB, µs | statements |');
console.log('|---|---|---|---|');
const changes = sites.map(({ site }, number) => changesOf(site, number));
for (const [at, [name]] of changes[0].entries()) {
  const found = [];
  for (const [number, { site }] of sites.entries()) {
    // what follows of a change in the background belongs to it; what the server does anyway in this time does not
    const follow = () => new Promise((resolve) => setTimeout(resolve, 2000));
    const idle = await measure(site, 1, follow);
    const all = await measure(site, Math.ceil(requests / 10), async (amount) => {
      for (let done = 0; done < amount; done++) await changes[number][at][1]();
      await follow();
    });
    const { amount } = all;
    found.push({
      taken: all.taken - idle.taken / amount,
      statements: all.statements - idle.statements,
      amount,
    });
  }
  const [sqlite, mysql] = found.map(({ taken }) => taken.toFixed(0));
  console.log(`| ${name} | ${sqlite} | ${mysql ?? '–'} | ${mysql ? perRequest(found[1]) : '–'} |`);
}
await connection?.end();
for (const { site } of sites) await site.close();
rmSync(work, { recursive: true, force: true });
process.exit(0);
