/** What `mortise doctor` looks at in the repositories themselves. */
import type { Finding } from '@mortise/plugin-sdk';
import type { RepositoryKind } from '../api.js';
import { garbageIn, removeGarbage } from './garbage.js';
import type { RefGate } from './ref-gate.js';
import type { Hooks } from './hooks.js';
import { restoreName, unusedFolders } from './repository-move.js';
import { allLocks } from './stale-locks.js';
import { everyFolder, folderName, type FolderStore, ignoredFolders } from './store.js';

export async function* checkRepositories(
  gate: RefGate,
  { fix, hooks }: { fix: boolean; hooks?: Hooks },
): AsyncGenerator<Finding> {
  if (hooks) yield* missingHooks(hooks);
  yield* unreadableEntries(gate, fix);
  yield* interruptedChanges(gate, fix);
  yield* staleLocks(gate, fix);
  yield* garbage(gate, fix);
  yield* storages(gate, fix);
}

/** A push would have put them right as well. */
function* missingHooks(hooks: Hooks): Generator<Finding> {
  hooks.ensure();
  const names = hooks.mended.splice(0);
  if (names.length > 0)
    yield { level: 'warning', text: `hooks of the server were missing or changed: ${names.join(', ')}`, fixed: true };
}

const nameOf = (id: number, kind: RepositoryKind) => folderName({ id, kind });

async function* unreadableEntries({ journal }: RefGate, fix: boolean): AsyncGenerator<Finding> {
  await journal.left(); // sets aside what it cannot read
  for (const entry of await journal.unreadable()) {
    if (fix) await journal.forget(entry);
    yield {
      level: 'error',
      text: `an interrupted change of ${nameOf(entry.repositoryId, entry.kind)} could not be read (${entry.name}): its references may have moved without webhooks and the like being told`,
      fixed: fix,
    };
  }
}

async function* interruptedChanges(gate: RefGate, fix: boolean): AsyncGenerator<Finding> {
  const before = await gate.journal.left();
  if (!before.length) return;
  if (fix) await gate.repair();
  for (const entry of before) {
    const text =
      entry.work === 'maintenance'
        ? `the maintenance of ${nameOf(entry.repositoryId, entry.kind)} was interrupted`
        : `a change of references of ${nameOf(entry.repositoryId, entry.kind)} was interrupted`;
    yield { level: 'error', text, fixed: fix && !(await gate.journal.has(entry)) };
  }
}

async function* garbage({ deps: { store } }: RefGate, fix: boolean): AsyncGenerator<Finding> {
  yield* eachFolder(store, async function* ({ id, kind }) {
    const garbage = await (fix ? removeGarbage : garbageIn)(store.path(id, kind), { isDeep: true });
    if (!garbage.length) return;
    const text = `${nameOf(id, kind)} holds ${garbage.length} leftovers of pushes that never ended`;
    yield { level: 'warning', text, fixed: fix };
  });
}

/** Disks that are away, repositories that lie on a storage that the settings do not name, and what moves have left. */
async function* storages({ deps: { store }, pauses }: RefGate, fix: boolean): AsyncGenerator<Finding> {
  const { storages } = store;
  await pauses.finishAllExpired();
  for (const storage of storages.list)
    if (!storages.isMounted(storage))
      yield { level: 'error', text: `the disk of the storage ${storage.name} is not mounted at ${storage.root}` };
  const strays = new Map<string, number>();
  for await (const { id, kind } of everyFolder(store)) {
    const name = storages.storageNameOf(store.path(id, kind));
    if (!storages.find(name)) strays.set(name, (strays.get(name) ?? 0) + 1);
    else if (!(await store.exists(id, kind).catch(() => false)))
      yield { level: 'error', text: `${nameOf(id, kind)} is not where its link leads, on the storage ${name}` };
  }
  for (const [name, count] of strays)
    yield {
      level: 'error',
      text: `${count} repositories lie on the storage ${name}, which [git.storages] does not name`,
    };
  for await (const unused of unusedFolders(store)) {
    const text = `${unused.folder} is in no use`;
    if (unused.isFormer) yield { level: 'warning', text: `${text}: the next nightly run removes what a move has left` };
    else
      yield {
        level: 'error',
        text: `${text}, and nothing else is left of it`,
        fixed: fix && (await restoreName(store, unused)),
      };
  }
}

async function* eachFolder(
  store: FolderStore,
  look: (folder: { id: number; kind: RepositoryKind }) => AsyncGenerator<Finding>,
): AsyncGenerator<Finding> {
  for await (const folder of everyFolder(store)) {
    try {
      yield* look(folder);
    } catch (error) {
      yield ignoredFolders(folder, error);
    }
  }
}

async function* staleLocks({ deps: { store }, recovery, journal }: RefGate, fix: boolean): AsyncGenerator<Finding> {
  yield* eachFolder(store, async function* ({ id, kind }) {
    const folder = store.path(id, kind);
    const locks = await allLocks(folder);
    if (!locks.length || (await journal.hasWriters(id, kind))) return;
    const removed = fix ? await recovery.clearLocks(id, kind) : [];
    const left = fix ? await allLocks(folder) : locks;
    for (const { name } of removed)
      yield { level: 'error', text: `${nameOf(id, kind)}: ${name} was left by a killed process`, fixed: true };
    for (const { name } of left)
      yield { level: 'error', text: `${nameOf(id, kind)}: ${name} keeps git from writing, and no server holds it` };
  });
}
