/** What dumps make of what a source gives, without a site. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { SourceReader } from '../contract/source.js';
import { readYamlList } from '../dump/documents.js';
import { dumpUnits, type DumpUnit } from '../dump/units.js';
import { DumpWriter } from '../dump/writer.js';

// Database: SQLite alone: dumps of a source reach no database
export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the writer of dumps', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mortise-writer-'));
  });
  after(() => rm(root, { recursive: true, force: true }));
  const write = (name: string, reader: Partial<SourceReader>, units: readonly DumpUnit[] = dumpUnits) =>
    new DumpWriter(
      join(root, name),
      { repository: () => Promise.reject(new Error('not asked')), ...reader },
      new Set(units),
      new AbortController().signal,
    ).write({} as never, []);

  it('ends where the list of a source does not', async () => {
    const endless = (next: (page: number) => string) =>
      write(
        'endless',
        {
          async *labels() {
            for (let page = 1; ; page++) yield { items: [], next: next(page) };
          },
        },
        ['labels'],
      );
    await expect(endless(() => 'same')).to.reject(/does not end/);
    await expect(endless(String)).to.reject(/does not end/);
  });

  it('writes each file of each release, whatever they are called', async () => {
    const long = '漢'.repeat(100);
    const names = ['3-a.txt', 'a.txt', 'a.txt', 'A.txt', long, `${long}字`];
    const release = (tagName: string) => ({
      id: tagName,
      tagName,
      target: '',
      title: '',
      note: '',
      isDraft: false,
      isPrerelease: false,
      author: { name: 'eve' },
      assets: names.map((name, at) => ({
        id: String(at),
        name,
        read: <T>(take: (content: Readable) => Promise<T>) => take(Readable.from([`${tagName} ${at}`])),
      })),
    });
    const tags = ['v1-3', 'v1', 'V1', 'v/1', 'v-1', long];
    await write('files', {
      async *releases() {
        yield { items: tags.map(release) };
      },
    });
    const text = await readFile(join(root, 'files', 'release.yml'), 'utf8');
    const paths: string[] = [];
    for await (const part of readYamlList(lines(text), 'release.yml'))
      for (const { assets } of part as { assets: { name: string; download_url: string }[] }[])
        for (const { download_url: path } of assets) paths.push(path);
    const contents = await Promise.all(paths.map((path) => readFile(join(root, 'files', path), 'utf8')));
    expect(contents).to.equal(tags.flatMap((tag) => names.map((_name, at) => `${tag} ${at}`)));
  });
});

async function* lines(text: string) {
  yield* text.trimEnd().split('\n');
}
