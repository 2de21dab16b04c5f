import {
  Conflict,
  Joi,
  NotFound,
  PreparedJson,
  defineRoute,
  reply,
  timeOf,
  estimatedSize,
  type Actor,
  type MemoryCache,
  type Route,
} from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { CommitModels } from '../contract/commits.js';
import type { Comparisons } from '../contract/comparisons.js';
import { started } from '../contract/corrupt-object.js';
import { cleanPath, commitAt, commitOf } from '../contract/revisions.js';
import { commitParts, readCode, refOption, repositoryApi as base, repositoryTags as tags } from '../contract/routes.js';
import { commitSchema, listOf } from '../contract/schemas.js';
import { compareSchema } from './schemas.js';
import { t } from '../texts/index.js';

/** Of the text and of the records that it was made of. */
const preparedWeight = (kept: unknown) =>
  estimatedSize((kept as PreparedJson).value) + 2 * (kept as PreparedJson).text.length;

/** A query turns the `+` of a zone into a blank. */
const queryTime = (text: string | undefined, field: string) => timeOf(text?.replace(' ', '+'), field);

interface HistoryServices {
  readonly git: GitReader;
  readonly commits: CommitModels;
  readonly comparisons: Comparisons;
  readonly responses: MemoryCache<unknown>;
  /** Bound of the commit list (LIM-10). */
  readonly maxCommits: number;
}

interface RepoCompareDiffQuery {
  readonly output?: 'diff' | 'patch';
  readonly stat: boolean;
  readonly files: boolean;
  readonly verification: boolean;
}

interface RepoDownloadCommitDiffOrPatchQuery {
  readonly stat: boolean;
  readonly files: boolean;
  readonly verification: boolean;
}

interface RepoGetSingleCommitQuery {
  readonly stat: boolean;
  readonly files: boolean;
  readonly verification: boolean;
}

interface RepoGetSingleCommitByRefQuery {
  readonly stat: boolean;
  readonly files: boolean;
  readonly verification: boolean;
}

interface RepoGetAllCommitsQuery {
  readonly sha?: string;
  readonly path?: string;
  readonly not?: string;
  readonly since?: string;
  readonly until?: string;
  readonly stat: boolean;
  readonly files: boolean;
  readonly verification: boolean;
}

/** What these routes share. */
function commitContext(services: HistoryServices) {
  const { git: reader, commits, comparisons, responses, maxCommits } = services;
  const single = async (
    { actor, resource, query }: { actor: Actor; resource: RepositoryContext; query: Record<string, boolean> },
    name: string,
  ) => {
    const git = reader.open(resource.repository.id);
    const commit = await git.commit(await commitOf(git, name));
    return (await commits.commits(resource.repository, [commit], actor, query))[0];
  };
  const raw = async (resource: RepositoryContext, sha: string, format: 'diff' | 'patch') => {
    const git = reader.open(resource.repository.id);
    const oid = await commitAt(git, sha);
    const commit = await git.commit(oid);
    return reply.bytes(
      await started(git.patch(commit.parents[0], oid, { format, binary: format === 'patch' })),
      'text/plain; charset=utf-8',
    );
  };
  return { reader, maxCommits, commits, single, raw, comparisons, responses };
}

type CommitRouteContext = ReturnType<typeof commitContext>;

const repoGetAllCommits = ({ reader, maxCommits, commits }: CommitRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/commits`,
    id: 'repoGetAllCommits',
    tags,
    summary: 'Commits',
    access: readCode,
    request: {
      query: Joi.object<RepoGetAllCommitsQuery>({
        sha: refOption(),
        path: Joi.string().allow('').description('Only commits that changed this file or folder'),
        not: Joi.string().allow('').description('References whose commits are left out, separated by commas'),
        since: Joi.string().allow('').description('Only commits after this date-time (RFC 3339)'),
        until: Joi.string().allow('').description('Only commits before this date-time (RFC 3339)'),
        ...commitParts,
      }),
    },
    responses: { 200: listOf(commitSchema, 'Commit'), 409: null },
    async handler({ actor, resource, query, page }) {
      const { repository } = resource;
      const git = reader.open(repository.id);
      const since = queryTime(query.since, 'since');
      const until = queryTime(query.until, 'until');
      if (await git.isEmpty()) throw Conflict(t.later('error.empty'));
      const from = await commitAt(git, query.sha || repository.defaultBranch);
      const not = query.not
        ? await Promise.all((query.not as string).split(',').map((name) => commitAt(git, name)))
        : [];
      const path = query.path ? cleanPath(query.path) : '';
      if (path && !query.not && since === undefined && until === undefined && !(await git.lastCommit(from, path)))
        throw NotFound('path');
      const limit = Math.min(page.limit, maxCommits);
      const log = await git.log({
        from: [from],
        not,
        path: path || undefined,
        since,
        until,
        offset: (page.page - 1) * limit,
        limit,
      });
      const answer = reply.list(await commits.commits(repository, log.commits, actor, query), log.total, true);
      answer.limit = limit;
      return answer;
    },
  });

const repoGetSingleCommitByRef = ({ single }: CommitRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/commits/{ref*}`,
    id: 'repoGetSingleCommitByRef',
    tags,
    summary: 'One commit by reference (CNT-08)',
    access: readCode,
    request: { query: Joi.object<RepoGetSingleCommitByRefQuery>(commitParts) },
    responses: { 200: commitSchema },
    handler: (context) => single(context, context.params.ref ?? ''),
  });

const repoGetSingleCommit = ({ single }: CommitRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/git/commits/{sha}`,
    id: 'repoGetSingleCommit',
    tags,
    summary: 'One commit (CNT-07)',
    access: readCode,
    request: { query: Joi.object<RepoGetSingleCommitQuery>(commitParts) },
    responses: { 200: commitSchema },
    handler: (context) => single(context, context.params.sha),
  });

const repoDownloadCommitDiffOrPatch = ({ raw, single }: CommitRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/git/commits/{sha}.{diffType}`,
    id: 'repoDownloadCommitDiffOrPatch',
    tags,
    summary: 'The difference of one commit as text',
    access: readCode,
    request: { query: Joi.object<RepoDownloadCommitDiffOrPatchQuery>(commitParts) },
    responses: { 200: Joi.any().description('text/plain; a Commit where the name itself holds a point') },
    handler(context) {
      const { sha, diffType } = context.params;
      if (diffType === 'diff' || diffType === 'patch') return raw(context.resource, sha, diffType);
      return single(context, `${sha}.${diffType}`);
    },
  });

const repoCompareDiff = ({ comparisons, commits, responses }: CommitRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/compare/{basehead*}`,
    id: 'repoCompareDiff',
    tags,
    summary: 'Compare two points (CNT-09, CNT-10)',
    access: readCode,
    request: {
      query: Joi.object<RepoCompareDiffQuery>({
        output: Joi.string().valid('diff', 'patch').empty('').description('The difference as text instead'),
        ...commitParts,
      }),
    },
    responses: { 200: compareSchema, 400: null },
    async handler({ actor, resource, params, query }) {
      const { repository } = resource;
      const { base: from, head, start, git } = await comparisons.compare(resource, actor, params.basehead ?? '');
      const [here, there] = [from.commit, head.commit];
      if (query.output === 'diff' || query.output === 'patch')
        return reply
          .bytes(
            await started(git.patch(start, there, { format: query.output, binary: true })),
            'text/plain; charset=utf-8',
          )
          .header('x-content-type-options', 'nosniff');
      const key = `compare:${repository.id}:${repository.ownerName}/${repository.name}:${here}:${there}:${JSON.stringify(query)}:${actor.id}`;
      const found = async () => {
        const log = await git.log({ from: [there], not: [here], limit: 1000 });
        const records = await commits.commits(repository, log.commits, actor, query, git);
        return new PreparedJson({ total_commits: log.total, commits: records });
      };
      // Author records come from the database; a short life keeps them honest.
      return responses.load(key, found, { ttl: 10_000, size: preparedWeight });
    },
  });

/** Commits and comparisons (CNT-07 to CNT-17). */
export function commitRoutes(services: HistoryServices): Route[] {
  const context = commitContext(services);
  return [
    repoGetAllCommits(context),
    repoGetSingleCommitByRef(context),
    repoGetSingleCommit(context),
    repoDownloadCommitDiffOrPatch(context),
    repoCompareDiff(context),
  ];
}
