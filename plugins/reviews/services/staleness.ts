import { createHash } from 'node:crypto';
import { Problem, type Database } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { PullRequest, Pulls } from '@mortise/pulls/api';
import type { Review } from '../contract/reviews.js';
import { ReviewRow } from '../models/review.js';

const maxPatch = 20 * 1024 * 1024;
/** Reviews that are settled in one transaction. */
const reviewsPerStep = 100;

/** What differences say, by `from to`. */
export type DifferenceMarks = Map<string, Promise<string>>;

/** What a pull request changes: another base changes it as well as another head. */
export const contentKey = ({ headOid, mergeBase }: Pick<PullRequest, 'headOid' | 'mergeBase'>): string =>
  createHash('sha256').update(`${headOid} ${mergeBase}`).digest('hex');

/** Tells whether what a pull request changes is still what somebody reviewed. */
export class StalenessTracker {
  constructor(
    private readonly deps: { readonly database: Database; readonly gitReader: GitReader; readonly pulls: Pulls },
  ) {}

  /**
   * Those with their `isStale` as it is for the head, some at a time; stored when it was not known. `dismisses`: approvals
   * that have become stale by that are dismissed. `marks`: differences that were looked at, for several calls. Not inside
   * a transaction.
   */
  async update(
    pull: PullRequest,
    reviews: readonly Review[],
    dismisses = false,
    marks: DifferenceMarks = new Map(),
  ): Promise<Review[]> {
    const settled: Review[] = [];
    for (let at = 0; at < reviews.length; at += reviewsPerStep)
      settled.push(...(await this.#updateSome(pull, reviews.slice(at, at + reviewsPerStep), dismisses, marks)));
    return settled;
  }

  async #updateSome(
    pull: PullRequest,
    reviews: readonly Review[],
    dismisses: boolean,
    marks: DifferenceMarks,
  ): Promise<readonly Review[]> {
    const seen = contentKey(pull);
    const open = new Set(reviews.filter(({ commitId, seenHead }) => commitId && seenHead !== seen));
    if (open.size === 0) return reviews;
    const same = await this.#sameAs(pull, open, marks);
    const { database } = this.deps;
    const ids = [...open].map(({ id }) => id);
    // one that went stale while no rule minded goes, too
    const isGone = ({ id, state }: Review) => dismisses && state === 'approved' && !same.has(id);
    const gone = new Set([...open].filter(isGone).map(({ id }) => id));
    await database.write(async () => {
      if (gone.size)
        await database
          .query(ReviewRow)
          .whereIn('id', [...gone])
          .patch({ is_dismissed: true });
      for (const isStale of [true, false]) {
        const some = ids.filter((id) => same.has(id) !== isStale);
        if (some.length)
          await database.query(ReviewRow).whereIn('id', some).patch({ is_stale: isStale, seen_head: seen });
      }
    });
    return reviews.map((review) =>
      open.has(review)
        ? {
            ...review,
            isStale: !same.has(review.id),
            seenHead: seen,
            isDismissed: review.isDismissed || gone.has(review.id),
          }
        : review,
    );
  }

  /** Ids of those that are about what it changes now. */
  async #sameAs(pull: PullRequest, reviews: Iterable<Review>, marks: DifferenceMarks): Promise<Set<number>> {
    const versions = new Map((await this.deps.pulls.versions(pull)).map((one) => [one.headOid, one.mergeBase]));
    const same = new Set<number>();
    const mark = (from: string, to: string) => {
      const key = `${from} ${to}`;
      if (!marks.has(key)) marks.set(key, this.#mark(pull.repositoryId, from, to));
      return marks.get(key)!;
    };
    for (const { id, commitId, mergeBase } of reviews) {
      const start = mergeBase || versions.get(commitId);
      if (!start) continue;
      if (commitId === pull.headOid && start === pull.mergeBase) same.add(id);
      else
        try {
          if ((await mark(start, commitId)) === (await mark(pull.mergeBase, pull.headOid))) same.add(id);
        } catch (error) {
          // too large to compare, or git lacks it: it counts as changed
          if (!Problem.is(error)) throw error;
        }
    }
    return same;
  }

  /** The same for differences that say the same, wherever in the files. */
  async #mark(repositoryId: number, from: string, to: string): Promise<string> {
    const git = this.deps.gitReader.open(repositoryId);
    const hash = createHash('sha256');
    let [text, isHead] = ['', false];
    const take = (line: string) => {
      if (line.startsWith('diff --git ')) isHead = true;
      if (line.startsWith('@@ ')) {
        isHead = false;
        hash.update('@@\n');
      } else if (!isHead || !line.startsWith('index ') || line.includes('GIT binary patch')) hash.update(`${line}\n`);
    };
    let size = 0;
    for await (const chunk of git.patch(from || undefined, to, { binary: true })) {
      size += (chunk as Buffer).length;
      if (size > maxPatch) throw new Problem('too_large', 'patch');
      const lines = (text + (chunk as Buffer).toString('latin1')).split('\n');
      text = lines.pop()!;
      lines.forEach(take);
    }
    if (text) take(text);
    return hash.digest('hex');
  }
}
