import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { Logger } from '@mortise/plugin-sdk';
import { createOutbound } from '../outbound/index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const nothing = () => {};
const log: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const open = createOutbound({ settings: { ALLOWED_HOST_LIST: '*' }, log });
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe('outbound: certificates of authorities of one’s own', { skip: !hasOpenssl }, () => {
  let folder: string;
  let certificate: string;
  let address: string;
  let server: ReturnType<typeof createServer>;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ]);
    expect(made.status, String(made.stderr)).to.equal(0);
    certificate = readFileSync(cert, 'utf8');
    server = createServer({ key: readFileSync(key), cert: certificate }, (_request, response) => {
      response.end('hello');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    address = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('count beside the public ones, where they are given', async () => {
    await expect(open.fetch(address, {})).to.reject();
    const answer = await open.fetch(address, { certificates: certificate });
    expect([answer.status, answer.body.toString()]).to.equal([200, 'hello']);
    expect((await open.fetch(address, { skipTlsVerify: true })).status).to.equal(200);
  });
});
