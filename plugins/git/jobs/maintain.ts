/** Keeps repositories fast after pushes: commit graph with changed paths, packing by thresholds. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defineJob, Problem } from '@mortise/plugin-sdk';
import type { RepositoryKind } from '../api.js';
import { removeGarbage } from '../services/garbage.js';
import type { RefGate } from '../services/ref-gate.js';
import { everyFolder, type FolderStore } from '../services/store.js';
import { GitFailure } from '../services/failure.js';

export const maintainRepository = defineJob<{ repositoryId: number; kind: RepositoryKind }>('git.maintain');

interface Thresholds {
  readonly looseObjects: number;
  readonly packs: number;
}

async function count(folder: string, matches: (name: string) => boolean = () => true): Promise<number> {
  return (await readdir(folder).catch(() => [])).filter(matches).length;
}

/** Loose objects, estimated from some of the 256 folders. */
async function countLoose(objects: string): Promise<number> {
  const folders = (await readdir(objects).catch(() => [])).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const sample = folders.slice(0, 16);
  let found = 0;
  for (const name of sample) found += await count(join(objects, name));
  return sample.length ? Math.round((found / sample.length) * folders.length) : 0;
}

type Job = { readonly repositoryId: number; readonly kind: RepositoryKind };

export async function maintain(gate: RefGate, thresholds: Thresholds, job: Job): Promise<void> {
  const { repositoryId, kind } = job;
  if (!(await gate.deps.store.exists(repositoryId, kind))) return;
  await gate.recovery.clearLocks(repositoryId, kind);
  await gate.pauses.maintaining(repositoryId, kind, () => work(gate, thresholds, job));
}

async function work({ deps: { store, runner, log } }: RefGate, thresholds: Thresholds, job: Job): Promise<void> {
  const cwd = store.path(job.repositoryId, job.kind);
  /** What a damaged repository does not allow costs speed only, and trying again would not help. */
  const step = async (...args: string[]) => {
    try {
      await runner.run(args, { cwd, timeoutMs: runner.limits.cloneMs });
    } catch (error) {
      if (!(error instanceof GitFailure) && !Problem.is(error)) throw error;
      log.warn('could not maintain a repository', { event: 'git.maintain', ...job, error: String(error) });
    }
  };
  await removeGarbage(cwd, { isDeep: true });
  const folder = join(cwd, 'objects', 'pack');
  const packs = await count(folder, (name) => name.endsWith('.pack'));
  const loose = await countLoose(join(cwd, 'objects'));
  if (packs > thresholds.packs) {
    await step('repack', '-q', '-d', '-l', '--geometric=2', '--write-midx', '--write-bitmap-index');
    await step('prune-packed', '-q');
  } else if (loose > thresholds.looseObjects) {
    await step('repack', '-q', '-d', '-l');
  }
  // With a bitmap a clone need not walk the history. Newer packs are walked until the next repacking covers them.
  if (packs > 0 && (await count(folder, (name) => name.endsWith('.bitmap'))) === 0)
    await step('multi-pack-index', 'write', '--bitmap', '--no-progress');
  await step('commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress');
  if ((await countRefs(join(cwd, 'refs'))) > 200) await step('pack-refs', '--all');
}

async function countRefs(folder: string): Promise<number> {
  let total = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    total += entry.isDirectory() ? await countRefs(join(folder, entry.name)) : 1;
    if (total > 1000) return total;
  }
  return total;
}

/** Of every repository, also of those whose pushes never came to an end. */
export async function sweepGarbage(store: FolderStore): Promise<void> {
  for await (const { id, kind } of everyFolder(store)) await removeGarbage(store.path(id, kind)).catch(() => undefined); // doctor tells of it
}
