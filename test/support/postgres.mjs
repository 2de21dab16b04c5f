// A PostgreSQL of Debian's package, for tests that read a database of another server.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@mortise/plugin-sdk/testing';

const versions = '/usr/lib/postgresql';

function programs() {
  if (!existsSync(versions)) return undefined;
  const folders = readdirSync(versions).map((version) => join(versions, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

const numberOf = (flag) =>
  Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim() || Number.NaN);

async function answers(port) {
  for (let tries = 0; tries < 600; tries++) {
    const isOpen = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('connect', () => (socket.destroy(), resolve(true)));
      socket.on('error', () => resolve(false));
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('PostgreSQL does not answer');
}

/** Its user is `postgres`, without a password. Undefined where it is not installed. */
export async function startPostgres() {
  const bin = programs();
  const isRoot = process.getuid?.() === 0;
  // it refuses to run as root
  const user = isRoot ? { uid: numberOf('-u'), gid: numberOf('-g') } : {};
  if (!bin || (isRoot && Number.isNaN(user.uid))) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'mortise-postgres-'));
  if (isRoot) chownSync(folder, user.uid, user.gid);
  const options = { ...user, cwd: folder, encoding: 'utf8' };
  const data = join(folder, 'data');
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8'],
    options,
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off'];
  const child = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...options,
    stdio: 'ignore',
  });
  await answers(port);
  return {
    port,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
