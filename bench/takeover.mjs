#!/usr/bin/env node
// Measures the takeover of a generated server of the compatible kind.
//
//   node bench/takeover.mjs [--repositories 200] [--commits 50000] [--issues 5000] [--packages 500] [--mysql ADDRESS]
//
// Goal: minutes on two cores, with at most 300 MB. Says how long the first pass, one without changes and the comparison
// took, and the highest memory of each.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeSite, root } from './site.mjs';

const { values: options } = parseArgs({
  options: {
    repositories: { type: 'string', default: '200' },
    commits: { type: 'string', default: '50000' },
    issues: { type: 'string', default: '5000' },
    packages: { type: 'string', default: '500' },
    users: { type: 'string', default: '200' },
    mysql: { type: 'string', default: process.env.MORTISE_TEST_MYSQL },
  },
});
const size = Object.fromEntries(
  ['repositories', 'commits', 'issues', 'packages', 'users'].map((key) => [key, Number(options[key])]),
);
const require = createRequire(new URL('../plugins/takeover/package.json', import.meta.url));
const Sqlite = require(Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-13' : 'better-sqlite3');
const created = 1700000000;
const each = (count, row) => Array.from({ length: count }, (_, n) => row(n + 2));

function insert(file, table, rows) {
  if (rows.length === 0) return;
  const names = Object.keys(rows[0]);
  const type = (name) =>
    name === 'id' ? 'integer primary key' : typeof rows[0][name] === 'number' ? 'integer' : 'text';
  file.exec(`create table "${table}" (${names.map((name) => `"${name}" ${type(name)}`).join()})`);
  const statement = file.prepare(`insert into "${table}" values (${names.map(() => '?').join()})`);
  file.transaction(() => rows.forEach((row) => statement.run(...Object.values(row))))();
}

function writeFileBelow(folder, path, content) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Commits of one repository, each with a file of its own text, as a stream for git-fast-import(1). */
function* commits(count, id) {
  for (let n = 0; n < count; n++) {
    const text = `Turn mill ${id} ${n} times\n`;
    yield `commit refs/heads/main\ncommitter Ada <ada@example.com> ${created + n} +0000\ndata ${text.length}\n${text}`;
    yield `M 644 inline src/${n % 50}.txt\ndata ${text.length}\n${text}\n`;
  }
}

function makeSource(folder) {
  writeFileBelow(folder, 'custom/conf/app.ini', '[database]\nDB_TYPE = sqlite3\n[security]\nSECRET_KEY = key\n');
  mkdirSync(join(folder, 'data'));
  const file = new Sqlite(join(folder, 'data', 'gitea.db'));
  const times = { created_unix: created, updated_unix: created };
  insert(file, 'version', [{ id: 1, version: 299 }]);
  insert(
    file,
    'user',
    each(size.users, (id) => ({ id, name: `user${id}`, lower_name: `user${id}`, type: 0, is_active: 1, ...times })),
  );
  insert(
    file,
    'repository',
    each(size.repositories, (id) => ({
      id,
      owner_id: 2 + (id % size.users),
      owner_name: `user${2 + (id % size.users)}`,
      name: `mill${id}`,
      lower_name: `mill${id}`,
      default_branch: 'main',
      ...times,
    })),
  );
  const repositoryOf = (id) => 2 + (id % size.repositories);
  insert(
    file,
    'repo_unit',
    each(size.repositories * 5, (id) => ({
      id,
      repo_id: 2 + Math.floor((id - 2) / 5),
      type: ((id - 2) % 5) + 1,
      config: '{}',
      created_unix: created,
    })),
  );
  const body = 'It **squeaks** at the third turn.\n\n```js\nturn(3);\n```\n';
  insert(
    file,
    'issue',
    each(size.issues, (id) => ({
      id,
      repo_id: repositoryOf(id),
      index: Math.floor(id / size.repositories) + 1,
      poster_id: 2 + (id % size.users),
      name: `Number ${id}`,
      content: body,
      is_closed: id % 3 === 0 ? 1 : 0,
      is_pull: 0,
      ...times,
    })),
  );
  insert(
    file,
    'comment',
    each(size.issues * 4, (id) => ({
      id,
      type: 0,
      poster_id: 2 + (id % size.users),
      issue_id: 2 + (id % size.issues),
      content: `Comment ${id}: ${body}`,
      ...times,
    })),
  );
  insertPackages(file, folder);
  file.close();
  const count = Math.ceil(size.commits / size.repositories);
  for (let id = 2; id < size.repositories + 2; id++) {
    const path = join(folder, 'data/gitea-repositories', `user${2 + (id % size.users)}`, `mill${id}.git`);
    mkdirSync(path, { recursive: true });
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', path]);
    execFileSync('git', ['fast-import', '--quiet'], { cwd: path, input: [...commits(count, id)].join('') });
  }
}

function insertPackages(file, folder) {
  const contents = new Map();
  for (let id = 2; id < size.packages + 2; id++)
    contents.set(id, Buffer.from(`content of package ${id}\n`.repeat(500)));
  const digest = (id, algorithm) => createHash(algorithm).update(contents.get(id)).digest('hex');
  for (const [id, content] of contents) {
    const sha256 = digest(id, 'sha256');
    writeFileBelow(join(folder, 'data/packages'), `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`, content);
  }
  const rows = (row) => each(size.packages, row);
  insert(
    file,
    'package',
    rows((id) => ({
      id,
      owner_id: 2,
      repo_id: 0,
      type: 'generic',
      name: `tool${id}`,
      lower_name: `tool${id}`,
      semver_compatible: 0,
      is_internal: 0,
    })),
  );
  insert(
    file,
    'package_version',
    rows((id) => ({
      id,
      package_id: id,
      creator_id: 2,
      version: '1.0',
      lower_version: '1.0',
      created_unix: created,
      is_internal: 0,
      metadata_json: 'null',
      download_count: 0,
    })),
  );
  insert(
    file,
    'package_blob',
    rows((id) => ({
      id,
      size: contents.get(id).length,
      hash_md5: digest(id, 'md5'),
      hash_sha1: digest(id, 'sha1'),
      hash_sha256: digest(id, 'sha256'),
      hash_sha512: digest(id, 'sha512'),
      created_unix: created,
    })),
  );
  insert(
    file,
    'package_file',
    rows((id) => ({
      id,
      version_id: id,
      blob_id: id,
      name: 'tool.txt',
      lower_name: 'tool.txt',
      composite_key: '',
      is_lead: 1,
      created_unix: created,
    })),
  );
}

const peakOf = (pid) => {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};

/** Runs a command of the site's installation; gives its seconds, its highest memory in MB and what it said. */
function measured(environment, ...args) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(process.execPath, [join(root, 'core/bin/mortise.mjs'), ...args], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let megabytes = 0;
    let text = '';
    const clock = setInterval(() => (megabytes = Math.max(megabytes, peakOf(child.pid))), 100);
    child.stdout.on('data', (chunk) => (text += chunk));
    child.on('close', (code) => {
      clearInterval(clock);
      if (code === null) reject(new Error(`${args.join(' ')} was killed`));
      else resolve({ seconds: (performance.now() - began) / 1000, megabytes, text, code });
    });
  });
}

const work = mkdtempSync(join(tmpdir(), 'mortise-takeover-'));
const source = join(work, 'source');
let site;
try {
  site = await makeSite({ work, port: 4500 + (process.pid % 90), mysql: options.mysql });
  makeSource(source);
  for (const [name, ...args] of [
    ['first pass', 'takeover', '--from', source],
    ['pass without changes', 'takeover', '--from', source],
    ['comparison', 'takeover', 'verify', '--from', source],
  ]) {
    const { seconds, megabytes, text, code } = await measured(site.environment, ...args);
    console.log(`${name}: ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB at most, ended with ${code}`);
    const kinds = text.split('\n').filter((line) => /: [1-9]\d* (?:read|compared)|differ:/.test(line));
    for (const line of kinds) console.log(`  ${line}`);
  }
} finally {
  await site?.close();
  rmSync(work, { recursive: true, force: true });
}
