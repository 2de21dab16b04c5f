import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Outbound } from '@mortise/plugin-sdk';
import { Forbidden, outbound } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { repositories, type Repository } from '@mortise/repositories/api';
import { send } from '@mortise/repositories/testing';
import type { LfsObjects } from '@mortise/lfs/api';
import { SourceFailure, type ImportKind, type SourceReader } from '../contract/source.js';
import { repositoryImporter } from '../contract/importer.js';
import type { SourceAsset } from '../contract/records.js';
import { PacedClient } from '../services/client.js';
import { LfsDownload } from '../services/lfs-download.js';
import { cleanBranch, cleanLine, cleanPath, cleanTime } from '../services/sanitize.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const author = { name: 'eve', id: 7 };
const at = Date.UTC(2020, 0, 1);
const issue = (number: number, more: object = {}) => ({
  number,
  title: `issue ${number}`,
  body: '',
  author,
  isClosed: false,
  isLocked: false,
  labels: [],
  assignees: [],
  reactions: [],
  createdAt: at,
  ...more,
});
const label = (name: string) => ({ name, color: 'ff0000', description: '' });

describe('sources that mean harm', () => {
  let host: TestHost;
  let cas: SignedIn;
  let count = 0;
  before(async () => {
    host = await startHost({ plugins: ['migrations'] });
    cas = await signUp(host, 'cas');
  });
  after(() => host?.close());

  const repository = async (): Promise<Repository> => {
    const name = `r${++count}`;
    expect((await send(cas, 'POST', '/user/repos', { name })).statusCode).to.equal(201);
    return (await host.services.get(repositories).byPath('cas', name))!;
  };
  const run = async (reader: Partial<SourceReader>, kinds: readonly ImportKind[], into?: Repository) => {
    const target = into ?? (await repository());
    const steps = await host.services.get(repositoryImporter).run({
      repository: target,
      reader: reader as SourceReader,
      kinds: new Set(kinds),
      actor: cas.actor,
      authors: { by: 'none', accounts: {} },
      signal: new AbortController().signal,
    });
    return { target, steps: new Map(steps.map((step) => [step.step, step])) };
  };
  const refused = async (reader: Partial<SourceReader>, kinds: readonly ImportKind[]): Promise<string> => {
    const failure = await run(reader, kinds).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(SourceFailure.is(failure), String(failure)).to.be.true();
    return (failure as Error).message;
  };

  it('of a million labels the first are taken, and the bound is named', async () => {
    const labels = async function* () {
      for (let page = 0; ; page++)
        yield { items: Array.from({ length: 1000 }, (_, n) => label(`l${page}-${n}`)), next: String(page + 1) };
    };
    const { steps } = await run({ labels }, ['labels']);
    expect(steps.get('labels')).to.include({
      state: 'done',
      done: 5000,
      note: 'The source has more than 5000: the others are left out.',
    });
  });

  it('pages that repeat themselves, or lead nowhere, end', async () => {
    const again = async function* () {
      for (let page = 0; ; page++) yield { items: [label('same')], next: String(page + 1) };
    };
    expect(await refused({ labels: again }, ['labels'])).to.match(/repeats what it has given/);
    const circle = async function* () {
      for (;;) yield { items: [], next: 'here' };
    };
    expect(await refused({ labels: circle }, ['labels'])).to.match(/lead nowhere/);
  });

  it('lies about counts change nothing but a number', async () => {
    const labels = async function* () {
      yield { items: [label('one')], total: 1e300 };
    };
    const { steps } = await run({ labels }, ['labels']);
    expect(steps.get('labels')).to.include({ state: 'done', done: 1 });
  });

  it('texts are kept as texts: markup, control characters, and far too long ones', async () => {
    const issues = async function* () {
      yield {
        items: [
          issue(1, {
            title: '  \u0000<b>x</b>\r\n\u0007y ',
            body: `<img src=x onerror=alert(1)>\u0000\ud800${'z'.repeat(2_000_000)}`,
          }),
          issue(2, { title: 't'.repeat(10_000), createdAt: Number.NaN, closedAt: -5, isClosed: true }),
          issue(3, { title: '\u0000', labels: Array.from({ length: 10_000 }, () => 'x'), author: { name: '' } }),
          issue(-1),
          issue(1.5),
          issue(2 ** 40),
          // leaves no number for the next issue
          issue(2 ** 31 - 1),
        ],
      };
    };
    const { target, steps } = await run({ issues }, ['issues']);
    expect(steps.get('issues')).to.include({ state: 'done', done: 3 });
    expect(steps.get('issues')!.note).to.match(/no number or name that can be taken: 4$/);
    expect((await send(cas, 'POST', `/repos/cas/${target.name}/issues`, { title: 'next' })).json.number).to.equal(4);
    const first = (await send(cas, 'GET', `/repos/cas/${target.name}/issues/1`)).json;
    expect([first.title, first.body.length, first.created_at]).to.equal([
      '<b>x</b> y',
      1_000_000 - 1,
      '2020-01-01T00:00:00Z',
    ]);
    expect((await send(cas, 'GET', `/repos/cas/${target.name}/issues/2`)).json.title.length).to.equal(255);
    expect((await send(cas, 'GET', `/repos/cas/${target.name}/issues/3`)).json.title).to.equal('#3');
    expect((await cas.inject(`/cas/${target.name}/issues/1`)).payload).not.to.contain('<img src=x onerror');
  });

  it('an import that broke off goes on where it was, and nothing is there twice', async () => {
    let breaks = 3;
    const from = (after: string | undefined) => Number(after ?? 1);
    const issues = async function* (after?: string) {
      for (let page = from(after); page <= 5; page++) {
        if (page === 3 && breaks-- > 0) throw new SourceFailure('unreachable', 'gone');
        const items = Array.from({ length: 10 }, (_, n) => issue((page - 1) * 10 + n + 1));
        // it moved meanwhile: the last of the page before comes again
        yield {
          items: page > 1 ? [issue((page - 1) * 10), ...items] : items,
          ...(page < 5 && { next: String(page + 1) }),
        };
      }
    };
    const comments = async function* () {
      yield {
        items: [1, 1, 2, 99].map((number, n) => ({
          id: String(n % 3),
          issue: number,
          body: 'c',
          author,
          reactions: [],
        })),
      };
    };
    const target = await repository();
    for (let tries = 0; tries < 3; tries++)
      await expect(run({ issues, comments }, ['issues'], target)).to.reject('gone');
    const { steps } = await run({ issues, comments }, ['issues'], target);
    expect(steps.get('issues')).to.include({ state: 'done', done: 50 });
    expect(steps.get('comments')).to.include({ done: 3 });
    const record = (await send(cas, 'GET', `/repos/cas/${target.name}`)).json;
    expect(record.open_issues_count).to.equal(50);
    await run({ issues, comments }, ['issues'], target);
    expect((await send(cas, 'GET', `/repos/cas/${target.name}`)).json.open_issues_count).to.equal(50);
  });

  it('S4: a file of a release that does not come is told, and the others come', async () => {
    const asset = (id: string, read: SourceAsset['read']) => ({ id, name: id, size: 4, createdAt: at, read });
    const gone = () => Promise.reject(new SourceFailure('notFound', 'The source answered x with status 404.'));
    const broken = () => client.read('', async () => undefined as never);
    const { signal } = new AbortController();
    const settings = { MAX_ATTEMPTS: 1, RETRY_BACKOFF: 0 };
    const client = new PacedClient({ outbound: host.services.get(outbound), allowedHosts: () => '', settings, signal });
    const assets = [asset('a', gone), asset('b', broken), asset('c', (take) => take(Readable.from(['data'])))];
    const releases = async function* () {
      yield { items: [{ id: '1', tagName: 'v1', target: '', title: 'one', note: '', author, createdAt: at, assets }] };
    };
    const { target, steps } = await run({ releases } as unknown as Partial<SourceReader>, ['releases']);
    expect(steps.get('releases')).to.include({ state: 'done', done: 1 });
    expect(steps.get('releases')!.note).to.contain('v1: a:').and.to.contain('v1: b:');
    const [release] = (await send(cas, 'GET', `/repos/cas/${target.name}/releases?draft=true`)).json;
    expect(release.assets.map(({ name }: { name: string }) => name)).to.equal(['c']);
  });

  it('S4: lists of LFS objects that are none end the import with a reason', async () => {
    const pointer = { oid: 'a'.repeat(64), size: 1 };
    const objects = {
      async *missing() {
        yield pointer;
      },
    } as unknown as LfsObjects;
    let download: LfsDownload;
    const bring = (answer: string) => {
      download = new LfsDownload({
        client: { fetch: async () => new Response(answer) } as unknown as PacedClient,
        objects,
        endpoint: 'http://a.example/info/lfs',
        credentials: {},
      });
      const updates = [{ ref: 'refs/heads/a', old: '0'.repeat(40), new: 'b'.repeat(40) }];
      return download.bring(1, updates, new AbortController().signal);
    };
    const one = (more: object) => JSON.stringify({ objects: [{ oid: pointer.oid, ...more }] });
    for (const bad of [
      'null',
      '[]',
      '<html>',
      '{"objects":{}}',
      '{"objects":[null]}',
      one({ actions: 7 }),
      one({ actions: { download: { href: 5 } } }),
      one({ actions: { download: { href: '/x', header: [1] } } }),
      // what is refused is not missing
      one({ error: { code: 403, message: 'no' } }),
      one({ error: { code: 500, message: 'later' } }),
    ]) {
      const error = await expect(bring(bad), bad).to.reject();
      expect(SourceFailure.is(error), `${bad}: ${String(error)}`).to.be.true();
    }
    for (const none of ['{}', one({}), one({ actions: null }), one({ error: { code: 404, message: 'gone' } })]) {
      await bring(none);
      expect(download!.missing, none).to.equal(1);
    }
  });

  it('S4: an address of LFS objects is checked before anything begins, and holds no credentials', async () => {
    for (const endpoint of ['http://%zz/', 'file:///etc', 'http://ada:s3cret@a.example/x', 'x']) {
      const body = { clone_addr: 'https://a.example/x.git', repo_name: 'never', lfs: true, lfs_endpoint: endpoint };
      const answer = await send(cas, 'POST', '/repos/migrate', body);
      expect(answer.statusCode, endpoint).to.equal(422);
      expect(answer.payload).to.not.contain('s3cret');
    }
    expect((await send(cas, 'GET', '/repos/cas/never')).statusCode).to.equal(404);
  });

  it('names that look like paths or options are none', () => {
    for (const name of ['--upload-pack=x', '../x', 'a..b', 'a b', 'a\u0000', 'x.lock', '/x', 'a//b', 'a~1', '@{u}'])
      expect(cleanBranch(name), name).to.equal('');
    expect(cleanBranch('feature/a-b')).to.equal('feature/a-b');
    for (const path of ['/etc/passwd', '../x', 'a/../b', 'a//b', '']) expect(cleanPath(path), path).to.equal('');
    expect([cleanTime(1e300, 5), cleanTime(-1, 5), cleanLine(12)]).to.equal([5, 5, '']);
  });
});

describe('the client of sources', () => {
  let host: TestHost;
  let server: Server;
  let url: string;
  let seen: IncomingMessage['headers'][];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const allowed = new Set(['127.0.0.1']);
  before(async () => {
    host = await startHost({ plugins: [] });
    server = createServer((request, response) => {
      seen.push(request.headers);
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  after(async () => {
    server?.close();
    await host?.close();
  });
  const client = (signal = new AbortController().signal) => {
    seen = [];
    return new PacedClient({
      outbound: host.services.get<Outbound>(outbound),
      allowedHosts(name) {
        if (!allowed.has(name)) throw Forbidden(`Requests to ${name} are not allowed.`);
        return '127.0.0.1';
      },
      settings: { MAX_ATTEMPTS: 3, RETRY_BACKOFF: 0 },
      signal,
    });
  };
  const failure = (work: Promise<unknown>): Promise<SourceFailure> =>
    work.then(
      () => Promise.reject(new Error('it was answered')),
      (error: unknown) => error as SourceFailure,
    );
  const json = (response: ServerResponse, status: number, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{"ok":true}');

  it('follows redirects to hosts that may be used alone, and takes no secrets along', async () => {
    answer = (_request, response) => json(response, 302, { location: 'http://169.254.169.254/latest' });
    const refused = await failure(client().json(url, { headers: { authorization: 'token abc' } }));
    expect([refused.reason, seen.length]).to.equal(['forbidden', 1]);
    allowed.add('localhost');
    answer = (request, response) =>
      request.headers.host?.startsWith('localhost')
        ? json(response, 200)
        : json(response, 307, { location: url.replace('127.0.0.1', 'localhost') });
    const { data } = await client().json(url, { headers: { authorization: 'token abc', 'x-extra': '1' } });
    expect(data).to.equal({ ok: true });
    expect(seen.map((headers) => [headers.authorization, headers['x-extra']])).to.equal([
      ['token abc', '1'],
      [undefined, '1'],
    ]);
    answer = (_request, response) => json(response, 302, { location: '/again' });
    expect((await failure(client().json(url))).message).to.match(/More than 5 redirects/);
  });

  it('S4: what is no address of http is not asked', async () => {
    for (const bad of ['', 'x', '/x', 'http://', 'file:///etc/passwd', 'ftp://127.0.0.1/x', 'http://%zz/']) {
      const refused = await failure(client().json(bad));
      expect([SourceFailure.is(refused), refused.reason], bad).to.equal([true, 'invalidData']);
    }
  });

  it('tries again what fails for a moment, and names the host and the path alone', async () => {
    answer = (_request, response) => json(response, seen.length < 3 ? 502 : 200);
    expect((await client().json(url)).status).to.equal(200);
    answer = (_request, response) => json(response, 500);
    const failed = await failure(client().json(`${url}/list?private_token=abc`));
    expect([failed.reason, seen.length, failed.message.includes('abc')]).to.equal(['unreachable', 3, false]);
  });

  it('waits as Retry-After says, and gives up its place for a long pause', async () => {
    const began = Date.now();
    answer = (_request, response) => json(response, seen.length < 2 ? 429 : 200, { 'retry-after': '1' });
    expect((await client().json(url)).status).to.equal(200);
    expect(Date.now() - began).to.be.at.least(950);
    const reset = Math.ceil(Date.now() / 1000) + 3000;
    answer = (_request, response) =>
      json(response, 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) });
    const limited = await failure(client().json(url));
    expect([limited.reason, limited.until]).to.equal(['limited', reset * 1000]);
  });

  it('bounds answers in size, and ends with the import', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1 << 20, 0x20);
      const write = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    };
    expect((await failure(client().json(url))).reason).to.equal('tooLarge');
    answer = (_request, response) => void response.writeHead(200).write('[');
    const ending = new AbortController();
    setTimeout(() => ending.abort(new Error('cancelled')), 200);
    await expect(client(ending.signal).json(url)).to.reject('cancelled');
  });
});
