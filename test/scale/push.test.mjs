// Live messages between real processes, and through a real proxy.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { WebSocket } from 'ws';
import { freePort } from '@mortise/plugin-sdk/testing';
import { startServer } from '../support/server.mjs';
import { signIn } from '../support/sign-in.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const patience = 20_000;

async function until(what, check) {
  for (const end = Date.now() + patience; Date.now() < end; await wait(20)) if (check()) return;
  throw new Error(`${what} did not come`);
}

async function listen(base, cookie) {
  const ws = new WebSocket(`${base.replace(/^http/, 'ws')}/-/ws`, { headers: { cookie } });
  const counts = [];
  ws.on('message', (data) => {
    const { eventType, eventData } = JSON.parse(String(data));
    if (eventType === 'notification-count') counts.push(eventData.count);
  });
  await once(ws, 'open');
  return { ws, counts };
}

/** A repository of root, and ben who writes there. */
async function prepare(server) {
  const ben = { username: 'ben', email: 'ben@example.com', password: 'long enough', must_change_password: false };
  expect((await server.api('POST', '/admin/users', { body: ben })).status).to.equal(201);
  expect((await server.api('POST', '/user/repos', { body: { name: 'shared' } })).status).to.equal(201);
  const authorization = `Basic ${Buffer.from('ben:long enough').toString('base64')}`;
  return (base, title) =>
    fetch(`${base}/api/v1/repos/root/shared/issues`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ title }),
    });
}

const redis = process.env.MORTISE_TEST_REDIS;

describe('PSH-12: two nodes with Redis between them', { timeout: 300_000, skip: !redis }, () => {
  let first;
  let second;
  before(async () => {
    const settings = { MORTISE__websocket__PUBSUB_TYPE: 'redis', MORTISE__websocket__PUBSUB_CONN_STR: redis };
    settings.MORTISE__redis__PREFIX = `push${process.pid}:`;
    first = await startServer({ settings });
    const shared = Object.entries(first.env).filter(([name]) => /^MORTISE__database__|^MORTISE_WORK_DIR$/.test(name));
    second = await startServer({ admin: false, settings: { ...settings, ...Object.fromEntries(shared) } });
  });
  after(async () => {
    await second?.close();
    await first?.close();
  });

  it('what happens on one is heard on the other', async () => {
    const write = await prepare(first);
    const cookie = await signIn(first.base, 'root', 'password');
    const [one, two] = [await listen(first.base, cookie), await listen(second.base, cookie)];
    for (const [at, { base }] of [first, second].entries()) {
      expect((await write(base, `issue ${at}`)).status).to.equal(201);
      await until('the count', () => [one, two].every(({ counts }) => counts.at(-1) === at + 1));
    }
    for (const { ws } of [one, two]) ws.terminate();
  });
});

describe('PSH-12, PSH-13: two processes of one node, behind a proxy', { timeout: 300_000 }, () => {
  let server;
  let nginx;
  let folder;
  let front;
  before(async () => {
    server = await startServer({ workers: 2 });
    folder = mkdtempSync(join(tmpdir(), 'mortise-nginx-'));
    mkdirSync(join(folder, 'logs'));
    const port = await freePort();
    front = `http://127.0.0.1:${port}`;
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; master_process off; pid nginx.pid; error_log stderr;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path tmp_${one};`).join(' ')}
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${server.base};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
    }
  }
}
`,
    );
    nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf'], { stdio: ['ignore', 'inherit', 'inherit'] });
    for (;;) {
      if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
      if (await fetch(`${front}/api/healthz`).catch(() => undefined)) break;
      await wait(20);
    }
  });
  after(async () => {
    if (nginx && nginx.exitCode === null) {
      const ended = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await ended;
    }
    if (folder) rmSync(folder, { recursive: true, force: true });
    await server?.close();
  });

  it('each connection hears, whichever process it is of', async () => {
    const write = await prepare(server);
    const cookie = await signIn(front, 'root', 'password');
    const all = [];
    for (let at = 0; at < 8; at++) all.push(await listen(at % 2 ? front : server.base, cookie));
    for (let at = 1; at <= 3; at++) {
      expect((await write(front, `issue ${at}`)).status).to.equal(201);
      await until('the count', () => all.every(({ counts }) => counts.at(-1) === at));
    }
    for (const { ws } of all) ws.terminate();
  });
});
