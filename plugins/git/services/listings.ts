/** Everything below a tree, in pages: small listings are kept as git wrote them, of large ones only their length. */
import { Problem } from '@mortise/plugin-sdk';
import type { PathEntry } from '../api.js';
import type { GitCaches } from './caches.js';
import { countRows, Listing, readRow } from './listing.js';
import { isQuarantined } from './environment.js';
import type { GitRunner } from './git-runner.js';
import { eachField } from './nul-separated.js';
import { t } from '../texts/index.js';

/** More entries are never given at once: a tree of trees can name more files than any memory holds. */
const maxConcurrent = 500_000;
/** Output that is read, though not held, before the tree is refused. */
const maxRead = 512 * 1024 * 1024;

interface Known {
  readonly listing?: Listing;
  readonly total: number;
}

export class Listings {
  constructor(
    private readonly folder: string,
    private readonly key: string,
    private readonly runner: GitRunner,
    private readonly caches: GitCaches,
    private readonly environment?: Readonly<Record<string, string>>,
  ) {}

  async page(tree: string, offset = 0, limit = Infinity): Promise<{ entries: PathEntry[]; total: number }> {
    const { listing, total } = await this.known(tree);
    if (Math.min(limit, total - offset) > maxConcurrent) throw tooMany();
    if (listing) return { entries: listing.slice(offset, limit), total };
    const entries: PathEntry[] = [];
    let row = 0;
    if (limit > 0)
      await eachField(this.output(tree), (entry) => {
        if (row++ >= offset) entries.push(readRow(entry));
        return entries.length < limit;
      });
    return { entries, total };
  }

  async each(tree: string, visit: (entry: PathEntry) => void): Promise<void> {
    const { listing } = await this.known(tree);
    if (listing) for (const entry of listing) visit(entry);
    else
      await eachField(this.output(tree), (row) => {
        visit(readRow(row));
        return true;
      });
  }

  private known(tree: string): Promise<Known> {
    const read = () => this.read(tree);
    if (isQuarantined(this.environment)) return read();
    return this.caches.result(`${this.key}recursive\0${tree}`, read, ({ listing }) => listing?.weight ?? 100);
  }

  private async read(tree: string): Promise<Known> {
    let held: Buffer[] | undefined = [];
    let total = 0;
    let size = 0;
    for await (const chunk of this.output(tree)) {
      total += countRows(chunk);
      size += chunk.length;
      if (size > this.caches.largestResult) held = undefined;
      held?.push(chunk);
    }
    return held ? { listing: new Listing(Buffer.concat(held)), total } : { total };
  }

  private async *output(tree: string): AsyncGenerator<Buffer> {
    let size = 0;
    const stream = this.runner.stream(['ls-tree', '-r', '-t', '-l', '-z', tree], {
      cwd: this.folder,
      environment: this.environment,
      timeoutMs: this.runner.limits.readMs,
    });
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxRead) throw tooMany();
      yield chunk;
    }
  }
}

const tooMany = () => new Problem('too_large', t.later('error.treeLarge'));
