/** Nothing of a source is lost without a word, and no failure is told as another one. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { outbound } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { repositories } from '@mortise/repositories/api';
import { send } from '@mortise/repositories/testing';
import { SourceFailure, type ImportKind, type SourceReader } from '../contract/source.js';
import { repositoryImporter } from '../contract/importer.js';
import { PacedClient } from '../services/client.js';
import { CodeImport, type CodeImportDeps, type CodeImportOptions } from '../services/code-import.js';
import { backoffMs } from '../services/pacing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const author = { name: 'eve', id: 7 };
const at = Date.UTC(2020, 0, 1);

describe('what is left out of an import', () => {
  let host: TestHost;
  let cas: SignedIn;
  before(async () => {
    host = await startHost({ plugins: ['migrations'] });
    cas = await signUp(host, 'cas');
  });
  after(() => host?.close());
  const run = async (name: string, reader: object, kinds: readonly ImportKind[]) => {
    expect((await send(cas, 'POST', '/user/repos', { name })).statusCode).to.equal(201);
    const steps = await host.services.get(repositoryImporter).run({
      repository: (await host.services.get(repositories).byPath('cas', name))!,
      reader: reader as SourceReader,
      kinds: new Set(kinds),
      actor: cas.actor,
      authors: { by: 'none', accounts: {} },
      signal: new AbortController().signal,
    });
    return new Map(steps.map((step) => [step.step, step]));
  };

  it('releases without a tag, with one that is too long, or with that of another one are named', async () => {
    const release = (id: string, tagName: string, more: object = {}) => {
      const assets = [{ id: '1', name: `of-${id}`, size: 1, read: (take: (text: string) => unknown) => take('') }];
      return {
        id,
        tagName,
        target: '',
        title: `title ${id}`,
        note: '',
        author,
        createdAt: at,
        isDraft: true,
        assets,
        ...more,
      };
    };
    const releases = async function* () {
      yield {
        items: [
          release('1', ''),
          release('2', 'v1', { assets: [] }),
          release('3', 'v1', { isDraft: false, assets: [] }),
          release('4', 't'.repeat(191)),
          release('5', 'v1'),
        ],
        next: '2',
      };
      // it moved meanwhile
      yield { items: [release('5', 'v1'), release('6', 'v2', { assets: [] })] };
    };
    const { note, state } = (await run('releases', { releases }, ['releases'])).get('releases')!;
    expect([
      state,
      note
        .split('\n')
        .filter((line) => line.includes('left out'))
        .map((line) => line.slice(0, 17)),
    ]).to.equal(['done', ['title 1: left out', 'title 4: left out', 'title 2: left out', 'title 5: left out']]);
    const { json } = await send(cas, 'GET', '/repos/cas/releases/releases');
    expect(
      json.map((one: { name: string; tag_name: string; assets: unknown[] }) => [one.name, one.assets.length]),
    ).to.only.include([
      ['title 3', 0],
      ['title 6', 0],
    ]);
  });

  it('records without a number or name are counted', async () => {
    const labels = async function* () {
      yield {
        items: [
          { name: '', color: 'ff0000', description: '' },
          { name: 'a', color: 'ff0000', description: '' },
        ],
      };
    };
    const step = (await run('labels', { labels }, ['labels'])).get('labels')!;
    expect([step.done, step.note]).to.equal([1, 'Left out, because they have no number or name that can be taken: 1']);
  });

  const issue = (number: number) => ({
    number,
    title: `issue ${number}`,
    body: '',
    author,
    isClosed: false,
    isLocked: false,
    labels: [],
    assignees: [],
    reactions: [],
  });

  it('pages of which a source leaves everything out are no repetition, and end where they lead nowhere', async () => {
    const pages = (count: number, positionOf: (page: number) => string) =>
      async function* () {
        for (let page = 1; page <= count; page++) yield { items: [], next: positionOf(page) };
        yield { items: [issue(1)] };
      };
    const filtered = (await run('filtered', { issues: pages(150, String) }, ['issues'])).get('issues')!;
    expect([filtered.state, filtered.done]).to.equal(['done', 1]);
    const circle = pages(150, (page) => String(page % 3));
    await expect(run('circle', { issues: circle }, ['issues'])).to.reject(/lead nowhere/);
  });

  it('a pull request whose number an issue has is named', async () => {
    const pull = { ...issue(1), isMerged: false, head: { branch: 'a', commit: '' }, base: { branch: 'b', commit: '' } };
    const issues = async function* () {
      yield { items: [issue(1)] };
    };
    const pullRequests = async function* () {
      yield { items: [pull, { ...pull, number: 2 }] };
    };
    const step = (await run('numbers', { issues, pullRequests }, ['issues', 'pull_requests'])).get('pull_requests')!;
    expect([step.done, step.note.includes('Pull request #1: left out, because an issue has its number')]).to.equal([
      1,
      true,
    ]);
  });

  it('a pull request that is a draft at its source is one here', async () => {
    const pull = (number: number, title: string, more: object) => ({
      number,
      title,
      body: '',
      author,
      isClosed: false,
      isLocked: false,
      labels: [],
      assignees: [],
      reactions: [],
      createdAt: at,
      isMerged: false,
      head: { branch: `b${number}`, commit: '' },
      base: { branch: 'main', commit: '' },
      ...more,
    });
    const pullRequests = async function* () {
      yield {
        items: [
          pull(1, 'new', { isDraft: true }),
          pull(2, 'Draft: half', { isDraft: true }),
          pull(3, 'WIP: own', { isDraft: true }),
          pull(4, 'Draft: no', {}),
        ],
      };
    };
    await run('pulls', { pullRequests }, ['pull_requests']);
    const { json } = await send(cas, 'GET', '/repos/cas/pulls/pulls?state=open');
    const found = json.map((one: { number: number; title: string; draft: boolean }) => [
      one.number,
      one.title,
      one.draft,
    ]);
    expect(found.sort()).to.equal([
      [1, 'WIP: new', true],
      [2, 'WIP: half', true],
      [3, 'WIP: own', true],
      [4, 'Draft: no', false],
    ]);
  });
});

describe('failures of the client of sources', () => {
  let host: TestHost;
  let server: Server;
  let url: string;
  let count = 0;
  let answer = (response: ServerResponse): void => void response.end('content');
  before(async () => {
    host = await startHost({ plugins: [] });
    server = createServer((_request, response) => {
      count++;
      answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  after(async () => {
    server?.close();
    await host?.close();
  });
  const read = (take: Parameters<PacedClient['read']>[1]) => {
    count = 0;
    const settings = { MAX_ATTEMPTS: 3, RETRY_BACKOFF: 0 };
    const { signal } = new AbortController();
    const client = new PacedClient({
      outbound: host.services.get(outbound),
      allowedHosts: () => '127.0.0.1',
      settings,
      signal,
    });
    return client.read(url, take).then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  it('what goes wrong here is no failure of the source, and is not tried again', async () => {
    const own = new TypeError('a mistake');
    expect([await read(() => Promise.reject(own)), count]).to.equal([own, 1]);
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const disk = () => new Writable({ write: (_chunk, _encoding, done) => done(full) });
    answer = (response) => void response.end('x'.repeat(1_000_000));
    expect([await read((content) => pipeline(content, disk())), count]).to.equal([full, 1]);
  });

  it('what breaks on its way is one, and is tried again', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    const failure = await read((content) =>
      pipeline(content, new Writable({ write: (_chunk, _encoding, done) => done() })),
    );
    expect([(failure as SourceFailure).reason, count]).to.equal(['unreachable', 3]);
  });

  it('no pause between attempts is longer than a job sleeps', () => {
    expect([1, 2, 3].map((attempt) => backoffMs(3, attempt))).to.equal([3000, 6000, 12_000]);
    for (let attempt = 1; attempt <= 20; attempt++) expect(backoffMs(600, attempt)).to.equal(60_000);
  });
});

describe('the progress of code', () => {
  /** An import whose progress is stored slowly, by a run that is the last one until it is not. */
  const imported = async (isSuperseded: () => boolean) => {
    const saved: string[] = [];
    const deps = {
      database: { write: (work: () => unknown) => work() },
      remotes: {
        parse: (address: string) => address,
        async fetch(_id: number, _address: string, { onProgress }: { onProgress(progress: object): void }) {
          onProgress({ done: 1, total: 9 });
          return { refs: [], leftOut: [], head: undefined };
        },
      },
      store: { setHead: async () => undefined },
      repositories: { setDerived: async () => undefined },
      repositoryQuota: { check: async () => undefined },
      creator: { derive: async () => ({}) },
      progress: {
        step: async () => ({ state: 'waiting', done: 0, total: 0 }),
        async save(_id: number, { state, total }: { state: string; total: number }) {
          if (total) await new Promise((resolve) => setTimeout(resolve, 50));
          saved.push(total ? `${state} of ${total}` : state);
        },
      },
    } as unknown as CodeImportDeps;
    const options = {
      repository: { id: 1, defaultBranch: 'main' },
      source: { cloneUrl: 'x', defaultBranch: 'main' },
      credentialsAt: () => ({}),
      check: () => (isSuperseded() ? Promise.reject(new Error('superseded')) : Promise.resolve()),
      notify: () => Promise.resolve(),
    } as unknown as CodeImportOptions;
    const failure = await new CodeImport(deps).code(options).then(
      () => '',
      (error: Error) => error.message,
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { saved, failure };
  };

  it('does not overwrite the end of its step', async () => {
    expect(await imported(() => false)).to.equal({ saved: ['running', 'running of 9', 'done'], failure: '' });
  });

  it('is not written by a run that another one has taken the place of', async () => {
    let checks = 0;
    expect(await imported(() => ++checks > 1)).to.equal({ saved: ['running'], failure: 'superseded' });
  });
});
