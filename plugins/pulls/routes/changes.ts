import type { Readable } from 'node:stream';
import { Joi, NotFound, defineRoute, queryFlag, reply, type Route } from '@mortise/plugin-sdk';
import type { FileChange, IgnoredWhitespace } from '@mortise/git/api';
import { commitParts, commitSchema, encodePath, listOf, started, type CommitModels } from '@mortise/history/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { PullContext } from '../api.js';
import type { PullRange } from '../contract/pulls.js';
import { listChanges } from '../services/difference.js';
import type { PullServices } from '../services/services.js';
import { pullPath, readPull, tags } from './route-options.js';

const whitespace: Readonly<Record<string, IgnoredWhitespace>> = {
  'ignore-all': 'all',
  'ignore-change': 'change',
  'ignore-eol': 'eol',
};

interface FilesQuery {
  readonly 'skip-to'?: string;
  readonly whitespace?: string;
}
const filesQuery = Joi.object<FilesQuery>({
  'skip-to': Joi.string().allow('').max(4096).description('Path of the first file to give'),
  whitespace: Joi.string()
    .valid('ignore-all', 'ignore-change', 'ignore-eol', 'show-all')
    .allow('')
    .description('Changes of white space that do not count'),
});
interface CommitsQuery {
  readonly verification: boolean;
  readonly files: boolean;
}
const commitsQuery = Joi.object<CommitsQuery>({ verification: commitParts.verification, files: commitParts.files });

const changedFile = Joi.object({
  filename: Joi.string().required(),
  previous_filename: Joi.string(),
  status: Joi.string().valid('added', 'changed', 'deleted', 'renamed', 'copied').required(),
  additions: Joi.number().integer().required(),
  deletions: Joi.number().integer().required(),
  changes: Joi.number().integer().required(),
  html_url: Joi.string().required(),
  contents_url: Joi.string().required(),
  raw_url: Joi.string().required(),
}).label('ChangedFile');

/** The lines of these files alone are counted. */
async function withCounts(
  { git, start, head }: PullRange,
  changes: readonly FileChange[],
  ignoreWhitespace: IgnoredWhitespace | undefined,
): Promise<readonly FileChange[]> {
  if (changes.length === 0) return [];
  const paths = changes.flatMap(({ path, oldPath }) => (oldPath ? [oldPath, path] : [path]));
  const counted = await git.changes(start, head, { paths, ...(ignoreWhitespace && { ignoreWhitespace }) });
  const byPath = new Map(counted.map((change) => [change.path, change]));
  return changes.map((change) => byPath.get(change.path) ?? change);
}

const statusOf = ({ status }: FileChange) => (status === 'modified' || status === 'typechange' ? 'changed' : status);

interface ChangeRouteDeps {
  readonly commits: CommitModels;

  readonly repositories: Repositories;
  readonly services: PullServices;
}

/** What a pull request changes (PUL-05 to PUL-07). */
export function changeRoutes({ commits, repositories, services }: ChangeRouteDeps): Route[] {
  const { ranges } = services;
  const fileModel = (repository: Repository, head: string, change: FileChange) => {
    const [page, path] = [repositories.htmlUrl(repository), encodePath(change.path)];
    return {
      filename: change.path,
      ...(change.oldPath && { previous_filename: change.oldPath }),
      status: statusOf(change),
      additions: change.additions,
      deletions: change.deletions,
      changes: change.additions + change.deletions,
      html_url: `${page}/src/commit/${head}/${path}`,
      contents_url: `${repositories.apiUrl(repository)}/contents/${path}?ref=${head}`,
      raw_url: `${page}/raw/commit/${head}/${path}`,
    };
  };
  const text = async (resource: PullContext, format: 'diff' | 'patch', binary: boolean) => {
    const range = await ranges.of(resource.pull);
    const stream: Readable = range.git.patch(range.start, range.head, { format, binary: binary || format === 'patch' });
    return reply.bytes(await started(stream), 'text/plain; charset=utf-8').header('x-content-type-options', 'nosniff');
  };

  return [
    defineRoute({
      method: 'GET',
      path: `${pullPath}/files`,
      id: 'repoGetPullRequestFiles',
      tags,
      summary: 'Changed files; `X-Total-Count` counts all of them (PUL-05, PUL-06)',
      access: readPull,
      request: { query: filesQuery },
      responses: { 200: Joi.array().items(changedFile).label('ChangedFileList'), 404: null },
      async handler({ resource, query, page }) {
        const range = await ranges.of(resource.pull);
        const ignored = whitespace[query.whitespace ?? ''];
        const { changes: all, isCounted } = await listChanges(range.git, range.start, range.head);
        const skipped = query['skip-to']
          ? Math.max(
              0,
              all.findIndex((one) => one.path === query['skip-to']),
            )
          : 0;
        const from = skipped + page.offset;
        const listed = all.slice(from, from + page.limit);
        const found = isCounted && !ignored ? listed : await withCounts(range, listed, ignored);
        return reply.list(
          found.map((change) => fileModel(resource.repository, range.head, change)),
          all.length,
          true,
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${pullPath}/commits`,
      id: 'repoGetPullRequestCommits',
      tags,
      summary: 'Commits, newest first (PUL-07)',
      access: readPull,
      request: { query: commitsQuery },
      responses: { 200: listOf(commitSchema, 'Commit'), 404: null },
      async handler({ actor, resource, query, page }) {
        const range = await ranges.of(resource.pull);
        const log = await range.git.log({
          from: [range.head],
          not: range.base ? [range.base] : [],
          offset: page.offset,
          limit: page.limit,
        });
        const models = await commits.commits(resource.repository, log.commits, actor, { ...query, stat: true });
        return reply.list(models, log.total, true);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${pullPath}.{diffType}`,
      id: 'repoDownloadPullDiffOrPatch',
      tags,
      summary: 'What it changes as a diff, or as one mail for each commit',
      access: readPull,
      request: { query: Joi.object<{ readonly binary: boolean }>({ binary: queryFlag().default(false) }) },
      responses: { 200: Joi.any().description('text/plain'), 404: null },
      async handler({ resource, params, query }) {
        if (params.diffType !== 'diff' && params.diffType !== 'patch') throw NotFound('page');
        return text(resource, params.diffType, query.binary);
      },
    }),
    ...(['diff', 'patch'] as const).map((format) =>
      defineRoute({
        method: 'GET',
        path: `/{owner}/{repo}/pulls/{index}.${format}`,
        surface: 'protocol',
        access: { ...readPull, expensive: true },
        handler: ({ resource }) => text(resource, format, false),
      }),
    ),
  ];
}
