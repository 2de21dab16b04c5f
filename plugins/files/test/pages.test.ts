import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';
import { gitReader } from '@mortise/git/api';
import { repositories as repositoriesRef } from '@mortise/repositories/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
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
