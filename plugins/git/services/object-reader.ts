/** Objects of one repository: memory first, then loose files, then a pooled git process. */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Readable } from 'node:stream';
import { NotFound, Problem } from '@mortise/plugin-sdk';
import { isCorruptObject, isOid, type AnnotatedTag, type Commit, type PathEntry, type TreeEntry } from '../api.js';
import type { ObjectFormat, ObjectType } from '../contract/names.js';
import type { CachedObject, GitCaches } from './caches.js';
import type { ObjectReaders } from './cat-file.js';
import { readLoose } from './loose-objects.js';
import { parseCommit, parseTag } from './objects.js';
import type { GitRunner } from './git-runner.js';
import { encodingOf, type TextEncoding } from './text-encoding.js';
import { Tree } from './tree.js';
import { t } from '../texts/index.js';

export interface ReaderDeps {
  readonly runner: GitRunner;
  readonly readers: ObjectReaders;
  readonly caches: GitCaches;
}

/** Blobs up to this size stay in memory. */
const smallBlob = 512 * 1024;
/** Beyond this a blob is not read through the pool, which has no back-pressure. */
const pooledBlob = 2 * 1024 * 1024;
/** Up to this size a blob is asked for its encoding. */
const maxDetected = 4 * 1024 * 1024;

export class ObjectReader {
  private readonly folders: string[];

  constructor(
    readonly folder: string,
    /** Start of cache keys; undefined: keep nothing (quarantine). */
    private readonly key: string | undefined,
    private readonly deps: ReaderDeps,
    private readonly format: () => Promise<ObjectFormat>,
    readonly environment?: Readonly<Record<string, string>>,
  ) {
    const quarantine = environment?.['GIT_OBJECT_DIRECTORY'];
    const main = join(folder, 'objects');
    this.folders = quarantine ? [isAbsolute(quarantine) ? quarantine : join(folder, quarantine), main] : [main];
  }

  async info(oid: string): Promise<{ type: ObjectType; size: number } | undefined> {
    if (!isOid(oid)) return undefined;
    const known = this.cached(oid);
    if (known) return known;
    const loaded = await this.load(oid, true);
    return loaded && { type: loaded.type, size: loaded.size };
  }

  async commit(oid: string): Promise<Commit> {
    const commit = await this.findCommit(oid);
    if (!commit) throw NotFound('commit');
    return commit;
  }

  async findCommit(oid: string): Promise<Commit | undefined> {
    const object = await this.load(oid);
    if (object?.type === 'tag') {
      const target = await this.peel(oid);
      return target?.type === 'commit' ? this.findCommit(target.oid) : undefined;
    }
    return object?.type === 'commit' ? (object.value as Commit) : undefined;
  }

  async tag(oid: string): Promise<AnnotatedTag> {
    const object = await this.load(oid);
    if (object?.type !== 'tag') throw NotFound('tag');
    return object.value as AnnotatedTag;
  }

  async tree(oid: string): Promise<readonly TreeEntry[]> {
    const parsed = await this.findTree(oid);
    if (!parsed) throw NotFound('tree');
    return parsed.tree.entries;
  }

  async findTree(oid: string): Promise<{ oid: string; tree: Tree } | undefined> {
    const object = await this.load(oid);
    if (object?.type === 'tree') return { oid, tree: object.value as Tree };
    if (object?.type === 'commit') return this.findTree((object.value as Commit).tree);
    if (object?.type === 'tag') return this.findTree((object.value as AnnotatedTag).object);
    return undefined;
  }

  async entry(commitOrTree: string, path: string): Promise<PathEntry | undefined> {
    const parts = path.split('/').filter((part) => part !== '');
    let at = await this.findTree(commitOrTree);
    if (!at) return undefined;
    let found: PathEntry = { mode: '040000', type: 'tree', oid: at.oid, name: '', path: '' };
    for (const [index, part] of parts.entries()) {
      if (found.type !== 'tree') return undefined;
      if (index > 0) at = await this.findTree(found.oid);
      const entry = at?.tree.find(part);
      if (!entry) return undefined;
      found = { ...entry, path: parts.slice(0, index + 1).join('/') };
    }
    return found;
  }

  /** Undefined where the blob is too large to be asked, or cannot be read. */
  async encodingOf(oid: string): Promise<TextEncoding | undefined> {
    try {
      return encodingOf(await this.blob(oid, maxDetected));
    } catch (error) {
      if (isCorruptObject(error) || Problem.is(error)) return undefined;
      throw error;
    }
  }

  /** The bytes of a path whose name is not UTF-8, as the tree has them; git gets every other as it is written. */
  async pathBytes(commit: string | undefined, path: string | undefined): Promise<Buffer | undefined> {
    if (!commit || !path?.includes('\ufffd')) return undefined;
    const parts = path.split('/');
    const names: Buffer[] = [];
    for (let depth = 1; depth <= parts.length; depth++) {
      const entry = await this.entry(commit, parts.slice(0, depth).join('/'));
      if (!entry) return undefined;
      names.push(entry.nameBytes ?? Buffer.from(entry.name));
    }
    return Buffer.concat(names.flatMap((name, at) => (at ? [Buffer.from('/'), name] : [name])));
  }

  async peel(oid: string): Promise<{ oid: string; type: ObjectType } | undefined> {
    for (let at = oid, depth = 0; depth < 50; depth++) {
      const info = await this.info(at);
      if (!info || info.type !== 'tag') return info && { oid: at, type: info.type };
      at = (await this.tag(at)).object;
    }
    return undefined;
  }

  async blob(oid: string, maxBytes: number): Promise<Buffer> {
    const info = await this.info(oid);
    if (info?.type !== 'blob') throw NotFound('blob');
    if (info.size > maxBytes) throw new Problem('too_large', t.later('error.fileLarge'));
    if (info.size <= pooledBlob) {
      const object = await this.load(oid);
      if (object?.value) return object.value as Buffer;
    }
    const stream = this.deps.runner.stream(['cat-file', 'blob', oid], {
      cwd: this.folder,
      environment: this.environment,
      timeoutMs: this.deps.runner.limits.readMs,
    });
    // straight to its place: pieces that are put together at the end would take twice the room
    const bytes = Buffer.allocUnsafeSlow(info.size);
    let at = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) at += chunk.copy(bytes, at);
    return bytes.subarray(0, at);
  }

  async blobStream(oid: string, range?: { start: number; end?: number }): Promise<{ size: number; stream: Readable }> {
    const info = await this.info(oid);
    if (info?.type !== 'blob') throw NotFound('blob');
    const start = range?.start ?? 0;
    const end = Math.min(range?.end ?? info.size - 1, info.size - 1);
    if (info.size <= pooledBlob) {
      const content = await this.blob(oid, pooledBlob);
      return { size: info.size, stream: Readable.from([content.subarray(start, end + 1)], { objectMode: false }) };
    }
    const whole = this.deps.runner.stream(['cat-file', 'blob', oid], {
      cwd: this.folder,
      environment: this.environment,
    });
    return { size: info.size, stream: range ? Readable.from(slice(whole, start, end), { objectMode: false }) : whole };
  }

  async raw(oid: string): Promise<{ type: ObjectType; content: Buffer } | undefined> {
    if (!isOid(oid)) return undefined;
    const object = await this.fetch(oid);
    return object?.content ? { type: object.type, content: object.content } : undefined;
  }

  /** Type, size and whole id of a revision expression such as `abc123`, `<oid>~2^{commit}`. */
  async evaluate(expression: string): Promise<{ oid: string; type: ObjectType } | undefined> {
    return this.ask(expression, false);
  }

  private cached(oid: string): CachedObject | undefined {
    return this.key === undefined ? undefined : this.deps.caches.objects.get(this.key + oid);
  }

  private async fetch(oid: string): Promise<{ type: ObjectType; size: number; content?: Buffer } | undefined> {
    for (const folder of this.folders) {
      const loose = await readLoose(folder, oid);
      if (loose) return { type: loose.type, size: loose.content.length, content: loose.content };
    }
    return this.ask(oid, true);
  }

  private ask(name: string, contents: boolean) {
    if (!existsSync(this.folder)) return Promise.resolve(undefined); // deleted meanwhile
    return this.deps.readers.ask(this.folder, name, contents, this.environment);
  }

  /** The parsed object; with `infoOnly` content is read only where it is cheap. */
  private async load(oid: string, infoOnly = false): Promise<CachedObject | undefined> {
    if (!isOid(oid)) return undefined;
    const known = this.cached(oid);
    if (known && (infoOnly || known.value !== undefined)) return known;
    let object: { type: ObjectType; size: number; content?: Buffer } | undefined;
    if (known && known.type === 'blob' && known.size > pooledBlob) return known;
    for (const folder of this.folders) {
      const loose = await readLoose(folder, oid);
      if (loose) object = { type: loose.type, size: loose.content.length, content: loose.content };
      if (object) break;
    }
    // a type first: content of a huge blob must not come through the pool
    object ??= known ? undefined : await this.ask(oid, false);
    if (!object && !known) return undefined;
    const type = object?.type ?? known?.type;
    const size = object?.size ?? known?.size ?? 0;
    if (!object?.content && !infoOnly && !(type === 'blob' && size > pooledBlob)) object = await this.ask(oid, true);
    if (!object) return undefined;
    const parsed: CachedObject = {
      type: object.type,
      size: object.size,
      value: object.content && (await this.parse(oid, object.type, object.content)),
    };
    if (this.key !== undefined) {
      this.deps.caches.objects.set(this.key + oid, keptOf(parsed));
    }
    return parsed;
  }

  private async parse(oid: string, type: ObjectType, content: Buffer): Promise<unknown> {
    if (type === 'commit') return parseCommit(oid, content);
    if (type === 'tag') return parseTag(oid, content);
    if (type === 'tree') return new Tree(content, await this.format());
    return content;
  }
}

/** Of large blobs only what they are; small ones as a copy, for their bytes may lie in a larger piece of memory. */
function keptOf(object: CachedObject): CachedObject {
  const { type, size, value } = object;
  if (type !== 'blob' || !value) return object;
  if (size > smallBlob) return { type, size };
  const bytes = value as Buffer;
  return bytes.buffer.byteLength === size ? object : { type, size, value: exactCopy(bytes) };
}

function exactCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

async function* slice(source: Readable, start: number, end: number): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    const from = Math.max(0, start - at);
    const to = Math.min(chunk.length, end + 1 - at);
    if (to > from) yield chunk.subarray(from, to);
    at += chunk.length;
    if (at > end) break;
  }
}
