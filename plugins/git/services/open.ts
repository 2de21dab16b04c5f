/** Puts the parts that need no database together: runner, folders, caches, reader. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GitReader } from '../api.js';
import type { GitSettings } from '../settings.js';
import { GitCaches } from './caches.js';
import { ObjectReaders } from './cat-file.js';
import { gitEnvironment, GitRunner } from './process.js';
import { hookScript } from './push-session.js';
import { Reader } from './reader.js';
import { RefTables } from './ref-table.js';
import { FolderStore, installHooks } from './store.js';

export interface GitCore {
  readonly runner: GitRunner;
  readonly store: FolderStore;
  readonly reader: GitReader;
  /** Throws unless git runs and is new enough. */
  check(): Promise<void>;
  stop(): void;
}

export function openGit(root: string, settings: Readonly<GitSettings>): GitCore {
  mkdirSync(root, { recursive: true });
  const hooks = join(root, '.hooks');
  installHooks(hooks, hookScript);
  const runner = new GitRunner(settings.PATH || 'git', gitEnvironment({ home: join(root, '.home'), hooks }), {
    readMs: settings.READ_TIMEOUT * 1000,
    writeMs: settings.WRITE_TIMEOUT * 1000,
    cloneMs: settings.CLONE_TIMEOUT * 1000,
  });
  const store = new FolderStore(root, runner);
  const readers = new ObjectReaders(runner, settings.READ_PROCESSES);
  const tables = new RefTables();
  const reader = new Reader(store, {
    runner,
    readers,
    caches: new GitCaches(settings.CACHE_SIZE),
    tables,
    temporary: store.temporary,
  });
  store.onRelease = (folder) => {
    readers.release(folder);
    tables.release(folder);
  };
  return {
    runner,
    store,
    reader,
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
