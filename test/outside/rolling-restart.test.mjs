// A restart of all workers under load, by the API and by the command: what was switched takes effect, and no request fails.
// Time: about 60 s
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { pluginsBeside } from '../support/plugin-names.mjs';
import { root, startServer } from '../support/server.mjs';
import { layBadPlugin } from './bad-plugins.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const workers = 2;
/** Between two requests of a client: what starts meanwhile needs the processor. */
const pauseMs = 20;

describe('issue 30: a rolling restart', { timeout: 600_000 }, () => {
  let folder;
  let server;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-rolling-'));
    server = await startServer({ workers, start: false });
    const others = pluginsBeside('admin', 'sessions', 'auth-basic', 'git-http', 'history', 'issues', 'stars');
    writeFileSync(join(server.env.MORTISE_WORK_DIR, 'config', 'app.ini'), `[plugins]\nDISABLED = ${others}\n`);
    await server.start();
    await server.api('POST', '/user/repos', { body: { name: 'busy', auto_init: true } });
  });
  after(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The load goes on beside it. */
  async function command(...words) {
    const child = spawn(process.execPath, [join(root, 'core/bin/mortise.mjs'), ...words], {
      env: server.env,
      cwd: root,
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { out, err, status };
  }

  /** Clients that ask one thing after the other, on connections that they keep, until they are told to end. */
  function load() {
    const failures = [];
    let count = 0;
    let isEnding = false;
    const agent = new Agent({ keepAlive: true });
    const ask = (method, path, body) =>
      new Promise((resolve) => {
        const headers = { authorization: `Basic ${Buffer.from('root:password').toString('base64')}` };
        if (body) headers['content-type'] = 'application/json';
        const sent = request(`${server.base}${path}`, { method, headers, agent }, (answer) => {
          answer.resume();
          answer.on('end', () => {
            if (answer.statusCode >= 400) failures.push(`${method} ${path}: ${answer.statusCode}`);
            resolve();
          });
        });
        sent.on('error', (error) => {
          failures.push(`${method} ${path}: ${error.message}`);
          resolve();
        });
        sent.end(body && JSON.stringify(body));
      });
    const client = async (...args) => {
      for (; !isEnding; count++) {
        await ask(...args);
        await sleep(pauseMs);
      }
    };
    const all = [
      client('GET', '/api/v1/repos/root/busy'),
      client('GET', '/root/busy'),
      client('GET', '/root/busy.git/info/refs?service=git-upload-pack'),
      client('POST', '/api/v1/repos/root/busy/issues', { title: 'one more' }),
    ];
    return async () => {
      isEnding = true;
      await Promise.all(all);
      agent.destroy();
      return { failures, count };
    };
  }

  it('by the API replaces each worker, and no request fails', async () => {
    expect((await fetch(`${server.base}/root/busy/stars`)).status).to.equal(200);
    const end = load();
    const switched = await server.api('POST', '/admin/plugins/stars/disable');
    expect(switched).to.include({ status: 200 });
    expect(switched.json).to.equal({ changed: ['stars'] });
    expect((await server.api('POST', '/admin/restart')).status).to.equal(204);
    let state;
    for (const last = Date.now() + 300_000; state !== 'done' && Date.now() < last;) {
      await sleep(200);
      ({ state } = (await server.api('GET', '/admin/restart')).json);
    }
    const { failures, count } = await end();
    expect(state).to.equal('done');
    expect(failures).to.equal([]);
    expect(count).to.be.above(0);
    // A connection that is still open may lead to a worker that was replaced.
    const status = async () => (await fetch(`${server.base}/root/busy/stars`)).status;
    for (const last = Date.now() + 60_000; (await status()) !== 404 && Date.now() < last;);
    expect(await status()).to.equal(404);
    const listed = [];
    for (let page = 1; page <= 3; page++)
      listed.push(...(await server.api('GET', `/admin/plugins?limit=50&page=${page}`)).json);
    expect(listed.find(({ name }) => name === 'stars')).to.include({ enabled: false });
    expect((await server.api('POST', '/admin/plugins/accounts/disable')).status).to.equal(400);
    for (const name of ['nobody', 'admi*', '*'])
      expect((await server.api('POST', `/admin/plugins/${name}/disable`)).status).to.equal(404);
  });

  it('leaves the workers as they are where none starts with what was changed', async () => {
    const file = join(server.env.MORTISE_WORK_DIR, 'config', 'app.ini');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, `${before}\n[server]\nGRACEFUL_HAMMER_TIME = soon\n`);
    const { err, status } = await command('restart');
    expect(status).to.equal(1);
    expect(err).to.contain('does not start');
    expect(server.log).to.contain('GRACEFUL_HAMMER_TIME');
    writeFileSync(file, before);
    expect((await server.api('GET', '/repos/root/busy')).status).to.equal(200);
  });

  it('leaves out a plugin that ends the starts of the new workers', async () => {
    const file = join(server.env.MORTISE_WORK_DIR, 'config', 'app.ini');
    const text = readFileSync(file, 'utf8').replace(
      '[plugins]',
      `[plugins]\nPATHS = ${layBadPlugin(folder, 'bad-start')}`,
    );
    writeFileSync(file, text);
    const { out, status } = await command('restart');
    expect(status).to.equal(0);
    expect(out).to.contain(`replaces its ${workers} workers`).and.contain('all workers were replaced');
    expect(server.log).to.contain('the plugin bad-start ended the last 2 starts');
    expect((await server.api('GET', '/repos/root/busy')).status).to.equal(200);
  });
});
