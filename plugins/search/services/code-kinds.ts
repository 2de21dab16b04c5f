import { pageOf, type Actor, type Database, type Model, type Site } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import { repositoryHome, type Repositories, type RepositoryAccess } from '@mortise/repositories/api';
import { excerptOf, type SearchIndex, type SearchKind } from '../api.js';
import { CommitRow } from '../models/indexed-commit.js';
import { FileRow } from '../models/indexed-file.js';
import { TreeRow } from '../models/indexed-tree.js';
import { RepositoryIdRow } from '../models/repository-id.js';
import type { IndexerSettings } from '../settings.js';
import { codeSubject, commitKind, fileKind, textOfBlob } from './code-sources.js';
import { encodedPath } from './file-address.js';
import { t } from '../texts/index.js';

interface CodeKindDeps {
  readonly database: Database;
  readonly gitReader: GitReader;
  readonly index: SearchIndex;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly settings: IndexerSettings;
  readonly site: Site;
}

type Page = { readonly limit: number; readonly offset: number };

/** Repositories whose code the actor may read. */
const readable = (repositoryAccess: RepositoryAccess, actor: Actor) =>
  RepositoryIdRow.query()
    .select('repository.id')
    .where(repositoryAccess.visibleTo(actor, ['code']));

/** Rows of what was found as far as the actor may read them, the newest first. */
async function rowsOf<M extends FileRow | CommitRow>(
  { database, index, repositoryAccess }: CodeKindDeps,
  model: { new (): M; tableName: string } & typeof Model,
  search: { readonly kind: string; readonly subjectType: string; readonly text: string },
  actor: Actor,
  page: Page,
): Promise<{ rows: M[]; total: number }> {
  const ids = await index.findDocuments({ ...search, repositories: readable(repositoryAccess, actor) });
  if (ids.length === 0) return { rows: [], total: 0 };
  const query = database
    .query(model as never)
    .whereRaw(`${model.tableName}.id in (${ids.join(', ')})`)
    .whereIn(`${model.tableName}.repository_id`, readable(repositoryAccess, actor));
  const { rows, total } = await pageOf(query.orderBy('id', 'desc'), page);
  return { rows: rows as unknown as M[], total };
}

/** The first line that holds one of the words, and its number. */
function lineWith(text: string, searched: string): { number: number; line: string } | undefined {
  const words = (searched.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).slice(0, 20);
  const lines = text.split('\n');
  // a whole phrase before single words
  for (const wanted of [[searched.trim().toLowerCase()], words])
    for (const [at, line] of lines.entries()) {
      const lower = line.toLowerCase();
      if (wanted.some((word) => word && lower.includes(word))) return { number: at + 1, line };
    }
  return undefined;
}

/** Files of default branches, those last changed first. */
export const codeKindOf = (deps: CodeKindDeps): SearchKind => ({
  key: 'code',
  label: t.later('code'),
  icon: 'code',
  order: 50,
  async search({ text, actor, ...page }) {
    const { database, gitReader, repositories, settings, site } = deps;
    const { rows, total } = await rowsOf(
      deps,
      FileRow,
      { kind: fileKind, subjectType: codeSubject, text },
      actor,
      page,
    );
    const ids = [...new Set(rows.map((row) => row.repository_id))];
    const [repositoriesById, trees] = [
      await repositories.byIds(ids),
      ids.length ? await database.query(TreeRow).whereIn('repository_id', ids) : [],
    ];
    const branches = new Map(trees.map((row) => [row.repository_id, row.branch]));
    const items = await Promise.all(
      rows.map(async ({ repository_id: id, path, oid }) => {
        const repository = repositoriesById.get(id);
        if (!repository) return [];
        const repositoryPath = repositoryHome(site, repository);
        const content = await textOfBlob(gitReader.open(id), oid, settings.MAX_FILE_SIZE);
        const line = content === undefined ? undefined : lineWith(content, text);
        const branch = branches.get(id) || repository.defaultBranch;
        return [
          {
            href: `${repositoryPath}/src/branch/${encodedPath(branch)}/${encodedPath(path)}${line ? `#L${line.number}` : ''}`,
            title: path,
            icon: 'file',
            location: { label: `${repository.ownerName}/${repository.name}`, href: repositoryPath },
            ...(line && { excerpt: excerptOf(line.line, text) }),
          },
        ];
      }),
    );
    return { total, items: items.flat() };
  },
});

/** Commits of default branches by what they say. */
export const commitKindOf = (deps: CodeKindDeps): SearchKind => ({
  key: 'commits',
  label: t.later('commits'),
  icon: 'git-commit',
  order: 60,
  async search({ text, actor, ...page }) {
    const { gitReader, repositories, site } = deps;
    const { rows, total } = await rowsOf(
      deps,
      CommitRow,
      { kind: commitKind, subjectType: commitKind, text },
      actor,
      page,
    );
    const ids = [...new Set(rows.map((row) => row.repository_id))];
    const repositoriesById = await repositories.byIds(ids);
    const read = await Promise.all(
      ids.map(async (id) => {
        const oids = rows.filter((row) => row.repository_id === id).map(({ oid }) => oid);
        return (await gitReader.open(id).commits(oids)).map((commit) => [`${id}/${commit.oid}`, commit] as const);
      }),
    );
    const commits = new Map(read.flat());
    return {
      total,
      items: rows.flatMap(({ repository_id: id, oid }) => {
        const [repository, commit] = [repositoriesById.get(id), commits.get(`${id}/${oid}`)];
        if (!repository || !commit) return [];
        const repositoryPath = repositoryHome(site, repository);
        const [subject = '', ...rest] = commit.message.split('\n');
        return [
          {
            href: `${repositoryPath}/commit/${oid}`,
            title: subject || oid.slice(0, 10),
            icon: 'git-commit',
            location: { label: `${repository.ownerName}/${repository.name}`, href: repositoryPath },
            excerpt: excerptOf(`${oid.slice(0, 10)} ${rest.join(' ')}`.trim(), text),
            at: commit.committer.time,
          },
        ];
      }),
    };
  },
});
