// Database: SQLite alone (nothing reaches it)
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineRoute, reply } from '@mortise/plugin-sdk';
import { maxInWork } from '../http/pipelining.js';
import { until } from './data-kit.js';
import { httpKit, type HttpKit } from './http-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Keeps the event loop busy for a moment, as making an answer does. */
function work(): void {
  for (const end = performance.now() + 0.3; performance.now() < end;);
}

describe('S11: many requests on one connection', { timeout: 120_000 }, () => {
  let kit: HttpKit;
  let port: number;
  let inWork = 0;
  let maxSeen = 0;
  let begun = 0;
  let gate: Promise<void> | undefined;
  before(async () => {
    const path = (name: string) => `/api/v1/${name}`;
    kit = await httpKit({
      settings: { server: { ENABLE_GZIP: false } },
      routes: [
        defineRoute({
          method: 'GET',
          path: path('numbers/{number}'),
          access: { actor: 'anyone' },
          handler: async ({ params }) => {
            begun++;
            maxSeen = Math.max(maxSeen, ++inWork);
            work();
            await (gate ?? sleep(0));
            inWork--;
            return reply.text(`<${String(params.number)}>`);
          },
        }),
        defineRoute({
          method: 'POST',
          path: path('numbers'),
          access: { actor: 'anyone' },
          payload: { as: 'buffer' },
          handler: ({ payload }) => reply.text(`<${(payload as Buffer).toString()}>`),
        }),
        defineRoute({
          method: 'GET',
          path: path('quick'),
          access: { actor: 'anyone' },
          handler: () => reply.text('quick'),
        }),
      ],
    });
    port = Number(new URL(await kit.listen()).port);
  });
  after(() => kit.stop());

  const requests = (count: number) =>
    Array.from({ length: count }, (_, at) => `GET /api/v1/numbers/${at} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
  /** Sends at once what is given; the numbers of the answers, in their order, so far. */
  function pipelined(text: string): { socket: Socket; numbers: () => number[] } {
    const socket = connect(port, '127.0.0.1');
    const heard: number[] = [];
    let rest = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      rest += chunk;
      for (const [, number] of rest.matchAll(/<(\d+)>/g)) heard.push(Number(number));
      rest = rest.slice(rest.lastIndexOf('>') + 1);
    });
    socket.on('error', () => undefined);
    socket.write(text);
    return { socket, numbers: () => heard };
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

  it('1,500 are answered in their order, a few at a time, while others wait for one of them at most', async () => {
    maxSeen = 0;
    const agent = new Agent({ keepAlive: true });
    const ask = () =>
      new Promise<void>((resolve, reject) => {
        get({ port, path: '/api/v1/quick', agent }, (answer) => answer.resume().once('end', resolve)).once(
          'error',
          reject,
        );
      });
    await ask();
    const { socket, numbers } = pipelined(requests(1500));
    await until(() => numbers().length > 10);
    let asked = 0;
    for (; numbers().length < 1500; asked++) await ask();
    expect(numbers()).to.equal(upTo(1500));
    expect(maxSeen).to.be.at.most(maxInWork);
    // were all of them begun at once, no other would be answered before the last
    expect(asked).to.be.above(20);
    socket.destroy();
    agent.destroy();
  });

  it('what is sent beyond that stays unread', async () => {
    let open!: () => void;
    gate = new Promise((resolve) => (open = resolve));
    begun = 0;
    const { socket } = pipelined('');
    const many = 200_000;
    const isTaken = socket.write(requests(many));
    expect(isTaken).to.be.false();
    await until(() => begun === maxInWork);
    await sleep(300);
    expect(begun).to.equal(maxInWork);
    // megabytes are still here: neither read nor in the server's memory
    expect(socket.writableLength).to.be.above(1_000_000);
    open();
    gate = undefined;
    await until(() => begun > 100);
    socket.destroy();
    await until(() => inWork === 0);
    const before = begun;
    await sleep(50);
    // nobody waits for the rest
    expect(begun).to.equal(before);
  });

  it('what follows them and is no request takes no answer away', async () => {
    for (const count of [1, 3, 40]) {
      const { socket, numbers } = pipelined(`${requests(count)}\x00\x01 no request\r\n\r\n`);
      let text = '';
      socket.on('data', (chunk: string) => (text += chunk));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      await closed;
      expect(numbers()).to.equal(upTo(count));
      expect(text.match(/HTTP\/1\.1 \d+/g)?.at(-1)).to.equal('HTTP/1.1 400');
    }
  });

  it('a body that breaks off behind them ends its request, once they have their answers', async () => {
    for (const count of [0, 1, 3, 40]) {
      const broken = 'POST /api/v1/numbers HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n';
      const { socket, numbers } = pipelined(`${requests(count)}${broken}half`);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      await until(() => numbers().length === count);
      socket.end();
      await closed;
      expect(numbers()).to.equal(upTo(count));
    }
    await until(() => inWork === 0);
  });

  it('bodies in between are read, also behind Expect', async () => {
    const post = (number: number, more = '') =>
      `POST /api/v1/numbers HTTP/1.1\r\nHost: a\r\n${more}Content-Type: application/octet-stream\r\nContent-Length: ${String(number).length}\r\n\r\n${number}`;
    const texts = upTo(40).map((at) =>
      at % 3 === 0 ? post(at) : `GET /api/v1/numbers/${at} HTTP/1.1\r\nHost: a\r\n\r\n`,
    );
    const { socket, numbers } = pipelined(texts.join('') + post(40, 'Expect: 100-continue\r\n'));
    await until(() => numbers().length === 41);
    expect(numbers()).to.equal(upTo(41));
    socket.destroy();
  });
});
