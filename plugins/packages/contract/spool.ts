import type { IndexBuild } from './indexes.js';
import type { PackageStore, ReceivedBlob } from './store.js';

/** More of what waits goes to the storage. */
const maxWaiting = 8 * 1024 * 1024;

/** Where some bytes wait until they are read. */
export interface StagedBytes {
  bytes: Buffer | undefined;
  /** With others, from `start` on. */
  blob: ReceivedBlob | undefined;
  readonly start: number;
  readonly length: number;
}

/** Bytes on their way into files of an index: few stay in memory, more of them in the storage, until they are swept. */
export class IndexStaging {
  #waiting: StagedBytes[] = [];
  #bytes = 0;

  constructor(
    private readonly build: Pick<IndexBuild, 'keep'>,
    private readonly store: Pick<PackageStore, 'open'>,
  ) {}

  async add(bytes: Buffer): Promise<StagedBytes> {
    const one: StagedBytes = { bytes, blob: undefined, start: this.#bytes, length: bytes.length };
    this.#waiting.push(one);
    this.#bytes += bytes.length;
    if (this.#bytes >= maxWaiting) await this.#store();
    return one;
  }

  async #store(): Promise<void> {
    const blob = await this.build.keep(Buffer.concat(this.#waiting.map(({ bytes }) => bytes!)));
    for (const one of this.#waiting) [one.bytes, one.blob] = [undefined, blob];
    this.#waiting = [];
    this.#bytes = 0;
  }

  async *read({ bytes, blob, start, length }: StagedBytes): AsyncGenerator<Buffer> {
    if (bytes) yield bytes;
    else if (blob && length > 0)
      yield* (await this.store.open(blob, { start, end: start + length - 1 })) as AsyncIterable<Buffer>;
  }
}
