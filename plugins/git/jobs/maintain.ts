/** Keeps repositories fast after pushes: commit graph with changed paths, packing by thresholds. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defineJob, Problem, type Logger } from '@mortise/plugin-sdk';
import type { RepositoryKind } from '../api.js';
import { GitFailure, type GitRunner } from '../services/process.js';
import type { FolderStore } from '../services/store.js';

export const maintainRepository = defineJob<{ repositoryId: number; kind: RepositoryKind }>('git.maintain');

export interface Thresholds {
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

export async function maintain(
  store: FolderStore,
  runner: GitRunner,
  thresholds: Thresholds,
  job: { repositoryId: number; kind: RepositoryKind },
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  if (!(await store.exists(job.repositoryId, job.kind))) return;
  const cwd = store.path(job.repositoryId, job.kind);
  /** What a damaged repository does not allow costs speed only, and trying again would not help. */
  const step = async (...args: string[]) => {
    try {
      await runner.run(args, { cwd, timeoutMs: runner.limits.cloneMs });
    } catch (error) {
      if (!(error instanceof GitFailure) && !Problem.is(error)) throw error;
      log.warn('a repository cannot be maintained', { ...job, error: String(error) });
    }
  };
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
