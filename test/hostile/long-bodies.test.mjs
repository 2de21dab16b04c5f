// S13: whoever sends a body that is too long, without saying how long, hears of it as with a Content-Length: 413 at once, by
// every route of the site that reads a body. Walks all of them, those of package formats too, so new plugins are covered.
// Database: SQLite alone. Bodies are refused before a row is written.
// Time: about 90 s
import { once } from 'node:events';
import { connect } from 'node:net';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { fill, isReading, password, startSite } from '../authorization/site.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const maxMs = 15_000;
const maxBody = 64 * 1024;
const piece = Buffer.alloc(256 * 1024, ' ');
const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
/** More than any bounded route takes: npm's audits may have 32 MiB. */
const maxFlood = 34 * 1024 * 1024;
/** Of bodies that may be as long as they like. */
const maxUnbounded = 1024 * 1024;

describe('bodies that are too long', { timeout: 600_000 }, () => {
  let site;
  let address;
  before(async () => {
    site = await startSite({ settings: { server: { MAX_JSON_BODY: maxBody } }, isEmpty: true });
    address = new URL(await site.host.listen());
    await site.make(site.users.root, 'POST', '/user/repos', { name: 'x', auto_init: true });
  });
  after(() => site?.close());

  /** The status, or how the connection ended without one. With `announced` a length is told, and nothing sent. */
  async function answerTo(method, path, type, { announced, flood = 0 }) {
    const socket = connect(Number(address.port), address.hostname).setEncoding('latin1');
    const headers = {
      host: address.host,
      authorization: `Basic ${Buffer.from(`root:${password}`).toString('base64')}`,
      'content-type': type,
      ...(announced === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': announced }),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    let isAnswered = false;
    const answer = new Promise((resolve) => {
      const timer = setTimeout(() => end('no answer'), maxMs);
      const end = (what) => {
        isAnswered = true;
        clearTimeout(timer);
        resolve(what);
      };
      socket
        .once('data', (text) => end(text.slice(9, 12)))
        .once('error', (error) => end(error.code))
        .once('close', () => end('closed'));
    });
    if (announced === undefined) {
      for (let sent = 0; sent < flood && !isAnswered; sent += piece.length)
        if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => undefined), answer]);
      if (!isAnswered) socket.write('0\r\n\r\n');
    }
    const status = await answer;
    socket.destroy();
    return status;
  }

  /** Routes that read what they are sent, each with how, and whether its length is bounded. */
  function readers() {
    return site.host
      .routes()
      .flatMap(({ value }) => (value.inner ?? [value]).map((route) => ({ route })))
      .filter(({ route }) => !isReading(route) && route.method !== '*')
      .map(({ route }) => {
        const { declared, payload, request } = route;
        const as = declared ? (declared.body ?? 'buffer') : (payload?.as ?? (request?.payload && 'json') ?? 'none');
        const max = declared?.maxBytes ?? payload?.maxBytes;
        const isBounded =
          (['json', 'buffer', 'form'].includes(as) && max !== 0 && !(max > maxFlood)) || (max > 0 && max < maxFlood);
        const path = fill(route.path, { owner: 'root', repo: 'x', id: 1 }).replace(/\{\w+[*+]?\}/g, 'x');
        const type = ['form', 'multipart'].includes(as) ? 'application/x-www-form-urlencoded' : 'application/json';
        return { method: route.method, path, as, type: payload?.allow?.[0] ?? type, isBounded };
      })
      .filter(({ as }) => as !== 'none');
  }

  it('S13: are answered by every route that reads one, and without a length as with it', async () => {
    const wrong = [];
    const seen = { routes: 0, refused: 0 };
    const left = readers();
    const ask = async () => {
      for (let next = left.pop(); next; next = left.pop()) {
        const { method, path, as, type, isBounded } = next;
        seen.routes++;
        const flooded = await answerTo(method, path, type, { flood: isBounded ? maxFlood : maxUnbounded });
        if (!/^[2345]\d\d$/.test(flooded) || flooded === '500') {
          wrong.push(`${method} ${path} (${as}): ${flooded}`);
          continue;
        }
        if (!isBounded) continue;
        const announced = await answerTo(method, path, type, { announced: 64 * 1024 ** 3 });
        if (announced === '413') seen.refused++;
        if (announced !== flooded) wrong.push(`${method} ${path} (${as}): ${flooded}, with a length ${announced}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, ask));
    expect(wrong).to.equal([]);
    expect(seen.routes).to.be.above(300);
    expect(seen.refused).to.be.above(100);
  });
});
