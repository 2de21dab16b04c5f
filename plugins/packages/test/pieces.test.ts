import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { NotFound } from '@mortise/plugin-sdk';
import { makePieces, unpack, type IndexFile, type PackageFile, type ReceivedBlob } from '../api.js';

export const lab = Lab.script();
const { describe, it } = lab;

const part = 'stable';
const end = Buffer.from('the end\n');

/** An index of packages that say what this map says, in a storage that is this map. */
class Registry {
  readonly packages = new Map<number, string>();
  readonly contents = new Map<string, Buffer>();
  asked: number[] = [];
  read = 0;
  #current = new Map<string, PackageFile[]>();

  readonly #keep = async (content: Buffer | Readable): Promise<ReceivedBlob> => {
    const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.contents.set(sha256, bytes);
    return { id: 0, size: bytes.length, md5: '', sha1: '', sha512: '', sha256 };
  };
  readonly #open = async (
    { sha256 }: { readonly sha256: string },
    { start = 0, end: last }: { start?: number; end?: number } = {},
  ) => {
    const bytes = this.contents.get(sha256);
    if (!bytes) throw NotFound('file');
    this.read++;
    return Readable.from([bytes.subarray(start, last === undefined ? undefined : last + 1)]);
  };

  /** Gives the text of the index as each of its files has it. */
  async build(changed?: readonly number[]): Promise<readonly string[]> {
    this.asked = [];
    const files = await makePieces(
      { current: this.#current, keep: this.#keep },
      { open: this.#open },
      {
        part,
        changed,
        files: [
          { name: 'list', packing: 'none' },
          { name: 'list.gz', packing: 'gzip' },
          { name: 'list.xz', packing: 'xz' },
        ],
        all: () => Promise.resolve([...this.packages.keys()]),
        textOf: (ids) => {
          this.asked.push(...ids);
          return Promise.resolve(
            new Map(ids.flatMap((id) => (this.packages.has(id) ? [[id, Buffer.from(this.packages.get(id)!)]] : []))),
          );
        },
        end,
      },
    );
    this.#current = new Map([[part, await Promise.all(files.map((file) => this.#stored(file)))]]);
    const [list, gz, xz] = files.map(({ content }) =>
      Buffer.isBuffer(content) ? content : this.contents.get(content.sha256)!,
    );
    if (!list || !gz || !xz) return [];
    const unpacked = await buffer(unpack(Readable.from([xz]), 'xz', 64 * 1024 * 1024));
    return [list, gunzipSync(gz), unpacked].map(String);
  }

  async #stored({ name, content }: IndexFile): Promise<PackageFile> {
    const blob = Buffer.isBuffer(content) ? await this.#keep(content) : content;
    return { ...blob, name } as PackageFile;
  }

  /** As the file has it, whatever the order. */
  get sorted(): string[] {
    return [...this.packages.values(), String(end)].flatMap(lines).sort();
  }
}

const lines = (text: string) => text.split('\n').filter(Boolean);
const textOf = (id: number, version = 1) => `${`package ${id} of version ${version}; `.repeat(20)}\n`;

describe('indexes in pieces (PKG-07, PKG-14)', () => {
  it('are the same in each packing, and ask only for the neighbours of what has changed', async () => {
    const registry = new Registry();
    for (let id = 1; id <= 2000; id++) registry.packages.set(id, textOf(id));
    const check = (files: readonly string[]) => {
      for (const file of files) expect(lines(file).sort()).to.equal(registry.sorted);
      expect(new Set(files).size).to.equal(1);
    };
    check(await registry.build());
    expect(registry.asked.length).to.equal(2000);
    const steps: readonly (readonly [readonly number[], () => void])[] = [
      // another version, a new one, one that goes, and all of that at once
      [[700], () => registry.packages.set(700, textOf(700, 2))],
      [[2001], () => registry.packages.set(2001, textOf(2001))],
      [[1], () => registry.packages.delete(1)],
      [
        [3, 900, 1999, 2002, 2003],
        () => {
          registry.packages.delete(900);
          for (const id of [3, 1999, 2002, 2003]) registry.packages.set(id, textOf(id, 3));
        },
      ],
      // one that came and went before anybody looked
      [[4000], () => undefined],
    ];
    for (const [changed, change] of steps) {
      change();
      registry.read = 0;
      check(await registry.build(changed));
      expect(registry.asked.length).to.be.at.most(600);
      // what stays between two changes is copied at once
      expect(registry.read).to.be.at.most(40);
    }
  });

  it('grow from nothing, package by package, and go with the last one', async () => {
    const registry = new Registry();
    for (let id = 1; id <= 30; id++) {
      registry.packages.set(id, textOf(id).repeat(10));
      const [list] = await registry.build([id]);
      expect(lines(list!).sort()).to.equal(registry.sorted);
    }
    for (let id = 1; id < 30; id++) registry.packages.delete(id);
    const [left] = await registry.build(Array.from({ length: 29 }, (_, at) => at + 1));
    expect(lines(left!).sort()).to.equal(registry.sorted);
    registry.packages.clear();
    expect(await registry.build([30])).to.equal([]);
    registry.packages.set(31, textOf(31));
    expect(await registry.build([31])).to.have.length(3);
  });

  it('are made of all packages again when a file that is served was lost', async () => {
    const registry = new Registry();
    for (let id = 1; id <= 300; id++) registry.packages.set(id, textOf(id));
    await registry.build();
    for (const sha256 of registry.contents.keys()) registry.contents.delete(sha256);
    registry.packages.set(7, textOf(7, 2));
    const [list] = await registry.build([7]);
    expect(lines(list!).sort()).to.equal(registry.sorted);
  });
});
