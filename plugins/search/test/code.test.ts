import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';

import { gitReader, languageColors, type GitReader } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';
import { searchIndex } from '../api.js';
import { CodeIndexer } from '../services/code-index.js';
import type { DatabaseIndex } from '../services/search-index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

describe('the search over code, commits and people', { timeout: 300_000 }, () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;
  before(async () => {
    host = await startHost({
      plugins: ['search', 'files', 'refs', 'adoption'],
      settings: { indexer: { MAX_FILE_SIZE: 2000, MAX_FILES: 50, MAX_TOTAL_SIZE: 5000 } },
    });
    [ada, ben] = [await signUp(host, 'ada', { fullName: 'Ada Lovelace' }), await signUp(host, 'ben')];
    for (const name of ['open', 'closed'])
      await send('POST', '/user/repos', { name, private: name === 'closed', auto_init: true, default_branch: 'main' });
  });
  after(() => host.close());

  async function send<T = Record<string, unknown>>(method: string, url: string, payload?: object): Promise<T> {
    const answer = await ada.inject({ method: method as 'GET', url: `/api/v1${url}`, ...(payload && { payload }) });
    expect(answer.statusCode, `${method} ${url} ${answer.payload}`).to.be.below(300);
    return answer.json as T;
  }
  const put = async (
    repository: string,
    files: Readonly<Record<string, string | Buffer>>,
    message: string,
    more = {},
  ) => {
    const changes = Object.entries(files).map(([path, text]) => ({
      operation: 'create',
      path,
      content: base64(text),
    }));
    await send('POST', `/repos/ada/${repository}/contents`, { files: changes, message, branch: 'main', ...more });
    await host.settle();
  };
  /** Addresses of what is found. */
  const found = async (by: Pick<TestClient, 'inject'>, type: string, text: string): Promise<string[]> => {
    const { statusCode, payload } = await by.inject(`/search?type=${type}&q=${encodeURIComponent(text)}`);
    expect(statusCode).to.equal(200);
    return [...payload.matchAll(/<a class="h4 wb-break-word" href="([^"]*)"/g)].map(([, href]) => href!);
  };
  const at = (path: string, repository = 'open') => `/ada/${repository}/src/branch/main/${path}`;

  it('finds lines and names of files, also by words that are everywhere or short', async () => {
    const source = 'import os\n\n// the gear of a wheel\nexport const turnGear = (it) => a + of(it);\n';
    await put('open', { 'src/gear box.ts': source, 'picture.bin': Buffer.from([0, 1, 2]) }, 'Add the gears of it');
    await put('closed', { 'src/gear.ts': source }, 'Add secret gears');
    for (const words of ['turnGear', 'gear wheel', 'the', 'of', 'a it', '"gear of a"'])
      expect(await found(ben, 'code', words), words).to.have.length(1);
    expect(await found(ben, 'code', 'turnGear')).to.equal([`${at('src/gear%20box.ts')}#L4`]);
    expect(await found(ada, 'code', 'turnGear')).to.have.length(2);
    expect(await found(host, 'code', 'turnGear')).to.have.length(1);
    expect(await found(ben, 'code', 'picture bin')).to.equal([at('picture.bin')]);
    expect(await found(ben, 'code', 'nothing of that')).to.equal([]);
  });

  it('finds commits by what they say, as far as one may read them', async () => {
    const [href] = await found(ben, 'commits', 'the gears of');
    expect(href).to.match(/^\/ada\/open\/commit\/[0-9a-f]{40}$/);
    expect(await found(ben, 'commits', href!.slice(-40))).to.equal([href]);
    expect(await found(ben, 'commits', 'secret')).to.equal([]);
    expect(await found(ada, 'commits', 'secret')).to.have.length(1);
    // each says which repository it is of
    for (const query of ['type=code&q=turnGear', 'type=commits&q=gears']) {
      const { payload } = await ben.inject(`/search?${query}`);
      expect(payload.includes('href="/ada/open"'), query).to.be.true();
    }
  });

  it('keeps up with pushes, and with the default branch', async () => {
    const old = await send<{ sha: string }>('GET', '/repos/ada/open/contents/src/gear%20box.ts');
    await send('PUT', '/repos/ada/open/contents/src/gear%20box.ts', {
      content: base64('sprocket();\n'),
      sha: old.sha,
      message: 'Sprockets',
      branch: 'main',
    });
    await host.settle();
    expect([await found(ben, 'code', 'turnGear'), (await found(ben, 'code', 'sprocket')).length]).to.equal([[], 1]);
    await put('open', { 'pawl.txt': 'ratchet\n' }, 'Add a pawl', { new_branch: 'other' });
    expect(await found(ben, 'code', 'ratchet')).to.equal([]);
    await send('PATCH', '/repos/ada/open', { default_branch: 'other' });
    await host.settle();
    expect(await found(ben, 'code', 'ratchet')).to.equal(['/ada/open/src/branch/other/pawl.txt#L1']);
    expect(await found(ben, 'commits', 'pawl')).to.have.length(1);
    await send('PATCH', '/repos/ada/open', { default_branch: 'main' });
    await host.settle();
    expect([await found(ben, 'code', 'ratchet'), await found(ben, 'commits', 'pawl')]).to.equal([[], []]);
  });

  it('forgets what an interrupted pass added when the branch goes elsewhere', async () => {
    const { services } = host;
    await send('POST', '/user/repos', { name: 'torn', auto_init: true, default_branch: 'main' });
    await put('torn', { 'first.txt': 'caliper\n' }, 'First');
    for (const branch of ['left', 'right'])
      await put('torn', { [`${branch}.txt`]: `vernier ${branch}\n` }, branch, { new_branch: branch });
    const { id } = await send<{ id: number }>('GET', '/repos/ada/torn');
    const sync = async (branch: string, isCut: boolean) => {
      const git = services.get(gitReader).open(id);
      const { oid } = (await git.branch(branch))!;
      const moved = new Proxy(git, {
        get: (of, key: keyof typeof git) =>
          key === 'head' ? () => Promise.resolve({ branch: 'main', oid }) : (of[key] as () => void).bind(of),
      });
      const indexer = new CodeIndexer({
        database: host.database,
        gitReader: { open: () => moved } as unknown as GitReader,
        repositories: services.get(repositories),
        index: services.get(searchIndex) as DatabaseIndex,
        languages: services.get(languageColors),
        settings: {
          REPO_INDEXER_ENABLED: true,
          MAX_FILE_SIZE: 2000,
          MAX_FILES: 50,
          MAX_TOTAL_SIZE: 5000,
          MAX_COMMITS: 50,
        },
      });
      const cut = new AbortController();
      const progress = () => Promise.resolve(isCut ? cut.abort() : undefined);
      await indexer.sync(id, { signal: cut.signal, progress });
    };
    await sync('left', true);
    expect(await found(ben, 'code', 'vernier')).to.have.length(1);
    await sync('right', false);
    expect(await found(ben, 'code', 'vernier')).to.equal([`${at('right.txt', 'torn')}#L1`]);
    expect(await found(ben, 'code', 'caliper')).to.have.length(1);
  });

  it('takes so many bytes of one repository, and of further files their names', async () => {
    await send('POST', '/user/repos', { name: 'wide', auto_init: true, default_branch: 'main' });
    const long = (word: string) => `${word} ${'y'.repeat(1500)}\n`;
    const files = Object.fromEntries([1, 2, 3, 4].map((n) => [`wide-${n}.txt`, long('flywheel')]));
    await put('wide', files, 'Add wide ones');
    expect(await found(ben, 'code', 'flywheel')).to.have.length(3);
    expect(await found(ben, 'code', 'wide-4')).to.equal([at('wide-4.txt', 'wide')]);
    const { sha } = await send<{ sha: string }>('GET', '/repos/ada/wide/contents/wide-1.txt');
    await send('DELETE', '/repos/ada/wide/contents/wide-1.txt', { sha, message: 'Less', branch: 'main' });
    await put('wide', { 'wide-5.txt': long('camshaft'), 'wide-6.txt': long('camshaft') }, 'Add more');
    const after = [await found(ben, 'code', 'flywheel'), await found(ben, 'code', 'camshaft')];
    expect(after.map((one) => one.length)).to.equal([2, 1]);
    await host.command('search rebuild', {});
    expect([await found(ben, 'code', 'flywheel'), await found(ben, 'code', 'camshaft')]).to.equal(after);
  });

  it('knows branches of any length', async () => {
    const branch = `${'deep/'.repeat(50)}${'long'.repeat(20)}`;
    await send('POST', '/user/repos', { name: 'named', auto_init: true, default_branch: 'main' });
    const { id } = await send<{ id: number }>('GET', '/repos/ada/named');
    const { services } = host;
    const git = services.get(gitReader).open(id);
    const { oid } = (await git.branch('main'))!;
    const head = () => Promise.resolve({ branch, oid });
    const moved = new Proxy(git, {
      get: (of, key: keyof typeof git) => (key === 'head' ? head : (of[key] as () => void).bind(of)),
    });
    const indexer = new CodeIndexer({
      database: host.database,
      gitReader: { open: () => moved } as unknown as GitReader,
      repositories: services.get(repositories),
      index: services.get(searchIndex) as DatabaseIndex,
      languages: services.get(languageColors),
      settings: {
        REPO_INDEXER_ENABLED: true,
        MAX_FILE_SIZE: 2000,
        MAX_FILES: 50,
        MAX_TOTAL_SIZE: 5000,
        MAX_COMMITS: 50,
      },
    });
    await indexer.sync(id, { signal: new AbortController().signal, progress: () => Promise.resolve() });
    const row = await host.database.knex()('search_tree').where({ repository_id: id }).first('branch');
    expect((row as unknown as { branch: string }).branch).to.equal(branch);
  });

  it('is bounded, and can be made anew', async () => {
    const long = `${'x'.repeat(2000)} escapement\n`;
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, number) => [`many/${number}.txt`, 'pinion\n']));
    await put('open', { 'long.txt': long, ...many }, 'Add many');
    expect(await found(ben, 'code', 'escapement')).to.equal([]);
    const counted = () => host.database.knex()('search_file').count({ n: '*' }).where({ repository_id: 1 }).first();
    expect(Number((await counted())!.n)).to.equal(50);
    const before = (await found(ben, 'code', 'sprocket')).concat(await found(ada, 'commits', 'secret'));
    expect(before).to.have.length(2);
    await host.command('search rebuild', {});
    expect((await found(ben, 'code', 'sprocket')).concat(await found(ada, 'commits', 'secret'))).to.equal(before);
    // whoever loses a repository finds nothing of it, and nothing of one that is gone
    await send('PATCH', '/repos/ada/open', { private: true });
    expect(await found(ben, 'code', 'sprocket')).to.equal([]);
    await send('DELETE', '/repos/ada/closed');
    expect(await found(ada, 'commits', 'secret')).to.equal([]);
    expect(
      Number((await host.database.knex()('search_document').count({ n: '*' }).where({ repository_id: 2 }).first())!.n),
    ).to.equal(0);
  });

  it('finds people by their names', async () => {
    expect(await found(ben, 'people', 'lovelace')).to.equal(['/ada']);
  });
});
