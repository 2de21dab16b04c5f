import { Invalid, NotFound, Problem, parseDateTime, formatList, type Actor } from '@mortise/plugin-sdk';
import {
  isRefName,
  type GitReader,
  type GitRepository,
  type GitWriter,
  type Signature,
  type TreeChange,
} from '@mortise/git/api';
import type { CommitWriter, PlannedCommit, Repository } from '@mortise/repositories/api';
import type { FileChangeRequest, FileChangeResult, FileChanges, FileOperation } from '../contract/files.js';
import { t } from '../texts/index.js';

/**
 * Spellings that file systems take for `.git`: letters that HFS+ ignores, blanks, dots and streams at the end that NTFS
 * drops, short names (CVE-2014-9390 and its kin).
 */
function isGitFolder(segment: string): boolean {
  const plain = segment
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .split(':')[0]!
    .replace(/[. ]+$/, '');
  return /^(\.git|git~\d+)$/i.test(plain);
}

/** Path of a file that may be written; refuses ways out and git's own folder. */
export function writablePath(path: string): string {
  const segments = path.replace(/^\/+/, '').split('/');
  const bad = segments.some(
    (segment) =>
      !segment ||
      segment === '.' ||
      segment === '..' ||
      segment.split('\\').some(isGitFolder) ||
      /[\0\n]/.test(segment),
  );
  if (bad || path.length > 4096) throw Invalid(t.later('error.badPath', { path: path.slice(0, 100) }));
  return segments.join('/');
}

/** Files in conflict that a refusal names. */
const maxNamed = 10;

function decode(content: string | undefined): Buffer | undefined {
  if (content === undefined) return undefined;
  const compact = content.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 !== 0) throw Invalid(t.later('error.base64'));
  return Buffer.from(compact, 'base64');
}

/** Commits that the API and pages make: several files, one commit, all or nothing (CNT-22). */
export class ChangeService implements FileChanges {
  constructor(
    private readonly deps: {
      readonly git: GitReader;
      readonly writer: GitWriter;
      readonly commits: CommitWriter;
    },
  ) {}

  checkPath = writablePath;

  /** A branch that moved meanwhile is no conflict as long as the change still fits: it is made anew on the new head. */
  async apply(repository: Repository, actor: Actor, request: FileChangeRequest): Promise<FileChangeResult> {
    const branch = request.newBranch || request.branch || repository.defaultBranch;
    if (!isRefName(branch)) throw Invalid(t.later('error.badBranch', { name: branch.slice(0, 100) }));
    const git = this.deps.git.open(repository.id);
    let paths: readonly (string | undefined)[] = [];
    const { commit } = await this.deps.commits.commit({
      repositoryId: repository.id,
      branch,
      actor,
      source: 'api',
      action: 'crud',
      plan: async (head) => {
        const planned = await this.#planned(repository, git, actor, request, branch, head);
        paths = planned.paths;
        return planned.commit;
      },
    });
    return { commit: await git.commit(commit!), branch, paths };
  }

  async #planned(
    repository: Repository,
    git: GitRepository,
    actor: Actor,
    request: FileChangeRequest,
    target: string,
    head: string | undefined,
  ): Promise<{ commit: PlannedCommit; paths: readonly (string | undefined)[] }> {
    const branch = request.branch || repository.defaultBranch;
    const base = target === branch ? head : (await git.branch(branch))?.oid;
    if (!base && !(await git.isEmpty())) throw NotFound(t.later('error.noBranch', { name: branch }));
    if (target !== branch && head && !request.forcePush) throw Invalid(t.later('error.branchExists', { name: target }));
    const { tree, paths } =
      request.patch !== undefined
        ? await this.#patched(repository, base, request.patch)
        : request.pick
          ? await this.#picked(repository, git, base, request.pick)
          : await this.#changed(repository, git, base, request.operations);
    const own = await this.deps.commits.identityOf(actor);
    const { author, committer } = identitiesOf(own, request, await originalOf(git, request));
    const message = messageOf(request, committer);
    return { commit: { tree, parents: base ? [base] : [], author, committer, message }, paths };
  }

  async #patched(repository: Repository, base: string | undefined, patch: string) {
    if (!base) throw NotFound('branch');
    return { tree: await this.deps.writer.applyPatch(repository.id, base, patch), paths: [] };
  }

  async #picked(
    repository: Repository,
    git: GitRepository,
    base: string | undefined,
    { commit, revert = false }: NonNullable<FileChangeRequest['pick']>,
  ) {
    if (!base) throw NotFound('branch');
    const { tree, conflicts } = await this.deps.writer.pick(repository.id, commit, base, { revert });
    // no `conflict`: that would be tried again
    if (!tree)
      throw Invalid(
        t.later(revert ? 'error.revertConflicts' : 'error.pickConflicts', {
          files: () => formatList(conflicts.slice(0, maxNamed)),
          more: Math.max(0, conflicts.length - maxNamed),
        }),
      );
    if (tree === (await git.commit(base)).tree)
      throw Invalid(t.later(revert ? 'error.revertsNothing' : 'error.picksNothing'));
    return { tree, paths: [] };
  }

  async #changed(
    repository: Repository,
    git: GitRepository,
    base: string | undefined,
    operations: readonly FileOperation[],
  ) {
    const changes: TreeChange[] = [];
    const seen = new Set<string>();
    const paths: (string | undefined)[] = [];
    const entryOf = (path: string) => (base ? git.entry(base, path) : Promise.resolve(undefined));
    const once = (path: string) => {
      if (seen.has(path)) throw Invalid(t.later('error.twice', { path }));
      seen.add(path);
    };
    for (const operation of operations) {
      const path = writablePath(operation.path);
      const asked = operation.fromPath ? writablePath(operation.fromPath) : path;
      if (operation.operation === 'create' && asked !== path)
        throw Invalid(t.later('error.moveByUpdate', { from: asked, path }));
      // only a file that is there can be taken from elsewhere, and only to be changed
      let from = operation.operation === 'delete' ? path : asked;
      let there = await entryOf(from);
      if (operation.operation === 'upload' && from !== path && !there) there = await entryOf((from = path));
      once(path);
      if (from !== path) once(from);
      const content = decode(operation.content);
      const moves = from !== path;
      if (operation.operation === 'create' && there) throw Invalid(t.later('error.exists', { path }));
      if (operation.operation === 'create' || (operation.operation === 'upload' && !there)) {
        changes.push(written(path, operation, content ?? Buffer.alloc(0)));
        paths.push(path);
        continue;
      }
      if (!there || there.type !== 'blob')
        throw there
          ? Invalid(t.later('error.noFile', { path: from }))
          : NotFound(t.later('error.missing', { path: from }));
      if (operation.sha && operation.sha !== there.oid)
        throw Invalid(t.later('error.changed', { path: from, sha: there.oid }));
      if (operation.operation === 'delete') {
        changes.push({ path, remove: true });
        paths.push(undefined);
        continue;
      }
      // What a link leads to is not what would be written.
      const keepsText = operation.operation === 'rename' || (content === undefined && !operation.oid);
      if (there.mode === '120000' && !(moves && keepsText))
        throw Invalid(t.later('error.symbolicLink', { path: from }));
      if (moves) {
        if (await entryOf(path)) throw Invalid(t.later('error.exists', { path }));
        changes.push({ path: from, remove: true });
      }
      // A rename keeps the text as it was.
      if (keepsText) changes.push({ path, oid: there.oid, mode: there.mode });
      else changes.push(written(path, operation, content ?? Buffer.alloc(0), there.mode));
      paths.push(path);
    }
    try {
      return { tree: await this.deps.writer.writeTree(repository.id, base, changes), paths };
    } catch (error) {
      if (Problem.is(error) && error.code === 'conflict') throw Invalid(error.text);
      throw error;
    }
  }
}

type Identity = Pick<Signature, 'name' | 'email'>;

function identitiesOf(
  own: Identity,
  request: FileChangeRequest,
  original: Signature | undefined,
): { author: Signature; committer: Signature } {
  const now = Date.now();
  const at = (text: string | undefined): { time: number; zone: string } => {
    // Clients in Go send their zero time when they mean none.
    if (!text || text.startsWith('0001-01-01T')) return { time: now, zone: '+0000' };
    const time = parseDateTime(text);
    if (Number.isNaN(time) || time < 0) throw Invalid(t.later('error.date', { text: text.slice(0, 100) }));
    const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
    return { time, zone: sign ? `${sign}${hours}${minutes}` : '+0000' };
  };
  if (original) return { author: original, committer: { ...own, time: now, zone: '+0000' } };
  const named = (who: FileChangeRequest['author'], fallback: Identity) =>
    who?.name || who?.email
      ? { name: clean(who.name || fallback.name), email: clean(who.email || fallback.email) }
      : fallback;
  const author =
    request.author?.email || request.author?.name ? named(request.author, own) : named(request.committer, own);
  const committer =
    request.committer?.email || request.committer?.name ? named(request.committer, own) : named(request.author, own);
  return {
    author: { ...author, ...at(request.dates?.author) },
    committer: { ...committer, ...at(request.dates?.committer) },
  };
}

/** The committer signs off, as with `git commit --signoff`. */
function messageOf(request: FileChangeRequest, { name, email }: Identity): string {
  const message = (request.message ?? '').trim() || ownWords(request);
  return request.signoff ? `${message}\n\nSigned-off-by: ${name} <${email}>` : message;
}

/** Who wrote the commit that is applied again. */
const originalOf = async (git: GitRepository, { pick }: FileChangeRequest): Promise<Signature | undefined> =>
  pick && !pick.revert ? (await git.commit(pick.commit)).author : undefined;

/** What a commit says that nobody wrote a message for: a line for each kind of change. */
function ownWords({ patch, operations }: FileChangeRequest): string {
  if (patch !== undefined) return 'apply-patch';
  const line = (verb: string, kinds: readonly FileOperation['operation'][]) => {
    const paths = operations.filter(({ operation }) => kinds.includes(operation)).map(({ path }) => path);
    return paths.length > 0 ? [`${verb} ${paths.join(', ')}`] : [];
  };
  return [
    ...line('Add', ['create']),
    ...line('Update', ['update', 'upload', 'rename']),
    ...line('Delete', ['delete']),
  ].join('\n');
}

/** The content that was sent, or the blob that is there already. */
const written = (path: string, { oid }: FileOperation, content: Buffer, mode = '100644'): TreeChange =>
  oid ? { path, oid, mode } : { path, content, mode };

/** What git does not allow in a name or address. */
const clean = (text: string) => text.replace(/[<>\n\0]/g, '').trim();
