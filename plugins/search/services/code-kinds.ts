import { pageOf, type Database, type Site } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import { repositoryHome, type Repositories, type RepositoryAccess } from '@mortise/repositories/api';
import { excerptOf, type SearchIndex, type SearchKind } from '../api.js';
import { CommitRow } from '../models/indexed-commit.js';
import { TreeRow } from '../models/indexed-tree.js';
import type { IndexerSettings } from '../settings.js';
import { commitKind, textOfBlob } from './code-sources.js';
import { encodedPath } from './file-address.js';
import { linesAround } from './file-lines.js';
import { searchFiles } from './file-search.js';
import { readableRepositories } from './readable-repositories.js';
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

/** Rows of what was found as far as the actor may read them, the newest first. */
async function commitsOf(
  { database, index }: CodeKindDeps,
  text: string,
  readable: () => ReturnType<typeof readableRepositories>,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ rows: CommitRow[]; total: number }> {
  const ids = await index.findDocuments({ kind: commitKind, subjectType: commitKind, text, repositories: readable() });
  if (ids.length === 0) return { rows: [], total: 0 };
  const query = database
    .query(CommitRow)
    .whereRaw(`search_commit.id in (${ids.join(', ')})`)
    .whereIn('search_commit.repository_id', readable());
  return pageOf(query.orderBy('id', 'desc'), page);
}

const repositoryFilter = { key: 'repository', label: t.later('filter.repository') };

/** Files of default branches, in the order of `services/file-search.ts`. */
export const codeKindOf = (deps: CodeKindDeps): SearchKind => ({
  key: 'code',
  label: t.later('code'),
  icon: 'code',
  order: 50,
  filters: [
    repositoryFilter,
    { key: 'language', label: t.later('filter.language'), isChosenFromResults: true },
    { key: 'path', label: t.later('filter.path') },
  ],
  async search({ text, filters, ...asked }) {
    const { database, gitReader, repositories, settings, site } = deps;
    const { repository: named, language, path } = filters;
    const { rows, total, languages } = await searchFiles(deps, { ...asked, text, repository: named, language, path });
    const ids = [...new Set(rows.map((row) => row.repository_id))];
    const [repositoriesById, trees] = [
      await repositories.byIds(ids),
      ids.length ? await database.query(TreeRow).whereIn('repository_id', ids) : [],
    ];
    const branches = new Map(trees.map((row) => [row.repository_id, row.branch]));
    const items = await Promise.all(
      rows.map(async ({ repository_id: id, path: filePath, oid, language: written }) => {
        const repository = repositoriesById.get(id);
        if (!repository) return [];
        const repositoryPath = repositoryHome(site, repository);
        const content = await textOfBlob(gitReader.open(id), oid, settings.MAX_FILE_SIZE);
        const lines = content === undefined ? [] : linesAround(content, text, written ?? undefined);
        const branch = branches.get(id) || repository.defaultBranch;
        const found = lines.find(({ isFound }) => isFound);
        return [
          {
            href: `${repositoryPath}/src/branch/${encodedPath(branch)}/${encodedPath(filePath)}${found ? `#L${found.number}` : ''}`,
            title: filePath,
            icon: 'file',
            location: { label: `${repository.ownerName}/${repository.name}`, href: repositoryPath },
            lines,
          },
        ];
      }),
    );
    return { total, items: items.flat(), choices: { language: languages } };
  },
});

/** Commits of default branches by what they say. */
export const commitKindOf = (deps: CodeKindDeps): SearchKind => ({
  key: 'commits',
  label: t.later('commits'),
  icon: 'git-commit',
  order: 60,
  filters: [repositoryFilter],
  async search({ text, actor, filters, ...page }) {
    const { gitReader, repositories, repositoryAccess, site } = deps;
    const readable = () => readableRepositories(repositoryAccess, actor, filters.repository);
    const { rows, total } = await commitsOf(deps, text, readable, page);
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
