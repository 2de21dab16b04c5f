// `npm start` says what it does and ends with the address; `npm run dev` starts again when a source is saved.
// Database: SQLite alone, as nothing here has to do with the database.
// Time: about 17 s
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { freePort } from '@mortise/plugin-sdk/testing';
import { root } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

describe('starting from a clone', { timeout: 600_000 }, () => {
  let folder;
  let env;
  let port;
  let child;
  let log = '';
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-start-'));
    port = await freePort();
    env = {
      ...process.env,
      MORTISE_WORK_DIR: join(folder, 'data'),
      MORTISE__server__HTTP_PORT: String(port),
      MORTISE__server__SSH_PORT: '0',
      MORTISE__server__WORKERS: '1',
      MORTISE__log__FORMAT: 'text',
      MORTISE__log__LEVEL: 'info',
    };
  });
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  afterEach(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await ended;
    }
  });

  function start(script) {
    log = '';
    child = spawn(process.execPath, [join(root, 'core', 'bin', script)], { env, cwd: folder });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  }
  async function until(what) {
    for (let tries = 0; !what(); tries++) {
      if (child.exitCode !== null || tries > 6000) throw new Error(`it did not happen:\n${log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const timesReady = () => log.split('is ready: ').length - 1;

  it('npm start ends with the address, after what it did', async () => {
    start('start.mjs');
    await until(() => timesReady() === 1);
    const lines = log.trim().split('\n');
    expect(log).to.contain('Starting Mortise for the first time');
    expect(lines.at(-1)).to.contain(`http://localhost:${port}/`).and.contain('Ctrl+C');
  });

  it('npm run dev builds and starts again when a file is saved', async () => {
    start('dev.mjs');
    await until(() => timesReady() === 1);
    const now = new Date();
    utimesSync(join(root, 'plugins', 'stars', 'package.json'), now, now);
    await until(() => timesReady() === 2);
    expect(log).to.match(/stars\/package\.json changed: building[^]*starting again/);
    expect((await fetch(`http://127.0.0.1:${port}/api/livez`)).status).to.equal(200);
  });
});
