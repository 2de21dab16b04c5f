#!/usr/bin/env node
// Measures the rows of the peer figures against a yardstick in one run and writes bench/results/<name>.md.
//
//   node bench/run.mjs [--name NAME] [--seconds 4] [--commits 6000] [--users 10] [--only repo]
//
// One worker, SQLite, 8 connections, anonymous reads; the load generator runs on the same machine.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { makeRepository } from './make-repository.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: {
    name: { type: 'string', default: 'latest' },
    seconds: { type: 'string', default: '4' },
    commits: { type: 'string', default: '6000' },
    users: { type: 'string', default: '10' },
    only: { type: 'string' },
  },
});
const seconds = Number(options.seconds);
const work = mkdtempSync(join(tmpdir(), 'mortise-bench-'));
const port = 4600 + (process.pid % 300);
const base = `http://127.0.0.1:${port}`;
const environment = {
  ...process.env,
  NODE_ENV: 'production',
  MORTISE_WORK_DIR: join(work, 'data'),
  MORTISE__server__HTTP_PORT: String(port),
  MORTISE__server__HTTP_ADDR: '127.0.0.1',
  MORTISE__server__SSH_PORT: '0',
  MORTISE__server__ROOT_URL: base,
  MORTISE__server__WORKERS: '1',
  MORTISE__log__LEVEL: 'warn',
  MORTISE__git__MAINTENANCE_DELAY: '1',
};
const mortise = join(root, 'core/bin/mortise.mjs');
const authorization = `Basic ${Buffer.from('root:password').toString('base64')}`;

async function untilUp(url, started = performance.now()) {
  for (let tries = 0; tries < 600; tries++) {
    try {
      const answer = await fetch(url);
      await answer.arrayBuffer();
      if (answer.status < 500) return performance.now() - started;
    } catch {
      /* not yet */
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${url} does not answer`);
}

const serve = () =>
  spawn(process.execPath, [mortise, 'web'], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
const stop = (child) =>
  new Promise(
    (resolve) => (
      child.on('exit', resolve),
      child.kill('SIGTERM'),
      setTimeout(() => child.kill('SIGKILL'), 8000).unref()
    ),
  );
async function api(method, path, body) {
  const answer = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (answer.status >= 300 && answer.status !== 409)
    throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json().catch(() => undefined);
}

async function load(url, headers, duration = seconds) {
  const result = await autocannon({ url, connections: 8, duration, headers });
  const bad = result.non2xx + result.errors + result.timeouts;
  return { rate: result.requests.average, p99: result.latency.p99, bad };
}

function gitOnce(args) {
  const target = mkdtempSync(join(work, 'clone-'));
  const begin = performance.now();
  const done = spawnSync('git', args(join(target, 'x')), {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
  });
  if (done.status !== 0) throw new Error(done.stderr);
  const seconds = (performance.now() - begin) / 1000;
  rmSync(target, { recursive: true, force: true });
  return seconds;
}

/** Medians, measured in turn: what else the machine does falls on all alike. */
function gitSeconds(commands, runs = 5) {
  const times = commands.map(() => []);
  for (let run = 0; run < runs; run++) commands.forEach((args, side) => times[side].push(gitOnce(args)));
  return times.map((list) => list.sort((a, b) => a - b)[Math.floor(runs / 2)]);
}

// ---------------------------------------------------------------- set-up

spawnSync(
  process.execPath,
  [
    mortise,
    'admin',
    'user',
    'create',
    '--admin',
    '--username',
    'root',
    '--password',
    'password',
    '--email',
    'root@example.com',
  ],
  { env: environment, stdio: 'inherit' },
);
let server = serve();
await untilUp(`${base}/api/v1/version`);
await stop(server);
const startedAt = performance.now();
server = serve();
const startMs = await untilUp(`${base}/api/v1/version`, startedAt);
await new Promise((resolve) => setTimeout(resolve, 3000));
const idleMb = memory(server.pid);

await api('POST', '/user/repos', { name: 'big' });
for (let n = 0; n < Number(options.users); n++) {
  await api('POST', '/admin/users', {
    username: `user${n}`,
    email: `user${n}@example.com`,
    password: 'Tr1cky-passw0rd!',
    must_change_password: false,
  });
}
const source = join(work, 'source.git');
await makeRepository(source, { commits: Number(options.commits) });
const pushed = spawnSync(
  'git',
  [
    '-C',
    source,
    '-c',
    `http.extraHeader=Authorization: ${authorization}`,
    '-c',
    'http.postBuffer=500000000',
    'push',
    '-q',
    `${base}/root/big.git`,
    '--all',
  ],
  { encoding: 'utf8' },
);
if (pushed.status !== 0) throw new Error(pushed.stderr);
// the maintenance after a push is not what is measured; it begins at once here, and ends in this time
await new Promise((resolve) => setTimeout(resolve, 20_000));
const token = (await api('POST', '/users/root/tokens', { name: 'bench', scopes: ['all'] })).sha1;

// ---------------------------------------------------------------- the rows

const rows = [
  ['version', '/api/v1/version', 40],
  ['repo get', '/api/v1/repos/root/big', 16],
  ['repo get, token', '/api/v1/repos/root/big', undefined, { authorization: `token ${token}` }],
  ['user get', '/api/v1/users/root', 20],
  ['contents file', '/api/v1/repos/root/big/contents/README', 6.1],
  ['contents root dir', '/api/v1/repos/root/big/contents', 5.2],
  ['raw file', '/api/v1/repos/root/big/raw/README', 4.6],
  ['branches', '/api/v1/repos/root/big/branches', 4.4],
  ['branch get', '/api/v1/repos/root/big/branches/older', 5.4],
  ['commits 30 light', '/api/v1/repos/root/big/commits?limit=30&stat=false&files=false&verification=false', 1.7],
  ['commits 10 full', '/api/v1/repos/root/big/commits?limit=10', 0.8],
  ['tree recursive', '/api/v1/repos/root/big/git/trees/older?recursive=true&per_page=1000', 4.5],
  ['compare 200 commits', '/api/v1/repos/root/big/compare/older...main', undefined],
  ['repo search', '/api/v1/repos/search?q=big', 11],
  ['ls-refs (git)', '/root/big.git/info/refs?service=git-upload-pack', 9.5],
  ['web: repo home', '/root/big', 0.5],
  ['web: file view', '/root/big/src/branch/main/README', 2.4],
  ['web: commit list', '/root/big/commits/branch/main', 1],
].filter(([name]) => !options.only || name.includes(options.only));

const yardPort = port + 1;
const yard = spawn(process.execPath, [join(root, 'bench/yardstick.mjs'), String(yardPort)], { stdio: 'ignore' });
await untilUp(`http://127.0.0.1:${yardPort}/`);
await load(`http://127.0.0.1:${yardPort}/`);
/** The machine is not equally fast all the time: each row is set against the yardstick just before and after it. */
const yardsticks = [];
const measureYardstick = async () => yardsticks.push((await load(`http://127.0.0.1:${yardPort}/`, undefined, 2)).rate);
await measureYardstick();

const lines = [];
for (const [name, path, goal, headers] of rows) {
  const begin = performance.now();
  const first = await fetch(base + path, { headers });
  await first.arrayBuffer();
  const cold = performance.now() - begin;
  await load(base + path, headers, 1);
  const { rate, p99, bad } = await load(base + path, headers);
  await measureYardstick();
  const [before, after] = yardsticks.slice(-2);
  const share = (200 * rate) / (before + after);
  lines.push(
    `| ${name} | \`${path}\` | ${first.status} | ${cold.toFixed(0)} | ${rate.toFixed(0)} | ${share.toFixed(2)} % | ${p99} | ${goal ? `${goal} %` : '–'} | ${bad ? `${bad} failed` : !goal ? '–' : share >= goal ? 'met' : 'missed'} |`,
  );
  console.log(lines.at(-1));
}
yard.kill();

const replayPort = port + 2;
const replay = spawn(process.execPath, [join(root, 'bench/replay.mjs'), String(replayPort), base], { stdio: 'ignore' });
await untilUp(`http://127.0.0.1:${replayPort}/api/v1/version`);
// of ls-remote most is the start of the client's processes (docs/decisions/0009)
const git = [
  ['full clone (bare)', (url) => (target) => ['clone', '-q', '--bare', url, target], '≤ 1.1× of `file://`', 5],
  [
    'shallow clone',
    (url) => (target) => ['clone', '-q', '--bare', '--depth', '1', url, target],
    '≤ 1.0× of `file://`',
    5,
  ],
  ['ls-remote', (url) => () => ['ls-remote', '-q', url], '≤ 1.2× of the bare server', 41],
].map(([name, args, goal, runs]) => {
  const places = [`file://${source}`, `http://127.0.0.1:${replayPort}/root/big.git`, `${base}/root/big.git`];
  const [local, bare, remote] = gitSeconds(places.map(args), runs);
  const ratio = (to) => `${(remote / to).toFixed(2)}×`;
  const ms = (seconds) => `${(seconds * 1000).toFixed(1)} ms`;
  return `| ${name} | ${ms(local)} | ${ms(bare)} | ${ms(remote)} | ${ratio(local)} | ${ratio(bare)} | ${goal} |`;
});
replay.kill();
const afterMb = memory(server.pid);
await stop(server);

const text = `# Benchmark: ${options.name}

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} cores, one worker, SQLite, load generator on the same machine,
8 connections, ${seconds} s a row after 1 s of warming up. Repository: ${options.commits} commits; ${options.users} further users.

Yardstick (bare Node HTTP server, 3 KB of JSON), measured before and after each row: ${Math.min(...yardsticks).toFixed(0)} to ${Math.max(...yardsticks).toFixed(0)} req/s.
Start with a migrated database: ${startMs.toFixed(0)} ms. Memory: ${idleMb.toFixed(0)} MB idle, ${afterMb.toFixed(0)} MB after the run.

| operation | request | status | first ms | req/s | % of yardstick | p99 ms | goal | |
|---|---|---|---|---|---|---|---|---|
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
