import { Problem } from '@mortise/plugin-sdk';
import { isOid, type GitChild, type GitProcesses, type GitStore } from '@mortise/git/api';
import { maxPointerSize, parsePointer, type LfsPointer } from '../contract/lfs.js';

interface FoundPointer {
  /** Object id of the pointer file. */
  readonly blob: string;
  readonly pointer: LfsPointer;
}

/** A file whose content is a pointer. */
export interface PointerFile extends FoundPointer {
  readonly path: string;
}

interface ScanOptions {
  /** Commits to start from; none: all references. */
  readonly tips?: readonly string[];
  /** Commits whose history is left out. */
  readonly not?: readonly string[];
  /** What references lead to is left out. */
  readonly onlyUnreferenced?: boolean;
  /** Only the files of the tips themselves. */
  readonly noWalk?: boolean;
  readonly signal?: AbortSignal;
}

/** A walk over all files of a large history takes minutes. */
const timeoutMs = 3_600_000;

/** Finds pointer files: git lists the small blobs of a history and hands their content over, one after the other. */
export class PointerScan {
  constructor(
    private readonly git: GitProcesses,
    private readonly store: GitStore,
  ) {}

  /** Whether the repository exists on disk. */
  exists(repositoryId: number): Promise<boolean> {
    return this.store.exists(repositoryId);
  }

  async *pointers(repositoryId: number, options: ScanOptions = {}): AsyncGenerator<FoundPointer> {
    if (!(await this.exists(repositoryId))) return;
    const revisions = revisionsOf(options);
    if (!revisions) return;
    const run = (args: readonly string[]) => this.#run(repositoryId, args, options.signal);
    const list = run([
      'rev-list',
      '--objects',
      '--no-object-names',
      '--filter-provided-objects',
      `--filter=combine:blob:limit=${maxPointerSize}+object:type=blob`,
      ...(options.noWalk ? ['--no-walk'] : []),
      ...(options.tips ? ['--stdin'] : ['--all']),
      ...(options.onlyUnreferenced ? ['--not', '--all'] : []),
    ]);
    const read = run(['cat-file', '--batch', '--buffer']);
    const endings = [ended(list), ended(read)];
    list.stdout.on('error', () => undefined);
    list.stdin.end(revisions);
    list.stdout.pipe(read.stdin);
    try {
      for await (const { header, content } of records(read.stdout)) {
        const blob = /^([0-9a-f]+) blob /.exec(header)?.[1];
        const pointer = blob ? parsePointer(content) : undefined;
        if (blob && pointer) yield { blob, pointer };
      }
      const codes = await Promise.all(endings);
      if (options.signal?.aborted)
        throw new Problem('unavailable', 'Listing the LFS pointers of commits took too long.');
      if (codes.some((code) => code !== 0)) throw new Error('git could not list the files');
    } finally {
      list.kill();
      read.kill();
      await Promise.all(endings);
    }
  }

  /** Every file of a commit that is a pointer, by path; the same content may lie in many places. */
  async *files(repositoryId: number, commit: string, signal?: AbortSignal): AsyncGenerator<PointerFile> {
    const known = new Map<string, LfsPointer>();
    for await (const { blob, pointer } of this.pointers(repositoryId, { tips: [commit], noWalk: true, signal }))
      known.set(blob, pointer);
    if (known.size === 0) return;
    const list = this.#run(repositoryId, ['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit], signal);
    const ending = ended(list);
    try {
      for await (const line of parted(list.stdout)) {
        const [, mode, blob = '', path = ''] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
        const pointer = known.get(blob);
        if (pointer && mode !== '120000') yield { blob, path, pointer };
      }
    } finally {
      list.kill();
      await ending;
    }
  }

  #run(repositoryId: number, args: readonly string[], signal?: AbortSignal) {
    const path = this.store.path(repositoryId);
    const child = this.git.start(args, { cwd: path, environment: { GIT_DIR: path }, timeoutMs, signal });
    child.stderr.resume();
    return child;
  }
}

function revisionsOf({ tips, not = [] }: ScanOptions): string | undefined {
  if (!tips) return '\n';
  const wanted = tips.filter(isOid);
  return wanted.length === 0 ? undefined : [...wanted, ...not.filter(isOid).map((oid) => `^${oid}`), ''].join('\n');
}

const ended = (child: GitChild): Promise<number> =>
  new Promise((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('close', (code) => resolve(code ?? -1));
  });

/** The records of `cat-file --batch`: a header line with the size, the content, a line feed. */
async function* records(output: AsyncIterable<Buffer>): AsyncGenerator<{ header: string; content: Buffer }> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    held = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    let at = 0;
    for (;;) {
      const line = held.indexOf(10, at);
      if (line < 0) break;
      const header = held.toString('utf8', at, line);
      const size = /^[0-9a-f]+ \w+ (\d+)/.exec(header)?.[1];
      // "… missing" has no content.
      const end = size === undefined ? line : line + 1 + Number(size);
      if (end >= held.length && size !== undefined) break;
      if (size !== undefined) yield { header, content: held.subarray(line + 1, end) };
      at = end + 1;
    }
    held = held.subarray(at);
  }
}

/** Texts that end in NUL. */
async function* parted(output: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    held = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    let at = 0;
    for (let end = held.indexOf(0); end >= 0; end = held.indexOf(0, at)) {
      yield held.toString('utf8', at, end);
      at = end + 1;
    }
    held = held.subarray(at);
  }
}
