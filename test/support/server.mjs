// A real server process on a fresh work folder, for tests that cross plugins.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@mortise/plugin-sdk/testing';
import { pluginsBeside } from './plugin-names.mjs';
import { handOnAssets, layTemplate } from './template.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const mortise = join(root, 'core/bin/mortise.mjs');
const mysqlClient = () => import('mysql2/promise');

/** Settings of the engine that this run tests: SQLite, or a database of its own on the MariaDB of the test run. */
export async function engineSettings(name, engine = process.env.MORTISE_TEST_ENGINE) {
  if (engine !== 'mysql') return {};
  const url = new URL(process.env.MORTISE_TEST_MYSQL);
  const { createConnection } = await mysqlClient();
  const connection = await createConnection({ host: url.hostname, port: Number(url.port), user: 'root' });
  await connection.query(`CREATE DATABASE \`${name}\``);
  await connection.end();
  return {
    MORTISE__database__DB_TYPE: 'mysql',
    MORTISE__database__HOST: url.host,
    MORTISE__database__NAME: name,
    MORTISE__database__USER: 'root',
    MORTISE__database__PASSWD: '',
  };
}

/**
 * Prepares a work folder with the administrator `root` / `password` and starts the server. In a run of many tests the
 * folder is a copy of one whose server started before; `fresh`: it is empty, as at a first start. With `start: false`
 * nothing runs yet. `plugins`: those alone that the test is about, with what they build upon and what signs people in;
 * else all.
 * Gives { base, start, stop, kill, api, cli, git, workDir, close }.
 */
export async function startServer({
  settings = {},
  plugins,
  workers = 1,
  admin = true,
  fresh = !admin,
  start = true,
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mortise-e2e-'));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    MORTISE_WORK_DIR: join(folder, 'data'),
    MORTISE__server__HTTP_PORT: String(port),
    MORTISE__server__HTTP_ADDR: '127.0.0.1',
    MORTISE__server__SSH_PORT: '0',
    MORTISE__server__ROOT_URL: base,
    MORTISE__server__WORKERS: String(workers),
    MORTISE__log__LEVEL: 'warn',
    MORTISE__security__ALLOWED_HOST_LIST: '*',
    // nobody is to guess these passwords
    MORTISE__security__PASSWORD_HASH_ALGO: 'argon2$1$8$1$32',
    ...(await engineSettings(`mortise_e2e_${process.pid}_${Date.now() % 1e9}`)),
    ...(plugins && {
      MORTISE__plugins__DISABLED: pluginsBeside('admin', 'sessions', 'auth-basic', 'auth-token', ...plugins),
    }),
    ...settings,
  };
  const engine = env.MORTISE__database__NAME ? 'mysql' : 'sqlite';
  let child;
  let log = '';
  /** How the server ended by itself, though nobody asked it to. */
  let death;
  let isWanted = false;
  // A test that waits for what a dead server owes it would end the run silently, and well as it seems.
  const unfinished = () => {
    console.error(`the tests ended in the middle${death ? `: ${death}` : ''}\n${log.slice(-4000)}`);
    process.exitCode = 1;
  };
  process.once('beforeExit', unfinished);

  const server = {
    base,
    folder,
    env,
    get log() {
      return log;
    },
    get pid() {
      return child?.pid;
    },
    get death() {
      return death;
    },
    /** Words for the command. */
    async start(...words) {
      child = spawn(process.execPath, [mortise, 'web', ...words], {
        env,
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const keep = (chunk) => (log = (log + chunk).slice(-200_000));
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      isWanted = true;
      death = undefined;
      const exited = new Promise((resolve) =>
        child.on('exit', (code, signal) => {
          if (isWanted) death = `the server ended by itself with ${signal ?? code}`;
          resolve(code ?? signal);
        }),
      );
      for (let tries = 0; tries < 6000; tries++) {
        const up = await fetch(`${base}/api/v1/version`).then(
          (answer) => answer.ok,
          () => false,
        );
        if (up) return server;
        const code = await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 50, 'running'))]);
        if (code !== 'running') throw new Error(`the server ended with ${code}\n${log}`);
      }
      throw new Error(`the server does not answer\n${log}`);
    },
    async stop() {
      isWanted = false;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGTERM');
      // Beyond its own patience (jobs, requests) it hangs.
      const clock = setTimeout(() => server.kill(), 120_000);
      await ended;
      clearTimeout(clock);
    },
    /** SIGKILL to the whole group: the server, its workers and their git processes. */
    async kill() {
      isWanted = false;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.on('exit', resolve));
      process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
    cli(...args) {
      const run = spawnSync(process.execPath, [mortise, ...args], { env, cwd: root, encoding: 'utf8' });
      return { code: run.status, out: run.stdout, err: run.stderr };
    },
    /** One API call as `as` (name:password or a token); gives { status, json, headers, text }. */
    async api(method, path, { as = 'root:password', body, headers = {} } = {}) {
      const authorization = !as
        ? {}
        : { authorization: as.includes(':') ? `Basic ${Buffer.from(as).toString('base64')}` : `token ${as}` };
      const answer = await fetch(path.startsWith('http') ? path : `${base}/api/v1${path}`, {
        method,
        redirect: 'manual',
        headers: { ...authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      });
      const text = await answer.text();
      let json;
      try {
        json = JSON.parse(text);
      } catch {
        /* not JSON */
      }
      return { status: answer.status, headers: answer.headers, text, json };
    },
    /** Runs git in `cwd` as `as`; gives { code, out, err }. Asynchronous, so that receivers of this process go on. */
    git(args, { cwd = folder, as = 'root:password', env: more = {} } = {}) {
      const header = as ? ['-c', `http.extraHeader=Authorization: Basic ${Buffer.from(as).toString('base64')}`] : [];
      return new Promise((resolve) => {
        const run = spawn('git', [...header, ...args], {
          cwd,
          env: {
            ...process.env,
            HOME: folder,
            GIT_TERMINAL_PROMPT: '0',
            GIT_CONFIG_NOSYSTEM: '1',
            GIT_AUTHOR_NAME: 'Ada',
            GIT_AUTHOR_EMAIL: 'ada@example.com',
            GIT_COMMITTER_NAME: 'Ada',
            GIT_COMMITTER_EMAIL: 'ada@example.com',
            ...more,
          },
        });
        let out = '';
        let err = '';
        run.stdout.on('data', (chunk) => (out += chunk));
        run.stderr.on('data', (chunk) => (err += chunk));
        run.on('close', (code) => resolve({ code, out, err }));
      });
    },
    async close() {
      process.off('beforeExit', unfinished);
      await server.stop();
      handOnAssets(engine, env.MORTISE_WORK_DIR);
      // a git process may just be ending in it
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
  const isLaid = !fresh && layTemplate(engine, env.MORTISE_WORK_DIR, env.MORTISE__database__NAME);
  if (admin && !isLaid) {
    const made = server.cli(
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
    );
    if (made.code !== 0) throw new Error(`${made.out}\n${made.err}`);
  }
  return start ? server.start() : server;
}
