import {
  Invalid,
  NotFound,
  Problem,
  dateTimePattern,
  formatList,
  type Actor,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import {
  isRefName,
  zeroOid,
  type GitReader,
  type GitRepository,
  type GitWriter,
  type RefUpdates,
  type Signature,
  type TreeChange,
} from '@mortise/git/api';
import type { CommitSigner } from '@mortise/history/api';
import type { Repository } from '@mortise/repositories/api';
import type { FileChangeRequest, FileChangeResult, FileChanges, FileOperation } from '../api.js';
import { signedDraft } from './signing.js';
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
/** Writers to one branch at the same time take turns; after so many lost turns the request is told. */
const maxAttempts = 20;

function decode(content: string | undefined): Buffer | undefined {
  if (content === undefined) return undefined;
  const compact = content.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 !== 0) throw Invalid(t.later('error.base64'));
  return Buffer.from(compact, 'base64');
}

/** Commits that the API and pages make: several files, one commit, all or nothing (CNT-22). */
export class ChangeService implements FileChanges {
  constructor(
    private readonly parts: {
      readonly accounts: Accounts;
      readonly git: GitReader;
      readonly writer: GitWriter;
      readonly refs: RefUpdates;
      readonly signers: PointReader<CommitSigner>;
    },
  ) {}

  checkPath = writablePath;

  /** A branch that moved meanwhile is no conflict as long as the change still fits: it is made anew on the new head. */
  async apply(repository: Repository, actor: Actor, request: FileChangeRequest): Promise<FileChangeResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#applyOnce(repository, actor, request);
      } catch (error) {
        if (!Problem.is(error) || error.code !== 'conflict' || attempt === maxAttempts) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
      }
    }
  }

  async #applyOnce(repository: Repository, actor: Actor, request: FileChangeRequest): Promise<FileChangeResult> {
    const { git: reader, writer, refs } = this.parts;
    const git = reader.open(repository.id);
    const branch = request.branch || repository.defaultBranch;
    const target = request.newBranch || branch;
    if (!isRefName(target)) throw Invalid(t.later('error.badBranch', { name: target.slice(0, 100) }));
    const base = await git.branch(branch);
    const empty = await git.isEmpty();
    if (!base && !(empty && target === branch) && !empty) throw NotFound(t.later('error.noBranch', { name: branch }));
    const existing = target === branch ? base : await git.branch(target);
    if (target !== branch && existing && !request.forcePush)
      throw Invalid(t.later('error.branchExists', { name: target }));

    const { tree, paths } =
      request.patch !== undefined
        ? await this.#patched(repository, base?.oid, request.patch)
        : request.pick
          ? await this.#picked(repository, git, base?.oid, request.pick)
          : await this.#changed(repository, git, base?.oid, request.operations);
    const account = await this.parts.accounts.byId(actor.id);
    const { author, committer } = this.#identitiesOf(account, actor, request, await originalOf(git, request));
    const message = this.#message(request, account, actor, author);
    const draft = await signedDraft(
      this.parts.signers,
      { tree, parents: base ? [base.oid] : [], author, committer, message },
      { actorId: actor.id, parents: base ? [await git.commit(base.oid)] : [] },
    );
    const oid = await writer.writeCommit(repository.id, draft);
    await refs.apply({
      repositoryId: repository.id,
      updates: [{ ref: `refs/heads/${target}`, old: existing?.oid ?? zeroOid, new: oid }],
      pusher: actor,
      source: 'api',
    });
    return { commit: await git.commit(oid), branch: target, paths };
  }

  async #patched(repository: Repository, base: string | undefined, patch: string) {
    if (!base) throw NotFound('branch');
    return { tree: await this.parts.writer.applyPatch(repository.id, base, patch), paths: [] };
  }

  async #picked(
    repository: Repository,
    git: GitRepository,
    base: string | undefined,
    { commit, revert = false }: NonNullable<FileChangeRequest['pick']>,
  ) {
    if (!base) throw NotFound('branch');
    const { tree, conflicts } = await this.parts.writer.pick(repository.id, commit, base, { revert });
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
      return { tree: await this.parts.writer.writeTree(repository.id, base, changes), paths };
    } catch (error) {
      if (Problem.is(error) && error.code === 'conflict') throw Invalid(error.text);
      throw error;
    }
  }

  #identitiesOf(
    account: Account | undefined,
    actor: Actor,
    request: FileChangeRequest,
    original: Signature | undefined,
  ): { author: Signature; committer: Signature } {
    const own = {
      name: account?.fullName || account?.name || actor.name,
      email: account ? this.parts.accounts.commitEmail(account) : 'noreply@localhost',
    };
    const now = Date.now();
    const at = (text: string | undefined): { time: number; zone: string } => {
      // Clients in Go send their zero time when they mean none.
      if (!text || text.startsWith('0001-01-01T')) return { time: now, zone: '+0000' };
      const time = dateTimePattern.test(text) ? Date.parse(text) : NaN;
      if (Number.isNaN(time) || time < 0) throw Invalid(t.later('error.date', { text: text.slice(0, 100) }));
      const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
      return { time, zone: sign ? `${sign}${hours}${minutes}` : '+0000' };
    };
    if (original) return { author: original, committer: { ...own, time: now, zone: '+0000' } };
    const named = (who: FileChangeRequest['author'], fallback: { name: string; email: string }) =>
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

  #message(request: FileChangeRequest, account: Account | undefined, actor: Actor, author: Signature): string {
    const message = (request.message ?? '').trim() || ownWords(request);
    if (!request.signoff) return message;
    // a patch is its author's, whoever applies it
    if (request.patch !== undefined) return `${message}\n\nSigned-off-by: ${author.name} <${author.email}>`;
    const name = account?.fullName || account?.name || actor.name;
    return `${message}\n\nSigned-off-by: ${name} <${account ? this.parts.accounts.commitEmail(account) : ''}>`;
  }
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
