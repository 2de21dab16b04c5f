import type { Database, Jobs } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import { countContributions } from '../jobs/count.js';
import { InsightRow } from '../models/insight.js';
import { count, logArguments, type Contributions } from './contributions.js';

export interface Counted {
  /** Undefined: nothing was counted yet. */
  readonly contributions?: Contributions;
  /** A newer count is on its way. */
  readonly isOld: boolean;
}

/** Longest output of git that is read. */
const maxBytes = 64 << 20;

/** Counts histories in the background, and remembers the last count of each repository. */
export class Counting {
  constructor(private readonly parts: { database: Database; jobs: Jobs; git: GitReader }) {}

  /** What is known; asks for a new count when the branch has moved since. */
  async of(repositoryId: number): Promise<Counted> {
    const head = (await this.parts.git.open(repositoryId).head()).oid;
    if (!head) return { contributions: { contributors: [], weeks: [], truncated: false }, isOld: false };
    const row = await this.parts.database.query(InsightRow).findById(repositoryId);
    const isOld = row?.commit !== head;
    if (isOld)
      await this.parts.jobs.enqueue(countContributions, { repositoryId }, { uniqueKey: `insights ${repositoryId}` });
    return { contributions: row?.contributions, isOld };
  }

  /** The job. */
  async count(repositoryId: number): Promise<void> {
    const { git: reader, database } = this.parts;
    const git = reader.open(repositoryId);
    const head = (await git.head()).oid;
    if (!head) return;
    const before = await database.query(InsightRow).findById(repositoryId);
    if (before?.commit === head) return;
    const contributions = count(await git.run(logArguments(head), { maxBytes }));
    const row = { repository_id: repositoryId, commit: head, counted_at: Date.now(), contributions };
    await database.write(async () => {
      await database.query(InsightRow).deleteById(repositoryId);
      await database.query(InsightRow).insert(row);
    });
  }

  /** Within the deletion of the repository. */
  async forget(repositoryId: number): Promise<void> {
    await this.parts.database.query(InsightRow).deleteById(repositoryId);
  }
}
