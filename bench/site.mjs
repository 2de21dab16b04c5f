// A Mortise server of its own for measuring, on SQLite or on a database of a MySQL server.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const authorization = `Basic ${Buffer.from('root:password').toString('base64')}`;

/** On a connection of its own: a kept one may be that of a server which has been stopped. Infinity: no answer. */
const statusOf = (url) =>
  new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    request.on('error', () => resolve(Infinity));
  });

/** Waits until the address answers; gives the milliseconds since `started`. */
export async function untilUp(url, started = performance.now()) {
  for (let tries = 0; tries < 6000; tries++) {
    if ((await statusOf(url)) < 500) return performance.now() - started;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${url} does not answer`);
}

async function mysqlSettings(url, name) {
  const { host, hostname, port, username, password } = new URL(url);
  const connection = await createConnection({ host: hostname, port: Number(port || 3306), user: username, password });
  await connection.query(`create database \`${name}\``);
  return {
    drop: async () => {
      await connection.query(`drop database \`${name}\``);
      await connection.end();
    },
    settings: {
      MORTISE__database__DB_TYPE: 'mysql',
      MORTISE__database__HOST: host,
      MORTISE__database__NAME: name,
      MORTISE__database__USER: username,
      MORTISE__database__PASSWD: password,
    },
  };
}

/**
 * `mysql`: address of a server; absent: SQLite. `tree`: another checkout of the project, built. With several `workers`,
 * processor time and memory are those of the process that looks after them.
 */
export async function makeSite({ work, port, mysql, tree = root, workers = 1 }) {
  const base = `http://127.0.0.1:${port}`;
  const database = mysql ? await mysqlSettings(mysql, `mortise_bench_${process.pid}_${port}`) : undefined;
  const mortise = join(tree, 'core/bin/mortise.mjs');
  const environment = {
    ...process.env,
    NODE_ENV: 'production',
    MORTISE_WORK_DIR: join(work, `data-${port}`),
    MORTISE__server__HTTP_PORT: String(port),
    MORTISE__server__HTTP_ADDR: '127.0.0.1',
    MORTISE__server__SSH_PORT: '0',
    MORTISE__server__ROOT_URL: base,
    MORTISE__server__WORKERS: String(workers),
    MORTISE__log__LEVEL: 'warn',
    MORTISE__git__MAINTENANCE_DELAY: '1',
    ...database?.settings,
  };
  const run = (...args) => spawnSync(process.execPath, [mortise, ...args], { env: environment, stdio: 'inherit' });
  run(...'admin user create --admin --username root --password password --email root@example.com'.split(' '));
  let server;

  const site = {
    base,
    /** Of its commands. */
    environment,
    /** Its database on the MySQL server. */
    database: database?.settings.MORTISE__database__NAME,
    /** Its database where that is a file. */
    databaseFile: join(work, `data-${port}`, 'data/mortise.db'),
    /** Starts the server; gives the milliseconds until it answers. */
    async start() {
      const started = performance.now();
      server = spawn(process.execPath, [mortise, 'web'], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
      return untilUp(`${base}/api/v1/version`, started);
    },
    stop: () =>
      new Promise((resolve) => {
        const ending = server;
        // one that ended by itself sends no second exit
        if (!ending || ending.exitCode !== null || ending.signalCode !== null) return resolve();
        ending.on('exit', resolve);
        ending.kill('SIGTERM');
        setTimeout(() => ending.kill('SIGKILL'), 8000).unref();
      }),
    /** Of the process that answers. */
    pid: () => server.pid,
    /** Resident memory, in MB. */
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    /** Processor time of the server and of what it ran and waited for until now, in ms. */
    cpuMs: () => {
      const [, fields] = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ');
      const ticks = fields.split(' ').slice(11, 15).map(Number);
      return ticks.reduce((sum, one) => sum + one, 0) * 10;
    },
    async api(method, path, body) {
      const response = await fetch(`${base}/api/v1${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
      });
      if (response.status >= 300 && response.status !== 409)
        throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.json().catch(() => undefined);
    },
    /** The repository `root/big` out of `source`, some accounts, and a token, which it gives. */
    async fill(source, users) {
      await site.api('POST', '/user/repos', { name: 'big' });
      // for the list of a user's repositories; an answer of many would measure the copying of its bytes
      for (let n = 1; n <= 2; n++)
        await site.api('POST', '/user/repos', { name: `small${n}`, description: `Repository ${n}` });
      for (let n = 0; n < users; n++) {
        await site.api('POST', '/admin/users', {
          username: `user${n}`,
          email: `user${n}@example.com`,
          password: 'Tr1cky-passw0rd!',
          must_change_password: false,
        });
      }
      const header = `http.extraHeader=Authorization: ${authorization}`;
      const pushed = spawnSync(
        'git',
        // oxfmt-ignore
        ['-C', source, '-c', header, '-c', 'http.postBuffer=500000000', 'push', '-q', `${base}/root/big.git`, '--all'],
        { encoding: 'utf8' },
      );
      if (pushed.status !== 0) throw new Error(pushed.stderr);
      return (await site.api('POST', '/users/root/tokens', { name: 'bench', scopes: ['all'] })).sha1;
    },
    /** Does not throw: what ended the measurement is the error to see. */
    async close() {
      await site.stop();
      await database?.drop().catch((error) => console.error(`its database was not removed: ${error.message}`));
    },
  };
  return site;
}
