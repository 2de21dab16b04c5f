import type { QueryBuilder } from 'objection';
import type { Actor, Database, Model } from '@mortise/plugin-sdk';
import type { RepositoryAccess } from '@mortise/repositories/api';
import type { SearchIndex } from '../api.js';
import { FileRow } from '../models/indexed-file.js';
import { readableRepositories } from './readable-repositories.js';
import { codeSubject, fileKind } from './code-sources.js';

/** Words by which results are put in an order. */
const maxWords = 6;
/** Languages that are offered to narrow by. */
const maxLanguages = 20;

interface FileSearch {
  readonly text: string;
  readonly actor: Actor;
  readonly language?: string;
  /** Part of the path, in any case. */
  readonly path?: string;
  /** `owner/name`, or an owner. */
  readonly repository?: string;
  readonly limit: number;
  readonly offset: number;
}

interface Deps {
  readonly database: Database;
  readonly index: SearchIndex;
  readonly repositoryAccess: RepositoryAccess;
}

export const wordsOf = (text: string): readonly string[] =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_$]+/gu))].slice(0, maxWords);

const anyOf = (words: readonly string[], condition: string): string =>
  words.map(() => condition).join(' or ') || '1 = 0';

/** Files of default branches: definitions before uses, names of files before contents, hidden folders last, then the newest. */
export async function searchFiles({ database, index, repositoryAccess }: Deps, search: FileSearch) {
  const { text, actor, language, path, repository, limit, offset } = search;
  const among = (query: QueryBuilder<Model>): void => {
    if (language) void query.where('search_file.language', language);
    if (path) void query.whereRaw('instr(lower(search_file.path), ?) > 0', [path.toLowerCase()]);
  };
  const readable = () => readableRepositories(repositoryAccess, actor, repository);
  const ids = await index.findDocuments({
    kind: fileKind,
    subjectType: codeSubject,
    text,
    repositories: readable(),
    ...((language || path) && {
      among: ({ subject }) =>
        FileRow.query().select('search_file.id').whereColumn('search_file.id', subject).where(among),
    }),
  });
  if (ids.length === 0) return { rows: [], total: 0, languages: [] };
  const found = () =>
    database
      .query(FileRow)
      .whereRaw(`search_file.id in (${ids.join(', ')})`)
      .whereIn('search_file.repository_id', readable())
      .where(among);
  const words = wordsOf(text);
  const rows = await found()
    .select('id', 'repository_id', 'path', 'oid', 'language')
    .orderBy('is_hidden')
    .orderByRaw(
      `case when ${anyOf(words, 'instr(definitions, ?) > 0')} then 0 when ${anyOf(words, 'instr(name, ?) > 0')} then 1 else 2 end`,
      [...words.map((word) => `\n${word}\n`), ...words],
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset);
  const counts = (await found()
    .select('language')
    .count({ files: '*' })
    .groupBy('language')
    .orderBy('files', 'desc')
    .orderBy('language')) as unknown as { language: string | null; files: number | string }[];
  return {
    rows,
    total: counts.reduce((sum, { files }) => sum + Number(files), 0),
    languages: counts.flatMap((one) => one.language ?? []).slice(0, maxLanguages),
  };
}
