// What the numbered requirements say about commits, contents, releases, tokens and texts, asked from outside.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const repo = '/repos/root/wheel';
const password = 'Tr1cky-passw0rd!';
const base64 = (text) => Buffer.from(text).toString('base64');
const begin = 1_700_000_000;
/** When the commit of this number was made. */
const timeOf = (number) => new Date((begin + number * 3600) * 1000);
const iso = (number) => `${timeOf(number).toISOString().slice(0, 19)}Z`;
const longHistory = 57;
const manyTags = 55;

/** Text for `git fast-import`: `main` with three commits, `f/one` beside it, the long branch `long`, and tags. */
function history() {
  const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commit = (ref, number, message, files, from) =>
    `commit ${ref}\nmark :${number}\n` +
    `author Ada <ada@example.com> ${begin + number * 3600} +0000\n` +
    `committer Ben <ben@example.com> ${begin + number * 3600} +0100\n` +
    data(message) +
    (from ? `from :${from}\n` : '') +
    Object.entries(files)
      .map(([path, text]) => (text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(text)}`))
      .join('');
  const lines = [
    commit('refs/heads/main', 1, 'Begin\n', { 'README.md': '# Wheel\n', 'old.txt': 'old\n' }),
    commit('refs/heads/main', 2, 'Change\n', {
      'README.md': '# Wheel\n\nRound.\n',
      'old.txt': null,
      'src/a.js': 'export const a = 1;\n',
    }),
    commit('refs/heads/main', 3, 'More\n\nWith a reason.\n', { 'src/b.js': 'export const b = 2;\n' }),
    commit('refs/heads/f/one', 4, 'Aside\n', { 'aside.txt': 'aside\n' }, 2),
  ];
  for (let number = 5; number < 5 + longHistory - 3; number++)
    lines.push(
      commit('refs/heads/long', number, `Step ${number}\n`, { 'step.txt': `${number}\n` }, number > 5 ? number - 1 : 3),
    );
  lines.push(
    'reset refs/tags/v1\nfrom :2\n\n',
    'reset refs/heads/v1.x\nfrom :2\n\n',
    'reset refs/notes/commits\nfrom :1\n\n',
  );
  for (let number = 2; number <= manyTags; number++) lines.push(`reset refs/tags/t/${number}\nfrom :1\n\n`);
  return lines.join('');
}

describe('requirements of contents and their surroundings', { timeout: 600_000 }, () => {
  let server;
  /** Ids of the commits of `main`, oldest first. */
  let ids;
  const tokens = {};
  const get = (path, options) => server.api('GET', path, options);
  const post = (path, body, options) => server.api('POST', path, { body, ...options });
  const ok = async (answer, status = 200) => {
    const { status: given, text, json } = await answer;
    expect(given, text).to.equal(status);
    return json;
  };
  const tokenOf = async (name, scopes) =>
    (await ok(post(`/users/${name}/tokens`, { name: scopes.join(), scopes }, { as: `${name}:${password}` }), 201)).sha1;
  const fullNames = async (path, as) => (await ok(get(path, { as }))).map((one) => one.full_name).sort();
  before(async () => {
    server = await startServer();
    for (const [username, visibility] of [
      ['ada', 'public'],
      ['hidden', 'limited'],
    ])
      await ok(
        post('/admin/users', {
          username,
          visibility,
          password,
          email: `${username}@example.com`,
          must_change_password: false,
        }),
        201,
      );
    tokens.whole = await tokenOf('ada', ['all']);
    tokens.public = await tokenOf('ada', ['all', 'public-only']);
    tokens.hidden = await tokenOf('hidden', ['all', 'public-only']);
    tokens.reader = await tokenOf('ada', ['read:repository']);

    await ok(post('/user/repos', { name: 'wheel', default_branch: 'main' }), 201);
    const source = join(server.folder, 'source.git');
    expect(spawnSync('git', ['init', '-q', '--bare', source]).status).to.equal(0);
    const imported = spawnSync('git', ['fast-import', '--quiet'], { cwd: source, input: history(), encoding: 'utf8' });
    expect(imported.status, imported.stderr).to.equal(0);
    const pushed = await server.git(['push', '-q', `${server.base}/root/wheel.git`, 'refs/*:refs/*'], { cwd: source });
    expect(pushed.code, pushed.err).to.equal(0);
    const listed = await server.git(['rev-list', '--reverse', 'main'], { cwd: source });
    ids = listed.out.trim().split('\n');
  });
  after(() => server?.close());

  it('GEN-05: HEAD on what is missing answers 404, never 405', async () => {
    for (const [path, status] of [
      ['/git/commits/nope', 404],
      ['/commits/nope', 404],
      ['/commits/nope/status', 404],
      ['/branches/nope', 404],
      ['/tags/nope', 404],
      ['/git/refs/heads/nope', 404],
      ['/compare/nope...main', 404],
      ['/contents/README.md?ref=nope', 404],
      ['/raw/README.md?ref=nope', 404],
      ['/archive/nope.zip', 404],
      ['/git/commits/main', 200],
      ['/branches/main', 200],
    ]) {
      const answer = await server.api('HEAD', repo + path);
      expect([path, answer.status, answer.text]).to.equal([path, status, '']);
    }
  });

  it('GEN-08: lists tell the number of all items, and let scripts of other sites read it', async () => {
    for (const [path, total] of [
      ['/commits?limit=1', 3],
      ['/commits?limit=1&page=9', 3],
      ['/commits?limit=1&path=README.md', 2],
      ['/commits?limit=1&sha=long', longHistory],
      ['/commits?limit=1&sha=long&not=main', longHistory - 3],
      ['/branches?limit=1', 4],
      ['/tags?limit=1', manyTags],
      ['/releases?limit=1', 0],
    ]) {
      const { status, headers } = await get(repo + path);
      expect([path, status, headers.get('x-total-count')]).to.equal([path, 200, String(total)]);
      expect(headers.get('access-control-expose-headers'), path).to.contain('X-Total-Count');
    }
  });

  it('CNT-01, CNT-02: a commit tells its addresses, its id and its time', async () => {
    const [commit] = await ok(get(`${repo}/commits`));
    expect(commit.sha).to.equal(ids[2]);
    expect(commit.url).to.equal(`${server.base}/api/v1${repo}/git/commits/${ids[2]}`);
    expect((await ok(get(commit.url))).sha).to.equal(ids[2]);
    expect(commit.created).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/);
    expect(Date.parse(commit.created)).to.equal(timeOf(3).getTime());
    expect(commit.html_url).to.equal(`${server.base}/root/wheel/commit/${ids[2]}`);
    expect((await fetch(commit.html_url)).status).to.equal(200);
  });

  it('CNT-03, CNT-04: a commit in a list tells its files and counts its lines', async () => {
    const [last, change, first] = await ok(get(`${repo}/commits`));
    expect(last.files).to.equal([{ filename: 'src/b.js', status: 'added' }]);
    expect(last.stats).to.equal({ total: 1, additions: 1, deletions: 0 });
    expect(change.files).to.equal([
      { filename: 'README.md', status: 'modified' },
      { filename: 'old.txt', status: 'removed' },
      { filename: 'src/a.js', status: 'added' },
    ]);
    expect(change.stats).to.equal({ total: 4, additions: 3, deletions: 1 });
    expect(first.files.map(({ status }) => status)).to.equal(['added', 'added']);
    expect(first.stats).to.equal({ total: 2, additions: 2, deletions: 0 });
  });

  it('CNT-06: the remaining fields of a commit', async () => {
    const commit = await ok(get(`${repo}/git/commits/${ids[2]}`));
    const tree = await ok(get(`${repo}/git/trees/${ids[2]}`));
    expect(commit.commit).to.include({ url: commit.url, message: 'More\n\nWith a reason.\n' });
    expect(commit.commit.author).to.include({ name: 'Ada', email: 'ada@example.com' });
    expect(commit.commit.committer).to.include({ name: 'Ben', email: 'ben@example.com' });
    for (const { date } of [commit.commit.author, commit.commit.committer])
      expect(Date.parse(date)).to.equal(timeOf(3).getTime());
    expect(commit.commit.tree).to.include({
      sha: tree.sha,
      url: `${server.base}/api/v1${repo}/git/trees/${tree.sha}`,
    });
    expect(commit.commit.verification).to.include(['verified', 'reason', 'signature', 'signer', 'payload']);
    expect(commit.author.login).to.equal('ada');
    expect(commit.committer).to.be.null();
    expect(commit.parents).to.have.length(1);
    expect(commit.parents[0]).to.include({
      sha: ids[1],
      url: `${server.base}/api/v1${repo}/git/commits/${ids[1]}`,
    });
    expect(Date.parse(commit.parents[0].created)).to.not.be.NaN();
    expect((await ok(get(`${repo}/git/commits/${ids[0]}`))).parents).to.equal([]);
  });

  it('CNT-07: one commit, with or without its parts; wrong words and unknown ones', async () => {
    const whole = await ok(get(`${repo}/git/commits/${ids[1]}`));
    expect(whole.sha).to.equal(ids[1]);
    expect(whole.stats.total).to.equal(4);
    expect(whole.files).to.have.length(3);
    expect(whole.commit.verification).to.include({ verified: false, signature: '', signer: null });
    const bare = await ok(get(`${repo}/git/commits/${ids[1]}?stat=false&files=false&verification=false`));
    expect(bare).to.equal({ ...whole, stats: null, files: null, commit: { ...whole.commit, verification: null } });
    for (const [word, status] of [
      ['main', 200],
      ['v1', 200],
      ['nope', 404],
      ['0'.repeat(40), 404],
      ['a..b', 422],
      ['a%20b', 422],
      ['main%5E%7Bcommit%7D', 422],
    ])
      expect([word, (await get(`${repo}/git/commits/${word}`)).status]).to.equal([word, status]);
  });

  it('CNT-09: compares two sides, also of forks, as record and as text', async () => {
    await ok(post(`${repo}/forks`, {}, { as: tokens.whole }), 202);
    await ok(
      post('/repos/ada/wheel/contents/fork.txt', { content: base64('fork\n'), message: 'Fork' }, { as: tokens.whole }),
      201,
    );
    const compare = (sides) => get(`${repo}/compare/${sides}`);
    const messages = async (sides) => {
      const { total_commits: total, commits, ...rest } = await ok(compare(sides));
      expect(rest).to.equal({});
      expect(total).to.equal(commits.length);
      return commits.map(({ commit }) => commit.message.split('\n')[0]);
    };
    expect(await messages('v1...main')).to.equal(['More']);
    expect(await messages('v1..main')).to.equal(['More']);
    expect(await messages('main...f/one')).to.equal(['Aside']);
    expect(await messages(`${ids[0]}...main`)).to.equal(['More', 'Change']);
    expect(await messages('main...main')).to.equal([]);
    expect(await messages('main...ada:main')).to.equal(['Fork']);
    expect(await messages('main...ada/wheel:main')).to.equal(['Fork']);
    const asDiff = await compare('main...f/one?output=diff');
    expect(asDiff.headers.get('content-type')).to.contain('text/plain');
    expect(asDiff.text)
      .to.match(/^diff --git a\/aside.txt b\/aside.txt\n/)
      .and.to.not.contain('b.js');
    expect((await compare('main..f/one?output=diff')).text).to.contain('b.js');
    const asPatch = await compare('main...f/one?output=patch');
    expect(asPatch.text)
      .to.match(/^From [0-9a-f]{40} .*\n/)
      .and.to.contain('Subject: [PATCH] Aside');
    expect((await compare('main...nope')).status).to.equal(404);
    expect((await compare('main...nobody:main')).status).to.equal(404);
  });

  it('CNT-11: contents of many files in the order of the request', async () => {
    const large = 'x'.repeat(10 * 1024 * 1024 + 1);
    await ok(post('/user/repos', { name: 'large', auto_init: true }), 201);
    await ok(post('/repos/root/large/contents/large.txt', { content: base64(large), message: 'Large' }), 201);
    const files = ['src/b.js', 'nope.txt', 'README.md', '../README.md'];
    const found = await ok(post(`${repo}/file-contents`, { files }));
    expect(found.map((file) => file?.path ?? null)).to.equal(['src/b.js', null, 'README.md', null]);
    expect(Buffer.from(found[2].content, 'base64').toString()).to.equal('# Wheel\n\nRound.\n');
    const older = await ok(post(`${repo}/file-contents?ref=${ids[0]}`, { files }));
    expect(older.map((file) => file?.path ?? null)).to.equal([null, null, 'README.md', null]);
    expect(Buffer.from(older[2].content, 'base64').toString()).to.equal('# Wheel\n');
    const asked = encodeURIComponent(JSON.stringify({ files }));
    expect(await ok(get(`${repo}/file-contents?body=${asked}`))).to.equal(found);
    expect(await ok(get(`${repo}/file-contents?ref=${ids[0]}&body=${asked}`))).to.equal(older);
    const [tooLarge, readme] = await ok(post('/repos/root/large/file-contents', { files: ['large.txt', 'README.md'] }));
    expect(tooLarge).to.include({ path: 'large.txt', content: null, size: large.length });
    expect(readme.content).to.be.a.string();
  });

  it('CNT-13, CNT-14, CNT-15: statistics, files and signatures can be left out of lists', async () => {
    const shape = ({ stats, files, commit }) => [stats !== null, files !== null, commit.verification !== null];
    for (const [query, expected] of [
      ['', [true, true, true]],
      ['stat=true&files=true&verification=true', [true, true, true]],
      ['stat=false', [false, true, true]],
      ['files=false', [true, false, true]],
      ['verification=false', [true, true, false]],
      ['stat=false&files=false&verification=false', [false, false, false]],
    ]) {
      const list = await ok(get(`${repo}/commits?${query}`));
      const { commits } = await ok(get(`${repo}/compare/${ids[0]}...main?${query}`));
      const single = await ok(get(`${repo}/git/commits/main?${query}`));
      const byRef = await ok(get(`${repo}/commits/main?${query}`));
      for (const commit of [...list, ...commits, single, byRef])
        expect([query, ...shape(commit)]).to.equal([query, ...expected]);
      expect([list.length, commits.length]).to.equal([3, 2]);
    }
    expect((await get(`${repo}/commits?stat=perhaps`)).status).to.equal(422);
  });

  it('CNT-16, CNT-17: a time limits the list and its total', async () => {
    const around = (number, minutes) =>
      encodeURIComponent(`${new Date(timeOf(number).getTime() + minutes * 60_000).toISOString().slice(0, 19)}Z`);
    for (const [query, expected] of [
      [`since=${around(1, 30)}`, [3, 2]],
      [`since=${around(2, 30)}`, [3]],
      [`since=${around(3, 30)}`, []],
      [`until=${around(1, -30)}`, []],
      [`until=${around(1, 30)}`, [1]],
      [`until=${around(2, 30)}`, [2, 1]],
      [`since=${around(1, 30)}&until=${around(2, 30)}`, [2]],
      // the same moment in another zone
      [`since=${encodeURIComponent(iso(2).replace('Z', '-00:30'))}`, [3]],
    ]) {
      const answer = await get(`${repo}/commits?${query}`);
      expect([query, answer.json.map(({ sha }) => ids.indexOf(sha) + 1)]).to.equal([query, expected]);
      expect([query, answer.headers.get('x-total-count')]).to.equal([query, String(expected.length)]);
      const [one] = await ok(get(`${repo}/commits?${query}&limit=1`));
      expect(one?.sha).to.equal(answer.json[0]?.sha);
    }
    for (const name of ['since', 'until'])
      for (const wrong of ['yesterday', '2023', '2023-11-14', '2023-13-45T00:00:00Z', '1700000000'])
        expect([name, wrong, (await get(`${repo}/commits?${name}=${wrong}`)).status]).to.equal([name, wrong, 422]);
  });

  it('CNT-21: all commits of a repository', async () => {
    expect((await ok(get(`${repo}/commits`, { as: '' }))).map(({ sha }) => sha)).to.equal([...ids].reverse());
    const long = [];
    for (const page of [1, 2])
      long.push(...(await ok(get(`${repo}/commits?sha=long&stat=false&files=false&limit=50&page=${page}`))));
    expect(new Set(long.map(({ sha }) => sha)).size).to.equal(longHistory);
  });

  it('LIM-10: lists are bounded by 30 and by 50', async () => {
    for (const [path, total] of [
      ['/tags', manyTags],
      ['/commits?sha=long&stat=false&files=false', longHistory],
    ]) {
      const count = async (query) => (await ok(get(`${repo}${path}${path.includes('?') ? '&' : '?'}${query}`))).length;
      expect([path, await count('')]).to.equal([path, 30]);
      expect([path, await count('limit=0')]).to.equal([path, 30]);
      expect([path, await count('limit=7')]).to.equal([path, 7]);
      expect([path, await count('limit=1000')]).to.equal([path, 50]);
      expect([path, await count('limit=1000&page=2')]).to.equal([path, total - 50]);
      expect([path, await count('limit=1000&page=3')]).to.equal([path, 0]);
      expect([path, await count('page=2')]).to.equal([path, total - 30]);
      expect([path, await count('limit=7&page=0')]).to.equal([path, 7]);
    }
  });

  it('REL-02, REL-03: releases are filtered by tag, with * for any text and in any case', async () => {
    const tags = ['1.0', 'v1.0', 'v1.1-beta', 'V2.0-RC1', 'v2.0-rc2'];
    await ok(post('/user/repos', { name: 'released', auto_init: true }), 201);
    for (const tag_name of tags) await ok(post('/repos/root/released/releases', { tag_name, name: tag_name }), 201);
    for (const [filter, expected] of [
      ['v1*', ['v1.0', 'v1.1-beta']],
      ['*beta', ['v1.1-beta']],
      ['*rc*', ['V2.0-RC1', 'v2.0-rc2']],
      ['v*.*1*', ['V2.0-RC1', 'v1.1-beta']],
      ['v2*2', ['v2.0-rc2']],
      ['*', tags],
      ['1.0', ['1.0']],
      ['v1', []],
      ['rc', []],
      ['*1.0', ['1.0', 'v1.0']],
      ['V1.0', ['v1.0']],
      ['V1*', ['v1.0', 'v1.1-beta']],
      ['v2.0-rc1', ['V2.0-RC1']],
      ['*RC2', ['v2.0-rc2']],
    ]) {
      const answer = await get(`/repos/root/released/releases?tag_filter=${encodeURIComponent(filter)}`);
      expect([filter, answer.json.map((release) => release.tag_name).sort()]).to.equal([filter, [...expected].sort()]);
      expect([filter, answer.headers.get('x-total-count')]).to.equal([filter, String(expected.length)]);
    }
  });

  it('ERR-01: what does not exist is 404', async () => {
    for (const path of [
      '/repos/root/nope',
      '/repos/nobody/wheel',
      '/repos/root/nope/commits',
      '/users/nobody',
      '/users/nobody/repos',
      `${repo}/branches/nope`,
      `${repo}/git/refs/heads/nope`,
      `${repo}/git/commits/nope`,
      `${repo}/commits?sha=nope`,
      `${repo}/commits/nope`,
      `${repo}/contents?ref=nope`,
      `${repo}/archive/nope.tar.gz`,
    ])
      expect([path, (await get(path)).status]).to.equal([path, 404]);
  });

  it('ERR-02: contents say which object does not exist', async () => {
    const asked = encodeURIComponent(JSON.stringify({ files: ['README.md'] }));
    for (const ref of ['nope', 'f/nope', '0'.repeat(40), ids[0].slice(0, 8)])
      for (const path of [
        '/contents?',
        '/contents/README.md?',
        '/contents-ext/README.md?',
        `/file-contents?body=${asked}&`,
      ]) {
        const { status, json } = await get(`${repo}${path}ref=${ref}`);
        expect([path, status, json.message]).to.equal([path, 404, `object does not exist [id: ${ref}, rel_path: ]`]);
      }
  });

  it('ERR-19: contents refuse references that are neither branch nor tag, also those that exist', async () => {
    expect((await ok(get(`${repo}/git/refs/notes/commits`))).length).to.equal(1);
    const files = ['README.md'];
    const asked = encodeURIComponent(JSON.stringify({ files }));
    for (const ref of ['refs/notes/commits', 'refs/pull/1/head', 'refs/for/main', 'refs/heads', 'refs/main'])
      for (const answer of [
        await get(`${repo}/contents?ref=${ref}`),
        await get(`${repo}/contents/README.md?ref=${ref}`),
        await get(`${repo}/contents-ext/README.md?ref=${ref}`),
        await get(`${repo}/file-contents?ref=${ref}&body=${asked}`),
        await post(`${repo}/file-contents?ref=${ref}`, { files }),
      ]) {
        expect([ref, answer.status]).to.equal([ref, 404]);
        expect(answer.json.message).to.startWith('object does not exist');
      }
  });

  it('ERR-05: an unknown readme template is refused, and nothing is made', async () => {
    const refused = await post('/user/repos', { name: 'odd', auto_init: true, readme: 'Fancy' });
    expect(refused.status).to.equal(400);
    expect(refused.json.message).to.contain('Fancy').and.to.contain('Default');
    expect((await get('/repos/root/odd')).status).to.equal(404);
    await ok(post('/user/repos', { name: 'odd', auto_init: false, readme: 'Fancy' }), 201);
  });

  it('ERR-11: one fork is enough', async () => {
    await ok(post('/user/repos', { name: 'spoke', auto_init: true }), 201);
    const fork = (body) => post('/repos/root/spoke/forks', body, { as: tokens.whole });
    await ok(fork({}), 202);
    await ok(fork({}), 409);
    await ok(fork({ name: 'another' }), 409);
    expect((await get('/repos/root/spoke/forks')).headers.get('x-total-count')).to.equal('1');
    expect((await get('/repos/ada/another')).status).to.equal(404);
  });

  it('ERR-18: a token with too small a scope is refused', async () => {
    const as = tokens.reader;
    await ok(get(repo, { as }));
    const refused = await post('/repos/root/wheel/branches', { new_branch_name: 'x' }, { as });
    expect(refused.status).to.equal(403);
    expect(refused.json.message).to.contain('write:repository').and.to.contain('read:repository');
    expect((await get('/user', { as })).status).to.equal(403);
    expect((await get(`${repo}/branches/x`)).status).to.equal(404);
  });

  it('TOK-18: a public-only token compares with public heads only', async () => {
    await ok(post('/user/repos', { name: 'rim', auto_init: true, default_branch: 'main' }), 201);
    const account = `hidden:${password}`;
    await ok(post('/repos/root/rim/forks', {}, { as: tokens.whole }), 202);
    await ok(post('/repos/root/rim/forks', {}, { as: account }), 202);
    for (const [head, whole, limited] of [
      ['main', 200, 200],
      ['ada:main', 200, 200],
      ['ada/rim:main', 200, 200],
      // a fork below an account that is not public
      ['hidden:main', 200, 404],
      ['hidden/rim:main', 200, 404],
    ]) {
      const compare = async (as) => (await get(`/repos/root/rim/compare/main...${head}`, { as })).status;
      expect([head, await compare(account), await compare(tokens.hidden)]).to.equal([head, whole, limited]);
    }
  });

  it('TOK-23: a public-only token reaches packages of public owners only', async () => {
    for (const owner of ['ada', 'hidden']) {
      const file = `${server.base}/api/packages/${owner}/generic/thing/1.0/file.txt`;
      const sent = await server.api('PUT', file, { as: `${owner}:${password}`, body: 'bytes' });
      expect(sent.status, sent.text).to.equal(201);
      const expected = owner === 'ada' ? 200 : 403;
      for (const path of [
        `/packages/${owner}`,
        `/packages/${owner}/generic/thing`,
        `/packages/${owner}/generic/thing/1.0`,
        `/packages/${owner}/generic/thing/1.0/files`,
        file,
      ]) {
        expect([path, (await get(path, { as: tokens.hidden })).status]).to.equal([path, expected]);
        expect([path, (await get(path, { as: `${owner}:${password}` })).status]).to.equal([path, 200]);
      }
    }
  });

  it('TOK-25: a public-only token sees public repositories in star and watch lists', async () => {
    const as = tokens.whole;
    await ok(post('/user/repos', { name: 'shown', auto_init: true }, { as }), 201);
    await ok(post('/user/repos', { name: 'secret', auto_init: true, private: true }, { as }), 201);
    for (const name of ['shown', 'secret']) {
      await ok(server.api('PUT', `/user/starred/ada/${name}`, { as }), 204);
      await ok(server.api('PUT', `/repos/ada/${name}/subscription`, { as }));
    }
    for (const path of ['/user/starred', '/users/ada/starred', '/user/subscriptions', '/users/ada/subscriptions']) {
      const [whole, open] = [await fullNames(path, as), await fullNames(path, tokens.public)];
      expect(whole, path).to.include(['ada/shown', 'ada/secret']);
      expect(open, path).to.include('ada/shown').and.to.not.include('ada/secret');
    }
  });

  it('VER-02: tokens in the address work, warn, and are marked deprecated in both documents', async () => {
    for (const name of ['token', 'access_token']) {
      const answer = await get(`/user?${name}=${tokens.whole}`, { as: '' });
      expect([answer.status, answer.json.login]).to.equal([200, 'ada']);
      for (const header of ['warning', 'x-gitea-warning', 'x-mortise-warning'])
        expect(answer.headers.get(header)).to.equal('token and access_token API authentication is deprecated');
    }
    const { securityDefinitions } = await ok(get(`${server.base}/swagger.v1.json`));
    const { components } = await ok(get(`${server.base}/openapi3.v1.json`));
    for (const schemes of [securityDefinitions, components.securitySchemes])
      for (const name of ['token', 'access_token']) {
        const scheme = Object.values(schemes).find((one) => one.in === 'query' && one.name === name);
        expect(scheme?.description, name).to.match(/^Deprecated/);
      }
  });

  it('VER-03: old_branch_name works, is marked deprecated, and gives way to old_ref_name', async () => {
    const made = async (body) => (await ok(post(`${repo}/branches`, body), 201)).commit.id;
    expect(await made({ new_branch_name: 'from-branch', old_branch_name: 'v1.x' })).to.equal(ids[1]);
    expect(await made({ new_branch_name: 'from-ref', old_ref_name: ids[0] })).to.equal(ids[0]);
    expect(await made({ new_branch_name: 'both', old_ref_name: ids[0], old_branch_name: 'v1.x' })).to.equal(ids[0]);
    for (const name of ['from-branch', 'from-ref', 'both'])
      await ok(server.api('DELETE', `${repo}/branches/${name}`), 204);
    const swagger = await ok(get(`${server.base}/swagger.v1.json`));
    const openapi = await ok(get(`${server.base}/openapi3.v1.json`));
    for (const models of [swagger.definitions, openapi.components.schemas]) {
      const { properties } = models.CreateBranchRepoOption;
      expect(properties.old_branch_name.deprecated ?? properties.old_branch_name['x-deprecated']).to.be.true();
      expect(properties.old_ref_name.deprecated).to.not.exist();
    }
  });

  describe('with other settings', () => {
    before(async () => {
      await server.stop();
      Object.assign(server.env, {
        MORTISE__security__DISABLE_QUERY_AUTH_TOKEN: 'true',
        MORTISE__git__COMMITS_RANGE_SIZE: '20',
      });
      await server.start();
    });

    it('ERR-17: a token in the address counts for nothing where that is disabled', async () => {
      await ok(post('/user/repos', { name: 'closed', private: true }, { as: tokens.whole }), 201);
      for (const name of ['token', 'access_token']) {
        const refused = await get(`/user?${name}=${tokens.whole}`, { as: '' });
        expect([name, refused.status, refused.json.message]).to.equal([name, 401, 'token is required']);
        expect((await get(`${repo}?${name}=${tokens.whole}`, { as: '' })).status).to.equal(200);
        expect((await get(`/repos/ada/closed?${name}=${tokens.whole}`, { as: '' })).status).to.equal(404);
      }
      expect((await get('/user', { as: tokens.whole })).status).to.equal(200);
    });

    it('LIM-10: lists of commits have a bound of their own', async () => {
      const answer = await get(`${repo}/commits?sha=long&stat=false&files=false&limit=50&page=2`);
      expect(answer.json).to.have.length(20);
      expect(answer.json[0].commit.message).to.equal(`Step ${4 + longHistory - 3 - 20}\n`);
      expect(answer.headers.get('x-perpage')).to.equal('20');
      expect(answer.headers.get('x-pagecount')).to.equal(String(Math.ceil(longHistory / 20)));
      expect((await ok(get(`${repo}/tags?limit=50`))).length).to.equal(50);
    });
  });
});
