/** What differs between two commits or trees, kept by object ids. */
import type { Readable } from 'node:stream';
import { Problem } from '@mortise/plugin-sdk';
import {
  isCorruptObject,
  isOid,
  isZeroOid,
  type ChangeOptions,
  type ChangePage,
  type FileChange,
  type IgnoredWhitespace,
  type PatchOptions,
} from '../api.js';
import type { ChangeStatus, CommitParents } from '../contract/reading.js';
import type { ObjectFormat } from '../contract/names.js';
import type { GitCaches } from './caches.js';
import { isQuarantined } from './environment.js';
import type { GitRunner } from './git-runner.js';
import { decodePatch, type TextEncoding } from './text-encoding.js';
import { eachField } from './nul-separated.js';
import { t } from '../texts/index.js';

const emptyTree: Readonly<Record<ObjectFormat, string>> = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

const statuses = new Map<string, ChangeStatus>([
  ['A', 'added'],
  ['M', 'modified'],
  ['D', 'deleted'],
  ['R', 'renamed'],
  ['C', 'copied'],
  ['T', 'typechange'],
]);

/** Words that repeat in every line: one string for all of them. */
const shared = new Map(['000000', '040000', '100644', '100755', '120000', '160000'].map((word) => [word, word]));
const nothing = { 40: '0'.repeat(40), 64: '0'.repeat(64) } as const;
/** The string itself, not a part of a longer one; often it is that of the change before. */
const oidOf = (text: string, before: string | undefined) =>
  text === before
    ? before
    : isZeroOid(text)
      ? (nothing[text.length as keyof typeof nothing] ?? text)
      : Buffer.from(text, 'latin1').toString('latin1');

/** What git is told about changes of white space. */
function whitespaceArguments(ignored: IgnoredWhitespace | undefined): readonly string[] {
  if (!ignored) return [];
  return [{ all: '-w', change: '-b', eol: '--ignore-space-at-eol' }[ignored]];
}

/** No memory is large enough for whatever a tree of trees can name. */
const maxChanges = 500_000;
/** Files whose lines are counted at once. */
const maxCounted = 3000;
/** Files of one window of a larger difference. */
const windowSize = 1000;

type MutableFileChange = { -readonly [Key in keyof FileChange]: FileChange[Key] };

/** The change that begins with this word of `--raw -z`; `before` is the one before it. */
function* readChange(
  word: string,
  before: MutableFileChange | undefined,
): Generator<undefined, MutableFileChange, string | undefined> {
  const [oldMode = '', mode = '', oldOid = '', oid = '', letter = ''] = word.slice(1).split(' ');
  const status = statuses.get(letter[0] ?? '') ?? 'modified';
  const first = (yield) ?? '';
  const moved = status === 'renamed' || status === 'copied';
  const path = moved ? ((yield) ?? '') : first;
  return {
    status,
    path,
    ...(moved ? { oldPath: first } : {}),
    oldMode: shared.get(oldMode) ?? oldMode,
    mode: shared.get(mode) ?? mode,
    oldOid: oidOf(oldOid, before?.oldOid),
    oid: oidOf(oid, before?.oid),
    additions: 0,
    deletions: 0,
    binary: false,
  };
}

/** The same of `--raw -z` alone: how many there are, and those of one window. */
function* collectWindow(from: number): Generator<undefined, Pick<ChangePage, 'changes' | 'total'>, string | undefined> {
  const changes: MutableFileChange[] = [];
  let total = 0;
  for (let word = yield; word !== undefined; word = yield) {
    const change = yield* readChange(word, changes.at(-1));
    if (total >= from && total < from + windowSize) changes.push(change);
    total++;
  }
  return { changes, total };
}

/**
 * Takes the words of `diff-tree --raw --numstat -z` one by one, and gives the changes when there are no more, or when the
 * next commit is named (`--stdin`).
 */
function* collectChanges(): Generator<undefined, FileChange[], string | undefined> {
  const changes: MutableFileChange[] = [];
  /** Counts come in the order of the changes, so that a table of paths is hardly ever needed. */
  let position = 0;
  let byPath: Map<string, number> | undefined;
  const find = (path: string) => {
    if (changes[position]?.path !== path) {
      byPath ??= new Map(changes.map((change, index) => [change.path, index]));
      position = byPath.get(path) ?? changes.length;
    }
    return changes[position++];
  };
  for (let word = yield; word !== undefined; word = yield) {
    if (word.startsWith(':')) {
      const change = yield* readChange(word, changes.at(-1));
      if (changes.length >= maxChanges) throw new Problem('too_large', t.later('error.filesDiffer'));
      changes.push(change);
      continue;
    }
    if (isOid(word)) return changes;
    const [, added, removed, name] = /^(-|\d+)\t(-|\d+)\t(.*)$/s.exec(word) ?? [];
    if (name === undefined) continue;
    if (!name) yield; // renamed: the old path, then the new one
    const change = find(name || ((yield) ?? ''));
    if (!change) continue;
    change.additions = Number(added) || 0;
    change.deletions = Number(removed) || 0;
    change.binary = added === '-';
  }
  return changes;
}

/** Reads as git writes: with 100,000 files it writes a lot. */
export const readChanges = (output: AsyncIterable<Buffer>): Promise<FileChange[]> =>
  readWords(output, collectChanges());

async function readWords<T>(
  output: AsyncIterable<Buffer>,
  collecting: Generator<undefined, T, string | undefined>,
): Promise<T> {
  collecting.next();
  await eachField(output, (word) => {
    collecting.next(word.toString('utf8'));
    return true;
  });
  for (;;) {
    const last = collecting.next(undefined);
    if (last.done) return last.value;
  }
}

/** The same of many commits; those without changes are not named. */
async function readChangesOfMany(
  output: AsyncIterable<Buffer>,
  see: (commit: string, changes: FileChange[]) => void,
): Promise<void> {
  let commit: string | undefined;
  let collecting = collectChanges();
  collecting.next();
  const take = (word: string | undefined) => {
    const step = collecting.next(word);
    if (!step.done) return false;
    if (commit) see(commit, step.value);
    commit = word;
    collecting = collectChanges();
    collecting.next();
    return true;
  };
  await eachField(output, (word) => {
    take(word.toString('utf8'));
    return true;
  });
  while (!take(undefined));
}

/** A commit that is read together with others. */
interface Awaited {
  readonly commit: CommitParents;
  readonly resolve: (changes: readonly FileChange[]) => void;
  readonly reject: (error: unknown) => void;
}

export class Differences {
  constructor(
    private readonly folder: string,
    private readonly key: string,
    private readonly runner: GitRunner,
    private readonly caches: GitCaches,
    private readonly format: () => Promise<ObjectFormat>,
    private readonly environment: Readonly<Record<string, string>> | undefined,
    /** Undefined where its blob cannot be read. */
    private readonly encodingOfBlob: (oid: string) => Promise<TextEncoding | undefined>,
  ) {}

  async changes(from: string | undefined, to: string, options: ChangeOptions = {}): Promise<readonly FileChange[]> {
    const base = await this.baseOf(from);
    return this.cached(base, to, options, () => readChanges(this.diffTree([base, to], options)));
  }

  async page(from: string | undefined, to: string, at: number): Promise<ChangePage> {
    const start = at - (at % windowSize);
    const listed = await this.listed(from, to, start);
    if (listed.total > maxCounted) return { ...listed, from: start, isCounted: false };
    const changes = await this.changes(from, to);
    return { changes, from: 0, total: changes.length, isCounted: true };
  }

  /** One window, kept by itself: all of a very large difference would push out everything else. */
  private async listed(from: string | undefined, to: string, start: number) {
    const base = await this.baseOf(from);
    const read = () => readWords(this.diffTree([base, to], { stats: false }), collectWindow(start));
    if (isQuarantined(this.environment)) return read();
    return this.caches.result(
      `${this.key}window\0${base}\0${to}\0${start}`,
      read,
      ({ changes }) => 100 + changes.length * 400,
    );
  }

  /**
   * Of each commit against its first parent, all by one process; each is kept as if it had been asked for alone. What
   * cannot be read is left out.
   */
  async ofCommits(
    commits: readonly CommitParents[],
    options: ChangeOptions = {},
  ): Promise<Map<string, readonly FileChange[]>> {
    const nothing = emptyTree[await this.format()];
    const wanted = [...new Map(commits.map((commit) => [commit.oid, commit])).values()];
    const missing: Awaited[] = [];
    const found = wanted.map((commit) =>
      this.cached(
        commit.parents[0] ?? nothing,
        commit.oid,
        options,
        () => new Promise((resolve, reject) => missing.push({ commit, resolve, reject })),
      ),
    );
    const all = Promise.allSettled(found);
    await this.readTogether(missing, options);
    const changes = new Map<string, readonly FileChange[]>();
    for (const [index, result] of (await all).entries()) {
      if (result.status === 'fulfilled') changes.set(wanted[index]!.oid, result.value);
      else if (!isCorruptObject(result.reason) && !Problem.is(result.reason)) throw result.reason;
    }
    return changes;
  }

  private async readTogether(missing: readonly Awaited[], options: ChangeOptions): Promise<void> {
    const left = new Map(missing.map((one) => [one.commit.oid, one]));
    try {
      if (left.size > 1) {
        const input = missing.map(({ commit }) => [commit.oid, ...commit.parents.slice(0, 1)].join(' ')).join('\n');
        await readChangesOfMany(this.diffTree(['--root', '--stdin'], options, `${input}\n`), (oid, changes) => {
          left.get(oid)?.resolve(changes);
          left.delete(oid);
        });
        // the others changed nothing
        for (const one of left.values()) one.resolve([]);
        return;
      }
    } catch (error) {
      if (Problem.is(error) && error.code === 'unavailable') {
        // out of time: a process for each of the others would only take longer
        for (const one of left.values()) one.reject(error);
        return;
      }
      // one that cannot be read ends the process: then each for itself
    }
    for (const { commit, resolve, reject } of left.values()) {
      // whoever else waits for one of these must not wait for ever
      const read = async () => readChanges(this.diffTree([await this.baseOf(commit.parents[0]), commit.oid], options));
      await read().then(resolve, reject);
    }
  }

  private diffTree(what: readonly string[], options: ChangeOptions, input?: string): Readable {
    return this.runner.stream(
      [
        'diff-tree',
        '-r',
        '-z',
        '--raw',
        '--no-abbrev',
        ...(options.stats === false ? [] : ['--numstat']),
        ...(options.renames === false ? ['--no-renames'] : ['-M']),
        ...whitespaceArguments(options.ignoreWhitespace),
        ...what,
        '--',
        ...(options.path ? [options.path] : []),
        ...(options.paths ?? []),
      ],
      { cwd: this.folder, environment: this.environment, timeoutMs: this.runner.limits.readMs, input },
    );
  }

  private cached(
    base: string,
    to: string,
    options: ChangeOptions,
    make: () => Promise<readonly FileChange[]>,
  ): Promise<readonly FileChange[]> {
    if (isQuarantined(this.environment)) return make();
    return this.caches.result(
      `${this.key}changes\0${base}\0${to}\0${JSON.stringify([options.renames ?? true, options.stats ?? true, options.path ?? '', options.ignoreWhitespace ?? '', options.paths ?? []])}`,
      make,
      (all) => 100 + all.length * 400,
    );
  }

  patch(from: string | undefined, to: string, options: PatchOptions = {}): Readable {
    return this.runner.stream(this.patchArguments(from, to, options), {
      cwd: this.folder,
      environment: this.environment,
    });
  }

  async patchText(
    from: string | undefined,
    to: string,
    options: PatchOptions = {},
    maxBytes = 20 * 1024 * 1024,
  ): Promise<string> {
    const make = async () => {
      const { out } = await this.runner.run(this.patchArguments(from, to, options, ['--full-index']), {
        cwd: this.folder,
        environment: this.environment,
        maxBytes,
      });
      return decodePatch(out, this.encodingOfBlob);
    };
    if (isQuarantined(this.environment)) return make();
    return this.caches.result(
      `${this.key}patch\0${from ?? ''}\0${to}\0${JSON.stringify(options)}`,
      make,
      (text) => text.length,
    );
  }

  private patchArguments(
    from: string | undefined,
    to: string,
    options: PatchOptions,
    more: readonly string[] = [],
  ): string[] {
    const shared = [
      ...more,
      ...(options.binary ? ['--binary'] : []),
      ...(options.context === undefined ? [] : [`-U${Math.max(0, Math.floor(options.context))}`]),
      ...(options.renames === false ? ['--no-renames'] : ['-M']),
      ...whitespaceArguments(options.ignoreWhitespace),
    ];
    const path = ['--', ...(options.path ? [options.path] : []), ...(options.paths ?? [])];
    const root = from === undefined || isZeroOid(from);
    if (options.format === 'patch')
      return [
        'format-patch',
        '--stdout',
        '--no-signature',
        ...shared,
        ...(root ? ['--root', to] : [`${from}..${to}`]),
        ...path,
      ];
    const base = root ? emptyTree[to.length === 64 ? 'sha256' : 'sha1'] : from;
    return ['diff', '--no-ext-diff', '--no-textconv', ...shared, base, to, ...path];
  }

  private async baseOf(from: string | undefined): Promise<string> {
    return from === undefined || isZeroOid(from) ? emptyTree[await this.format()] : from;
  }
}
