/** Makes objects without a work tree; blobs, trees, commits and tags without a process. */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { Conflict, Invalid, NotFound, type Actor } from '@mortise/plugin-sdk';
import {
  zeroOid,
  type Commit,
  type CommitDraft,
  type GitReader,
  type GitRepository,
  type GitWriter,
  type RefUpdates,
  type RepositoryKind,
  type Signature,
  type TreeChange,
  type TreeEntry,
} from '../api.js';
import { commitBytes, type MergeResult } from '../contract/writing.js';
import type { ObjectType } from '../contract/names.js';
import { rebasedMessage } from './commit-text.js';
import { writeLoose } from './loose-objects.js';
import { findNote } from './notes.js';
import { formatSignature, formatTree } from './objects.js';
import { GitFailure } from './failure.js';
import type { GitRunner } from './git-runner.js';
import type { FolderStore } from './store.js';
import { t } from '../texts/index.js';

/** A folder of the new tree: entries by name; folders that change are opened into nodes. */
interface Node {
  readonly entries: Map<string, TreeEntry | Node>;
}
/** Names that are not UTF-8 may read alike; their bytes tell them apart, behind a character that no path has. */
const keyOf = ({ name, nameBytes }: TreeEntry): string => (nameBytes ? `\0${nameBytes.toString('latin1')}` : name);
const namesOf = (key: string): Pick<TreeEntry, 'name' | 'nameBytes'> => {
  if (!key.startsWith('\0')) return { name: key };
  const nameBytes = Buffer.from(key.slice(1), 'latin1');
  return { name: nameBytes.toString('utf8'), nameBytes };
};

/** The key of an entry by its name as it is shown. */
function keyIn({ entries }: Node, name: string): string {
  if (entries.has(name) || !name.includes('\ufffd')) return name;
  return [...entries.keys()].find((key) => namesOf(key).name === name) ?? name;
}
const isNode = (value: TreeEntry | Node | undefined): value is Node => value !== undefined && 'entries' in value;

export class Writer implements GitWriter {
  constructor(
    private readonly store: FolderStore,
    private readonly runner: GitRunner,
    private readonly reader: GitReader,
    private readonly gate: RefUpdates,
  ) {}

  async writeBlob(id: number, content: Buffer | string, kind: RepositoryKind = 'code'): Promise<string> {
    return this.write(id, kind, 'blob', typeof content === 'string' ? Buffer.from(content) : content);
  }

  async writeBlobStream(id: number, content: Readable, kind: RepositoryKind = 'code'): Promise<string> {
    await this.store.create(id, {}, kind);
    return this.store.writing(id, kind, () => this.hashObject(this.store.path(id, kind), content));
  }

  private async hashObject(cwd: string, content: Readable): Promise<string> {
    const child = this.runner.start(['hash-object', '-w', '--stdin'], { cwd });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.resume();
    const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    await pipeline(content, child.stdin).catch((error: unknown) => {
      child.kill();
      throw error;
    });
    if ((await ended) !== 0) throw new GitFailure('hash-object', -1, 'cannot store the content');
    return out.trim();
  }

  async writeTree(
    id: number,
    base: string | undefined,
    changes: readonly TreeChange[],
    kind: RepositoryKind = 'code',
  ): Promise<string> {
    const root =
      base === undefined ? { entries: new Map<string, TreeEntry | Node>() } : await this.openNode(id, kind, base);
    for (const change of changes) {
      const parts = checkPath(change.path);
      const name = parts.pop() as string;
      let node: Node = root;
      for (const segment of parts) {
        const part = keyIn(node, segment);
        const next = node.entries.get(part);
        if (isNode(next)) node = next;
        else if (next?.type === 'tree') node = await this.replace(node, part, await this.openNode(id, kind, next.oid));
        else if (!next) {
          if ('remove' in change) throw NotFound('file');
          node = await this.replace(node, part, { entries: new Map() });
        } else throw Conflict(t.later('error.fileInPath', { path: change.path }));
      }
      const key = keyIn(node, name);
      const present = node.entries.get(key);
      if ('remove' in change) {
        if (!present) throw NotFound('file');
        node.entries.delete(key);
      } else {
        if (isNode(present) || present?.type === 'tree')
          throw Conflict(t.later('error.isFolder', { path: change.path }));
        const oid = 'oid' in change ? change.oid : await this.writeBlob(id, change.content, kind);
        const mode = change.mode ?? present?.mode ?? '100644';
        node.entries.set(key, {
          mode,
          oid,
          ...namesOf(key),
          type: mode === '160000' ? 'commit' : mode === '040000' ? 'tree' : 'blob',
        });
      }
    }
    return this.writeNode(id, kind, root);
  }

  writeCommit(id: number, draft: CommitDraft, kind: RepositoryKind = 'code'): Promise<string> {
    return this.write(id, kind, 'commit', commitBytes(draft));
  }

  async writeTag(
    id: number,
    draft: { object: string; type?: ObjectType; name: string; tagger: Signature; message: string },
    kind: RepositoryKind = 'code',
  ): Promise<string> {
    const type = draft.type ?? (await this.reader.open(id, kind).info(draft.object))?.type;
    if (!type) throw NotFound('object');
    const message = draft.message.replace(/\0/g, '');
    const text = `object ${draft.object}\ntype ${type}\ntag ${draft.name}\ntagger ${formatSignature(draft.tagger)}\n\n${message}${message.endsWith('\n') ? '' : '\n'}`;
    return this.write(id, kind, 'tag', Buffer.from(text));
  }

  async applyPatch(id: number, base: string, patch: string | Buffer, kind: RepositoryKind = 'code'): Promise<string> {
    const cwd = this.store.path(id, kind);
    await mkdir(this.store.temporary, { recursive: true });
    const index = join(this.store.temporary, `index-${randomUUID()}`);
    const environment = { GIT_INDEX_FILE: index };
    const timeoutMs = this.runner.limits.writeMs;
    const options = { cwd, environment, timeoutMs };
    try {
      return await this.store.writing(id, kind, async () => {
        await this.runner.run(['read-tree', base], options);
        await this.runner.run(['apply', '--cached', '--whitespace=nowarn', '--recount', '-'], {
          ...options,
          input: patch,
        });
        return (await this.runner.text(['write-tree'], options)).trim();
      });
    } catch (error) {
      if (error instanceof GitFailure)
        throw Invalid(t.later('error.patch', { reason: error.stderr.split('\n')[0] ?? '' }));
      throw error;
    } finally {
      await rm(index, { force: true });
      await rm(`${index}.lock`, { force: true });
    }
  }

  async mergeTree(
    id: number,
    ours: string,
    theirs: string,
    options: { base?: string; kind?: RepositoryKind; message?: string } = {},
  ): Promise<MergeResult> {
    const kind = options.kind ?? 'code';
    if (options.base === undefined) return this.merge(id, kind, ours, theirs);
    // `--merge-base` needs git 2.40; three commits made for the purpose say the same to older ones
    const repository = this.reader.open(id, kind);
    const who: Signature = { name: 'Mortise', email: 'noreply@localhost', time: 0, zone: '+0000' };
    const stand = async (commit: string, parents: string[]) => {
      const tree = (await repository.entry(commit, ''))?.oid;
      if (!tree) throw NotFound('commit');
      return this.writeCommit(id, { tree, parents, author: who, committer: who, message: 'merge' }, kind);
    };
    const base = await stand(options.base, []);
    return this.merge(id, kind, await stand(ours, [base]), await stand(theirs, [base]));
  }

  async rebase(
    id: number,
    options: Parameters<GitWriter['rebase']>[1],
  ): Promise<{ head?: string; conflicts: readonly string[] }> {
    const kind = options.kind ?? 'code';
    const repository = this.reader.open(id, kind);
    const list = await repository.run([
      'rev-list',
      '--reverse',
      '--topo-order',
      '--no-merges',
      '--cherry-mark',
      '--right-only',
      `${options.upstream}...${options.head}`,
      '--',
    ]);
    let onto = options.onto;
    for (const line of list.split('\n').filter(Boolean)) {
      // `=`: the upstream has a commit that does the same
      const [isThere, oid] = [line.startsWith('='), line.slice(1)];
      const commit = await repository.commit(oid);
      const isEmpty = await changesNothing(repository, commit);
      if (isThere && !isEmpty) continue;
      if (commit.parents[0] === onto) {
        onto = oid; // already in place
        continue;
      }
      const { tree: before } = await repository.commit(onto);
      const merged = isEmpty ? { tree: before, conflicts: [] } : await this.pick(id, oid, onto, { kind });
      if (!merged.tree) return { conflicts: merged.conflicts };
      if (merged.tree === before && !isEmpty) continue; // nothing left of it
      const draft = {
        tree: merged.tree,
        parents: [onto],
        author: commit.author,
        committer: options.committer ?? commit.committer,
        message: rebasedMessage(commit.message),
        keepsMessage: true,
      };
      onto = await this.writeCommit(id, (await options.finish?.(draft)) ?? draft, kind);
    }
    return { head: onto, conflicts: [] };
  }

  async pick(
    id: number,
    commit: string,
    onto: string,
    options: { revert?: boolean; kind?: RepositoryKind } = {},
  ): Promise<MergeResult> {
    const kind = options.kind ?? 'code';
    const { parents } = await this.reader.open(id, kind).commit(commit);
    const parent = parents[0] ?? (await this.emptyCommit(id, kind));
    return options.revert
      ? this.mergeTree(id, onto, parent, { base: commit, kind })
      : this.mergeTree(id, onto, commit, { base: parent, kind });
  }

  async setNote(
    id: number,
    commit: string,
    message: string | undefined,
    by: { pusher: Actor; signature: Signature },
  ): Promise<void> {
    const repository = this.reader.open(id);
    const notes = await repository.ref('refs/notes/commits');
    const changes: TreeChange[] = [];
    if (notes) {
      const present = await findNote(repository, notes.oid, commit);
      if (present) changes.push({ path: present.path, remove: true });
    }
    if (message === undefined && !changes.length) throw NotFound('note');
    if (message !== undefined)
      changes.push({ path: commit, content: message.endsWith('\n') ? message : `${message}\n` });
    const tree = await this.writeTree(id, notes?.oid, changes);
    const made = await this.writeCommit(id, {
      tree,
      parents: notes ? [notes.oid] : [],
      author: by.signature,
      committer: by.signature,
      message: 'Notes changed',
    });
    await this.gate.apply({
      repositoryId: id,
      updates: [{ ref: 'refs/notes/commits', old: notes?.oid ?? zeroOid, new: made }],
      pusher: by.pusher,
      source: 'api',
    });
  }

  private async merge(id: number, kind: RepositoryKind, ours: string, theirs: string): Promise<MergeResult> {
    try {
      const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', '--allow-unrelated-histories'];
      const { code, out } = await this.store.writing(id, kind, () =>
        this.runner.run([...args, ours, theirs], {
          cwd: this.store.path(id, kind),
          okCodes: [0, 1],
          timeoutMs: this.runner.limits.writeMs,
        }),
      );
      const [tree, ...files] = out.toString('utf8').split('\0').filter(Boolean);
      return code === 0 ? { tree, conflicts: [] } : { conflicts: [...new Set(files)], ...(tree && { marked: tree }) };
    } catch (error) {
      if (error instanceof GitFailure)
        throw Invalid(t.later('error.merge', { reason: error.stderr.split('\n')[0] ?? '' }));
      throw error;
    }
  }

  private async emptyCommit(id: number, kind: RepositoryKind): Promise<string> {
    const who: Signature = { name: 'Mortise', email: 'noreply@localhost', time: 0, zone: '+0000' };
    return this.writeCommit(
      id,
      {
        tree: await this.write(id, kind, 'tree', Buffer.alloc(0)),
        parents: [],
        author: who,
        committer: who,
        message: 'empty',
      },
      kind,
    );
  }

  private async write(id: number, kind: RepositoryKind, type: ObjectType, content: Buffer): Promise<string> {
    const format = await this.reader.open(id, kind).objectFormat();
    return this.store.writing(id, kind, () =>
      writeLoose(join(this.store.path(id, kind), 'objects'), type, content, format),
    );
  }

  private async openNode(id: number, kind: RepositoryKind, oid: string): Promise<Node> {
    const entries = await this.reader.open(id, kind).tree(oid);
    return { entries: new Map(entries.map((entry) => [keyOf(entry), entry])) };
  }

  private async replace(node: Node, name: string, next: Node): Promise<Node> {
    node.entries.set(name, next);
    return next;
  }

  private async writeNode(id: number, kind: RepositoryKind, node: Node): Promise<string> {
    const entries: TreeEntry[] = [];
    for (const [key, value] of node.entries) {
      if (!isNode(value)) entries.push(value);
      else {
        if (!hasFiles(value)) continue; // git knows no empty folders
        entries.push({ mode: '040000', type: 'tree', ...namesOf(key), oid: await this.writeNode(id, kind, value) });
      }
    }
    return this.write(id, kind, 'tree', formatTree(entries));
  }
}

/** Was it empty from the start? */
async function changesNothing(repository: GitRepository, { tree, parents }: Commit): Promise<boolean> {
  const [parent] = parents;
  return parent ? (await repository.commit(parent)).tree === tree : (await repository.tree(tree)).length === 0;
}

function hasFiles(node: Node): boolean {
  return [...node.entries.values()].some((value) => !isNode(value) || hasFiles(value));
}

/** Parts of a path that git and every file system take. */
function checkPath(path: string): string[] {
  const parts = path.split('/');
  const bad = parts.some(
    (part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part) || part.includes('\0'),
  );
  if (bad) throw Invalid(t.later('error.path', { path }));
  return parts;
}
