/** Walks of the history; everything is kept by commit ids, which never change their meaning. */
import type { BlameLine } from '../api.js';
import type { LogOptions } from '../contract/reading.js';
import type { GitCaches } from './caches.js';
import type { Bounds } from './limits.js';
import { isQuarantined } from './environment.js';
import { GitFailure } from './failure.js';
import type { HomePageData } from './home-page-data.js';
import type { GitRunner } from './git-runner.js';
import { decodeText, type TextEncoding } from './text-encoding.js';

/** Names of one folder that are looked up one by one. */
const maxQueried = 200;
/** Of these so many at once. */
const queriedAtOnce = 4;
/**
 * Commits after which few names that are left are looked up one by one: git then looks at their paths alone, and with
 * the changed paths that the commit graph keeps at hardly any tree.
 */
const walkedBefore = 300;
const fewNames = 8;

/** Commits of a range that are read at once: most pushes and pull requests bring fewer. */
const shortRange = 250;

/** For walks that look for words. */
const searchBounds: Bounds = { memory: 4 * 1024 ** 3, seconds: 60 };

/** A work tree is never there, and paths are literal (GIT_LITERAL_PATHSPECS). */
export class History {
  constructor(
    private readonly folder: string,
    private readonly key: string,
    private readonly runner: GitRunner,
    private readonly caches: GitCaches,
    private readonly storedData: (commit: string) => Promise<HomePageData | undefined>,
    private readonly environment?: Readonly<Record<string, string>>,
  ) {}

  private text(
    args: readonly string[],
    okCodes: readonly number[] = [0],
    bounds?: Bounds,
    input?: Buffer,
  ): Promise<string> {
    return this.runner.text(args, {
      input,
      cwd: this.folder,
      environment: this.environment,
      okCodes,
      maxBytes: 256 * 1024 * 1024,
      bounds,
    });
  }

  private cached<T>(name: string, make: () => Promise<T>, sizeOf?: (value: T) => number): Promise<T> {
    return isQuarantined(this.environment) ? make() : this.caches.result(this.key + name, make, sizeOf);
  }

  /** `pathBytes`: the path where its name is not UTF-8, which arguments must be. */
  log(options: LogOptions, pathBytes?: Buffer): Promise<{ oids: string[]; total: number }> {
    const offset = options.offset ?? 0;
    const limit = options.limit ?? 30;
    if (!options.from.length) return Promise.resolve({ oids: [], total: 0 });
    const filters = [
      ...(options.since === undefined ? [] : [`--since=${Math.floor(options.since / 1000)}`]),
      ...(options.until === undefined ? [] : [`--until=${Math.floor(options.until / 1000)}`]),
      ...(options.author ? [`--author=${options.author}`, '-i', '-F'] : []),
      ...(options.search ? [`--grep=${options.search}`, '-i', '-F'] : []),
      ...(options.noMerges ? ['--no-merges'] : []),
      ...(options.firstParent ? ['--first-parent'] : []),
    ];
    const revisions = [
      ...options.from,
      ...(options.not?.length ? ['--not', ...options.not] : []),
      ...(pathBytes ? ['--stdin'] : ['--', ...(options.path ? [options.path] : [])]),
    ];
    const input = pathBytes && pathsInput(pathBytes);
    const plain = !filters.length && !options.path && options.from.length === 1;
    /** Every commit is read, and perhaps none fits. */
    const bounds = options.author || options.search ? searchBounds : undefined;
    const text = (args: readonly string[]) => this.text(args, [0], bounds, input);
    const asked = [filters, revisions, options.follow ?? false, pathBytes?.toString('latin1')];
    const name = `log\0${JSON.stringify(asked)}`;
    if (options.follow && options.path) {
      // git cannot count or skip while following, so the whole list is kept
      return this.cached(
        name,
        async () => lines(await text(['log', '--follow', '--format=%H', ...filters, ...revisions])),
        (oids) => oids.length * 100,
      ).then((oids) => ({ oids: oids.slice(offset, offset + limit), total: oids.length }));
    }
    return this.cached(
      `${name}\0${offset}\0${limit}\0${options.total ?? true}`,
      async () => {
        if (plain && options.not?.length) {
          const range = await this.shortRange(options.from[0] as string, options.not);
          if (range) return { oids: range.slice(offset, offset + limit), total: range.length };
        }
        const [page, total] = await Promise.all([
          limit > 0
            ? text(['rev-list', `--skip=${offset}`, `--max-count=${limit}`, ...filters, ...revisions]).then(lines)
            : [],
          options.total === false
            ? -1
            : plain
              ? this.count(options.from[0] as string, options.not)
              : this.cached(`${name}\0count`, async () =>
                  Number((await text(['rev-list', '--count', ...filters, ...revisions])).trim()),
                ),
        ]);
        return { oids: page, total: total < 0 ? offset + page.length : total };
      },
      ({ oids }) => 200 + oids.length * 100,
    );
  }

  /** Of a whole history: from the last known count of an ancestor on, so that a push costs what it brings. */
  private async countAll(oid: string): Promise<number> {
    const kept = (await this.storedData(oid))?.count;
    const hint = this.caches.results.get(`${this.key}counted`)?.value as { oid: string; count: number } | undefined;
    let total = kept;
    if (total === undefined && hint && hint.count > 500 && (await this.isAncestor(hint.oid, oid))) {
      total = hint.count + (await this.count(oid, [hint.oid]));
    }
    total ??= Number((await this.text(['rev-list', '--count', oid, '--'])).trim());
    this.caches.results.set(`${this.key}counted`, { value: { oid, count: total } }, { size: 300 });
    return total;
  }

  /** All commits of a range, newest first; undefined where they are many. Whoever reads of a push asks for them. */
  private async shortRange(oid: string, not: readonly string[]): Promise<readonly string[] | undefined> {
    const range = await this.cached(
      `range\0${oid}\0${not.join()}`,
      async () => lines(await this.text(['rev-list', `--max-count=${shortRange + 1}`, oid, '--not', ...not, '--'])),
      (oids) => 200 + oids.length * 100,
    );
    return range.length > shortRange ? undefined : range;
  }

  async count(oid: string, not: readonly string[] = []): Promise<number> {
    if (not.length) {
      const range = await this.shortRange(oid, not);
      if (range) return range.length;
    } else if (!isQuarantined(this.environment)) return this.cached(`count\0${oid}`, () => this.countAll(oid));
    return this.cached(`count\0${oid}\0${not.join()}`, async () =>
      Number((await this.text(['rev-list', '--count', oid, ...(not.length ? ['--not', ...not] : []), '--'])).trim()),
    );
  }

  lastCommit(commit: string, path: string, pathBytes?: Buffer): Promise<string | undefined> {
    if (!path) return Promise.resolve(commit);
    const read = () =>
      pathBytes
        ? this.text(['rev-list', '-1', commit, '--stdin'], [0], undefined, pathsInput(pathBytes))
        : this.text(['rev-list', '-1', commit, '--', path]);
    return this.cached(`last\0${commit}\0${path}`, async () => lines(await read())[0]);
  }

  /** The answer of {@link lastCommits}, if it is still kept. */
  knownLastCommits(commit: string, path: string): ReadonlyMap<string, string> | undefined {
    return this.caches.results.get(`${this.key}lasts\0${commit}\0${path}`)?.value as
      | ReadonlyMap<string, string>
      | undefined;
  }

  /** One walk that ends as soon as nearly every name of the folder was seen; `shortcut` may save it. */
  lastCommits(
    commit: string,
    path: string,
    names: readonly string[],
    shortcut?: () => Promise<ReadonlyMap<string, string> | undefined>,
  ): Promise<ReadonlyMap<string, string>> {
    return this.cached(
      `lasts\0${commit}\0${path}`,
      async () =>
        (await this.keptLastCommits(commit, path, names)) ??
        (await shortcut?.()) ??
        this.walkLastCommits(commit, path, names),
      (map) => map.size * 150,
    );
  }

  private async keptLastCommits(
    commit: string,
    path: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, string> | undefined> {
    if (path) return undefined;
    const kept = new Map(Object.entries((await this.storedData(commit))?.lastCommits ?? {}));
    return names.every((name) => kept.has(name)) ? kept : undefined;
  }

  private async walkLastCommits(
    commit: string,
    path: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const byPath = new Map<string, string>();
    if (!names.length) return byPath;
    const missing = new Set(names);
    const prefix = path ? `${path}/` : '';
    const stream = this.runner.stream(
      ['log', '-z', '--format=%x01%H', '--name-only', '--no-renames', '-c', commit, '--', ...(path ? [path] : [])],
      { cwd: this.folder, environment: this.environment },
    );
    stream.setEncoding('utf8');
    let rest = '';
    let current = commit;
    let walked = 0;
    const see = (token: string) => {
      let name = token;
      if (name.startsWith('\u0001')) {
        walked++;
        current = own(name.slice(1).split('\n')[0] ?? current);
        const line = name.indexOf('\n');
        if (line < 0) return;
        name = name.slice(line + 1);
      }
      name = name.replace(/^\n+/, '');
      if (!name.startsWith(prefix)) return;
      const first = name.slice(prefix.length).split('/')[0] ?? '';
      if (missing.delete(first)) byPath.set(own(first), current);
    };
    try {
      for await (const chunk of stream as AsyncIterable<string>) {
        const tokens = (rest + chunk).split('\0');
        rest = tokens.pop() ?? '';
        tokens.forEach(see);
        if (!missing.size || (walked >= walkedBefore && missing.size <= fewNames)) {
          rest = '';
          break;
        }
      }
      if (rest) see(rest);
    } finally {
      stream.destroy();
    }
    // not seen yet, or in no difference (changed in merges only): ask for each, though not for ever
    const left = [...missing];
    for (let at = 0; at < left.length; at += queriedAtOnce) {
      const asked = left.slice(at, at + queriedAtOnce);
      const ask = (name: string) => (at < maxQueried ? this.lastCommit(commit, prefix + name) : undefined);
      const oids = await Promise.all(asked.map(ask));
      asked.forEach((name, index) => byPath.set(name, oids[index] ?? commit));
    }
    return byPath;
  }

  mergeBase(one: string, other: string): Promise<string | undefined> {
    if (one === other) return Promise.resolve(one);
    return this.cached(
      `base\0${one}\0${other}`,
      async () => lines(await this.text(['merge-base', one, other], [0, 1]))[0],
    );
  }

  /** Where it was asked for before, by either order: an ancestor is the only best base of itself and its descendants. */
  private knownMergeBase(one: string, other: string): Promise<string | undefined> | undefined {
    const { results } = this.caches;
    const known = results.get(`${this.key}base\0${one}\0${other}`) ?? results.get(`${this.key}base\0${other}\0${one}`);
    return known && Promise.resolve(known.value as string | undefined);
  }

  isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    if (ancestor === descendant) return Promise.resolve(true);
    const base = this.knownMergeBase(ancestor, descendant);
    if (base) return base.then((oid) => oid === ancestor);
    return this.cached(`ancestor\0${ancestor}\0${descendant}`, async () => {
      const { code } = await this.runner.run(['merge-base', '--is-ancestor', ancestor, descendant], {
        cwd: this.folder,
        environment: this.environment,
        okCodes: [0, 1, 128],
      });
      return code === 0;
    });
  }

  aheadBehind(base: string, head: string): Promise<{ ahead: number; behind: number }> {
    if (base === head) return Promise.resolve({ ahead: 0, behind: 0 });
    return this.cached(`ahead\0${base}\0${head}`, async () => {
      const [behind, ahead] = (await this.text(['rev-list', '--left-right', '--count', `${base}...${head}`, '--']))
        .trim()
        .split(/\s+/)
        .map(Number);
      return { ahead: ahead ?? 0, behind: behind ?? 0 };
    });
  }

  /** Names of references whose history holds the commit. */
  async containing(oid: string, prefix: string): Promise<string[]> {
    return lines(await this.text(['for-each-ref', `--contains=${oid}`, '--format=%(refname)', prefix]));
  }

  blame(commit: string, path: string, encoding: TextEncoding = 'UTF-8'): Promise<BlameLine[]> {
    return this.cached(
      `blame\0${commit}\0${path}`,
      async () => {
        try {
          const { out } = await this.runner.run(['blame', '--porcelain', commit, '--', path], {
            cwd: this.folder,
            environment: this.environment,
            maxBytes: 256 * 1024 * 1024,
          });
          return await parseBlame(out, encoding);
        } catch (error) {
          if (error instanceof GitFailure) return [];
          throw error;
        }
      },
      (all) => all.reduce((sum, { text }) => sum + 200 + text.length, 0),
    );
  }
}

/** Paths as `--stdin` takes them (rev-list-options). */
const pathsInput = (path: Buffer): Buffer => Buffer.concat([Buffer.from('--\n'), path, Buffer.from('\n')]);

/** A part of a text keeps the whole of it in memory; a copy does not. */
const own = (part: string): string => Buffer.from(part).toString();

const lines = (text: string): string[] => text.split('\n').filter(Boolean);

/** Rows of git's answer that are read before others get their turn. */
const rowsAtOnce = 8_000;
const tab = '\t'.charCodeAt(0);

/** Of each commit git tells the facts once, and its path again only where it had several. */
async function parseBlame(out: Buffer, encoding: TextEncoding): Promise<BlameLine[]> {
  const result: BlameLine[] = [];
  const commits = new Map<string, { oid: string; path: string }>();
  let commit = { oid: '', path: '' };
  let line = 0;
  let isHead = true;
  let rows = 0;
  for (let from = 0, end: number; from < out.length; from = end + 1) {
    end = out.indexOf(10, from);
    if (end < 0) end = out.length;
    if (out[from] === tab) {
      result.push({
        line,
        commit: commit.oid,
        path: commit.path,
        text: decodeText(out.subarray(from + 1, end), encoding).text,
      });
      isHead = true;
    } else if (isHead) {
      const [oid = '', , final] = out.toString('utf8', from, end).split(' ');
      commit = commits.get(oid) ?? { oid: own(oid), path: '' };
      commits.set(commit.oid, commit);
      line = Number(final);
      isHead = false;
    } else if (out.toString('latin1', from, from + 9) === 'filename ')
      commit.path = out.toString('utf8', from + 9, end);
    if (++rows % rowsAtOnce === 0) await new Promise(setImmediate);
  }
  return result;
}
