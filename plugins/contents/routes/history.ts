import {
  BadRequest,
  Conflict,
  Invalid,
  Joi,
  NotFound,
  defineRoute,
  reply,
  type Actor,
  type MemoryCache,
  type Route,
} from '@mortise/plugin-sdk';
import { isOid, type GitRepository } from '@mortise/git/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import { base, commitOf, commitParts, list, object, readCode, tags, type ContentServices } from './shared.js';

const wholeTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function timeOf(text: string | undefined, name: string): number | undefined {
  if (!text) return undefined;
  // A query turns the "+" of a zone into a blank.
  const time = text.replace(' ', '+');
  if (!wholeTime.test(time) || Number.isNaN(Date.parse(time))) throw Invalid(`${name} is no date-time`);
  return Date.parse(time);
}

/** Commits and comparisons (CNT-07 to CNT-17). */
export function historyRoutes(services: ContentServices & { answers: MemoryCache<unknown> }): Route[] {
  const { git: reader, commits, repositories, repositoryAccess, accounts, answers } = services;

  const single = async (
    { actor, subject, query }: { actor: Actor; subject: RepositoryContext; query: Record<string, boolean> },
    name: string,
  ) => {
    const git = reader.open(subject.repository.id);
    const commit = await git.commit(await commitOf(git, name));
    return (await commits.commits(subject.repository, [commit], actor, query))[0];
  };
  const raw = async (subject: RepositoryContext, sha: string, format: 'diff' | 'patch') => {
    const git = reader.open(subject.repository.id);
    const oid = await commitOf(git, sha);
    const commit = await git.commit(oid);
    return reply.bytes(git.patch(commit.parents[0], oid, { format, binary: true }), 'text/plain; charset=utf-8');
  };

  return [
    defineRoute({
      method: 'GET',
      path: `${base}/commits`,
      id: 'repoGetAllCommits',
      tags,
      summary: 'Commits',
      access: readCode,
      request: {
        query: Joi.object({
          sha: Joi.string().allow(''),
          path: Joi.string().allow(''),
          not: Joi.string().allow(''),
          since: Joi.string().allow(''),
          until: Joi.string().allow(''),
          ...commitParts,
        }),
      },
      answers: { 200: list('Commit'), 409: null },
      async handler({ actor, subject, query, page }) {
        const { repository } = subject;
        const git = reader.open(repository.id);
        if (await git.isEmpty()) throw Conflict('the repository is empty');
        const since = timeOf(query.since, 'since');
        const until = timeOf(query.until, 'until');
        const from = await commitOf(git, query.sha || repository.defaultBranch);
        const not = query.not
          ? await Promise.all((query.not as string).split(',').map((name) => commitOf(git, name)))
          : [];
        if (
          query.path &&
          !query.not &&
          since === undefined &&
          until === undefined &&
          !(await git.lastCommit(from, query.path))
        )
          throw NotFound('path');
        const limit = page.limit;
        const log = await git.log({
          from: [from],
          not,
          path: query.path || undefined,
          since,
          until,
          offset: page.offset,
          limit,
        });
        return reply.list(await commits.commits(repository, log.commits, actor, query), log.total, true);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/commits/{ref*}`,
      id: 'repoGetSingleCommitByRef',
      tags,
      summary: 'One commit by reference (CNT-08)',
      access: readCode,
      request: { query: Joi.object(commitParts) },
      answers: { 200: object('Commit') },
      handler: (context) => single(context, context.params.ref),
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/git/commits/{sha}`,
      id: 'repoGetSingleCommit',
      tags,
      summary: 'One commit (CNT-07)',
      access: readCode,
      request: { query: Joi.object(commitParts) },
      answers: { 200: object('Commit') },
      handler(context) {
        const [, sha, format] = /^(.+)\.(diff|patch)$/.exec(context.params.sha) ?? [];
        if (sha && isOid(sha)) return raw(context.subject, sha, format as 'diff' | 'patch');
        return single(context, context.params.sha);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/compare/{basehead*}`,
      id: 'repoCompareDiff',
      tags,
      summary: 'Compare two points (CNT-09, CNT-10)',
      access: readCode,
      request: { query: Joi.object({ output: Joi.string().allow(''), ...commitParts }) },
      answers: { 200: object('Compare') },
      async handler({ actor, subject, params, query }) {
        const { repository } = subject;
        const git = reader.open(repository.id);
        const [, left, dots, right] = /^(.*?)(\.\.\.?)(.*)$/.exec(params.basehead) ?? [
          undefined,
          repository.defaultBranch,
          '...',
          params.basehead as string,
        ];
        const here = await side(git, left || repository.defaultBranch);
        const fork = await headRepository(subject, actor, right ?? '');
        const there = await side(fork.git, fork.ref || repository.defaultBranch);
        if (fork.git !== git) await services.store.fetchObjects(fork.git.id, repository.id, [there]);
        const start = dots === '..' ? here : ((await git.mergeBase(here, there)) ?? here);
        if (query.output === 'diff')
          return reply.bytes(git.patch(start, there, { format: 'diff' }), 'text/plain; charset=utf-8');
        if (query.output === 'patch')
          return reply.bytes(git.patch(start, there, { format: 'patch' }), 'text/plain; charset=utf-8');
        const key = `compare:${repository.id}:${repository.ownerName}/${repository.name}:${here}:${there}:${JSON.stringify(query)}:${actor.id}`;
        const log = await git.log({ from: [there], not: [here], limit: 1000 });
        const found = () => commits.commits(repository, log.commits, actor, query);
        // Author records come from the database; a short life keeps them honest.
        const records = await answers.load(key, found, { ttl: 10_000, size: (value) => JSON.stringify(value).length });
        return { total_commits: log.total, commits: records };
      },
    }),
  ];

  async function side(git: GitRepository, text: string): Promise<string> {
    if (/\^\{|@\{/.test(text)) throw BadRequest(`${text} is not understood`);
    const [, name = '', suffix = ''] = /^(.*?)((?:\^\d*|~\d*)*)$/.exec(text) ?? [];
    const found = await git.resolve(name);
    const stepped = found && suffix ? await git.resolve(`${found.commit}${suffix}`) : found;
    if (!stepped) throw NotFound(`reference ${text} does not exist`);
    return stepped.commit;
  }

  /** `ref`, `owner:ref` or `owner/name:ref`; only repositories that are related and that the actor may read (TOK-18). */
  async function headRepository(
    { repository }: RepositoryContext,
    actor: Actor,
    text: string,
  ): Promise<{ git: GitRepository; ref: string }> {
    const [, who, ref] = /^([^:]+):(.*)$/.exec(text) ?? [];
    if (!who) return { git: reader.open(repository.id), ref: text };
    const [owner = '', name] = who.split('/');
    if (owner.toLowerCase() === repository.ownerName.toLowerCase() && !name)
      return { git: reader.open(repository.id), ref: ref! };
    const account = await accounts.byName(owner);
    if (!account) throw NotFound('user');
    const root = repository.forkOfId || repository.id;
    const candidates = name
      ? [await repositories.byPath(owner, name)]
      : (await repositories.search({ ownerId: account.id, exclusive: true, limit: 50, offset: 0 }, actor)).items;
    const fork = candidates.find(
      (one) =>
        one &&
        (one.id === root || one.forkOfId === root || one.id === repository.forkOfId || one.forkOfId === repository.id),
    );
    if (!fork) throw name ? NotFound('repository') : BadRequest(`${owner} has no fork of this repository`);
    await repositoryAccess.open({ actor, owner: fork.ownerName, name: fork.name, unit: 'code' });
    return { git: reader.open(fork.id), ref: ref! };
  }
}
