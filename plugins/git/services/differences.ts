/** What differs between two commits or trees, kept by object ids. */
import type { Readable } from 'node:stream';
import {
  isZeroOid,
  type ChangeOptions,
  type ChangeStatus,
  type FileChange,
  type ObjectFormat,
  type PatchOptions,
} from '../api.js';
import type { GitCaches } from './caches.js';
import type { GitRunner } from './process.js';

export const emptyTree: Readonly<Record<ObjectFormat, string>> = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

const statuses: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'typechange',
};

/** Words that repeat in every line: one string for all of them. */
const shared = new Map(['000000', '040000', '100644', '100755', '120000', '160000'].map((word) => [word, word]));
const nothing = { 40: '0'.repeat(40), 64: '0'.repeat(64) } as const;
const oidOf = (text: string) =>
  isZeroOid(text)
    ? (nothing[text.length as keyof typeof nothing] ?? text)
    : Buffer.from(text, 'latin1').toString('latin1');

/** Output of `diff-tree --raw --numstat -z`, token by token: with 100,000 files it is long. */
export function parseChanges(output: Buffer): FileChange[] {
  const changes: { -readonly [Key in keyof FileChange]: FileChange[Key] }[] = [];
  const byPath = new Map<string, (typeof changes)[number]>();
  let at = 0;
  const next = () => {
    const end = output.indexOf(0, at);
    const token = output.toString('utf8', at, end < 0 ? output.length : end);
    at = end < 0 ? output.length : end + 1;
    return token;
  };
  while (at < output.length) {
    const token = next();
    if (token.startsWith(':')) {
      const [oldMode = '', mode = '', oldOid = '', oid = '', letter = ''] = token.slice(1).split(' ');
      const status = statuses[letter[0] ?? ''] ?? 'modified';
      const first = next();
      const moved = status === 'renamed' || status === 'copied';
      const path = moved ? next() : first;
      const change = {
        status,
        path,
        ...(moved ? { oldPath: first } : {}),
        oldMode: shared.get(oldMode) ?? oldMode,
        mode: shared.get(mode) ?? mode,
        oldOid: oidOf(oldOid),
        oid: oidOf(oid),
        additions: 0,
        deletions: 0,
        binary: false,
      };
      changes.push(change);
      byPath.set(path, change);
      continue;
    }
    const match = /^(-|\d+)\t(-|\d+)\t(.*)$/s.exec(token);
    if (!match) continue;
    if (!match[3]) next(); // renamed: the old path, then the new one
    const change = byPath.get(match[3] || next());
    if (!change) continue;
    change.additions = Number(match[1]) || 0;
    change.deletions = Number(match[2]) || 0;
    change.binary = match[1] === '-';
  }
  return changes;
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
    const make = async () =>
      parseChanges(
        (
          await this.runner.run(
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
            { cwd: this.folder, environment: this.environment, maxBytes: 256 * 1024 * 1024 },
          )
        ).out,
      );
    if (this.environment) return make();
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
    if (this.environment) return make();
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
    const path = ['--', ...(options.path ? [options.path] : [])];
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
