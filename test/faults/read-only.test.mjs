// F13: on a disk that is mounted read-only the server starts, shows what is there, and says why it stores nothing.
import { spawn, spawnSync } from 'node:child_process';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root, startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const canMount = spawnSync('unshare', ['-Urm', 'true']).status === 0;
const script = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" core/bin/mortise.mjs web`;

describe('F13: a read-only disk', { timeout: 300_000, skip: !canMount }, () => {
  let server;
  let child;
  let log = '';
  before(async () => {
    server = await startServer({ settings: { TMPDIR: '/tmp' } });
    expect((await server.api('POST', '/user/repos', { body: { name: 'tool', auto_init: true } })).status).to.equal(201);
    await server.stop();
    child = spawn('unshare', ['-Urm', 'sh', '-c', script, 'sh', server.env.MORTISE_WORK_DIR, process.execPath], {
      env: server.env,
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
    for (let tries = 0; ; tries++) {
      const up = await fetch(`${server.base}/api/livez`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (up) break;
      if (child.exitCode !== null || tries > 2000) throw new Error(`the server does not start:\n${log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  after(async () => {
    if (child?.exitCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    await server?.close();
  });

  it('shows pages, the API and git what is there, and makes bundles without keeping them', async () => {
    const page = await (await fetch(`${server.base}/root/tool`)).text();
    const style = /href="([^"]*mortise\.css)"/.exec(page)?.[1];
    expect((await fetch(new URL(style, server.base))).status).to.equal(200);
    expect((await server.api('GET', '/repos/root/tool')).json.full_name).to.equal('root/tool');
    expect((await server.git(['ls-remote', `${server.base}/root/tool.git`])).out).to.contain('refs/heads/main');
  });

  it('answers writes 503, and tells visitors no more than that', async () => {
    const made = await server.api('POST', '/user/repos', { body: { name: 'more' } });
    expect(made.status).to.equal(503);
    expect(made.headers.get('retry-after')).to.equal('10');
    const body = { content: Buffer.from('x').toString('base64'), message: 'x' };
    expect((await server.api('POST', '/repos/root/tool/contents/x.txt', { body })).status).to.equal(503);
  });

  it('says so in the log and to load balancers', async () => {
    expect(log).to.contain('the disk is mounted read-only');
    expect((await fetch(`${server.base}/api/readyz`)).status).to.equal(503);
  });
});
