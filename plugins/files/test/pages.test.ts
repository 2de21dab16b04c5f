import { execFileSync } from 'node:child_process';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { asActor, gitEnvironment, startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { gitReader, gitStore, gitWriter, refUpdates, zeroOid } from '@mortise/git/api';
import { repositories as repositoriesRef } from '@mortise/repositories/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const withoutTags = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'");
/** Bytes of the texts of these tests, as iconv writes them. */
const encoded = {
  Shift_JIS: '2f2f208d878c7682f08c768e5a82b782e9',
  'Windows-1252': '636166e9209335208094',
} as const;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('pages of files', () => {
  let host: TestHost;
  let ada: TestClient;

  const page = async (path: string, language = 'en') =>
    (await ada.inject({ url: `/ada/wheel${path}`, headers: { 'accept-language': language } })).payload;

  before(async () => {
    host = await startHost({ plugins: ['refs', 'files'] });
    ada = await signUp(host, 'ada');
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'wheel', default_branch: 'main' } });
    const create = (path: string, text: string) => ({ operation: 'create', path, content: base64(text) });
    await ada.inject({
      method: 'POST',
      url: '/api/v1/repos/ada/wheel/contents',
      payload: { files: [create('README.md', '# Wheel\n'), create('src/a.ts', 'let a;\nlet b;\n')], message: 'Begin' },
    });
  });
  after(() => host.close());

  it('speak the language of the visitor', async () => {
    const words = [
      ['', 'Gehe zu Datei', '转到文件'],
      ['/src/branch/main/src', 'Übergeordneter Ordner', '上级文件夹'],
      ['/src/branch/main/src/a.ts', '2 Zeilen · 14 B', '2 行 · 14 B'],
      ['/blame/branch/main/src/a.ts', 'aria-label="Zeile 2"', 'aria-label="第 2 行"'],
      ['/find/branch/main?q=none-such', 'Keine passenden Dateien', '没有匹配的文件'],
      ['/search/branch/main?q=let', '2 Zeilen in 1 Datei', '1 个文件中的 2 行'],
      ['/search/branch/main?q=(&mode=regex', 'Codesuche', '搜索代码'],
    ] as const;
    for (const [path, german, chinese] of words) {
      expect(await page(path, 'de'), path).to.contain(german);
      expect(await page(path, 'zh-CN'), path).to.contain(chinese);
    }
  });

  it('W: show the size of a repository once there is one, and never "0 B"', async () => {
    const sizes = (html: string) =>
      [...html.matchAll(/database.*?<\/svg> ([\d.]+ [KM]?i?B)/gs)].map(([, size]) => size);
    await ada.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'sized', default_branch: 'main' } });
    const home = async () => (await ada.inject('/ada/sized')).payload;
    expect(await home()).to.not.match(/>\s*0 B/);
    const create = { content: base64('x'.repeat(5000)), message: 'Begin' };
    await ada.inject({ method: 'POST', url: '/api/v1/repos/ada/sized/contents/a.txt', payload: create });
    expect(await home()).to.not.match(/>\s*0 B/);
    await host.settle();
    const [size] = sizes(await home());
    expect(size).to.match(/^[1-9][\d.]* (B|KiB)$/);
  });

  it('set no cookie for visitors whom they show no form', async () => {
    for (const path of ['', '/src/branch/main/src', '/src/branch/main/README.md']) {
      const { statusCode, headers } = await host.inject(`/ada/wheel${path}`);
      expect(statusCode, path).to.equal(200);
      expect(headers['set-cookie'], path).to.be.undefined();
    }
  });

  it('say in sentences why there is no blame', async () => {
    const content = Buffer.from([0, 1, 2]).toString('base64');
    const url = '/api/v1/repos/ada/wheel/contents/bytes.bin';
    expect((await ada.inject({ method: 'POST', url, payload: { content } })).statusCode).to.equal(201);
    const answer = await ada.inject({
      url: '/ada/wheel/blame/branch/main/bytes.bin',
      headers: { accept: 'text/html' },
    });
    expect(answer.statusCode).to.equal(422);
    expect(answer.payload).to.contain('Blame is not available for binary files.');
  });

  it('U9: show text as what its bytes mean, in file, blame, difference and raw alike', async () => {
    const write = (path: string, bytes: Buffer) =>
      ada.inject({
        method: 'POST',
        url: `/api/v1/repos/ada/wheel/contents/${path}`,
        payload: { content: bytes.toString('base64') },
      });
    const sample = {
      'sjis.txt': ['Shift_JIS', '// 合計を計算する'],
      'latin.txt': ['Windows-1252', 'café “5 €”'],
    } as const;
    for (const [path, [encoding, text]] of Object.entries(sample)) {
      const { json, statusCode } = await write(path, Buffer.from(`${encoded[encoding]}0a656e640a`, 'hex'));
      expect(statusCode, path).to.equal(201);
      for (const address of [`/src/branch/main/${path}`, `/blame/branch/main/${path}`, `/commit/${json.commit.sha}`])
        expect(withoutTags(await page(address)), address)
          .to.contain(text)
          .and.not.contain('\ufffd');
      const raw = await ada.inject(`/ada/wheel/raw/branch/main/${path}`);
      expect(raw.headers['content-type']).to.equal(`text/plain; charset=${encoding.toLowerCase()}`);
      expect(raw.rawPayload).to.equal(Buffer.from(`${encoded[encoding]}0a656e640a`, 'hex'));
      const api = await ada.inject(`/api/v1/repos/ada/wheel/raw/${path}`);
      expect(api.headers['content-type']).to.equal(raw.headers['content-type']);
    }
    await write('wide.txt', Buffer.from('\ufeffGröße\n', 'utf16le'));
    const wide = await page('/src/branch/main/wide.txt');
    expect(wide).to.contain('Größe').and.not.contain('/ada/wheel/blame/branch/main/wide.txt');
    expect((await ada.inject('/ada/wheel/raw/branch/main/wide.txt')).headers['content-type']).to.equal(
      'text/plain; charset=utf-16le',
    );
    expect(await page('/src/branch/main/sjis.txt')).to.contain('/ada/wheel/blame/branch/main/sjis.txt');
  });

  it('U9: lead to the history of a file whose name is not UTF-8', async () => {
    const { id } = (await host.services.get(repositoriesRef).byPath('ada', 'wheel'))!;
    const [git, writer] = [host.services.get(gitReader).open(id), host.services.get(gitWriter)];
    const head = (await git.branch('main'))!.oid;
    const folder = host.services.get(gitStore).path(id);
    const run = (input: string | Buffer, ...args: string[]) =>
      execFileSync('git', args, { cwd: folder, input, encoding: 'utf8', env: gitEnvironment(host.workDir) }).trim();
    const blob = run('x', 'hash-object', '-w', '--stdin');
    const there = Buffer.from(run('', 'ls-tree', '-z', head));
    const odd = Buffer.concat([Buffer.from(`100644 blob ${blob}\tcaf`), Buffer.from([0xe9, 0])]);
    const tree = run(Buffer.concat([there, odd]), 'mktree', '-z');
    const by = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: '+0000' };
    const oid = await writer.writeCommit(id, {
      tree,
      parents: [head],
      author: by,
      committer: by,
      message: 'An odd name',
    });
    await host.services.get(refUpdates).apply({
      repositoryId: id,
      updates: [{ ref: 'refs/heads/odd', old: zeroOid, new: oid }],
      pusher: asActor({ id: 1, name: 'ada' }),
      source: 'api',
    });
    const file = await page('/src/branch/odd/caf%EF%BF%BD');
    const [link] = /\/ada\/wheel\/commits\/branch\/odd\/[^"]+/.exec(file) ?? [];
    const history = await ada.inject(link!);
    expect([history.statusCode, history.payload.includes('An odd name')]).to.equal([200, true]);
    const api = await ada.inject('/api/v1/repos/ada/wheel/commits?sha=odd&path=caf%EF%BF%BD');
    expect((api.json as unknown as { sha: string }[]).map(({ sha }) => sha)).to.equal([oid]);
  });

  it('load what was late by itself, and offer to refresh without scripts', async () => {
    const { id } = (await host.services.get(repositoriesRef).byPath('ada', 'wheel'))!;
    const git = Object.getPrototypeOf(host.services.get(gitReader).open(id)) as Record<string, unknown>;
    const slow = ['lastCommits', 'count', 'languages'];
    const kept = slow.map((name) => git[name]);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    slow.forEach((name, at) => {
      git[name] = async function (this: unknown, ...values: unknown[]) {
        await gate;
        return (kept[at] as (...all: unknown[]) => unknown).apply(this, values);
      };
    });
    const later = /data-later="[^"]*\/src\/branch\/main\?part=(\w+)/g;
    const lateOf = (html: string) => [...html.matchAll(later)].map(([, name]) => name).sort();
    try {
      const html = await page('');
      expect(lateOf(html)).to.equal(['commits', 'languages', 'list']);
      expect(html).to.contain(['README.md', 'Loading last commits…', '>Refresh</a>']);
      open();
      const list = await page('/src/branch/main?part=list&page=1');
      expect(list).to.contain(['Begin', '<time']).and.to.not.contain(['<html', 'data-later']);
      expect(await page('/src/branch/main?part=commits')).to.match(/<strong>\d+<\/strong> commits?/);
      expect(await page('/src/branch/main?part=languages'))
        .to.contain('TypeScript')
        .and.to.not.contain('<html');
      expect(lateOf(await page(''))).to.equal([]);
    } finally {
      open();
      slow.forEach((name, at) => (git[name] = kept[at]));
    }
  });
});
