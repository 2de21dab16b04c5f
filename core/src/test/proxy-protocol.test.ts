import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { authMethods, defineRoute, durationSetting, type AuthMethod } from '@mortise/plugin-sdk';
import { freePort } from '@mortise/plugin-sdk/testing';
import { askHealth } from '../cli/health.js';
import { localHeader, parseProxyHeader } from '../http/proxy-protocol.js';
import { serverSettings, type ServerSettings } from '../http/settings.js';
import { httpKit, person, type HttpKit } from './http-kit.js';
import { StoppableProcess } from './stoppable-process.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** A header of version 2: who speaks, the kind of addresses, and what follows. */
const binary = (command: number, family: number, rest: readonly number[] = []): Buffer =>
  Buffer.concat([
    localHeader.subarray(0, 12),
    Buffer.from([command, family, rest.length >> 8, rest.length & 255, ...rest]),
  ]);
const ipv4 = [203, 0, 113, 7, 192, 0, 2, 1, 0x30, 0x39, 1, 187];
const ipv6 = [0x20, 1, 0xd, 0xb8, ...Array<number>(11).fill(0), 7, ...Array<number>(16).fill(1), 0, 80, 1, 187];
const tlv = [4, 0, 3, 1, 2, 3];

describe('PROXY protocol: headers', () => {
  const lines = {
    'PROXY TCP4 203.0.113.7 192.0.2.1 12345 443\r\n': { address: '203.0.113.7', port: 12345 },
    'PROXY TCP6 2001:db8::7 2001:db8::1 80 443\r\n': { address: '2001:db8::7', port: 80 },
  };

  it('are read in both versions, however they are cut, and what follows is left', () => {
    const headers = [
      ...Object.entries(lines).map(([line, client]) => [Buffer.from(line), { client }] as const),
      [Buffer.from('PROXY UNKNOWN\r\n'), { isUnknown: true }] as const,
      [Buffer.from(`PROXY UNKNOWN ${'f'.repeat(90)}\r\n`), { isUnknown: true }] as const,
      [binary(0x21, 0x11, ipv4), { client: { address: '203.0.113.7', port: 12345 } }] as const,
      [binary(0x21, 0x11, [...ipv4, ...tlv]), { client: { address: '203.0.113.7', port: 12345 } }] as const,
      [binary(0x21, 0x21, ipv6), { client: { address: '2001:db8::7', port: 80 } }] as const,
      [binary(0x21, 0), { isUnknown: true }] as const,
      [binary(0x21, 0x31, Array<number>(216).fill(0)), { isUnknown: true }] as const,
      [binary(0x20, 0x11, ipv4), {}] as const,
      [localHeader, {}] as const,
    ];
    for (const [bytes, holds] of headers) {
      expect(parseProxyHeader(Buffer.concat([bytes, Buffer.from('GET /')]))).to.equal({
        length: bytes.length,
        ...holds,
      });
      for (let at = 0; at < bytes.length; at++) expect(parseProxyHeader(bytes.subarray(0, at))).to.be.undefined();
    }
  });

  it('that are none are refused as soon as that is known', () => {
    for (const bytes of [
      ...['GET / HTTP/1.1', 'PROXYTCP4', 'proxy TCP4 ', '\r\n\r\nGET', 'PROXY \r\n', 'PROXY TCP4\r\n', '\0'],
      'PROXY TCP4 203.0.113.7 192.0.2.1 12345\r\n',
      'PROXY TCP4 203.0.113.7 192.0.2.1 12345 443 1\r\n',
      'PROXY TCP4 203.0.113.7 192.0.2.1 65536 443\r\n',
      'PROXY TCP4 203.0.113.7 192.0.2.1 012 443\r\n',
      'PROXY TCP4 203.0.113.777 192.0.2.1 12345 443\r\n',
      'PROXY TCP4 2001:db8::7 192.0.2.1 12345 443\r\n',
      'PROXY TCP6 203.0.113.7 192.0.2.1 12345 443\r\n',
      'PROXY UDP4 203.0.113.7 192.0.2.1 12345 443\r\n',
      `PROXY UNKNOWN ${'f'.repeat(100)}`,
      binary(0x11, 0x11, ipv4),
      binary(0x22, 0x11, ipv4),
      binary(0x21, 0x11, ipv4.slice(0, 11)),
      binary(0x21, 0x21, ipv4),
      Buffer.concat([localHeader.subarray(0, 12), Buffer.from([0x21, 0x11, 0xff, 0xff])]),
    ])
      expect(() => parseProxyHeader(Buffer.from(bytes as string)), String(bytes)).to.throw(/PROXY header/);
  });
});

describe('PROXY protocol: connections', { timeout: 120_000 }, () => {
  const open: HttpKit[] = [];
  let folder: string;
  let tls: Partial<ServerSettings>;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-proxy-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert],
      ...['-subj', '/CN=localhost'],
    ]);
    expect(made.status, String(made.stderr)).to.equal(0);
    tls = { PROTOCOL: 'https', CERT_FILE: cert, KEY_FILE: key };
  });
  after(async () => {
    for (const kit of open) await kit.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(
    server: Partial<ServerSettings> = {},
    security: { REVERSE_PROXY_TRUSTED_PROXIES?: string } = {},
  ) {
    const routes = [
      defineRoute({
        method: 'GET',
        path: '/api/v1/whence',
        access: { actor: 'anyone' },
        handler: ({ actor }) => actor.name,
      }),
    ];
    const whence: AuthMethod = {
      key: 'whence',
      authenticate: async ({ remoteAddress, connection }) => {
        const { peerAddress, peerPort, isEncrypted, isTrustedProxy } = connection;
        return {
          actor: person({ name: [remoteAddress, peerAddress, peerPort, isEncrypted, isTrustedProxy].join(' ') }),
        };
      },
    };
    const contributions = { [authMethods.id]: [whence] };
    const kit = await httpKit({
      routes,
      contributions,
      settings: { server: { USE_PROXY_PROTOCOL: true, ...server }, security },
    });
    open.push(kit);
    const port = Number(new URL(await kit.listen()).port);
    return { port, reasons: () => kit.lines.map(({ fields }) => fields?.reason) };
  }

  const asks = (more = '') => `GET /api/v1/whence HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}\r\n`;
  /** Sends the pieces one after the other; gives what came until the end, in text. */
  async function talk(socket: Socket, ...pieces: (string | Buffer)[]): Promise<string> {
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (const piece of pieces) {
      await new Promise((resolve) => socket.write(piece, resolve));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await closed;
    return /\r\n\r\n"?([^"\r\n]*)/.exec(text)?.[1] ?? '';
  }
  const line = 'PROXY TCP4 203.0.113.7 192.0.2.1 12345 443\r\n';
  const client = '203.0.113.7 203.0.113.7 12345';

  it('are of the client that the header names', async () => {
    const { port, reasons } = await start();
    const tcp = (...pieces: (string | Buffer)[]) => talk(connect(port, '127.0.0.1'), ...pieces);
    expect(await tcp(line + asks())).to.equal(`${client} false false`);
    expect(await tcp(line.slice(0, 9), line.slice(9, 30), line.slice(30), asks())).to.equal(`${client} false false`);
    const v6 = Buffer.concat([binary(0x21, 0x21, ipv6), Buffer.from(asks())]);
    expect(await tcp(v6)).to.equal('2001:db8::7 2001:db8::7 80 false false');
    expect(await tcp(localHeader, asks())).to.match(/^127\.0\.0\.1 127\.0\.0\.1 \d+ false true$/);
    // a client may not name another, a proxy before the proxy may
    const forwarded = asks('X-Forwarded-For: 198.51.100.9\r\n');
    expect(await tcp(line, forwarded)).to.equal(`${client} false false`);
    const inner = 'PROXY TCP4 127.0.0.9 192.0.2.1 12345 443\r\n';
    expect(await tcp(inner, forwarded)).to.equal('198.51.100.9 127.0.0.9 12345 false true');
    // also where node hands over a request with Upgrade, which is put back
    const upgrading = asks('').replace('Connection: close', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c');
    expect(await tcp(line, upgrading, asks())).to.equal(`${client} false false`);
    expect(reasons()).to.equal([]);
  });

  it('with another beginning are closed, and the log says why', async () => {
    const { port, reasons } = await start({ PROXY_PROTOCOL_HEADER_TIMEOUT: 200 });
    const tcp = (...pieces: (string | Buffer)[]) => talk(connect(port, '127.0.0.1'), ...pieces);
    for (const pieces of [[asks()], ['PROXY UNKNOWN\r\n', asks()], [binary(0x21, 0), asks()], ['PROXY TCP4 '], []])
      expect(await tcp(...pieces)).to.equal('');
    const closing = connect(port, '127.0.0.1').end();
    await talk(closing);
    const unknown = 'its PROXY header names no client ([server] PROXY_PROTOCOL_ACCEPT_UNKNOWN)';
    const late = 'its PROXY header did not come in time';
    expect(reasons()).to.equal(['it begins with no PROXY header', unknown, unknown, late, late]);
    const lenient = await start({ PROXY_PROTOCOL_ACCEPT_UNKNOWN: true });
    for (const header of ['PROXY UNKNOWN\r\n', binary(0x21, 0)])
      expect(await talk(connect(lenient.port, '127.0.0.1'), header, asks())).to.match(/^0\.0\.0\.0 /);
    const strict = await start({}, { REVERSE_PROXY_TRUSTED_PROXIES: '10.0.0.0/8' });
    expect(await talk(connect(strict.port, '127.0.0.1'), line, asks())).to.equal('');
    expect(strict.reasons()[0]).to.contain('no proxy of [security] REVERSE_PROXY_TRUSTED_PROXIES');
  });

  it('with TLS have the header before it, or within', async () => {
    const outside = await start(tls);
    const plain = connect(outside.port, '127.0.0.1');
    plain.write(line);
    const secure = connectTls({ socket: plain, rejectUnauthorized: false });
    expect(await talk(secure, asks())).to.equal(`${client} true false`);
    const inside = await start({ ...tls, PROXY_PROTOCOL_TLS_BRIDGING: true });
    const options = { port: inside.port, host: '127.0.0.1', rejectUnauthorized: false };
    expect(await talk(connectTls(options), line, asks())).to.equal(`${client} true false`);
    expect(await talk(connectTls(options), asks())).to.equal('');
    for (const [scheme, port, proxyHeader] of [
      ['https', outside.port, 'first'],
      ['https', inside.port, 'within TLS'],
      ['http', (await start()).port, 'first'],
    ] as const)
      expect(await askHealth({ address: new URL(`${scheme}://127.0.0.1:${port}/api/livez`), proxyHeader })).to.equal(
        200,
      );
  });

  it('by way of a real HAProxy', { skip: !has('haproxy') }, async () => {
    const [plain, secure] = [await start(), await start(tls)];
    const ports = { v1: await freePort(), v2: await freePort(), tls: await freePort() };
    const section = (port: number, server: string) =>
      `listen on${port}\n  mode tcp\n  bind 127.0.0.1:${port}\n  server one 127.0.0.1:${server}\n`;
    const file = join(folder, 'haproxy.cfg');
    const defaults = 'defaults\n  timeout connect 5s\n  timeout client 5s\n  timeout server 5s\n';
    const text = [
      section(ports.v1, `${plain.port} send-proxy`),
      section(ports.v2, `${plain.port} send-proxy-v2 check check-send-proxy`),
      section(ports.tls, `${secure.port} send-proxy-v2-ssl`),
    ].join('');
    writeFileSync(file, defaults + text);
    const haproxy = await StoppableProcess.start('haproxy', ['-f', file, '-db', '-q'], ports.tls);
    try {
      const from = { host: '127.0.0.1', localAddress: '127.0.0.5', rejectUnauthorized: false };
      for (const port of [ports.v1, ports.v2])
        expect(await talk(connect({ ...from, port }), asks())).to.match(/^127\.0\.0\.5 127\.0\.0\.5 \d+ false true$/);
      expect(await talk(connectTls({ ...from, port: ports.tls }), asks())).to.match(
        /^127\.0\.0\.5 127\.0\.0\.5 \d+ true/,
      );
      expect(plain.reasons()).to.equal([]);
    } finally {
      await haproxy.close();
    }
  });

  it('a time of 0 for the header is the default, which the start tells', () => {
    const key = serverSettings.extract('PROXY_PROTOCOL_HEADER_TIMEOUT');
    expect(key.validate('0').error?.details[0]?.type).to.equal('number.min');
    expect(key.validate(undefined).value).to.equal(durationSetting('5s').validate(undefined).value);
  });
});
