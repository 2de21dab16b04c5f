import { Problem, type Database } from '@mortise/plugin-sdk';
import { decodeText, isCorruptObject, type GitReader, type GitRepository } from '@mortise/git/api';
import type { SearchDocument, SearchSource } from '../api.js';
import { CommitRow } from '../models/indexed-commit.js';
import { FileRow } from '../models/indexed-file.js';

export const codeSubject = 'code';
export const fileKind = 'code';
export const commitKind = 'commit';

/** What begins with bytes of a program or a picture is no text. */
const isText = (content: Buffer): boolean => !content.subarray(0, 8000).includes(0);

/** The text of a file; undefined: it is too long, no text, or git lacks it. */
export async function textOfBlob(git: GitRepository, oid: string, maxBytes: number): Promise<string | undefined> {
  try {
    const content = await git.blob(oid, maxBytes);
    return isText(content) ? decodeText(content).text : undefined;
  } catch (error) {
    if (Problem.is(error) || isCorruptObject(error)) return undefined;
    throw error;
  }
}

type OfFile = Pick<FileRow, 'id' | 'repository_id' | 'path'>;

/** A file is found by its path and by what it holds. */
export const fileDocument = ({ id, repository_id, path }: OfFile, text: string | undefined): SearchDocument => ({
  kind: fileKind,
  id,
  repositoryId: repository_id,
  subjectType: codeSubject,
  subjectId: id,
  title: path,
  body: text ?? '',
});

export const commitDocument = (
  { id, repository_id, oid }: Pick<CommitRow, 'id' | 'repository_id' | 'oid'>,
  message: string,
): SearchDocument => ({
  kind: commitKind,
  id,
  repositoryId: repository_id,
  subjectType: commitKind,
  subjectId: id,
  title: oid,
  body: message,
});

interface Deps {
  readonly database: Database;
  readonly gitReader: GitReader;
}

/** Texts are read from git in the caller's transaction: few at a time. */
const filesAtOnce = 20;

/** What stands in the index of code, for an index that is made anew and for engines of their own. */
export const fileSource = ({ database, gitReader }: Deps, maxBytes: number): SearchSource => ({
  key: fileKind,
  version: 2,
  async batch(afterId, limit) {
    const rows = await database
      .query(FileRow)
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(Math.min(limit, filesAtOnce))
      .forUpdate();
    const documents: SearchDocument[] = [];
    for (const row of rows) {
      const git = gitReader.open(row.repository_id);
      const max = Math.min(maxBytes, row.bytes ?? maxBytes);
      documents.push(fileDocument(row, max ? await textOfBlob(git, row.oid, max) : undefined));
    }
    return documents;
  },
  count: () => database.query(FileRow).resultSize(),
});

export const commitSource = ({ database, gitReader }: Deps): SearchSource => ({
  key: commitKind,
  version: 1,
  async batch(afterId, limit) {
    const rows = await database.query(CommitRow).where('id', '>', afterId).orderBy('id').limit(limit).forUpdate();
    const messages = new Map<string, string>();
    for (const id of new Set(rows.map((row) => row.repository_id))) {
      const oids = rows.filter((row) => row.repository_id === id).map(({ oid }) => oid);
      for (const { oid, message } of await gitReader.open(id).commits(oids)) messages.set(`${id}/${oid}`, message);
    }
    return rows.map((row) => commitDocument(row, messages.get(`${row.repository_id}/${row.oid}`) ?? ''));
  },
  count: () => database.query(CommitRow).resultSize(),
});
