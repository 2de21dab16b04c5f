import type { Database } from '@mortise/plugin-sdk';
import type { Pulls } from '@mortise/pulls/api';
import { ReviewRow } from '../models/review.js';
import { contentKey } from '../services/staleness.js';

const pageSize = 500;

/** What stands for who has no account any more: 0 would be the review of a team. */
const ghost = -1;

/** After a pass: what the other server says of reviews, whether they are stale, is about the heads that came with it. */
export async function afterPass(database: Database, pulls: Pick<Pulls, 'byIssueIds'>): Promise<void> {
  await database.write(async () => {
    await database.query(ReviewRow).where({ reviewer_id: 0, team_id: 0 }).patch({ reviewer_id: ghost });
  });
  for (let after = 0; ;) {
    const page = await database
      .query(ReviewRow)
      .select('id', 'issue_id')
      .where('id', '>', after)
      .where('seen_head', '')
      .whereNot('commit_id', '')
      .orderBy('id')
      .limit(pageSize);
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
    const pullsById = await pulls.byIssueIds([...new Set(page.map((row) => row.issue_id))]);
    await database.write(async () => {
      for (const [issueId, pull] of pullsById) {
        const unseen = () =>
          database.query(ReviewRow).where({ issue_id: issueId, seen_head: '' }).whereNot('commit_id', '');
        await unseen().where('commit_id', pull.headOid).patch({ version: pull.version });
        await unseen().patch({ seen_head: contentKey(pull) });
      }
    });
  }
}
