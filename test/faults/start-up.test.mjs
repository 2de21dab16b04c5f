// F5 and F6: a server waits for its database and for Redis, at the start and when a worker is replaced, and lives on
// when its log cannot be written.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root, startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

async function until(what, about) {
  for (const end = Date.now() + 300_000; Date.now() < end;) {
    const found = await what();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it did not happen: ${about}`);
}

/** A way to another server that can be cut and opened again; a program of its own, since kits wait for others. */
async function gateTo(host, port) {
  const child = spawn(process.execPath, ['-e', `(${gateProgram})(${JSON.stringify(host)}, ${port})`], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ask = (what) =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send(what);
    });
  return { port: await ask('open'), open: () => ask('open'), shut: () => ask('shut'), end: () => child.kill() };
}

/** Evaluated as a program of its own. */
function gateProgram(host, port) {
  // oxlint-disable-next-line no-undef, typescript/no-require-imports
  const { connect, createServer } = require('node:net');
  const open = new Set();
  let listener;
  let own = 0;
  process.on('message', (what) => {
    if (what === 'shut') {
      listener.close(() => process.send('shut'));
      for (const socket of open) socket.destroy();
      return;
    }
    listener = createServer((client) => {
      const server = connect(port, host);
      for (const [one, other] of [
        [client, server],
        [server, client],
      ]) {
        open.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => (open.delete(one), other.destroy()));
      }
      client.pipe(server).pipe(client);
    });
    listener.listen(own, '127.0.0.1', () => process.send((own = listener.address().port)));
  });
}

const engines = [];
if (process.env.MORTISE_TEST_ENGINE === 'mysql') {
  const { hostname, port } = new URL(process.env.MORTISE_TEST_MYSQL);
  engines.push({
    name: 'the database',
    host: hostname,
    port: Number(port),
    settings: (gate) => ({ MORTISE__database__HOST: `127.0.0.1:${gate.port}` }),
    says: 'the database server does not answer',
  });
} else if (process.env.MORTISE_TEST_REDIS) {
  const { hostname, port } = new URL(process.env.MORTISE_TEST_REDIS);
  engines.push({
    name: 'Redis',
    host: hostname,
    port: Number(port),
    settings: (gate) => ({ MORTISE__redis__CONN_STR: `redis://127.0.0.1:${gate.port}` }),
    says: 'Redis does not answer; trying again',
  });
}

/** Looked at many times a second: a process for each look would cost more than the servers. */
const workersOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // ended
  }
};

for (const engine of engines) {
  describe(`F5: a server whose ${engine.name} is away`, { timeout: 900_000 }, () => {
    let gate;
    let server;
    before(async () => {
      gate = await gateTo(engine.host, engine.port);
      server = await startServer({ workers: 2, settings: engine.settings(gate) });
    });
    after(async () => {
      await server?.close();
      gate?.end();
    });

    it('waits at the start, says so, and serves as soon as it is back', async () => {
      await server.stop();
      await gate.shut();
      const starting = server.start();
      await until(() => server.log.includes(engine.says), 'a line in the log');
      await gate.open();
      await starting;
      expect(server.death).to.be.undefined();
    });

    it('goes on when a worker is replaced meanwhile, and ends nothing', async () => {
      await until(() => workersOf(server.pid).length === 2, 'two workers');
      const before = server.log.length;
      await gate.shut();
      const [victim] = workersOf(server.pid);
      process.kill(victim, 'SIGKILL');
      await until(() => server.log.slice(before).includes(engine.says), 'a line in the log');
      expect(server.death).to.be.undefined();
      await gate.open();
      await until(
        () => workersOf(server.pid).length === 2 && !workersOf(server.pid).includes(victim),
        'another worker',
      );
      await until(async () => (await server.api('GET', '/version').catch(() => ({}))).status === 200, 'an answer');
      await until(async () => (await server.api('GET', '/user').catch(() => ({}))).status === 200, 'an account');
      expect(server.death).to.be.undefined();
    });
  });
}

describe('F5: a server whose settings are wrong', { timeout: 600_000 }, () => {
  it('ends at once, and says why', async () => {
    const server = await startServer({ admin: false, start: false });
    const run = spawnSync(process.execPath, ['core/bin/mortise.mjs', 'web'], {
      cwd: root,
      encoding: 'utf8',
      env: { ...server.env, MORTISE__server__WORKERS: '2', MORTISE__server__HTTP_PORT: 'many' },
    });
    expect(run.status).to.equal(1);
    expect(run.stderr).to.contain('[server] HTTP_PORT');
    await server.close();
  });
});

describe('F6: a server whose log cannot be written', { timeout: 600_000, skip: !existsSync('/dev/full') }, () => {
  it('a server whose log cannot be written keeps its workers', async () => {
    const server = await startServer({ start: false });
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['core/bin/mortise.mjs', 'web'], {
      cwd: root,
      env: {
        ...server.env,
        MORTISE__server__WORKERS: '2',
        MORTISE__log__LEVEL: 'debug',
        MORTISE__database__LOG_SQL: 'true',
      },
      stdio: ['ignore', full, full],
    });
    closeSync(full);
    try {
      await until(
        () =>
          fetch(`${server.base}/api/v1/version`).then(
            (answer) => answer.ok,
            () => false,
          ),
        'an answer',
      );
      const workers = await until(() => workersOf(child.pid).length === 2 && workersOf(child.pid), 'two workers');
      // each of them writes to its log
      for (let n = 0; n < 100; n++)
        expect(
          (await fetch(`${server.base}/api/v1/users/nobody`, { headers: { connection: 'close' } })).status,
        ).to.equal(404);
      expect(workersOf(child.pid)).to.equal(workers);
    } finally {
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGTERM');
      expect(await ended).to.equal(0);
      await server.close();
    }
  });
});
