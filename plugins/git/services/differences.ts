/** What differs between two commits or trees, kept by object ids. */
import type { Readable } from 'node:stream';
import { Problem } from '@mortise/plugin-sdk';
import {
  isZeroOid,
  type ChangeOptions,
  type ChangeStatus,
  type FileChange,
  type ObjectFormat,
  type PatchOptions,
} from '../api.js';
import type { GitCaches } from './caches.js';
import { isQuarantined } from './environment.js';
import type { GitRunner } from './process.js';
import { eachWord } from './words.js';

export const emptyTree: Readonly<Record<ObjectFormat, string>> = {
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

/** No memory is large enough for whatever a tree of trees can name. */
const maxChanges = 500_000;

/** Takes the words of `diff-tree --raw --numstat -z` one by one, and gives the changes when there are no more. */
function* collectChanges(): Generator<undefined, FileChange[], string | undefined> {
  const changes: { -readonly [Key in keyof FileChange]: FileChange[Key] }[] = [];
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
      const [oldMode = '', mode = '', oldOid = '', oid = '', letter = ''] = word.slice(1).split(' ');
      const status = statuses.get(letter[0] ?? '') ?? 'modified';
      const first = (yield) ?? '';
      const moved = status === 'renamed' || status === 'copied';
      const path = moved ? ((yield) ?? '') : first;
      if (changes.length >= maxChanges) throw new Problem('too_large', 'too many files differ');
      changes.push({
        status,
        path,
        ...(moved ? { oldPath: first } : {}),
        oldMode: shared.get(oldMode) ?? oldMode,
        mode: shared.get(mode) ?? mode,
        oldOid: oidOf(oldOid, changes.at(-1)?.oldOid),
        oid: oidOf(oid, changes.at(-1)?.oid),
        additions: 0,
        deletions: 0,
        binary: false,
      });
      continue;
    }
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
export async function readChanges(output: AsyncIterable<Buffer>): Promise<FileChange[]> {
  const collecting = collectChanges();
  collecting.next();
  await eachWord(output, (word) => {
    collecting.next(word.toString('utf8'));
    return true;
  });
  for (;;) {
    const last = collecting.next(undefined);
    if (last.done) return last.value;
  }
}

export class Differences {
  constructor(
    private readonly folder: string,
    private readonly key: string,
    private readonly runner: GitRunner,
    private readonly caches: GitCaches,
    private readonly format: () => Promise<ObjectFormat>,
    private readonly environment?: Readonly<Record<string, string>>,
  ) {}

  async changes(from: string | undefined, to: string, options: ChangeOptions = {}): Promise<readonly FileChange[]> {
    const base = await this.baseOf(from);
    const make = () =>
      readChanges(
        this.runner.stream(
          [
            'diff-tree',
            '-r',
            '-z',
            '--raw',
            '--no-abbrev',
            ...(options.stats === false ? [] : ['--numstat']),
            ...(options.renames === false ? ['--no-renames'] : ['-M']),
            base,
            to,
            '--',
            ...(options.path ? [options.path] : []),
          ],
          { cwd: this.folder, environment: this.environment, timeoutMs: this.runner.limits.readMs },
        ),
      );
    if (isQuarantined(this.environment)) return make();
    return this.caches.result(
      `${this.key}changes\0${base}\0${to}\0${JSON.stringify([options.renames ?? true, options.stats ?? true, options.path ?? ''])}`,
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
    const make = async () =>
      (
        await this.runner.run(this.patchArguments(from, to, options), {
          cwd: this.folder,
          environment: this.environment,
          maxBytes,
        })
      ).out.toString('utf8');
    if (isQuarantined(this.environment)) return make();
    return this.caches.result(
      `${this.key}patch\0${from ?? ''}\0${to}\0${JSON.stringify(options)}`,
      make,
      (text) => text.length,
    );
  }

  private patchArguments(from: string | undefined, to: string, options: PatchOptions): string[] {
    const shared = [
      ...(options.binary ? ['--binary'] : []),
      ...(options.context === undefined ? [] : [`-U${Math.max(0, Math.floor(options.context))}`]),
      ...(options.renames === false ? ['--no-renames'] : ['-M']),
      ...(options.ignoreWhitespace === 'all'
        ? ['-w']
        : options.ignoreWhitespace === 'change'
          ? ['-b']
          : options.ignoreWhitespace === 'eol'
            ? ['--ignore-space-at-eol']
            : []),
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
