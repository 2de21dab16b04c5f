import type { Database } from '@mortise/plugin-sdk';
import type { SearchDocument, SearchIndex, SearchSource } from '@mortise/search/api';
import type { CommentEvent, IssueEvent } from '../api.js';
import { IssueRow } from '../models/issue.js';
import { TimelineRow, toEntry } from '../models/timeline.js';
import { issueCodeSubject, issueSubject, issueDocument } from '../services/text-search.js';
import type { IssueServices } from '../services/services.js';

interface Deps {
  readonly database: Database;
  readonly search: SearchIndex;
}

export const commentDocument = (
  { id, repository_id, issue_id }: Pick<TimelineRow, 'id' | 'repository_id' | 'issue_id'>,
  body: string,
  isAboutCode = false,
): SearchDocument => ({
  kind: 'comment',
  id,
  repositoryId: repository_id,
  subjectType: isAboutCode ? issueCodeSubject : issueSubject,
  subjectId: issue_id,
  body,
});

/** What can be found of entries, by their ids. */
export async function textsOf(
  rows: readonly TimelineRow[],
  issueServices: IssueServices,
): Promise<Map<number, string>> {
  const texts = new Map(rows.map((row) => [row.id, row.body]));
  for (const kind of issueServices.points.kinds.list()) {
    const own = kind.texts ? rows.filter((row) => row.kind === kind.key) : [];
    if (own.length === 0) continue;
    const found = await kind.texts!(own.map(toEntry));
    for (const { id } of own) texts.set(id, found.get(id) ?? '');
  }
  return texts;
}

const documentsOf = async (rows: readonly TimelineRow[], issueServices: IssueServices): Promise<SearchDocument[]> => {
  const texts = await textsOf(rows, issueServices);
  const aboutCode = new Set(
    issueServices.points.kinds.list().flatMap(({ key, isAboutCode }) => (isAboutCode ? key : [])),
  );
  return rows.map((row) => commentDocument(row, texts.get(row.id) ?? '', aboutCode.has(row.kind)));
};

/** In the caller's transaction. */
export async function indexEntries(
  ids: readonly number[],
  { search, issueServices, database }: Deps & { readonly issueServices: IssueServices },
): Promise<void> {
  const piece = 200;
  for (let at = 0; at < ids.length; at += piece) {
    const rows = await database.query(TimelineRow).whereIn('id', ids.slice(at, at + piece));
    await search.put(await documentsOf(rows, issueServices));
  }
}

/** The index changes in the transaction of the text. */
export async function indexIssue({ action, issueId }: IssueEvent, { database, search }: Deps): Promise<void> {
  if (action === 'deleted') {
    for (const one of [issueSubject, issueCodeSubject]) await search.removeSubjects(one, [issueId]);
    return;
  }
  // a new one is indexed by who writes it
  if (action !== 'edited') return;
  const row = await database.query(IssueRow).findById(issueId);
  if (row) await search.put([issueDocument(row)]);
}

export async function indexComment({ action, commentId }: CommentEvent, { database, search }: Deps): Promise<void> {
  if (action === 'deleted') return search.remove('comment', [commentId]);
  const row = await database.query(TimelineRow).findById(commentId);
  if (row) await search.put([commentDocument(row, row.body)]);
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
  const kinds = () =>
    issueServices.points.kinds
      .list()
      .filter((kind) => kind.isComment || kind.texts)
      .map((kind) => kind.key);
  const all = () => database.query(TimelineRow).whereIn('kind', kinds());
  return {
    key: 'comment',
    version: 3,
    async batch(afterId, limit) {
      const rows = await all().where('id', '>', afterId).orderBy('id').limit(limit).forUpdate();
      return documentsOf(rows, issueServices);
    },
    count: () => all().resultSize(),
  };
};
