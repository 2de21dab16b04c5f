// The server is killed (SIGKILL to its whole group) at random moments while it imports a repository from a server that plays
// Gitea. After each restart the import goes on where it was; in the end everything is there once.
// Time: about 60 s
//
//   MORTISE_TEST_FULL=1   30 kills in one run instead of 2: more moments, none of another kind
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const full = Boolean(process.env.MORTISE_TEST_FULL);
const maxKills = full ? 30 : 2;
const issues = full ? 900 : 200;
const pageSize = 10;
const at = '2021-02-03T04:05:06Z';
/** A seeded generator, so that a failing run can be repeated with the same kill moments. */
const seed = Number(process.env.MORTISE_FAULT_SEED ?? Date.now() % 100_000);
let state = seed;
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What the API of Gitea documents, of a repository with many issues and two comments at each. */
function playGitea(repository) {
  const user = { id: 5, login: 'eve' };
  const issue = (number) => ({
    number,
    title: `issue ${number}`,
    body: 'b',
    user,
    state: 'open',
    labels: [],
    created_at: at,
  });
  const comment = (id, base) => ({
    id,
    body: `c${id}`,
    user,
    issue_url: `${base}/issues/${Math.ceil(id / 2)}`,
    created_at: at,
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://gitea.example');
    const path = url.pathname.replace('/api/v1/repos/eve/wool', '');
    const page = Number(url.searchParams.get('page') ?? 1);
    const listed = (total, of) => {
      const first = (page - 1) * pageSize + 1;
      const last = Math.min(total, page * pageSize);
      response.setHeader('x-total-count', String(total));
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => of(first + n));
    };
    const answers = {
      '': () => ({ name: 'wool', default_branch: 'main', has_wiki: false }),
      '/topics': () => ({ topics: [] }),
      '/issues': () => listed(issues, issue),
      '/issues/comments': () => listed(2 * issues, (id) => comment(id, url.origin)),
    };
    if (!url.pathname.startsWith('/api/')) return serveGit(repository, url, request, response);
    const body = answers[path]?.() ?? [];
    setTimeout(() => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)), 5);
  });
  return server;
}

/** The smart protocol of git over HTTP, for fetching. */
function serveGit(repository, url, request, response) {
  const args = ['upload-pack', '--stateless-rpc'];
  response.setHeader('cache-control', 'no-cache');
  if (url.pathname.endsWith('/info/refs')) {
    const refs = execFileSync('git', [...args, '--advertise-refs', repository]);
    response.setHeader('content-type', 'application/x-git-upload-pack-advertisement');
    response.end(Buffer.concat([Buffer.from('001e# service=git-upload-pack\n0000'), refs]));
  } else if (url.pathname.endsWith('/git-upload-pack')) {
    response.setHeader('content-type', 'application/x-git-upload-pack-result');
    const git = spawn('git', [...args, repository], { stdio: ['pipe', 'pipe', 'ignore'] });
    const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
    for (const stream of [git.stdin, response, body]) stream.on('error', () => git.kill());
    body.pipe(git.stdin);
    git.stdout.pipe(response);
  } else response.writeHead(404).end();
}

describe(`a server killed while it imports (seed ${seed})`, { timeout: 3_600_000 }, () => {
  let server;
  let gitea;
  before(async () => {
    server = await startServer({
      plugins: ['migrations', 'refs'],
      settings: { MORTISE__migrations__ALLOW_LOCALNETWORKS: 'true' },
    });
    const work = join(server.folder, 'wool');
    mkdirSync(work);
    const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const commit = `commit refs/heads/main\ncommitter Eve <eve@example.com> 1700000000 +0000\n${data('one')}M 644 inline a.txt\n${data('a\n')}`;
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: work });
    execFileSync('git', ['fast-import', '--quiet'], { cwd: work, input: commit });
    gitea = playGitea(work);
    await new Promise((resolve) => gitea.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    gitea?.closeAllConnections();
    gitea?.close();
    await server?.close();
  });
  const api = (method, path, body) => server.api(method, `/repos/root/wool${path}`, { body });
  const totals = async () => {
    const [list, comments] = await Promise.all([
      api('GET', '/issues?state=all&limit=1'),
      api('GET', '/issues/comments?limit=1'),
    ]);
    const of = (answer) => Number(answer.headers.get('x-total-count') ?? 0);
    return { issues: of(list), comments: of(comments) };
  };
  const progress = async () => {
    const { issues: some, comments } = await totals().catch(() => ({ issues: 0, comments: 0 }));
    return some + comments;
  };
  const waitFor = async (what, look) => {
    for (let tries = 0; tries < 1200; tries++) {
      if (await look()) return;
      await pause(100);
    }
    throw new Error(`${what} did not happen within two minutes`);
  };

  it('MIG-01: goes on where it was, and in the end everything is there once', async () => {
    const body = {
      clone_addr: `http://127.0.0.1:${gitea.address().port}/eve/wool.git`,
      service: 'gitea',
      repo_name: 'wool',
      issues: true,
    };
    // the answer comes when the import is done: by then the server that was asked is dead
    void server.api('POST', '/repos/migrate', { body }).catch(() => undefined);
    let known = 0;
    let kills = 0;
    while (kills < maxKills) {
      let now = known;
      await waitFor('progress', async () => (now = await progress()) > known || now >= 3 * issues);
      if (now >= 3 * issues) break;
      await pause(random() * 300);
      await server.kill();
      await server.start();
      kills++;
      known = Math.max(known, await progress());
    }
    await waitFor(
      'the end',
      async () => (await api('POST', '/labels', { name: 'x', color: '#ffffff' })).status === 201,
    );
    expect([kills > 0, await totals()]).to.equal([true, { issues, comments: 2 * issues }]);
    const record = await api('GET', '');
    expect(record.json.open_issues_count).to.equal(issues);
    const first = await api('GET', '/issues/1/comments');
    expect(first.json.map((one) => [one.body, one.original_author])).to.equal([
      ['c1', 'eve'],
      ['c2', 'eve'],
    ]);
    expect((await api('GET', '/issues/1')).json).to.include({ comments: 2, created_at: at });
    expect((await api('GET', '/branches/main')).status).to.equal(200);
  });
});
