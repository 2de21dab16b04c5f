import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { defineRoute, definePlugin, reply, storage, unreadableBody } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createHost, type Host } from '../host.js';
import { refusalOf } from '../http/problems.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('F13: storage that takes nothing is no fault of the program', { timeout: 120_000 }, () => {
  let host: TestHost;
  const writer = definePlugin({
    name: 'writer',
    version: '1.0.0',
    sdk: '^1.0.0',
    register(plugin) {
      plugin.routes({ storage }, (services) => [
        defineRoute({
          method: 'GET',
          path: '/api/v1/write/full',
          access: { actor: 'anyone' },
          handler: () => writeFileSync('/dev/full', 'more than it takes'),
        }),
        defineRoute({
          method: 'GET',
          path: '/api/v1/write/store',
          access: { actor: 'anyone' },
          handler: async () => reply.json(await services.storage.area('attachments').put('a/b', Buffer.from('x'))),
        }),
        defineRoute({
          method: 'GET',
          path: '/-/write/full',
          access: { actor: 'anyone' },
          handler: () => writeFileSync('/dev/full', 'more than it takes'),
        }),
      ]);
    },
  });
  before(async () => {
    host = await startHost({
      plugins: [writer],
      validateResponses: false,
      settings: {
        storage: {
          STORAGE_TYPE: 'minio',
          MINIO_ENDPOINT: `127.0.0.1:${await closedPort()}`,
          MINIO_ACCESS_KEY_ID: 'somebody',
          MINIO_SECRET_ACCESS_KEY: 'something',
          MINIO_BUCKET: 'mortise',
        },
      },
    });
  });
  after(() => host.close());

  it('a full disk is answered 503 with Retry-After, without its details', async () => {
    const { statusCode, headers, json } = await host.inject('/api/v1/write/full');
    expect([statusCode, headers['retry-after']]).to.equal([503, '10']);
    expect(json.message).to.equal('The server cannot save anything at the moment. Try again later.');
    const page = await host.inject({ url: '/-/write/full', headers: { accept: 'text/html' } });
    expect(page.statusCode).to.equal(503);
    expect(page.payload).to.contain('cannot save anything at the moment').and.not.contain('ENOSPC');
  });

  it('S8: administrators see no more of it than others, and bodies that meet it tell nothing of it', async () => {
    for (const path of ['/api/v1/write/full', '/api/v1/write/store', '/-/write/full']) {
      const { statusCode, payload } = await host.as({ id: 1, name: 'root', isAdmin: true }).inject(path);
      expect(statusCode).to.equal(503);
      expect(payload).to.not.match(/ENOSPC|ECONNREFUSED|127\.0\.0\.1|\/dev\/full/);
    }
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(refusalOf(unreadableBody(full)).status).to.equal(503);
    const hungUp = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    expect(refusalOf(unreadableBody(hungUp))).to.include({ status: 400 });
  });

  it('so is an S3-compatible store that refuses connections', async () => {
    const { statusCode, headers, json } = await host.inject('/api/v1/write/store');
    expect([statusCode, headers['retry-after']]).to.equal([503, '10']);
    expect(json.message).to.not.contain('ECONNREFUSED');
  });

  it('and whatever was caused by a disk that is full or read-only', () => {
    const made = (code: string) => Object.assign(new Error(code), { code });
    for (const code of ['ENOSPC', 'EROFS', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_READONLY_DIRECTORY'])
      expect(refusalOf(new Error('git failed', { cause: made(code) })).status).to.equal(503);
    for (const code of ['EACCES', 'ENOENT', 'SQLITE_CONSTRAINT']) expect(refusalOf(made(code)).status).to.equal(500);
    const answered = (status: number) => Object.assign(new Error('no'), { $metadata: { httpStatusCode: status } });
    expect([503, 500, 429, 403].map((status) => refusalOf(answered(status)).status)).to.equal([503, 503, 503, 500]);
  });
});

describe('F13: a server that stops lets clients end what they have begun', { timeout: 120_000 }, () => {
  let workDir: string;
  let host: Host;
  const twoSteps = definePlugin({
    name: 'steps',
    version: '1.0.0',
    sdk: '^1.0.0',
    register(plugin) {
      plugin.routes({}, () =>
        (['GET', 'POST'] as const).map((method) =>
          defineRoute({
            method,
            path: '/steps',
            surface: 'protocol',
            access: { actor: 'anyone' },
            handler: () => reply.text('done'),
          }),
        ),
      );
    },
  });
  before(async () => {
    workDir = mkdtempSync(join(tmpdir(), 'mortise-stop-'));
    host = await createHost({ workDir, environment: {}, plugins: [twoSteps], logLevel: 'none', port: 0 });
  });
  after(async () => {
    await host.stop();
    rmSync(workDir, { recursive: true, force: true });
  });

  it('on the same connection, while newcomers are refused', async () => {
    const address = await host.listen();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, path: string) =>
      new Promise<{ status: number; reused: boolean }>((resolve, reject) => {
        const sent = request(address + path, { method, agent }, (answer: IncomingMessage) => {
          answer.resume().once('end', () => resolve({ status: answer.statusCode!, reused: sent.reusedSocket }));
        });
        sent.once('error', reject).end();
      });
    expect(await ask('GET', '/steps')).to.equal({ status: 200, reused: false });
    const began = Date.now();
    const stopping = host.stop();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await ask('POST', '/steps')).to.equal({ status: 200, reused: true });
    await expect(fetch(`${address}/steps`)).to.reject();
    await stopping;
    expect(Date.now() - began).to.be.below(30_000);
    agent.destroy();
  });
});
