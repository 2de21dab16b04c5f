import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { Logger } from '@mortise/plugin-sdk';
import { AllowedHosts, createOutbound } from '../outbound/index.js';

export const lab = Lab.script();
const { describe, it } = lab;

const nothing = () => {};
const log: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const open = createOutbound({ settings: { ALLOWED_HOST_LIST: '*' }, log });

async function served<T>(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  work: (port: number) => Promise<T>,
): Promise<T> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('outbound: GEN-14, the host list', () => {
  const cases: [list: string, host: string, address: string, allowed: boolean][] = [
    ['external', 'example.com', '93.184.216.34', true],
    ['', 'example.com', '93.184.216.34', true],
    ['external', 'example.com', '127.0.0.1', false],
    ['external', 'example.com', '10.1.2.3', false],
    ['external', 'example.com', '169.254.169.254', false],
    ['external', 'example.com', '::1', false],
    ['external', 'example.com', '::ffff:127.0.0.1', false],
    ['external', 'example.com', 'fd00::1', false],
    ['external', 'example.com', '0.0.0.0', false],
    ['external', 'example.com', '100.64.0.1', false],
    ['external', 'example.com', '64:ff9b::7f00:1', false],
    ['external', 'example.com', '2606:4700::1', true],
    ['loopback', 'localhost', '127.0.0.1', true],
    ['loopback', 'x', '10.0.0.1', false],
    ['private', 'x', '192.168.1.1', true],
    ['private', 'x', '127.0.0.1', false],
    ['*', 'x', '127.0.0.1', true],
    ['10.0.0.0/8, external', 'x', '10.9.9.9', true],
    ['10.0.0.0/8', 'x', '11.0.0.1', false],
    ['127.0.0.1', 'x', '127.0.0.1', true],
    ['*.example.com', 'ci.example.com', '10.0.0.1', true],
    ['*.example.com', 'example.com.evil.test', '10.0.0.1', false],
    ['CI.example.com', 'ci.Example.com.', '10.0.0.1', true],
  ];
  for (const [list, host, address, allowed] of cases) {
    it(`${list || 'nothing'}: ${host} at ${address} is ${allowed ? 'allowed' : 'refused'}`, () => {
      expect(new AllowedHosts(list).allows(host, address)).to.equal(allowed);
    });
  }

  it('judges the address that a name resolves to, and addresses in any notation', async () => {
    const careful = createOutbound({ settings: { ALLOWED_HOST_LIST: 'external' }, log });
    await served(
      (_request, response) => response.end('x'),
      async (port) => {
        for (const host of [
          'localhost',
          '127.0.0.1',
          '127.1',
          '0x7f000001',
          '2130706433',
          '[::ffff:127.0.0.1]',
          '0.0.0.0',
        ]) {
          await expect(careful.fetch(`http://${host}:${port}/`, {}), host).to.reject(/not allowed/);
        }
        expect((await careful.fetch(`http://127.0.0.1:${port}/`, { allowedHosts: 'loopback' })).status).to.equal(200);
        expect((await careful.fetch(`http://localhost:${port}/`, { allowedHosts: 'localhost' })).status).to.equal(200);
      },
    );
  });

  it('judges redirects as well', async () => {
    await served(
      (_request, response) => response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end(),
      async (port) => {
        await expect(open.fetch(`http://127.0.0.1:${port}/`, { allowedHosts: '127.0.0.1' })).to.reject(/not allowed/);
      },
    );
  });

  it('asks nothing but http and https', async () => {
    for (const address of ['file:///etc/passwd', 'ftp://example.com/', 'nonsense'])
      await expect(open.fetch(address, {})).to.reject();
  });
});

describe('outbound: requests', () => {
  const echo = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      response.writeHead(201, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          method: request.method,
          url: request.url,
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      ),
    );
  };

  it('sends method, headers and body', async () => {
    await served(echo, async (port) => {
      const answer = await open.fetch(`http://127.0.0.1:${port}/hook?a=1`, {
        method: 'POST',
        headers: { 'X-Event': 'push' },
        body: '{}',
      });
      const seen = JSON.parse(answer.body.toString()) as {
        method: string;
        url: string;
        headers: Record<string, string>;
        body: string;
      };
      expect([answer.status, seen.method, seen.url, seen.body]).to.equal([201, 'POST', '/hook?a=1', '{}']);
      expect(seen.headers).to.include({ 'x-event': 'push', 'content-length': '2', host: `127.0.0.1:${port}` });
    });
  });

  it('HOK-25: gives credentials to the first host only', async () => {
    await served(echo, (other) =>
      served(
        (_request, response) => response.writeHead(307, { location: `http://127.0.0.1:${other}/next` }).end(),
        async (port) => {
          const answer = await open.fetch(`http://127.0.0.1:${port}/`, {
            method: 'POST',
            headers: { Authorization: 'secret', 'x-event': 'push' },
            body: 'b',
          });
          const seen = JSON.parse(answer.body.toString()) as {
            method: string;
            headers: Record<string, string>;
            body: string;
          };
          expect(seen.headers.authorization).to.be.undefined();
          expect([seen.headers['x-event'], seen.method, seen.body]).to.equal(['push', 'POST', 'b']);
        },
      ),
    );
  });

  it('repeats credentials on the same host, and ends endless redirects', async () => {
    await served(
      (request, response) =>
        request.url === '/a' ? response.writeHead(302, { location: '/b' }).end() : echo(request, response),
      async (port) => {
        const answer = await open.fetch(`http://127.0.0.1:${port}/a`, { headers: { authorization: 'secret' } });
        expect(
          (JSON.parse(answer.body.toString()) as { headers: Record<string, string> }).headers.authorization,
        ).to.equal('secret');
      },
    );
    await served(
      (_request, response) => response.writeHead(302, { location: '/again' }).end(),
      async (port) => {
        await expect(open.fetch(`http://127.0.0.1:${port}/`, {})).to.reject(/redirects/);
      },
    );
  });

  it('bounds time and size, also of packed answers', async () => {
    await served(
      () => {},
      async (port) => {
        await expect(open.fetch(`http://127.0.0.1:${port}/`, { timeoutMs: 50 })).to.reject(/no answer within 50 ms/);
      },
    );
    await served(
      (_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100_000))),
      async (port) => {
        await expect(open.fetch(`http://127.0.0.1:${port}/`, { maxResponseBytes: 1000 })).to.reject(/larger than 1000/);
        expect((await open.fetch(`http://127.0.0.1:${port}/`, {})).body.length).to.equal(100_000);
      },
    );
  });

  it('goes through a proxy when told to', async () => {
    await served(
      (request, response) => response.end(`proxied ${request.url}`),
      async (port) => {
        const answer = await open.fetch('http://code.example/x', { proxy: `http://127.0.0.1:${port}` });
        expect(answer.body.toString()).to.equal('proxied http://code.example/x');
      },
    );
  });
});
