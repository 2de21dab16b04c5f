import type { Database } from '@mortise/plugin-sdk';
import type { SearchDocument, SearchIndex, SearchSource } from '@mortise/search/api';
import type { CommentEvent, IssueEvent } from '../api.js';
import { IssueRow } from '../models/issue.js';
import { TimelineRow } from '../models/timeline.js';
import { family } from '../services/reader.js';
import type { IssueServices } from '../services/services.js';

interface Parts {
  readonly database: Database;
  readonly search: SearchIndex;
}

const issueDocument = ({ id, repository_id, title, body }: IssueRow): SearchDocument => ({
  kind: 'issue',
  id,
  repositoryId: repository_id,
  family,
  subjectId: id,
  title,
  body,
});

const commentDocument = ({ id, repository_id, issue_id, body }: TimelineRow): SearchDocument => ({
  kind: 'comment',
  id,
  repositoryId: repository_id,
  family,
  subjectId: issue_id,
  body,
});

/** The index changes in the transaction of the text. */
export async function indexIssue({ action, issueId }: IssueEvent, { database, search }: Parts): Promise<void> {
  if (action === 'deleted') return search.removeSubjects(family, [issueId]);
  if (action !== 'opened' && action !== 'edited') return;
  const row = await database.query(IssueRow).findById(issueId);
  if (row) await search.put([issueDocument(row)]);
}

export async function indexComment({ action, commentId }: CommentEvent, { database, search }: Parts): Promise<void> {
  if (action === 'deleted') return search.remove('comment', [commentId]);
  const row = await database.query(TimelineRow).findById(commentId);
  if (row) await search.put([commentDocument(row)]);
}

export const issueTexts = ({ database }: { readonly database: Database }): SearchSource => ({
  key: 'issue',
  version: 1,
  async batch(afterId, limit) {
    const rows = await database.query(IssueRow).where('id', '>', afterId).orderBy('id').limit(limit).forUpdate();
    return rows.map(issueDocument);
  },
  count: () => database.query(IssueRow).resultSize(),
});

export const commentTexts = ({
  database,
  issueServices,
}: {
  readonly database: Database;
  readonly issueServices: IssueServices;
}): SearchSource => {
  const all = () => database.query(TimelineRow).whereIn('kind', issueServices.comments.kinds);
  return {
    key: 'comment',
    version: 1,
    async batch(afterId, limit) {
      const rows = await all().where('id', '>', afterId).orderBy('id').limit(limit).forUpdate();
      return rows.map(commentDocument);
    },
    count: () => all().resultSize(),
  };
};
