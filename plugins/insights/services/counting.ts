import { Problem, type Database, type JobContext, type Jobs } from '@mortise/plugin-sdk';
import type { GitReader, GitRepository } from '@mortise/git/api';
import { countContributions } from '../jobs/count.js';
import { InsightRow } from '../models/insight.js';
import { InsightProgressRow } from '../models/insight-progress.js';
import { listArguments, logArguments, Tally, type Contributions } from './contributions.js';

interface Counted {
  /** Undefined: nothing was counted yet. */
  readonly contributions?: Contributions;
  /** A newer count is on its way. */
  readonly isOld: boolean;
  /** Why the newer count failed; it is tried again after a while. */
  readonly failure?: string;
}

interface Progress {
  readonly commit: string;
  counted: number;
  readonly tally: Tally;
}

/** Longest output of git that is read. */
const maxBytes = 64 << 20;
/** Commits that git counts in one go; fewer where that takes too long. */
const maxStep = 500;
/** Between one storing of the progress and the next. */
const storeMs = 5000;
/** After a failure the same history is not counted again for so long. */
const retryMs = 3_600_000;

/** Counts histories in the background, and remembers the last count of each repository. */
export class Counting {
  constructor(private readonly deps: { database: Database; jobs: Jobs; git: GitReader }) {}

  /** What is known; asks for a new count when the branch has moved since. */
  async of(repositoryId: number): Promise<Counted> {
    const { database, git, jobs } = this.deps;
    const head = (await git.open(repositoryId).head()).oid;
    if (!head) return { contributions: { contributors: [], weeks: [], truncated: false }, isOld: false };
    const row = await database.query(InsightRow).findById(repositoryId);
    const contributions = row?.contributions;
    if (row?.commit === head) return { contributions, isOld: false };
    const progress = await database.query(InsightProgressRow).findById(repositoryId);
    if (progress?.commit === head && progress.failure && progress.failed_at! > Date.now() - retryMs)
      return { contributions, isOld: true, failure: progress.failure };
    await jobs.enqueue(countContributions, { repositoryId }, { uniqueKey: `insights ${repositoryId}` });
    return { contributions, isOld: true };
  }

  /** The job. */
  async count(repositoryId: number, job: Pick<JobContext, 'signal' | 'progress'>): Promise<void> {
    const { git: reader, database } = this.deps;
    const git = reader.open(repositoryId);
    const head = (await git.head()).oid;
    if (!head) return;
    const before = await database.query(InsightRow).findById(repositoryId);
    if (before?.commit === head) return;
    const progress = await this.#progress(repositoryId, head);
    try {
      await this.#goOn(repositoryId, git, progress, job);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // one that was told to stop has not failed
      await this.#store(repositoryId, progress, job.signal.aborted ? undefined : reason);
      throw error;
    }
    const contributions = progress.tally.contributions();
    await database.write(async () => {
      await this.forget(repositoryId);
      const row = { repository_id: repositoryId, commit: head, counted_at: Date.now(), contributions };
      await database.query(InsightRow).insert(row);
    });
  }

  /** Where an earlier attempt stopped, or the beginning. */
  async #progress(repositoryId: number, commit: string): Promise<Progress> {
    const row = await this.deps.database.query(InsightProgressRow).findById(repositoryId);
    if (row?.commit !== commit) return { commit, counted: 0, tally: new Tally() };
    return { commit, counted: row.counted, tally: new Tally(row.tally) };
  }

  async #goOn(
    repositoryId: number,
    git: GitRepository,
    progress: Progress,
    { signal, progress: report }: Pick<JobContext, 'signal' | 'progress'>,
  ): Promise<void> {
    const commits = (await git.run(listArguments(progress.commit), { maxBytes })).split('\n').filter(Boolean);
    let size = maxStep;
    let storedAt = Date.now();
    while (progress.counted < commits.length) {
      signal.throwIfAborted();
      const step = commits.slice(progress.counted, progress.counted + size);
      const text = await logOf(git, step);
      if (text === undefined) {
        size = Math.ceil(step.length / 2);
        continue;
      }
      progress.tally.add(text);
      progress.counted += step.length;
      size = Math.min(maxStep, 2 * size);
      await report(progress.counted, commits.length);
      if (Date.now() - storedAt < storeMs) continue;
      await this.#store(repositoryId, progress);
      storedAt = Date.now();
    }
  }

  async #store(repositoryId: number, { commit, counted, tally }: Progress, failure?: string): Promise<void> {
    const { database } = this.deps;
    const failed = failure === undefined ? {} : { failure: failure.slice(0, 500), failed_at: Date.now() };
    await database.write(async () => {
      await database.query(InsightProgressRow).deleteById(repositoryId);
      const row = { repository_id: repositoryId, commit, counted, tally: tally.state(), ...failed };
      await database.query(InsightProgressRow).insert(row);
    });
  }

  /** Within the deletion of the repository. */
  async forget(repositoryId: number): Promise<void> {
    await this.deps.database.query(InsightRow).deleteById(repositoryId);
    await this.deps.database.query(InsightProgressRow).deleteById(repositoryId);
  }
}

/** Undefined: together they are too much for git. One that is so by itself counts without its lines. */
async function logOf(git: GitRepository, commits: readonly string[]): Promise<string | undefined> {
  const input = `${commits.join('\n')}\n`;
  try {
    return await git.run(logArguments(), { input, maxBytes });
  } catch (error) {
    if (!Problem.is(error)) throw error;
    return commits.length > 1 ? undefined : git.run(logArguments({ lines: false }), { input, maxBytes });
  }
}
