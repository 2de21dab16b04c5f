import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { NotFound, systemActor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Attachments } from '@mortise/attachments/api';
import type { GitFolders, GitReader, GitStore } from '@mortise/git/api';
import type { LfsObjects } from '@mortise/lfs/api';
import type { Repositories, Repository, RepositoryDefaults, RepositoryCreator } from '@mortise/repositories/api';
import type { AuthorMapping, RepositoryImporter } from '../contract/importer.js';
import type { SourceRepository } from '../contract/records.js';
import { DumpFolder } from '../dump/folder.js';
import { DumpReader } from '../dump/reader.js';
import { recordKindsOf, type DumpUnit } from '../dump/units.js';
import { topicsOf } from './import-runner.js';
import type { ProgressStore } from './progress-store.js';
import { isDumpedRef, lfsPath } from './repository-dump.js';
import { responsibleFor } from './responsible.js';
import { cleanLine } from './sanitize.js';

interface RepositoryRestoreDeps {
  readonly accounts: Accounts;
  readonly attachments: Attachments;
  readonly repositories: Repositories;
  readonly creator: RepositoryCreator;
  readonly defaults: RepositoryDefaults;
  readonly store: GitStore;
  readonly gitReader: GitReader;
  readonly folders: GitFolders;
  readonly importer: RepositoryImporter;
  readonly progress: ProgressStore;
  readonly lfs: () => LfsObjects | undefined;
}

interface RestoreOptions {
  readonly folder: string;
  readonly owner: string;
  readonly name: string;
  readonly units: ReadonlySet<DumpUnit>;
  /** Properties that we do not know are refused. */
  readonly isStrict: boolean;
  readonly authors: AuthorMapping['by'];
  /** Told what was left out. */
  note?(text: string): void;
}

/** Makes a repository of the folder of a dump. It is seen when all is there; what fails leaves nothing. */
export class RepositoryRestore {
  constructor(private readonly deps: RepositoryRestoreDeps) {}

  async run(options: RestoreOptions): Promise<Repository> {
    const { accounts, repositories, creator, defaults, progress } = this.deps;
    repositories.checkName(options.name);
    const owner = await accounts.byName(options.owner);
    if (!owner) throw NotFound('user');
    // what leads to the folder is the operator's word, what lies in it is not
    const folder = new DumpFolder(await realpath(options.folder));
    const reader = new DumpReader(folder, options.units, options.isStrict);
    const source = await reader.repository();
    let derived: Parameters<Repositories['setDerived']>[1] = {};
    let filled: Repository | undefined;
    let files: readonly number[] = [];
    try {
      return await creator.establish(
        owner,
        {
          name: options.name,
          description: cleanLine(source.description, 2048),
          isPrivate: defaults.forcePrivate || source.isPrivate,
          defaultBranch: defaults.branch,
          units: creator.units(),
          overLimit: true,
        },
        systemActor('command line'),
        async (repository) => {
          filled = repository;
          try {
            derived = await this.#fill(repository, owner, { ...options, folder, reader, source });
          } finally {
            // while the rows that lead to them are there
            files = await progress.idsOf(repository.id, 'asset');
          }
        },
        (repository) => this.#complete(repository, source, derived),
      );
    } catch (error) {
      if (filled) await this.#discard(filled, files);
      throw error;
    }
  }

  /** In the transaction that makes it visible. */
  async #complete(
    repository: Repository,
    source: SourceRepository,
    derived: Parameters<Repositories['setDerived']>[1],
  ): Promise<void> {
    const { creator, repositories, progress } = this.deps;
    await repositories.setDerived(repository.id, derived);
    const website = cleanLine(source.website, 1024);
    if (/^https?:\/\/[^\s]+$/i.test(website)) await creator.describe(repository.id, { website });
    await creator.setTopics(repository, topicsOf(source));
    await progress.forget(repository.id);
  }

  async #fill(
    repository: Repository,
    owner: Account,
    options: Omit<RestoreOptions, 'folder'> & {
      readonly folder: DumpFolder;
      readonly reader: DumpReader;
      readonly source: SourceRepository;
    },
  ): Promise<Parameters<Repositories['setDerived']>[1]> {
    const { importer } = this.deps;
    const { folder, reader, source, units } = options;
    const branch = await this.#code(repository.id, folder, source);
    if (units.has('wiki')) await this.#wiki(repository.id, folder);
    await this.#lfs(repository.id, folder);
    const steps = await importer.run({
      repository: { ...repository, defaultBranch: branch ?? repository.defaultBranch },
      reader,
      kinds: recordKindsOf(units),
      // whose texts they are where nobody here is known for them
      actor: await responsibleFor(owner, this.deps.accounts),
      authors: { by: options.authors, accounts: {} },
      signal: new AbortController().signal,
    });
    for (const { step, state, note } of steps)
      if (state === 'done' && note) for (const line of note.split('\n')) options.note?.(`${step}: ${line}`);
    return branch === undefined
      ? {}
      : { ...(await this.deps.creator.derive(repository.id, branch)), defaultBranch: branch };
  }

  /** The default branch; undefined where there is none. */
  async #code(id: number, { path }: DumpFolder, source: SourceRepository): Promise<string | undefined> {
    const { folders, store } = this.deps;
    const { head = '', refs } = await folders.read(join(path, 'git'), id, { accepts: isDumpedRef });
    const branches = refs.flatMap(({ ref }) => /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? []);
    const branch = [source.defaultBranch, head].find((name) => branches.includes(name)) ?? branches[0];
    if (branch !== undefined && branch !== head) await store.setHead(id, branch);
    return branch;
  }

  async #wiki(id: number, folder: DumpFolder): Promise<void> {
    const { folders, store } = this.deps;
    if ((await folder.size('wiki/HEAD')) === undefined) return;
    const { head = '', refs } = await folders.read(join(folder.path, 'wiki'), id, {
      kind: 'wiki',
      accepts: (ref) => ref.startsWith('refs/heads/'),
    });
    const [first] = refs;
    if (first && !refs.some(({ ref }) => ref === `refs/heads/${head}`))
      await store.setHead(id, first.ref.slice('refs/heads/'.length), 'wiki');
  }

  /** Contents that the folder has; the others are missing here as they were there. */
  async #lfs(id: number, folder: DumpFolder): Promise<void> {
    const objects = this.deps.lfs();
    if (!objects) return;
    const tips = (await this.deps.gitReader.open(id).refs()).map(({ oid }) => oid);
    if (tips.length === 0) return;
    for await (const pointer of objects.missing(id, { tips, not: [] })) {
      const file = await folder.open(lfsPath(pointer.oid));
      if (!file) continue;
      try {
        await objects.receive(id, pointer, file.createReadStream({ autoClose: false }));
      } finally {
        await file.close();
      }
    }
  }

  /** What no row of the repository leads to when it goes. */
  async #discard({ id }: Repository, files: readonly number[]): Promise<void> {
    const { attachments, store } = this.deps;
    if (files.length) await attachments.remove(files);
    await store.delete(id, 'wiki');
  }
}
