import { BadRequest, Invalid, NotFound } from '@mortise/plugin-sdk';
import { isOid, isRefName, type GitRepository } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** A point in history that a request named. */
export interface Revision {
  readonly kind: 'branch' | 'tag' | 'commit';
  readonly name: string;
  readonly commit: string;
}

const noSuch = (ref: string) =>
  NotFound(`object does not exist [id: ${ref}, rel_path: ]`, {
    text: t.later('error.missing.reference', { name: ref.slice(0, 100) }),
  });

/** `ref` of contents operations (CNT-18, CNT-19): short branch or tag, whole commit id, refs/heads/…, refs/tags/…. */
export async function revisionOf(
  git: GitRepository,
  repository: Repository,
  ref: string | undefined,
): Promise<Revision> {
  const name = ref || repository.defaultBranch;
  if (name.startsWith('refs/')) {
    const [, space, short] = /^refs\/(heads|tags)\/(.+)$/.exec(name) ?? [];
    const branchOrTag = short ? (space === 'heads' ? await git.branch(short) : await git.tag(short)) : undefined;
    const peeled = branchOrTag && (await git.peel(branchOrTag.oid));
    if (!branchOrTag || peeled?.type !== 'commit') throw noSuch(name);
    return { kind: space === 'heads' ? 'branch' : 'tag', name: branchOrTag.name, commit: peeled.oid };
  }
  const branch = await git.branch(name);
  if (branch) return { kind: 'branch', name, commit: branch.oid };
  const tag = await git.tag(name);
  const peeled = tag && (await git.peel(tag.oid));
  if (peeled?.type === 'commit') return { kind: 'tag', name, commit: peeled.oid };
  if (isOid(name) && (await git.info(name))?.type === 'commit' && (await git.isReadable(name)))
    return { kind: 'commit', name, commit: name };
  throw noSuch(name);
}

const missing = (kind: Revision['kind'] | 'reference', name = '') =>
  NotFound(`${kind} ${name} does not exist`, { text: t.later(`error.missing.${kind}`, { name }) });

/** Path without leading, trailing and doubled slashes; NotFound for ways out. */
export function cleanPath(path: string | undefined): string {
  const segments = (path ?? '').split('/').filter((segment) => segment && segment !== '.');
  if (segments.includes('..') || segments.some((segment) => segment.includes('\0'))) throw NotFound('path');
  return segments.join('/');
}

/** The commit that a word names: branch, tag, id or short id; 422 for what cannot be a name, 404 for what is not there. */
export async function commitOf(git: GitRepository, name: string): Promise<string> {
  if (!isRefName(name)) throw Invalid(t.later('error.badReference', { name: name.slice(0, 100) }));
  const revision = await git.resolve(name);
  if (!revision) throw missing('reference', name);
  return revision.commit;
}

/** What is stepped from, and the steps behind it; looks at each sign once, for anybody may send long ones. */
export function steppedName(text: string): readonly [name: string, steps: string] {
  let from = text.length;
  for (let at = from - 1; at >= 0 && /[\^~\d]/.test(text[at]!); at--) if (!/\d/.test(text[at]!)) from = at;
  return [text.slice(0, from), text.slice(from)];
}

/** A name, also with `^` and `~N` behind it, as a commit. */
export async function commitAt(git: GitRepository, text: string): Promise<string> {
  if (/\^\{|@\{/.test(text)) throw BadRequest(t.later('error.badReference', { name: text.slice(0, 100) }));
  const [name, suffix] = steppedName(text);
  const revision = await git.resolve(name);
  const stepped = revision && suffix ? await git.resolve(`${revision.commit}${suffix}`) : revision;
  if (!stepped) throw missing('reference', text.slice(0, 100));
  return stepped.commit;
}

export interface RevisionPath {
  readonly revision: Revision;
  readonly path: string;
}

/** Splits `f/one/docs/a.md` behind `/src/branch/`: names with slashes are looked up in the table of references. */
export async function splitRevision(git: GitRepository, kind: Revision['kind'], rest: string): Promise<RevisionPath> {
  const segments = rest.split('/').filter(Boolean);
  if (kind === 'commit') {
    const location = await commitPrefix(git, segments);
    if (!location) throw missing('commit', segments[0]);
    return location;
  }
  const prefix = await prefixOf(git, kind, segments);
  if (!prefix) throw missing(kind, segments[0]);
  return prefix;
}

/** `branch/f/one/docs/a.md`, or the older form without the kind. */
export async function revisionInPath(git: GitRepository, repository: Repository, rest: string): Promise<RevisionPath> {
  const [, kind, path] = /^(branch|tag|commit)\/(.*)$/s.exec(rest) ?? [];
  if (kind) return splitRevision(git, kind as Revision['kind'], path!);
  const location = await guessRevision(git, repository.defaultBranch, rest);
  if (!location) throw NotFound('file');
  return location;
}

async function commitPrefix(git: GitRepository, segments: readonly string[]): Promise<RevisionPath | undefined> {
  const [id = ''] = segments;
  const oid = /^[0-9a-f]{4,64}$/.test(id) ? await git.expand(id) : undefined;
  if (!oid || (await git.info(oid))?.type !== 'commit') return undefined;
  return { revision: { kind: 'commit', name: oid, commit: oid }, path: segments.slice(1).join('/') };
}

/** How many parts of a path may belong to the name of a branch or tag. */
export const maxNameSegments = 12;

/** The branch or tag that the path begins with; the longest one, though git allows no name below another. */
async function prefixOf(
  git: GitRepository,
  kind: 'branch' | 'tag',
  segments: readonly string[],
): Promise<RevisionPath | undefined> {
  for (let count = Math.min(segments.length, maxNameSegments); count > 0; count--) {
    const name = segments.slice(0, count).join('/');
    const ref = kind === 'branch' ? await git.branch(name) : await git.tag(name);
    const commit = ref && (await git.peel(ref.oid));
    if (commit?.type === 'commit')
      return { revision: { kind, name, commit: commit.oid }, path: segments.slice(count).join('/') };
  }
  return undefined;
}

/** A path that may begin with a branch, tag or commit id, else stands in the default branch. */
export async function guessRevision(
  git: GitRepository,
  defaultBranch: string,
  rest: string,
): Promise<RevisionPath | undefined> {
  const segments = rest.split('/').filter(Boolean);
  const named = (await prefixOf(git, 'branch', segments)) ?? (await prefixOf(git, 'tag', segments));
  if (named) return named;
  const byId = (segments[0]?.length ?? 0) >= 7 ? await commitPrefix(git, segments) : undefined;
  if (byId) return byId;
  const branch = await git.branch(defaultBranch);
  return branch && { revision: { kind: 'branch', name: defaultBranch, commit: branch.oid }, path: segments.join('/') };
}
