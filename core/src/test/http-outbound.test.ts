import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { Logger } from '@mortise/plugin-sdk';
import { AllowedHosts, createOutbound } from '../outbound/index.js';
import { until } from './data-kit.js';

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
    ...[
      '::1.2.3.4',
      '::127.0.0.1',
      '::ffff:10.0.0.1',
      '::ffff:0:10.0.0.1',
      '::ffff:0:8.8.8.8',
      '64:ff9b::7f00:1',
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::a00:1',
      '2002:7f00:1::',
      '2002:808:808::',
      '2001:0:7f00:1::',
      'fec0::1',
      'fe80::5efe:7f00:1',
      '100::1',
      '2001:db8::1',
      '3fff::1',
      '4000::1',
      '::',
      '0.1.2.3',
      '240.0.0.1',
      '255.255.255.255',
      '224.0.0.1',
      'ff02::1',
    ].map((address): [string, string, string, boolean] => ['external', 'example.com', address, false]),
    ['external', 'example.com', '::ffff:93.184.216.34', true],
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

  it('gives a redirect as the answer, where the request says so', async () => {
    await served(
      (_request, response) => response.writeHead(307, { location: 'http://127.0.0.2:1/' }).end(),
      async (port) => {
        const init = { method: 'POST', body: 'client_secret=x', redirect: 'manual' } as const;
        expect((await open.fetch(`http://127.0.0.1:${port}/`, init)).status).to.equal(307);
      },
    );
  });

  it('asks nothing but http and https', async () => {
    for (const address of ['file:///etc/passwd', 'ftp://example.com/', 'nonsense'])
      await expect(open.fetch(address, {})).to.reject();
  });
});

/** A receiver that does with its connections what it likes; gives how many are still open. */
async function hostile<T>(
  onConnection: (socket: Socket) => void,
  work: (port: number, open: Set<Socket>) => Promise<T>,
): Promise<T> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', nothing).once('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    return await work((server.address() as AddressInfo).port, sockets);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** Sees that the other side has closed them, which a socket that nobody reads does not. */
async function allClosed(sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.resume();
  await until(() => sockets.size === 0);
}

/** Writes again and again until the other side closes. */
function trickle(socket: Socket, text: string, begin = ''): void {
  socket.write(begin);
  const timer = setInterval(() => socket.write(text), 5);
  socket.once('close', () => clearInterval(timer));
}

describe('S5: every exchange ends at its time limit', () => {
  const answers: [what: string, (socket: Socket) => void][] = [
    ['says nothing', nothing],
    ['switches protocols', (socket) => socket.write('HTTP/1.1 101 Go on\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')],
    ['answers 101 and no more', (socket) => socket.write('HTTP/1.1 101 Go on\r\n\r\n')],
    ['sends interim responses for ever', (socket) => trickle(socket, 'HTTP/1.1 100 Continue\r\n\r\n')],
    ['sends early hints for ever', (socket) => trickle(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')],
    ['trickles its status', (socket) => trickle(socket, '0', 'HTTP/1.1 200 ')],
    ['trickles headers', (socket) => trickle(socket, 'a', 'HTTP/1.1 200 OK\r\nx: ')],
    ['trickles a body', (socket) => trickle(socket, 'a', 'HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n')],
    ['trickles a body without an end', (socket) => trickle(socket, 'a', 'HTTP/1.1 200 OK\r\n\r\n')],
    [
      'trickles chunks',
      (socket) => trickle(socket, '1\r\na\r\n', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
    ],
    [
      'trickles a packed body',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n');
        socket.write(gzipSync('a'.repeat(1000)).subarray(0, 15));
      },
    ],
    ['takes nothing in', (socket) => void socket.pause()],
  ];
  const body = 'b'.repeat(4_000_000);
  for (const [what, behave] of answers) {
    it(`with a receiver that ${what}`, () =>
      hostile(behave, async (port, sockets) => {
        const sent = open.fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, timeoutMs: 200 });
        await expect(sent).to.reject();
        await allClosed(sockets);
      }));

    it(`with a proxy that ${what}`, () =>
      hostile(behave, async (port, sockets) => {
        const proxy = `http://127.0.0.1:${port}`;
        await expect(open.fetch('https://code.example/', { proxy, timeoutMs: 200 })).to.reject();
        await allClosed(sockets);
      }));
  }

  it('with a receiver that redirects to itself and takes its time', () =>
    hostile(
      (socket) => trickle(socket, 'x', 'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 20\r\n\r\n'),
      async (port) => {
        await expect(open.fetch(`http://127.0.0.1:${port}/`, { timeoutMs: 150 })).to.reject();
      },
    ));

  it('with the caller who gives up', () =>
    hostile(nothing, async (port, sockets) => {
      const controller = new AbortController();
      const sent = open.fetch(`http://127.0.0.1:${port}/`, { signal: controller.signal });
      await until(() => sockets.size === 1);
      controller.abort(new Error('given up'));
      await expect(sent).to.reject('given up');
      await allClosed(sockets);
      await expect(open.fetch(`http://127.0.0.1:${port}/`, { signal: controller.signal })).to.reject('given up');
    }));

  it('with a receiver that hangs up', () =>
    hostile(
      (socket) => socket.end(),
      async (port) => {
        await expect(open.fetch(`http://127.0.0.1:${port}/`, {})).to.reject();
      },
    ));
});

describe('S11: refusals name no addresses', () => {
  it('neither of hosts that may not be asked nor of those that do not answer', async () => {
    const careful = createOutbound({ settings: { ALLOWED_HOST_LIST: 'external' }, log });
    const refused = (await expect(careful.fetch('http://localhost:1/', {})).to.reject(/localhost are/)) as Error;
    expect(refused.message).not.to.match(/127\.0\.0\.1|::1/);
    const closed = (await expect(open.fetch('http://localhost:1/', {})).to.reject()) as Error;
    expect(closed.message)
      .to.equal('the connection was refused')
      .and.not.to.match(/127\.0\.0\.1|::1/);
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

  it('gives large answers piece by piece, and closes what it has opened', async () => {
    const bytes = Buffer.alloc(3_000_000, 'x');
    let closed = 0;
    await served(
      (request, response) => {
        response.on('close', () => closed++);
        if (request.url === '/away') return response.writeHead(302, { location: '/' }).end();
        if (request.url === '/cut')
          return response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy());
        response.writeHead(200, { 'x-a': 'b' }).end(bytes);
      },
      async (port) => {
        const at = (path: string) => `http://127.0.0.1:${port}${path}`;
        const sizeOf = async (body: AsyncIterable<Buffer>) => {
          let size = 0;
          for await (const chunk of body) size += chunk.length;
          return size;
        };
        const answer = await open.stream(at('/away'), {}, async ({ status, headers, body }) => [
          status,
          headers['x-a'],
          await sizeOf(body),
        ]);
        expect(answer).to.equal([200, 'b', bytes.length]);
        // what nobody reads holds nothing open
        expect(await open.stream(at('/'), {}, ({ status }) => Promise.resolve(status))).to.equal(200);
        await until(() => closed === 3);
        const all = (path: string, maxResponseBytes?: number) =>
          open.stream(at(path), { maxResponseBytes }, ({ body }) => sizeOf(body));
        await expect(all('/', 1000)).to.reject(/larger than 1000/);
        await expect(all('/cut')).to.reject(/too early/);
        const full = Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' });
        await expect(open.stream(at('/'), {}, () => Promise.reject(full))).to.reject('no space left');
      },
    );
  });
});
