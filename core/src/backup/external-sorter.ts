import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import type { BlobInfo } from '@mortise/plugin-sdk';

const maxLinesInMemory = 100_000;
const bucketCount = 64;

/** Lists of an area are sorted by this. */
export const sortKeyOf = (key: string) => createHash('sha1').update(key).digest('hex');

/** Sorts millions of entries in bounded memory, always in the same order. */
export class ExternalSorter<T extends { readonly key: string } = BlobInfo> {
  readonly #folder: string;
  #lines: { order: string; info: T }[] = [];
  #files: WriteStream[] | undefined;

  constructor(folder: string) {
    this.#folder = join(folder, 'tmp', randomUUID());
  }

  async add(info: T): Promise<void> {
    this.#lines.push({ order: sortKeyOf(info.key), info });
    if (this.#lines.length >= maxLinesInMemory) await this.#spill();
  }

  async #spill(): Promise<void> {
    if (!this.#files) {
      await mkdir(this.#folder, { recursive: true });
      this.#files = Array.from({ length: bucketCount }, (_, n) => createWriteStream(join(this.#folder, String(n))));
    }
    const texts = Array.from({ length: bucketCount }, () => '');
    for (const { order, info } of this.#lines)
      texts[Math.floor(parseInt(order.slice(0, 2), 16) / (256 / bucketCount))] += `${JSON.stringify(info)}\n`;
    this.#lines = [];
    await Promise.all(
      this.#files.map(
        (file, n) =>
          new Promise<void>((resolve, reject) => file.write(texts[n]!, (error) => (error ? reject(error) : resolve()))),
      ),
    );
  }

  async *sorted(): AsyncIterable<{ order: string; info: T }> {
    if (!this.#files) {
      yield* sort(this.#lines);
      return;
    }
    await this.#spill();
    for (const file of this.#files) {
      file.end();
      await finished(file);
    }
    for (let n = 0; n < bucketCount; n++) {
      const lines: { order: string; info: T }[] = [];
      for await (const text of createInterface({ input: createReadStream(join(this.#folder, String(n))) })) {
        const info = JSON.parse(text) as T;
        lines.push({ order: sortKeyOf(info.key), info });
      }
      yield* sort(lines);
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const sort = <T>(lines: { order: string; info: T }[]) =>
  lines.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
