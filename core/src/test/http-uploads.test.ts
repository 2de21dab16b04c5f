import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { request as rawRequest, type IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { Uploads } from '../http/uploads.js';
import { until } from './data-kit.js';
import type { HttpKit } from './http-kit.js';
import { kit } from './http-routes.js';

export const lab = Lab.script();
const { describe, it } = lab;

const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
const field = (name: string, value: string) =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (content: string, name = 'f') =>
  `--b\r\ncontent-disposition: form-data; name="${name}"; filename="x"\r\ncontent-type: text/plain\r\n\r\n${content}\r\n`;
const end = '--b--\r\n';

/** Open descriptors of this process that lead to files of uploads. */
const openUploads = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${name}`);
      return target.includes('/tmp/uploads/') ? [target] : [];
    } catch {
      return [];
    }
  });
const descriptors = (): number => readdirSync('/proc/self/fd').length;

function spooled({ workDir }: HttpKit): string[] {
  const root = join(workDir, 'tmp', 'uploads');
  if (!existsSync(root)) return [];
  return (readdirSync(root, { recursive: true }) as string[]).filter((name) =>
    statSync(join(root, name), { throwIfNoEntry: false })?.isFile(),
  );
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function send(
  base: string,
  path: string,
  body: string,
  headers: Record<string, string> = multipart,
  method = 'POST',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = rawRequest(base + path, { method, headers, agent: false }, (response: IncomingMessage) => {
      void text(response).then((content) => resolve({ status: response.statusCode!, body: content }), reject);
    });
    request.once('error', reject);
    request.end(body);
  });
}

/** As clients ask that send nothing before they may: whether they were told to go on, and the answer. */
function asking(
  base: string,
  path: string,
  body: string,
  method = 'PUT',
): Promise<Answer & { told: boolean; closes: boolean }> {
  return new Promise((resolve, reject) => {
    let told = false;
    const headers = { expect: '100-continue', 'content-length': String(body.length) };
    const request = rawRequest(base + path, { method, headers }, (response: IncomingMessage) => {
      const closes = response.headers.connection === 'close';
      void text(response).then((content) => {
        resolve({ status: response.statusCode!, body: content, told, closes });
        request.destroy();
      }, reject);
    });
    request.once('error', (error) => (told ? reject(error) : undefined));
    request.once('continue', () => {
      told = true;
      request.end(body);
    });
    request.flushHeaders();
  });
}

async function listening<T>(work: (base: string, kit: HttpKit) => Promise<T>): Promise<T> {
  const http = await kit({ settings: { server: { GRACEFUL_HAMMER_TIME: 100 } } });
  try {
    return await work(await http.listen(), http);
  } finally {
    await http.stop();
  }
}

/** The cookie and the token of a page. */
async function visitor(base: string): Promise<{ cookie: string; token: string }> {
  const page = await fetch(`${base}/page`);
  const cookie = page.headers.get('set-cookie')!.split(';', 1)[0]!;
  return { cookie, token: /name="_csrf" value="([^"]+)"/.exec(await page.text())![1]! };
}

describe('S1: files in forms', () => {
  const hostile: [what: string, body: string][] = [
    ['empty files', file('').repeat(4000) + end],
    ['files of a byte', file('a').repeat(4000) + end],
    ['files under many names', Array.from({ length: 4000 }, (_, at) => file('', `f${at}`)).join('') + end],
    ['fields', field('a', 'b').repeat(4000) + end],
    ['parts without a name', '--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n'.repeat(4000) + end],
    ['parts without headers', '--b\r\n\r\n'.repeat(4000) + end],
    ['files without an end', file('a'.repeat(1000)).repeat(3) + file('a').slice(0, -4)],
    ['a header without an end', `--b\r\ncontent-disposition: form-data; name="${'a'.repeat(100_000)}`],
  ];
  const targets: [method: string, path: string][] = [
    ['POST', '/page'],
    ['POST', '/upload'],
    ['POST', '/private'],
    ['POST', '/api/v1/records'],
    ['POST', '/protocol/upload'],
    ['PUT', '/protocol/stream'],
    ['PUT', '/api/v1/bodiless'],
    ['POST', '/nowhere'],
  ];

  for (const [what, body] of hostile) {
    it(`thousands of ${what} cost no descriptors, whatever the route`, { timeout: 60_000 }, () =>
      listening(async (base, kit) => {
        const { cookie, token } = await visitor(base);
        const round = () =>
          Promise.all(
            targets.map(async ([method, path]) => {
              const own: Record<string, string> = path === '/upload' ? { cookie, 'x-csrf-token': token } : {};
              const answer = await send(base, path, body, { ...multipart, ...own }, method);
              expect(answer.status, `${method} ${path}: ${answer.body}`).to.be.below(500);
            }),
          );
        await round();
        const before = descriptors();
        for (let attempt = 0; attempt < 5; attempt++) await round();
        await until(() => openUploads().length === 0 && spooled(kit).length === 0);
        // sockets that have just been closed may not be gone yet
        await until(() => descriptors() <= before + targets.length);
        expect((await send(base, '/protocol/upload', file('ok', 'file') + field('after', 'x') + end)).status).to.equal(
          200,
        );
      }),
    );
  }

  it('a route that declares no files refuses them', () =>
    listening(async (base) => {
      const answer = await send(base, '/api/v1/records', field('name', 'a') + file('x') + end);
      expect([answer.status, JSON.parse(answer.body).message]).to.equal([400, 'This form takes no files.']);
      expect((await send(base, '/api/v1/records', field('name', 'a') + end)).status).to.equal(201);
    }));

  it('more files than declared are refused', () =>
    listening(async (base, kit) => {
      const { cookie, token } = await visitor(base);
      const upload = (count: number) =>
        send(base, '/upload', field('_csrf', token) + file('a').repeat(count) + end, { ...multipart, cookie });
      expect((await upload(3)).body).to.equal('{"names":["f"]}');
      expect((await upload(4)).status).to.equal(413);
      await until(() => spooled(kit).length === 0);
    }));

  it('a forged form is refused before anything is opened', () =>
    listening(async (base, kit) => {
      const { cookie, token } = await visitor(base);
      const large = file('a'.repeat(200_000));
      for (const body of [
        large + end,
        field('_csrf', 'wrong') + large + end,
        large + field('_csrf', token) + end,
        file('a') + field('_csrf', token) + end,
      ]) {
        expect((await send(base, '/upload', body, { ...multipart, cookie })).status).to.equal(403);
      }
      const foreign = { ...multipart, cookie, 'x-csrf-token': token, origin: 'http://evil.example' };
      expect((await send(base, '/upload', large + end, foreign)).status).to.equal(403);
      expect(readdirSync(join(kit.workDir)), 'nothing was stored').to.not.contain('tmp');
      expect(
        (await send(base, '/upload', field('_csrf', token) + large + end, { ...multipart, cookie })).status,
      ).to.equal(200);
    }));

  it('who hangs up in the middle of a file leaves nothing', () =>
    listening(async (base, kit) => {
      const request = rawRequest(`${base}/protocol/upload`, { method: 'POST', headers: multipart, agent: false });
      request.on('error', () => undefined);
      request.write(file('a'.repeat(100_000)).slice(0, -2));
      await until(() => openUploads().length === 1);
      request.destroy();
      await until(() => openUploads().length === 0 && spooled(kit).length === 0);
    }));

  it('what a handler does not read is given back too', () =>
    listening(async (base, kit) => {
      const { cookie, token } = await visitor(base);
      const headers = { ...multipart, cookie, 'x-csrf-token': token };
      expect((await send(base, '/upload', file('a'.repeat(100_000)) + end, headers)).status).to.equal(200);
      await until(() => spooled(kit).length === 0);
      expect(openUploads()).to.equal([]);
    }));

  it('what killed processes left is swept, what is in use stays', async () => {
    const { workDir, lines } = await kit();
    const root = join(workDir, 'tmp', 'uploads');
    const machine = hostname().replace(/[^\w-]/g, '_');
    const now = Date.now();
    const put = async (folder: string, ageHours = 0) => {
      await mkdir(join(root, folder), { recursive: true });
      await writeFile(join(root, folder, '1'), 'x');
      const time = new Date(now - ageHours * 3_600_000);
      await utimes(join(root, folder, '1'), time, time);
      await utimes(join(root, folder), time, time);
    };
    // no process has a number beyond what the kernel gives
    await put(`${machine}.999999999.aa`);
    await put(`${machine}.${process.pid}.aa`);
    await put(`${machine}.${process.ppid}.aa`);
    await put('elsewhere.1.aa', 1);
    await put('elsewhere.2.aa', 30);
    await put('0123-old-form', 30);
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    await new Uploads(workDir, log).sweep(now);
    expect(readdirSync(root).sort()).to.equal([`${machine}.${process.ppid}.aa`, 'elsewhere.1.aa'].sort());
    expect(lines).to.be.empty();
  });

  it('tells clients that ask first to go on when their body is read, and not before the checks', async () => {
    await listening(async (base) => {
      expect(await asking(base, '/protocol/stream', 'bytes')).to.include({ status: 200, body: 'bytes', told: true });
      for (const [path, method, status] of [
        ['/api/v1/mine', 'POST', 401],
        ['/protocol/none', 'PUT', 405],
      ] as const)
        expect(await asking(base, path, 'x'.repeat(1000), method), path).to.include({
          status,
          told: false,
          closes: true,
        });
    });
  });
});
