#!/usr/bin/env node
// Measures accounts, organizations, teams and rights with very many people, and writes bench/results/<name>.md.
//
//   node bench/people.mjs [--name people] [--seconds 3] [--users 100000] [--organizations 1000] [--teams 10000]
//                         [--only team] [--mysql ADDRESS]
//
// One worker, 8 connections, each request with a token; the load generator runs on the same machine. Each row on SQLite
// and on MariaDB (default: that of MORTISE_TEST_MYSQL), quiet and with small writes beside it, and the same with a
// hundredth of the people: what it costs must not grow with them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, startYardstick, whileWriting } from './measure.mjs';
import { addPeople, peopleRows } from './people-data.mjs';
import { makeSite, root } from './site.mjs';

/** The library and the databases are those of the server. */
const knexOf = createRequire(join(root, 'core/package.json'))('knex');

const { values: options } = parseArgs({
  options: {
    name: { type: 'string', default: 'people' },
    seconds: { type: 'string', default: '3' },
    users: { type: 'string', default: '100000' },
    organizations: { type: 'string', default: '1000' },
    teams: { type: 'string', default: '10000' },
    only: { type: 'string' },
    mysql: { type: 'string', default: process.env.MORTISE_TEST_MYSQL },
  },
});
const seconds = Number(options.seconds);
const many = {
  users: Number(options.users),
  organizations: Number(options.organizations),
  teams: Number(options.teams),
};
const few = {
  users: Math.max(50, Math.round(many.users / 100)),
  organizations: Math.max(5, Math.round(many.organizations / 100)),
  teams: Math.max(55, Math.round(many.teams / 100)),
};
/** Of the yardstick in percent, as far as the peer has such a row (bench/rows.mjs). */
const goals = { 'user get': 20, 'user search': 11, 'repository, as its owner': 16, 'repository, in ten teams': 16 };

const work = mkdtempSync(join(tmpdir(), 'mortise-bench-people-'));
const port = 4900 + (process.pid % 90);

/** A server with the people in it, and tokens of those who ask. */
async function makeFull(numbers, at, mysql) {
  const site = await makeSite({ work, port: at, mysql });
  await site.start();
  await site.api('POST', '/user/repos', { name: 'big', auto_init: true });
  const writing = (await site.api('POST', '/users/root/tokens', { name: 'writes', scopes: ['all'] })).sha1;
  await site.stop();
  const { hostname, port: mysqlPort, username, password } = mysql ? new URL(mysql) : {};
  const knex = knexOf(
    mysql
      ? {
          client: 'mysql2',
          connection: {
            host: hostname,
            port: Number(mysqlPort || 3306),
            user: username,
            password,
            database: site.database,
          },
        }
      : {
          client: 'better-sqlite3',
          connection: { filename: join(work, `data-${at}`, 'data/mortise.db') },
          useNullAsDefault: true,
        },
  );
  const { teamId } = await knex.transaction((all) => addPeople(all, numbers));
  if (mysql) await knex.raw('analyze table user, team, team_member, organization_member, repository');
  else await knex.raw('analyze');
  await knex.destroy();
  await site.start();
  const tokenOf = async (name) =>
    (await site.api('POST', `/users/${name}/tokens`, { name: 'bench', scopes: ['all'] })).sha1;
  return {
    ...site,
    writing,
    teamId,
    tokens: { admin: await tokenOf('root'), owner: await tokenOf('crowd0'), member: await tokenOf('crowd1') },
  };
}

const yardstick = await startYardstick(port + 9);
const lines = [];
const engines = [['SQLite'], ...(options.mysql ? [['MariaDB', options.mysql]] : [])];
for (const [engine, mysql] of engines) {
  const shares = {};
  for (const [size, numbers] of Object.entries({ few, many })) {
    const site = await makeFull(numbers, port + (size === 'few' ? 1 : 2) + (mysql ? 2 : 0), mysql);
    for (const [name, path, who] of peopleRows(site.teamId)) {
      if (options.only && !name.includes(options.only)) continue;
      const url = `${site.base}/api/v1${path}`;
      const headers = { authorization: `token ${site.tokens[who]}` };
      const begin = performance.now();
      const first = await fetch(url, { headers });
      await first.arrayBuffer();
      const cold = performance.now() - begin;
      const measure = async () => {
        await load(url, headers, 1);
        return yardstick.against(() => load(url, headers, seconds));
      };
      const quiet = await measure();
      if (size === 'few') {
        shares[name] = quiet.share;
        continue;
      }
      const busy = await whileWriting(site.base, site.writing, measure);
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
    }
    await site.close();
  }
}
yardstick.stop();

const text = `# Benchmark: ${options.name}

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} cores, one worker, load generator on the same machine, 8 connections,
${seconds} s a figure after 1 s of warming up, with a token. ${many.users} people, ${many.organizations} organizations, ${many.teams} teams.

Yardstick (bare Node HTTP server, 3 KB of JSON), measured before and after each figure: ${Math.min(...yardstick.rates).toFixed(0)} to ${Math.max(...yardstick.rates).toFixed(0)} req/s.
"Of few": compared with ${few.users} people, ${few.organizations} organizations and ${few.teams} teams. "Busy": with twenty small writes a second
beside it, compared with quiet.

| database | operation | request | status | first ms | req/s | % of yardstick | p99 ms | goal | | of few | busy |
|---|---|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
mkdirSync(join(root, 'bench/results'), { recursive: true });
writeFileSync(join(root, 'bench/results', `${options.name}.md`), text);
console.log(text);
rmSync(work, { recursive: true, force: true });
process.exit(0);
