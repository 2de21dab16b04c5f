/** How bytes of files become text, in whatever encoding they are. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { decodeText, textTypeOf, zeroOid } from '../api.js';
import type { TextEncoding } from '../services/text-encoding.js';
import { ada, by, RepositoryKit } from './repository-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { encode } = createRequire(import.meta.url)('iconv-lite') as typeof import('iconv-lite');

/** Prose, and code with a few words in comments and messages. */
const texts: Readonly<Partial<Record<TextEncoding, readonly string[]>>> = {
  Shift_JIS: [
    'これは日本語のテキストファイルです。\n文字コードを判定します。\n',
    '// 合計を計算する\nint sum(int a, int b) { return a + b; }\n',
    'print("日本語")\n# コメント\n',
  ],
  'EUC-JP': ['これは日本語のテキストファイルです。\n', '// エラー処理をする\nfail();\n'],
  GB18030: [
    '这是一个中文文本文件，用来检测字符编码。\n',
    '// 计算总和\nint sum(int a, int b) { return a + b; }\n',
    '错误: 文件不存在\n',
  ],
  Big5: ['這是一個中文文字檔案，用來檢測字元編碼。\n', '錯誤訊息\n'],
  'EUC-KR': ['이것은 한국어 텍스트 파일입니다. 문자 인코딩을 감지합니다.\n', '// 합계를 계산한다\nint sum(int a);\n'],
  'KOI8-R': ['Это текстовый файл на русском языке.\n', '// сумма чисел\nint sum(int a, int b) { return a + b; }\n'],
  'Windows-1251': ['Это текстовый файл на русском языке.\n', '// Комментарий\nfoo();\nthrow "Ошибка";\n'],
  'Windows-1252': [
    'café — naïve “quotes” €\n',
    '5 €\n',
    'déjà vu à la carte\n',
    'author: José García\n',
    'Çà et là\n',
    '/* Copyright © 2004 André Müller */\nint main() { return 0; }\n',
    'Grüße aus Köln, Fußgängerübergänge\n',
    'temperature: 20°C ± 5\n',
    'Blåbærsyltetøy\n',
  ],
  'UTF-8': ['plain\n', 'Grüße 日本語 привет\n'],
};

describe('U9: the encoding of text', () => {
  let kit: RepositoryKit;
  before(async () => {
    kit = await RepositoryKit.start();
  });
  after(() => kit.host.close());

  it('is found for the usual ones of the world, in prose and in code', () => {
    for (const [encoding, all] of Object.entries(texts) as [TextEncoding, readonly string[]][])
      for (const text of all) {
        expect(decodeText(encode(text, encoding)), text).to.equal({ text, encoding });
        expect(textTypeOf(encode(text, encoding))).to.equal(`text/plain; charset=${encoding.toLowerCase()}`);
      }
    expect(decodeText(Buffer.from([0x80, 0x85, 0x93, 0x99])).text).to.equal('€…“™');
    for (const encoding of ['UTF-16LE', 'UTF-16BE'] as const) {
      const bytes = encode('Größe 日本\n', encoding, { addBOM: true });
      expect(decodeText(bytes)).to.equal({ text: 'Größe 日本\n', encoding });
      expect(textTypeOf(bytes)).to.equal(`text/plain; charset=${encoding.toLowerCase()}`);
    }
    // the beginning of a longer file may end within a character
    const long = Buffer.from('ü\n'.repeat(10) + 'ü').subarray(0, -1);
    expect(textTypeOf(long)).to.equal('text/plain; charset=utf-8');
    const started = process.cpuUsage();
    for (const byte of [0x80, 0xa4, 0xe9, 0xff]) decodeText(Buffer.alloc(4 << 20, byte));
    expect(process.cpuUsage(started).user).to.be.below(10_000_000);
  });

  it('is that of each file, before and after, in differences', async () => {
    const id = await kit.make();
    const lines = (text: string, encoding: string) => encode(`first\n${text}\nlast\n`, encoding);
    const first = await kit.commit(id, 'main', [
      { path: 'changed', content: lines('Größe', 'Windows-1252') },
      { path: 'grün', content: lines('合計を計算する', 'Shift_JIS') },
      { path: 'plain', content: lines('日本', 'UTF-8') },
      { path: 'russian', content: lines('сумма чисел равна', 'KOI8-R') },
    ]);
    const second = await kit.commit(id, 'main', [
      { path: 'changed', content: lines('Größer', 'UTF-8') },
      { path: 'grün', content: lines('合計を計算する関数', 'Shift_JIS') },
      { path: 'plain', content: lines('日本語', 'UTF-8') },
      { path: 'russian', content: lines('сумма чисел не равна', 'KOI8-R') },
    ]);
    const git = kit.reader.open(id);
    const text = await git.patchText(first, second);
    expect(text).to.not.contain('\ufffd');
    for (const line of [
      '-Größe',
      '+Größer',
      '-合計を計算する',
      '+合計を計算する関数',
      '-日本',
      '+日本語',
      '+++ b/grün',
    ])
      expect(text.split('\n')).to.include(line);
    for (const line of ['-сумма чисел равна', '+сумма чисел не равна']) expect(text.split('\n')).to.include(line);
    expect((await git.blame(second, 'grün')).map((line) => line.text)).to.equal([
      'first',
      '合計を計算する関数',
      'last',
    ]);
    expect(await git.grep(second, 'last')).to.have.length(4);
    const hits = await git.grep(second, '.+', { fixed: false, path: 'russian' });
    expect(hits.map((hit) => hit.text)).to.equal(['first', 'сумма чисел не равна', 'last']);
  });

  it('of names does not matter for the history of a file', async () => {
    const id = await kit.make();
    const folder = kit.store.path(id);
    const run = (args: string[], input: string | Buffer = '') =>
      execFileSync('git', args, {
        cwd: folder,
        input,
        encoding: 'utf8',
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
      }).trim();
    const commit = (content: string, parents: string[]) => {
      const blob = run(['hash-object', '-w', '--stdin'], content);
      const inner = run(
        ['mktree', '-z'],
        Buffer.concat([Buffer.from(`100644 blob ${blob}\tcaf`), Buffer.from([0xe9, 0])]),
      );
      const name = Buffer.concat([Buffer.from(`040000 tree ${inner}\td`), Buffer.from([0xfc, 0])]);
      const other = Buffer.from(`100644 blob ${run(['hash-object', '-w', '--stdin'], 'same')}\tother\0`);
      const tree = run(['mktree', '-z'], Buffer.concat([name, other]));
      return kit.writer.writeCommit(id, { tree, parents, author: by, committer: by, message: content });
    };
    const first = await commit('one', []);
    const second = await commit('two', [first]);
    const third = await kit.writer.writeCommit(id, {
      tree: await kit.writer.writeTree(id, second, [{ path: 'other', content: 'changed' }]),
      parents: [second],
      author: by,
      committer: by,
      message: 'three',
    });
    const updates = [{ ref: 'refs/heads/main', old: zeroOid, new: third }];
    await kit.gate.apply({ repositoryId: id, updates, pusher: ada, source: 'api' });
    const git = kit.reader.open(id);
    const path = 'd\ufffd/caf\ufffd';
    for (const follow of [true, false]) {
      const { commits, total } = await git.log({ from: [third], path, follow });
      expect([commits.map(({ oid }) => oid), total], `follow ${follow}`).to.equal([[second, first], 2]);
    }
    expect(await git.lastCommit(third, path)).to.equal(second);
    expect((await git.log({ from: [third], path: 'd\ufffd' })).total).to.equal(2);
    expect((await git.log({ from: [third], path: 'd\ufffd/none\ufffd' })).total).to.equal(0);
  });
});
