import { BadRequest, Conflict, NotFound, Problem, type Actor, type Text } from '@mortise/plugin-sdk';
import { defineFact, type GitStore, type GitWriter, type TreeChange } from '@mortise/git/api';
import type { CommitWriter, Repository } from '@mortise/repositories/api';
import type { WikiEntry } from '../contract/wiki.js';
import { fileOfName, isReserved, nameOfFile, nameOfTitle, titleOfFile } from './page-names.js';
import { t } from '../texts/index.js';
import type { WikiReader } from './wiki-reader.js';

/** What hooks are told of a change; it travels with the event of the references. */
export interface WikiFact {
  readonly action: 'created' | 'edited' | 'deleted';
  /** Name in addresses. */
  readonly page: string;
  readonly comment: string;
}

export const wikiFact = defineFact<WikiFact>('wiki');

interface WikiChange {
  readonly repository: Repository;
  readonly actor: Actor;
  readonly source: 'api' | 'web';
  readonly message?: string;
}

interface Plan {
  readonly changes: readonly TreeChange[];
  readonly message: string;
  readonly fact: Omit<WikiFact, 'comment'>;
  /** Where the page lies then. */
  readonly path: string;
}

/** Decides what to write on top of a head. */
type Planner = (id: number, head: string | undefined) => Promise<Plan>;

interface WriterDeps {
  readonly reader: WikiReader;
  readonly store: GitStore;
  readonly writer: GitWriter;
  readonly commits: CommitWriter;
  readonly defaultBranch: string;
}

const badTitle = (message: Text) => BadRequest(message, { inputs: { title: message } });

/** Longer names of files cannot be checked out. */
const maxFileNameLength = 255;

/** Changes to pages: each is one commit on the newest head, so nobody's work is lost. */
export class WikiWriter {
  constructor(private readonly deps: WriterDeps) {}

  create(change: WikiChange & { readonly title: string; readonly content: Buffer }): Promise<WikiEntry> {
    const { title, content } = change;
    return this.#commit(change, async (id, head) => {
      const path = await this.#fileFor(id, head, title);
      if (head && (await this.deps.reader.find(id, nameOfFile(path)!, head)))
        throw badTitle(t.later('error.exists', { title: title.trim() }));
      return {
        changes: [{ path, content }],
        message: `Add ${JSON.stringify(title.trim())}`,
        fact: { action: 'created', page: nameOfFile(path)! },
        path,
      };
    });
  }

  /** `base`: the text (object id) that the editor started from; Conflict when the page has another one by now. */
  edit(
    change: WikiChange & {
      readonly address: string;
      readonly title?: string;
      readonly content?: Buffer;
      readonly base?: string;
    },
  ): Promise<WikiEntry> {
    return this.#commit(change, async (id, head) => {
      const there = await this.#there(id, head, change.address);
      if (change.base && change.base !== there.oid) throw Conflict(t.later('error.conflict'));
      const title = change.title?.trim();
      const stays = !title || title === there.title || nameOfTitle(title) === there.name;
      const path = stays ? there.path : await this.#fileFor(id, head, title);
      const page = nameOfFile(path)!;
      if (!stays && (await this.deps.reader.find(id, page, head))) throw badTitle(t.later('error.exists', { title }));
      const { content } = change;
      return {
        changes: [
          ...(stays ? [] : [{ path: there.path, remove: true } as const]),
          content ? { path, content, mode: '100644' } : { path, oid: there.oid, mode: '100644' },
        ],
        message: `Update ${JSON.stringify(page)}`,
        fact: { action: 'edited', page },
        path,
      };
    });
  }

  async remove(change: WikiChange & { readonly address: string }): Promise<void> {
    await this.#commit(change, async (id, head) => {
      const there = await this.#there(id, head, change.address);
      return {
        changes: [{ path: there.path, remove: true }],
        message: `Delete page ${JSON.stringify(there.name)}`,
        fact: { action: 'deleted', page: there.name },
        path: there.path,
      };
    });
  }

  /** Writes a page that is no more as it was at a commit. */
  restore(change: WikiChange & { readonly address: string; readonly version: string }): Promise<WikiEntry> {
    return this.#commit(change, async (id, head) => {
      const { reader } = this.deps;
      const was = await reader.find(id, change.address, change.version);
      if (!was) throw NotFound(t.later('error.noVersion'));
      if (head && (await reader.find(id, was.name, head)))
        throw Conflict(t.later('error.exists', { title: was.title }));
      return {
        changes: [{ path: was.path, oid: was.oid, mode: '100644' }],
        message: `Restore page ${JSON.stringify(was.name)}`,
        fact: { action: 'created', page: was.name },
        path: was.path,
      };
    });
  }

  async #there(id: number, head: string | undefined, address: string): Promise<WikiEntry> {
    const there = head ? await this.deps.reader.find(id, address, head) : undefined;
    if (!there) throw NotFound(t.later('error.noPage'));
    return there;
  }

  /** The file of a new title: in a folder when the wiki has that folder already, else a slash is part of the name. */
  async #fileFor(id: number, head: string | undefined, given: string): Promise<string> {
    const title = given.trim();
    if (!title || /^\.+$/.test(title)) throw badTitle(t.later('error.noTitle'));
    // No address can hold it.
    if (title.includes('\0')) throw badTitle(t.later('error.titleCharacter'));
    if (isReserved(title)) throw badTitle(t.later('error.reserved', { title }));
    const slash = title.lastIndexOf('/');
    const [folder, rest] = slash < 0 ? ['', title] : [title.slice(0, slash), title.slice(slash + 1)];
    const inFolder =
      folder && rest.trim() && head && (await this.deps.reader.open(id).entry(head, folder))?.type === 'tree';
    const name = fileOfName(nameOfTitle(inFolder ? rest : title));
    if (Buffer.byteLength(name) > maxFileNameLength) throw badTitle(t.later('error.titleTooLong'));
    return inFolder ? `${folder}/${name}` : name;
  }

  async #commit(change: WikiChange, plan: Planner): Promise<WikiEntry> {
    const { reader, store, commits, defaultBranch } = this.deps;
    const { repository, actor, source } = change;
    const { id } = repository;
    const git = reader.open(id);
    const { branch } = await reader.head(id);
    let written: { readonly tree: string; readonly path: string } | undefined;
    await commits.commit({
      repositoryId: id,
      kind: 'wiki',
      branch,
      actor,
      source,
      action: 'wiki',
      plan: async (head) => {
        const { changes, fact, path, ...rest } = await plan(id, head);
        const message = change.message?.trim() || rest.message;
        if (!head) await store.create(id, { defaultBranch, objectFormat: repository.objectFormat }, 'wiki');
        const tree = await this.#tree(id, head, changes);
        written = { tree, path };
        if (head && (await git.commit(head)).tree === tree) return undefined;
        const comment = change.message?.trim() || (fact.action === 'deleted' ? '' : message);
        return { tree, message, facts: wikiFact.with({ ...fact, comment }) };
      },
    });
    const { tree, path } = written!;
    const oid = (await git.entry(tree, path))?.oid ?? '';
    return { path, oid, name: nameOfFile(path) ?? path, title: titleOfFile(path) };
  }

  async #tree(id: number, head: string | undefined, changes: readonly TreeChange[]): Promise<string> {
    try {
      return await this.deps.writer.writeTree(id, head, changes, 'wiki');
    } catch (error) {
      if (Problem.is(error) && error.code === 'conflict') throw BadRequest(error.text);
      throw error;
    }
  }
}
