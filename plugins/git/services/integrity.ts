/** Checks the objects of every repository again and again, and keeps what was found (git-fsck(1)). */
import type { Database, Events, Finding, Logger } from '@mortise/plugin-sdk';
import { repositoryDamaged, type RepositoryKind } from '../api.js';
import { GitCheck } from '../models/git-check.js';
import { failureOf } from './failure.js';
import type { GitRunner } from './git-runner.js';
import type { Pruning } from './pruning.js';
import { probeRepository } from './probe.js';
import { withoutPaths } from './stderr-excerpt.js';
import { everyFolder, folderName, type FolderStore, ignoredFolders } from './store.js';
import { alternatesIn, isFolder } from './alternates.js';

/** A repository is looked at again after that. */
const everyMs = 7 * 24 * 3600 * 1000;
/** One run ends after so long; the next goes on. */
const runMs = 3600 * 1000;
const maxStderr = 2000;
/** Repositories that doctor looks at, at a time. */
const lookedAtOnce = 4;

interface IntegrityDeps {
  readonly store: FolderStore;
  readonly runner: GitRunner;
  readonly database: Database;
  readonly events: Events;
  readonly log: Logger;
  readonly pruning: Pruning;
}

export class Integrity {
  constructor(private readonly deps: IntegrityDeps) {}

  /** Those that were not looked at for the longest time first. */
  async run(signal: AbortSignal): Promise<void> {
    const { database, store } = this.deps;
    const until = Date.now() + runMs;
    const known = new Map(
      (await database.query(GitCheck)).map((row) => [`${row.repository_id} ${row.kind}`, row.checked_at]),
    );
    const due: { id: number; kind: RepositoryKind; at: number }[] = [];
    for await (const { id, kind } of everyFolder(store)) {
      const at = known.get(`${id} ${kind}`) ?? 0;
      known.delete(`${id} ${kind}`);
      if (at < Date.now() - everyMs) due.push({ id, kind, at });
    }
    for (const { id, kind } of due.sort((one, other) => one.at - other.at)) {
      if (signal.aborted || Date.now() > until) break;
      try {
        await this.check(id, kind, signal);
      } catch (error) {
        // one that takes too long does not keep the others from being looked at
        if (!signal.aborted)
          this.deps.log.warn('could not check a repository', {
            event: 'git.check',
            repositoryId: id,
            error: String(error),
          });
      }
    }
    for (const gone of known.keys()) await this.forget(gone);
  }

  /** What is wrong; undefined when all is well. */
  async check(id: number, kind: RepositoryKind, signal?: AbortSignal): Promise<string | undefined> {
    const { database, events, log } = this.deps;
    const problem = await this.inspect(id, kind, signal);
    if (problem !== undefined)
      log.error('a repository is damaged', { event: 'git.damaged', repositoryId: id, kind, problem });
    const row = { repository_id: id, kind, checked_at: Date.now(), problem: problem ?? null };
    await database.write(async () => {
      const before = await database.query(GitCheck).findOne({ repository_id: id, kind });
      await database.query(GitCheck).delete().where({ repository_id: id, kind });
      await database.query(GitCheck).insert(row);
      if (problem !== undefined && !before?.problem)
        await events.emit(repositoryDamaged, { repositoryId: id, kind, problem });
    });
    return problem;
  }

  async damaged(): Promise<number> {
    return this.deps.database.query(GitCheck).whereNotNull('problem').resultSize();
  }

  /**
   * Looks at what every reference names and at the stores of other repositories that are read along: a short look at
   * each repository. What seems wrong is looked at in full, and with `deep` everything is.
   */
  async *findings({ deep = false }: { deep?: boolean } = {}): AsyncGenerator<Finding> {
    const looking = new Set<Promise<void>>();
    const failures: Finding[] = [];
    const look = async (id: number, kind: RepositoryKind) => {
      try {
        if (deep || !(await this.passesProbe(id, kind))) await this.check(id, kind);
      } catch (error) {
        failures.push(ignoredFolders({ id, kind }, error));
      }
    };
    for await (const { id, kind } of everyFolder(this.deps.store)) {
      const ended = look(id, kind).finally(() => looking.delete(ended));
      looking.add(ended);
      if (looking.size >= lookedAtOnce) await Promise.race(looking);
    }
    await Promise.all(looking);
    yield* failures;
    yield* this.damages();
  }

  private async passesProbe(id: number, kind: RepositoryKind): Promise<boolean> {
    const folder = this.deps.store.path(id, kind);
    for (const line of await alternatesIn(folder)) if (!(await isFolder(line))) return false;
    if (await probeRepository(folder)) return true;
    try {
      // the tree is in the commit, which has to be read for it
      await this.deps.runner.run(['for-each-ref', '--format=%(tree)%(*tree)'], { cwd: folder });
      return true;
    } catch (error) {
      if (failureOf(error)) return false;
      throw error;
    }
  }

  /** Looks again at what was found damaged. */
  private async *damages(): AsyncGenerator<Finding> {
    const rows = await this.deps.database.query(GitCheck).whereNotNull('problem').orderBy('repository_id').limit(1000);
    for (const row of rows) {
      const kind = row.kind as RepositoryKind;
      const name = folderName({ id: row.repository_id, kind });
      if (!(await this.deps.store.exists(row.repository_id, kind).catch(() => false))) continue;
      const problem = await this.check(row.repository_id, kind).catch(String);
      if (problem === undefined) yield { level: 'ok', text: `${name} was damaged and is well again` };
      else yield { level: 'error', text: `${name} is damaged; take it from a back-up: ${problem}` };
    }
  }

  private async inspect(id: number, kind: RepositoryKind, signal?: AbortSignal): Promise<string | undefined> {
    const { runner, store } = this.deps;
    for (const line of await alternatesIn(store.path(id, kind)))
      if (!(await isFolder(line))) return 'objects/info/alternates names a store of objects that is gone';
    try {
      const stderr = await runner
        .porcelain(store.path(id, kind), { timeoutMs: runner.limits.cloneMs, signal })
        // the graph is made anew from the commits, and cannot hold every date that they can
        .raw('-c', 'core.commitGraph=false', 'fsck', '--no-progress', '--no-reflogs');
      if (/^dangling /m.test(stderr)) await this.prune(id, kind);
      return undefined;
    } catch (error) {
      const failure = failureOf(error);
      if (signal?.aborted || !failure) throw error;
      return withoutPaths(failure.stderr || `git ended with ${failure.code}`).slice(0, maxStderr);
    }
  }

  /** Its failure is no damage, and the next check tries again. */
  private async prune(id: number, kind: RepositoryKind): Promise<void> {
    try {
      await this.deps.pruning.run(id, kind);
    } catch (error) {
      this.deps.log.warn('could not remove unreachable objects', {
        event: 'git.prune',
        repositoryId: id,
        kind,
        error: String(error),
      });
    }
  }

  private async forget(key: string): Promise<void> {
    const [id, kind] = key.split(' ');
    const { database } = this.deps;
    await database.write(async () => {
      await database
        .query(GitCheck)
        .delete()
        .where({ repository_id: Number(id), kind });
    });
  }
}
