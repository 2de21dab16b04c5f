import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { NotFound } from '@mortise/plugin-sdk';
import { buildChunkedIndex, unpack, type IndexFile, type PackageFile, type ReceivedBlob } from '../api.js';

export const lab = Lab.script();
const { describe, it } = lab;

const part = 'stable';
const end = Buffer.from('the end\n');
const headOf = (entries: number) => Buffer.from(`${entries} of them\n`);

/** An index of packages that say what this map says, in a storage that is this map. */
class Registry {
  readonly packages = new Map<number, string>();
  readonly contents = new Map<string, Buffer>();
  asked: number[] = [];
  read = 0;
  /** Most bytes of texts that were asked for at once. */
  highest = 0;
  /** What is packed in this build, in pieces. */
  pieces: number[] = [];
  #current = new Map<string, PackageFile[]>();

  /** Packages whose keys were asked for. */
  keyed: number[] = [];

  constructor(
    private readonly withXz = false,
    /** By what packages stand in order; undefined: their ids. */
    public keyOf?: (id: number) => string,
  ) {}

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
    const files = await buildChunkedIndex(
      { current: this.#current, keep: this.#keep },
      { open: this.#open },
      {
        part,
        changed,
        files: [
          { name: 'list', packing: 'none' },
          { name: 'list.gz', packing: 'gzip' },
          ...(this.withXz ? [{ name: 'list.xz', packing: 'xz' } as const] : []),
          { name: 'sealed.gz', packing: 'gzip', seal: async (packed) => sealOf(await buffer(packed)) },
          { name: 'names.gz', packing: 'gzip', text: 1 },
        ],
        all: () => Promise.resolve([...this.packages.keys()].reverse()),
        ...(this.keyOf && { keysOf: (ids) => this.#keysOf(ids, this.keyOf!) }),
        textsOf: (ids) => {
          this.asked.push(...ids);
          const known = ids.filter((id) => this.packages.has(id));
          const bytes = known.reduce((all, id) => all + Buffer.byteLength(this.packages.get(id)!), 0);
          this.highest = Math.max(this.highest, bytes);
          return Promise.resolve(
            new Map(
              known.map((id) => {
                const texts = [Buffer.from(this.packages.get(id)!), Buffer.from(id % 2 === 0 ? `${id}\n` : '')];
                return [id, { entries: 1, texts }];
              }),
            ),
          );
        },
        frame: (text, { entries }) => (text === 0 ? { head: headOf(entries), end } : {}),
      },
    );
    this.#current = new Map([[part, await Promise.all(files.map((file) => this.#stored(file)))]]);
    if (files.length === 0) return [];
    const contents = new Map(files.map(({ name, content }) => [name, content]));
    const [list, gz, xz, sealed, names] = ['list', 'list.gz', 'list.xz', 'sealed.gz', 'names.gz'].map((name) =>
      this.contents.get((contents.get(name) as ReceivedBlob | undefined)?.sha256 ?? '')!,
    );
    expect(sealed!.equals(Buffer.concat([sealOf(gz!), gz!]))).to.be.true();
    const even = this.ids.filter((id) => id % 2 === 0);
    expect(gunzipSync(names!).toString()).to.equal(even.map((id) => `${id}\n`).join(''));
    const unpacked = xz && (await buffer(unpack(Readable.from([xz]), 'xz', 64 * 1024 * 1024)));
    this.pieces = (JSON.parse(String(files.at(-1)!.content)) as { pieces: { raw: number[] }[] }).pieces.map(
      ({ raw }) => raw[0]!,
    );
    return [list, gunzipSync(gz!), ...(unpacked ? [unpacked] : [])].map(String);
  }

  #keysOf(ids: readonly number[], keyOf: (id: number) => string): Promise<ReadonlyMap<number, string>> {
    expect(ids.length).to.be.at.most(500);
    this.keyed.push(...ids);
    return Promise.resolve(new Map(ids.filter((id) => this.packages.has(id)).map((id) => [id, keyOf(id)])));
  }

  async #stored({ name, content }: IndexFile): Promise<PackageFile> {
    const blob = Buffer.isBuffer(content) ? await this.#keep(content) : content;
    return { ...blob, name } as PackageFile;
  }

  get ids(): number[] {
    const { keyOf = (id) => String(id).padStart(9, '0') } = this;
    return [...this.packages.keys()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  }

  /** As one has it that is made from scratch. */
  get text(): string {
    return [headOf(this.packages.size), ...this.ids.map((id) => this.packages.get(id)), end].join('');
  }
}

/** Stands for a signature: another with each content, and of another length now and then. */
const sealOf = (packed: Buffer): Buffer =>
  gzipSync(
    createHash('sha256')
      .update(packed)
      .digest('hex')
      .repeat(1 + (packed.length % 3)),
  );
const textOf = (id: number, version = 1) => `${`package ${id} of version ${version}; `.repeat(20)}\n`;

describe('indexes in pieces (PKG-07, PKG-14)', () => {
  it('are the same in each packing, and ask only for the neighbours of what has changed', async () => {
    const registry = new Registry(true);
    for (let id = 1; id <= 2000; id++) registry.packages.set(id, textOf(id));
    const check = (files: readonly string[]) => {
      expect(files).to.have.length(3);
      for (const file of files) expect(file === registry.text).to.be.true();
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
      expect(list === registry.text).to.be.true();
    }
    for (let id = 1; id < 30; id++) registry.packages.delete(id);
    const [left] = await registry.build(Array.from({ length: 29 }, (_, at) => at + 1));
    expect(left).to.equal(registry.text);
    registry.packages.clear();
    expect(await registry.build([30])).to.equal([]);
    registry.packages.set(31, textOf(31));
    expect(await registry.build([31])).to.have.length(2);
  });

  it('are made of all packages again when a file that is served was lost', async () => {
    const registry = new Registry();
    for (let id = 1; id <= 300; id++) registry.packages.set(id, textOf(id));
    await registry.build();
    for (const sha256 of registry.contents.keys()) registry.contents.delete(sha256);
    registry.packages.set(7, textOf(7, 2));
    const [list] = await registry.build([7]);
    expect(list === registry.text).to.be.true();
  });

  it('are those that are made from scratch, in pieces of a fair size, whatever came and went before', async () => {
    const registry = new Registry();
    let random = 12;
    const next = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below;
    await registry.build();
    for (let round = 0; round < 40; round++) {
      const changed = Array.from({ length: 1 + next(40) }, () => 1 + next(round < 25 ? 1000 : 200));
      for (const id of changed) {
        if (next(round < 25 ? 5 : 2) === 0) registry.packages.delete(id);
        else registry.packages.set(id, textOf(id, round).repeat(1 + next(3)));
      }
      const files = await registry.build(changed);
      for (const file of files) expect(file === registry.text).to.be.true();
    }
    // a package that grows time and again leaves no crumbs
    for (let version = 1; version < 30; version++) {
      registry.packages.set(50, textOf(50).repeat(version));
      const [list] = await registry.build([50]);
      expect(list === registry.text).to.be.true();
    }
    expect(registry.pieces.length).to.be.below(2 + registry.text.length / 20_000);
  });

  it('have packages in the order of their keys, and ask only for those of new ones (PKG-07)', async () => {
    const keyOf = (id: number) => String((id * 7919) % 10_007).padStart(5, '0');
    const registry = new Registry(false, keyOf);
    for (let id = 1; id <= 1200; id++) registry.packages.set(id, textOf(id));
    const check = async (changed?: readonly number[]) => {
      registry.keyed = [];
      for (const file of await registry.build(changed)) expect(file === registry.text).to.be.true();
    };
    await check();
    let random = 3;
    const next = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 20; round++) {
      const changed = [...new Set(Array.from({ length: 1 + next(20) }, () => 1 + next(1500)))];
      const known = new Set(registry.packages.keys());
      for (const id of changed) {
        if (next(3) === 0) registry.packages.delete(id);
        else registry.packages.set(id, textOf(id, round));
      }
      await check(changed);
      expect(registry.keyed).to.equal(changed.filter((id) => !known.has(id)));
    }
  });

  it('are made anew where they stood in another order before', async () => {
    const registry = new Registry();
    for (let id = 1; id <= 300; id++) registry.packages.set(id, textOf(id));
    await registry.build();
    registry.keyOf = (id) => String(1000 - id);
    registry.packages.set(301, textOf(301));
    const [list] = await registry.build([301]);
    expect(list === registry.text).to.be.true();
  });

  it('keep no more than some of it in memory, and take it from the storage then', async () => {
    const registry = new Registry();
    const noise = Array.from({ length: 100 }, () => randomBytes(100_000).toString('latin1'));
    for (const [id, text] of noise.entries()) registry.packages.set(id + 1, text);
    const files = await registry.build();
    for (const file of files) expect(file === registry.text).to.be.true();
    expect(registry.read).to.be.above(50);
    expect(registry.highest).to.be.below(2 * 1024 * 1024);
  });
});
