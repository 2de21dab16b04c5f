#!/usr/bin/env node
// Measures accounts, organizations, teams and rights with very many people, and writes bench/results/<name>.md.
//
//   node bench/people.mjs [--name people] [--seconds 3] [--users 100000] [--organizations 1000] [--teams 10000]
//                         [--only team] [--mysql ADDRESS]
//
// One worker, 8 connections, each request with a token; the load generator runs on the same machine. Each row on SQLite
// and on MariaDB (default: that of MORTISE_TEST_MYSQL), quiet and with small writes beside it, and the same with a
// hundredth of the people: what it costs must not grow with them.
import { parseArgs } from 'node:util';
import { measureGrowth } from './growth.mjs';
import { addPeople, peopleRows } from './people-data.mjs';

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

await measureGrowth({
  options,
  few,
  many,
  goals,
  about: `With a token. ${many.users} people, ${many.organizations} organizations, ${many.teams} teams; few: ${few.users}, ${few.organizations} and ${few.teams}.`,
  prepare: (site) => site.api('POST', '/user/repos', { name: 'big', auto_init: true }),
  add: async (knex, numbers) => ({ teamId: (await addPeople(knex, numbers)).teamId }),
  tables: ['user', 'team', 'team_member', 'organization_member', 'repository'],
  async ready(site, { teamId }) {
    const headersOf = async (name) => {
      const token = await site.api('POST', `/users/${name}/tokens`, { name: 'bench', scopes: ['all'] });
      return { authorization: `token ${token.sha1}` };
    };
    return {
      teamId,
      headers: { admin: await headersOf('root'), owner: await headersOf('crowd0'), member: await headersOf('crowd1') },
    };
  },
  rows: ({ teamId, headers }) => peopleRows(teamId).map(([name, path, who]) => [name, `/api/v1${path}`, headers[who]]),
});
