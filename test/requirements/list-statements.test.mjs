// F9: what a list costs does not depend on its length: at most eight statements for fifty rows, with nothing cached.
// Time: about 60 s
import { generateKeyPairSync } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHost } from '@mortise/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { pluginNames } from '../support/plugin-names.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const rows = 50;
const maxStatements = 8;
const each = Array.from({ length: rows }, (_, number) => number);

/** Lists that have fifty rows here. The others are asked too, with fewer. */
const long = [
  '/user/repos',
  '/user/starred',
  '/user/subscriptions',
  '/user/followers',
  '/user/following',
  '/user/keys',
  '/user/hooks',
  '/user/blocks',
  '/user/security-log',
  '/users/owner/repos',
  '/users/owner/followers',
  '/users/owner/following',
  '/users/owner/keys',
  '/users/owner/starred',
  '/users/owner/subscriptions',
  '/users/owner/tokens',
  '/users/owner/activities/feeds',
  '/users/search',
  '/repos/search',
  '/repos/owner/main/audit-log',
  '/repos/owner/main/forks',
  '/repos/owner/main/stargazers',
  '/repos/owner/main/subscribers',
  '/repos/owner/main/collaborators',
  '/repos/owner/main/assignees',
  '/repos/owner/main/reviewers',
  '/repos/owner/main/keys',
  '/repos/owner/main/hooks',
  '/repos/owner/main/branches',
  '/repos/owner/main/tags',
  '/repos/owner/main/commits',
  '/repos/owner/main/releases',
  '/repos/owner/main/git/refs',
  '/repos/owner/main/contents',
  '/repos/owner/main/statuses/main',
  '/repos/owner/main/commits/main/statuses',
  '/repos/owner/main/branch_protections',
  '/repos/owner/main/tag_protections',
  '/repos/owner/main/activities/feeds',
  '/packages/owner',
  '/admin/users',
  '/admin/audit',
  '/admin/emails',
  '/admin/emails/search',
  '/admin/hooks',
  '/admin/plugins',
];

/** A public key as SSH writes it. */
function sshKey() {
  const { publicKey } = generateKeyPairSync('ed25519');
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const part = (data) => Buffer.concat([Buffer.from([0, 0, 0, data.length]), data]);
  return `ssh-ed25519 ${Buffer.concat([part(Buffer.from('ssh-ed25519')), part(bytes)]).toString('base64')}`;
}

async function mysqlSettings(name) {
  const url = new URL(process.env.MORTISE_TEST_MYSQL);
  const connection = await createConnection({ host: url.hostname, port: Number(url.port), user: 'root' });
  await connection.query(`create database \`${name}\``);
  return {
    database: { DB_TYPE: 'mysql', HOST: url.host, NAME: name, USER: 'root' },
    drop: async () => {
      await connection.query(`drop database \`${name}\``);
      await connection.end();
    },
  };
}

describe('F9: statements of lists', { timeout: 900_000 }, () => {
  let host;
  let folder;
  let mysql;
  let statements = [];
  const actors = {};

  async function as(name, method, path, payload) {
    const answer = await host.inject({
      method,
      url: `/api/v1${path}`,
      payload: payload && JSON.stringify(payload),
      headers: payload ? { 'content-type': 'application/json' } : {},
      app: { mortiseActor: actors[name] },
    });
    let json;
    try {
      json = JSON.parse(answer.payload);
    } catch {
      /* not JSON */
    }
    return { status: answer.statusCode, payload: answer.payload, json };
  }
  async function make(name, method, path, payload) {
    const made = await as(name, method, path, payload);
    if (made.status >= 300) throw new Error(`${method} ${path}: ${made.status} ${made.payload}`);
    return made.json;
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-lists-'));
    if (process.env.MORTISE_TEST_ENGINE === 'mysql')
      mysql = await mysqlSettings(`mortise_lists_${process.pid}_${Date.now() % 1e9}`);
    host = await createHost({
      workDir: folder,
      environment: {},
      plugins: pluginNames(),
      settings: {
        server: { HTTP_PORT: 0, HTTP_ADDR: '127.0.0.1', WORKERS: 1 },
        security: { SECRET_KEY: 'ab'.repeat(32) },
        ...(mysql && { database: mysql.database }),
      },
      logLevel: 'none',
      actorOf: (app) => app?.mortiseActor,
      onStatement: (sql) => statements.push(sql),
    });
    await host.start({ background: false });
    await fill();
  });
  after(async () => {
    await host?.stop();
    await mysql?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function user(name, isAdmin = false) {
    await host.runCommand(
      'admin user create',
      { username: name, password: 'Tr1cky-passw0rd!', email: `${name}@example.com`, admin: isAdmin },
      () => {},
    );
    const id = Object.keys(actors).length + 1;
    actors[name] = {
      kind: 'user',
      id,
      name,
      isAdmin,
      isRestricted: false,
      method: 'test',
      publicOnly: false,
    };
    expect((await as(name, 'GET', '/user')).json.login).to.equal(name);
  }

  async function fill() {
    await user('root', true);
    await user('owner');
    const main = '/repos/owner/main';
    await make('owner', 'POST', '/user/repos', { name: 'main', auto_init: true });
    for (const n of each) {
      const other = `user${n}`;
      await user(other);
      await make(other, 'PUT', '/user/following/owner');
      await make('owner', 'PUT', `/user/following/${other}`);
      await make(other, 'PUT', '/user/starred/owner/main');
      await make(other, 'PUT', `${main}/subscription`);
      await make(other, 'POST', `${main}/forks`, {});
      await make('owner', 'PUT', `/user/starred/${other}/main`);
      await make('owner', 'PUT', `/repos/${other}/main/subscription`);
      await make('owner', 'PUT', `${main}/collaborators/${other}`, { permission: 'write' });
      await make('owner', 'POST', '/user/repos', { name: `repo${n}`, private: n % 2 === 1 });
      await make('owner', 'POST', '/user/keys', { title: `key ${n}`, key: sshKey() });
      await make('owner', 'POST', `${main}/keys`, { title: `key ${n}`, key: sshKey(), read_only: true });
      await make(`user${n}`, 'POST', `${main}/branches`, { new_branch_name: `branch${n}` });
      await make('owner', 'POST', `${main}/tags`, { tag_name: `tag${n}`, target: 'main' });
      await make('owner', 'POST', `${main}/releases`, { tag_name: `tag${n}`, name: `Release ${n}` });
      await make('owner', 'POST', `${main}/branch_protections`, { rule_name: `keep${n}`, enable_push: false });
      await make('owner', 'POST', `${main}/tag_protections`, { name_pattern: `v${n}`, whitelist_usernames: [other] });
      for (const [by, hooks, more] of [
        ['owner', `${main}/hooks`],
        ['owner', '/user/hooks'],
        ['root', '/admin/hooks', { is_system_webhook: true }],
      ]) {
        const config = { url: `https://example.com/${n}`, content_type: 'json', ...more };
        await make(by, 'POST', hooks, { type: 'gitea', config, events: ['push'] });
      }
      await make(other, 'POST', `${main}/contents/file${n}.txt`, {
        content: Buffer.from(`text ${n}`).toString('base64'),
        message: `Add ${n}`,
        author: { name: other, email: `${other}@example.com` },
      });
      await package_(n);
    }
    for (const n of each) {
      await user(`blocked${n}`);
      await make('owner', 'PUT', `/user/blocks/blocked${n}`);
      await make(`user${n}`, 'POST', `${main}/statuses/main`, { state: 'success', context: `check ${n}` });
    }
    actors.basic = { ...actors.owner, method: 'basic' };
    for (const n of each) {
      const made = await host.inject({
        method: 'POST',
        url: '/api/v1/users/owner/tokens',
        payload: JSON.stringify({ name: `token ${n}`, scopes: ['all'] }),
        headers: { 'content-type': 'application/json' },
        app: { mortiseActor: actors.basic },
      });
      expect(made.statusCode, made.payload).to.equal(201);
    }
    await host.events.deliverAll();
  }

  async function package_(n) {
    const made = await host.inject({
      method: 'PUT',
      url: `/api/packages/owner/generic/package${n}/1.0/file.bin`,
      payload: 'content',
      app: { mortiseActor: actors.owner },
    });
    expect(made.statusCode, made.payload).to.equal(201);
  }

  /** Statements of one answer with nothing cached: a change of the schema empties every cache of rows. */
  async function cost(path, name) {
    await host.database.write(() => host.database.knex().raw('drop table if exists no_such_table'));
    statements = [];
    const answer = await as(name, 'GET', `${path}?limit=${rows}`);
    return { ...answer, statements: [...statements] };
  }
  const lengthOf = (json) => (Array.isArray(json) ? json.length : Array.isArray(json?.data) ? json.data.length : 0);

  it(`each costs at most ${maxStatements} for ${rows} rows`, async () => {
    const problems = [];
    for (const path of long) {
      const owner = path.startsWith('/admin') ? 'root' : path.endsWith('/tokens') ? 'basic' : 'owner';
      const { status, json, statements: made, payload } = await cost(path, owner);
      const length = lengthOf(json);
      // The check would be worth nothing with full caches.
      if (made.length === 0) problems.push(`${path}: no statement at all`);
      if (status !== 200 || length < rows - 1)
        problems.push(`${path}: ${status}, ${length} rows ${payload.slice(0, 200)}`);
      else if (made.length > maxStatements)
        problems.push(`${path}: ${made.length} statements\n  ${made.map((sql) => sql.slice(0, 160)).join('\n  ')}`);
    }
    expect(problems.join('\n')).to.equal('');
  });

  it('and no more for somebody with rights of their own', async () => {
    const problems = [];
    for (const path of long.filter((one) => !one.startsWith('/admin'))) {
      const { status, statements: made } = await cost(path, 'user7');
      if (status === 200 && made.length > maxStatements)
        problems.push(`${path}: ${made.length} statements\n  ${made.map((sql) => sql.slice(0, 160)).join('\n  ')}`);
    }
    expect(problems.join('\n')).to.equal('');
  });

  it('no list of the API is missing above', async () => {
    const names = { owner: 'owner', repo: 'main', username: 'owner', sha: 'main', ref: 'main' };
    const filled = (path) => path.slice('/api/v1'.length).replace(/\{(\w+)[?*\d]*\}/g, (_, name) => names[name] ?? '1');
    const paths = host
      .routes()
      .filter(({ value }) => value.method === 'GET' && value.path.startsWith('/api/v1/'))
      .map(({ value }) => filled(value.path));
    const missing = [];
    for (const path of new Set(paths)) {
      const { status, json, statements: made } = await cost(path, path.startsWith('/admin') ? 'root' : 'owner');
      if (status !== 200 || !(Array.isArray(json) || Array.isArray(json?.data))) continue;
      if (long.includes(path)) continue;
      if (lengthOf(json) >= rows - 1) missing.push(`${path} has ${lengthOf(json)} rows`);
      if (made.length > maxStatements) missing.push(`${path}: ${made.length} statements`);
    }
    expect(missing.join('\n')).to.equal('');
  });
});
