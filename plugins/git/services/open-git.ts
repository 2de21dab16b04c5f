/** Puts the parts that need no database together: runner, folders, caches, reader. */
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Cache, Logger } from '@mortise/plugin-sdk';
import type { GitReader } from '../api.js';
import type { GitSettings } from '../settings.js';
import { GitCaches } from './caches.js';
import { ObjectReaders } from './cat-file.js';
import type { FormerTips } from './former-tips.js';
import { Hooks } from './hooks.js';
import { Journal } from './journal.js';
import { gitEnvironment } from './environment.js';
import { LanguageTable } from './language-table.js';
import { Limiter } from './limits.js';
import { PorcelainFiles } from './simple-git.js';
import { GitRunner } from './git-runner.js';
import { hookScript } from './hook-script.js';
import { Reader } from './git-reader.js';
import { RefTables, type RefTable } from './ref-table.js';
import type { RepositoryDeps } from './repository.js';
import { RefFingerprints } from './ref-fingerprints.js';
import { finishMove } from './repository-move.js';
import { FolderStore } from './store.js';
import type { Storages } from './storages.js';
import { WritePauses } from './write-pauses.js';

export interface GitCore {
  readonly runner: GitRunner;
  readonly store: FolderStore;
  readonly reader: GitReader;
  readonly journal: Journal;
  readonly pauses: WritePauses;
  readonly readers: ObjectReaders;
  readonly hooks: Hooks;
  readonly fingerprints: RefFingerprints;
  readonly languages: LanguageTable;
  /** What the database knows, once it is there. */
  use(formerTips: FormerTips): void;
  /** Throws unless git runs and is new enough. */
  check(): Promise<void>;
  stop(): void;
}

/** Other users of the machine read no repository, whatever the modes of the files in it. */
function closeToOthers(root: string): void {
  try {
    if (statSync(root).mode & 0o077) chmodSync(root, 0o700);
  } catch (error) {
    // somebody else's folder, or a file system without modes: theirs to decide
    if (!['EPERM', 'EROFS', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

export function openGit(
  storages: Storages,
  settings: Readonly<GitSettings>,
  caches: Pick<Cache, 'memory' | 'noteRead'>,
  log: Logger,
): GitCore {
  const { root } = storages;
  storages.prepare();
  for (const storage of storages.list) closeToOthers(storage.root);
  const hooks = new Hooks(join(root, '.hooks'), hookScript);
  hooks.ensure();
  const home = join(root, '.home');
  const limits = {
    readMs: settings.READ_TIMEOUT * 1000,
    writeMs: settings.WRITE_TIMEOUT * 1000,
    cloneMs: settings.CLONE_TIMEOUT * 1000,
  };
  const environment = gitEnvironment({ home, hooks: hooks.folder });
  const searches = new Limiter(settings.SEARCH_PROCESSES);
  const runner = new GitRunner(settings.PATH || 'git', environment, limits, new PorcelainFiles(home), searches);
  const fingerprints = new RefFingerprints(caches);
  const journal = new Journal(join(root, '.journal'), {
    onUnreadable: ({ name, repositoryId }, error) =>
      log.error('could not read the journal of an interrupted ref update; set the file aside', {
        event: 'git.journal.unreadable',
        repositoryId,
        file: name,
        error: String(error),
      }),
  });
  const pauses = new WritePauses(journal, !storages.isSingle);
  const store = new FolderStore(storages, runner, fingerprints, pauses);
  pauses.onExpired = (id, kind) => finishMove(store.path(id, kind));
  const readers = new ObjectReaders(runner, settings.READ_PROCESSES, (folder) => storages.linkOf(folder));
  const tables = new RefTables(fingerprints, caches.memory<RefTable>('git.refTables'));
  const table = new LanguageTable();
  const deps: RepositoryDeps = {
    runner,
    readers,
    caches: new GitCaches(settings.CACHE_SIZE),
    tables,
    languages: table,
    temporary: store.temporary,
  };
  const reader = new Reader(store, deps);
  store.onRelease = (folder) => {
    readers.release(folder);
    tables.release(folder);
  };
  return {
    runner,
    store,
    reader,
    journal,
    pauses,
    readers,
    hooks,
    fingerprints,
    languages: table,
    use: (formerTips) => void (deps.formerTips = formerTips),
    check: async () => {
      const version = /(\d+)\.(\d+)/.exec(await runner.text(['--version']));
      if (!version || Number(version[1]) * 100 + Number(version[2]) < 238)
        throw new Error('git 2.38 or newer is needed');
    },
    stop: () => {
      readers.stop();
      runner.stop();
    },
  };
}
