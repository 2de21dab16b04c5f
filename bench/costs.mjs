// Processor time of the server for one warm request of each row, in microseconds: on SQLite, on MariaDB, and with a token.
// Steadier than rates where the machine does other things too; what the database server takes is not in it.
//
//   node bench/costs.mjs [--requests 400] [--source FOLDER] [--mysql ADDRESS]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { makeRepository } from './make-repository.mjs';
import { rows } from './rows.mjs';
import { makeSite } from './site.mjs';

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

async function cost(site, path, headers) {
  const ask = (amount) => autocannon({ url: site.base + path, connections: 4, amount, headers });
  await ask(Math.ceil(requests / 2));
  const before = site.cpuMs();
  const { non2xx, errors } = await ask(requests);
  if (non2xx + errors) throw new Error(`${path}: ${non2xx + errors} failed`);
  return ((site.cpuMs() - before) * 1000) / requests;
}

console.log('| operation | SQLite, µs | with a token | MariaDB, µs | SQLite / MariaDB | MariaDB with a token |');
console.log('|---|---|---|---|---|---|');
for (const [name, path] of rows) {
  const found = [];
  for (const { site, token } of sites)
    found.push(await cost(site, path), await cost(site, path, { authorization: `token ${token}` }));
  const [sqlite, token, mysql, mysqlToken] = found.map((one) => one.toFixed(0));
  const ratio = mysql ? (found[0] / found[2]).toFixed(2) : '–';
  console.log(`| ${name} | ${sqlite} | ${token} | ${mysql ?? '–'} | ${ratio} | ${mysqlToken ?? '–'} |`);
}
for (const { site } of sites) await site.close();
rmSync(work, { recursive: true, force: true });
process.exit(0);
