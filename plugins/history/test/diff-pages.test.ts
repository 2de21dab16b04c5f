/** Pages of diffs: pieces, collapsed files, lines around, languages. */
// Database: SQLite alone; differences are made by git.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { gitReader, refUpdates, zeroOid } from '@mortise/git/api';
import { createAccount } from '@mortise/accounts/testing';
import { repositories } from '@mortise/repositories/api';
import { modelFormatOf } from '../contract/model.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const lines = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join('');

describe('pages of a diff', () => {
  let host: TestHost;
  let page: (path: string, headers?: Record<string, string>) => Promise<string>;
  before(async () => {
    host = await startHost({ plugins: ['history', 'files', 'refs'] });
    const ada = await createAccount(host, 'ada');
    const actor = host.services.get(accounts).actorOf(ada, 'test');
    await host.services.get(repositories).create(ada, { name: 'r', autoInit: true }, actor);
    const client = host.as(asActor({ id: ada.id, name: 'ada' }));
    const write = async (payload: object) => {
      const made = await client.inject({ method: 'POST', url: '/api/v1/repos/ada/r/contents', payload });
      expect(made.statusCode, made.payload).to.equal(201);
      return made.json as unknown as { files: { path: string; sha: string }[] };
    };
    const create = (path: string, text: string) => ({ operation: 'create', path, content: base64(text) });
    const made = await write({ files: [create('long.txt', lines(200, 'line'))], message: 'first' });
    const names = Array.from({ length: 60 }, (_, index) => `many/file${String(index).padStart(2, '0')}.txt`);
    await write({
      new_branch: 'topic',
      message: 'Change it\n\nBecause.\n\nCo-authored-by: Ada <ada@example.com>\n',
      files: [
        ...names.map((name) => create(name, 'one\ntwo\n')),
        create('huge.txt', lines(1_500, 'huge')),
        {
          operation: 'update',
          path: 'long.txt',
          sha: made.files[0]!.sha,
          content: base64(lines(200, 'line').replace('line 100\n', 'line one hundred\n')),
        },
      ],
    });
    const paper = await write({
      new_branch: 'papers',
      message: 'paper',
      files: [create('paper.pdf', '%PDF-1.4\n\0')],
    });
    const sha = paper.files[0]!.sha;
    const changed = { operation: 'update', path: 'paper.pdf', sha, content: base64('%PDF-1.4\n\0more') };
    await write({ branch: 'papers', new_branch: 'revised', message: 'revise', files: [changed] });
    const models = await write({
      new_branch: 'models',
      message: 'models',
      files: [create('cube.obj', 'v 1 2 3\n'), create('box.glb', 'glTF\0')],
    });
    const cube = { operation: 'update', path: 'cube.obj', sha: models.files[0]!.sha, content: base64('v 3 2 1\n') };
    await write({ branch: 'models', new_branch: 'remodelled', message: 'remodel', files: [cube] });
    page = async (path, headers = {}) => {
      const answer = await client.inject({ url: `/ada/r/${path}`, headers });
      expect(answer.statusCode, answer.payload.slice(0, 300)).to.equal(200);
      return answer.payload;
    };
  });
  after(() => host.close());

  it('issue 29: shows 3D models before and after, folded, and their lines where they are texts', async () => {
    const models = (html: string) =>
      [...html.matchAll(/data-model="(\w+)" data-source="([^"]+)" data-label="3D model ([^"]+): drag/g)].map(
        ([, format, address, label]) => [format, address!.replace(/[0-9a-f]{40}/, 'COMMIT'), label],
      );
    const added = await page('compare/main...models');
    expect(models(added)).to.equal([
      ['glb', '/ada/r/raw/commit/COMMIT/box.glb', 'box.glb: After'],
      ['obj', '/ada/r/raw/commit/COMMIT/cube.obj', 'cube.obj: After'],
    ]);
    expect(added).to.include(['<details class="border-top" data-diff-models', 'v 1 2 3']);
    const address = '/ada/r/raw/commit/COMMIT/cube.obj';
    expect(models(await page('compare/models...remodelled'))).to.equal([
      ['obj', address, 'cube.obj: Before'],
      ['obj', address, 'cube.obj: After'],
    ]);
  });

  it('issue 29: a model is known by the ending of its name alone', () => {
    const formatOf = (name: string) => modelFormatOf({ name, size: 1 });
    expect(['a.stl', 'b.PLY', 'c.d.obj', 'e.glb'].map(formatOf)).to.equal(['stl', 'ply', 'obj', 'glb']);
    for (const name of ['obj', 'x.constructor', 'x.__proto__', 'x.toString', 'x.md'])
      expect(formatOf(name), name).to.be.undefined();
  });

  it('issue 29: shows documents before and after in frames', async () => {
    const frames = (html: string) =>
      [...html.matchAll(/<iframe class="diff-document"[^>]* src="([^"]+)" title="([^"]+)"/g)].map(
        ([, address, title]) => [address!.replace(/[0-9a-f]{40}/, 'COMMIT'), title],
      );
    const address = '/ada/r/raw/commit/COMMIT/paper.pdf';
    expect(frames(await page('compare/main...papers'))).to.equal([[address, 'paper.pdf: After']]);
    const both = await page('compare/papers...revised');
    expect(frames(both)).to.equal([
      [address, 'paper.pdf: Before'],
      [address, 'paper.pdf: After'],
    ]);
    expect(both).to.include(['Before · 10 B', 'After · 14 B']);
  });

  const boxes = (html: string) => [...html.matchAll(/data-diff-file="([^"]+)"/g)].map(([, path]) => path);

  it('come in bounded pieces, each with a link to the next', async () => {
    const first = await page('compare/main...topic');
    expect(boxes(first)).to.have.length(30);
    expect(first).to.include('62 files changed').and.to.include('Load 32 more files');
    const second = await page('compare/main...topic?from=30');
    const third = await page('compare/main...topic?from=60');
    expect(new Set([first, second, third].flatMap(boxes)).size).to.equal(62);
    expect(third).to.not.include('data-diff-more').and.to.include('Back to the first files');
    // the tree leads to files of every piece
    expect(first).to.match(/href="\?from=61#d[0-9a-f]{12}"/);
  });

  it('fold a large file alone, and load it when it is asked for', async () => {
    const first = await page('compare/main...topic');
    expect(first).to.include('Load diff').and.not.include('huge 1<').and.include('one hundred');
    const piece = await page('compare/main...topic?file=huge.txt&piece=1');
    expect(piece).to.not.include('<html').and.include('huge 1500');
    expect(boxes(piece)).to.equal(['huge.txt']);
    expect(await page('compare/main...topic?file=huge.txt'))
      .to.include('Show all files')
      .and.include('<html');
  });

  it('show words that changed, and lines around by links', async () => {
    let first = '';
    // words are left out where looking for them takes long, which it may on a busy machine
    for (let tries = 0; !first.includes('diff-word') && tries < 20; tries++)
      first = await page('compare/main...topic?file=long.txt');
    expect(first).to.include('<span class="diff-word">100</span>');
    expect(first).to.include('<span class="diff-word">one hundred</span>');
    expect(first).to.include('line 97<').and.not.include('line 95<').and.not.include('line 104<');
    const up = /class="diff-expand"><a href="(\?[^"#]*)#/.exec(first)![1]!.replace(/&amp;/g, '&');
    const more = await page(`compare/main...topic${up}`);
    expect(more).to.include('line 77<').and.not.include('line 75<');
    const anchor = /id="(d[0-9a-f]{12})"/.exec(first)![1]!;
    const whole = await page(`compare/main...topic?expand=${anchor}:1-999999999`);
    expect(whole).to.include('line 1<').and.include('line 200<');
    expect(whole).to.include(`id="${anchor}R200"`).and.include(`id="${anchor}L200"`);
  });

  it('are refused where the query is none', async () => {
    const answer = await host.inject('/ada/r/compare/main...topic?expand=nonsense');
    expect(answer.statusCode).to.be.within(400, 422);
  });

  it('are the same for a commit, with its trailers, in the language of the visitor', async () => {
    const commits = await page('commits/branch/topic', { 'accept-language': 'de' });
    expect(commits).to.include('Nachrichten suchen');
    const path = /href="\/ada\/r\/(commit\/[0-9a-f]{40})"/.exec(commits)![1]!;
    const commit = await page(path);
    expect(commit).to.include('<dt class="color-fg-muted">Co-authored-by</dt>').and.include('authored');
    expect(await page(path, { 'accept-language': 'zh-CN' })).to.include('个文件已更改');
    expect(boxes(await page(`${path}?piece=1&from=30`))).to.have.length(30);
  });

  it('W: of commits lead to the feed of a branch or file by their ending, unless something has that name', async () => {
    for (const form of ['rss', 'atom'])
      for (const place of ['topic', 'topic/long.txt']) {
        const { statusCode, headers } = await host.inject(`/ada/r/commits/branch/${place}.${form}`);
        expect([statusCode, headers.location]).to.equal([303, `/ada/r/${form}/branch/${place}`]);
      }
    for (const place of ['branch/topic.xml', 'tag/topic.rss', 'branch/.rss'])
      expect((await host.inject(`/ada/r/commits/${place}`)).statusCode, place).to.equal(404);
    const git = host.services.get(gitReader).open(1);
    const ada = (await host.services.get(accounts).byName('ada'))!;
    await host.services.get(refUpdates).apply({
      repositoryId: 1,
      updates: [{ ref: 'refs/heads/topic.rss', old: zeroOid, new: (await git.branch('topic'))!.oid }],
      pusher: host.services.get(accounts).actorOf(ada, ''),
      source: 'http',
    });
    expect(await page('commits/branch/topic.rss')).to.include('Change it');
  });

  it('are reached by menus that search branches and tags on the server', async () => {
    const repositoryPath = await page('commits');
    expect(repositoryPath).to.not.include('>topic<');
    expect(await page('refs?piece=1&to=commits&q=OPI')).to.include('/ada/r/commits/branch/topic"');
    expect(await page('refs?piece=1&to=src&path=a/b')).to.include('/ada/r/src/branch/topic/a/b"');
    expect(await page('refs?to=head&base=main&q=top')).to.include('/ada/r/compare/main...topic"');
    expect(await page('refs?q=nothing')).to.include('No matching branches or tags');
  });
});
