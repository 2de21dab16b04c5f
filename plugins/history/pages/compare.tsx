import { Joi, NotFound, Problem, defineRoute, icon, reply, type Route } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { Comparison } from '../contract/comparisons.js';
import { started } from '../contract/damage.js';
import { diffQuery, type DiffQuery } from '../contract/diffs.js';
import { encodePath, homeOf, pageAccess, placeOf, viewOf, type CodePageContext } from '../contract/pages.js';
import type { PageServices } from './services.js';

const mostCommits = 250;
const mostOffered = 300;

/** Comparison of two points, also across forks: commits and difference, with pickers. */
export function comparePages(services: PageServices): Route[] {
  const { git: reader, pages, diffs, views, comparisons, compareActions, repositories } = services;

  /** Names that the pickers offer: branches and tags here, and branches of forks that the actor may see. */
  const offered = async ({ repository }: RepositoryContext, context: CodePageContext) => {
    const git = reader.open(repository.id);
    const own = [...(await git.branches()), ...(await git.tags())].map((ref) => ref.name);
    const forks = await repositories.search({ forkOf: repository.id, limit: 10, offset: 0 }, context.actor);
    const parent = repository.forkOfId ? await repositories.byId(repository.forkOfId) : undefined;
    const related = parent ? [parent, ...forks.items] : forks.items;
    const names = await Promise.all(
      related.map(async (fork) =>
        (await reader.open(fork.id).branches()).slice(0, 30).map((ref) => `${fork.ownerName}/${fork.name}:${ref.name}`),
      ),
    );
    return { own: own.slice(0, mostOffered), heads: [...own, ...names.flat()].slice(0, mostOffered * 2) };
  };

  const show = async (context: CodePageContext, text: string) => {
    const { subject } = context;
    const git = reader.open(subject.repository.id);
    const home = homeOf(services.site, context);
    if (await git.isEmpty()) throw NotFound('the repository is empty');
    let found: Comparison | undefined;
    let problem: Problem | undefined;
    try {
      found = text ? await comparisons.compare(subject, context.actor, text) : undefined;
    } catch (error) {
      if (!Problem.is(error)) throw error;
      problem = error;
    }
    const names = await offered(subject, context);
    const [, left = '', dots = '...', right = ''] = /^(.*?)(\.\.\.?)(.*)$/.exec(text) ?? [];
    const picker = (
      <form
        method="get"
        action={`${home}/compare`}
        class="Box p-3 mb-3 d-flex flex-wrap flex-items-center"
        style="gap: 8px"
      >
        {icon('git-compare')}
        <label class="d-flex flex-items-center" style="gap: 8px">
          base
          <input
            class="form-control input-sm text-normal"
            name="base"
            list="compare-base"
            required
            value={left || subject.repository.defaultBranch}
          />
        </label>
        <select class="form-select select-sm" name="dots" aria-label="How to compare">
          <option value="..." selected={dots === '...'}>
            since both parted
          </option>
          <option value=".." selected={dots === '..'}>
            directly
          </option>
        </select>
        <label class="d-flex flex-items-center" style="gap: 8px">
          with
          <input
            class="form-control input-sm text-normal"
            name="head"
            list="compare-head"
            required
            value={right}
            data-focus
          />
        </label>
        <datalist id="compare-base">
          {names.own.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <datalist id="compare-head">
          {names.heads.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <button class="btn btn-sm" type="submit">
          Compare
        </button>
      </form>
    );
    return pages.page(placeOf(context), 'code', {
      title: text ? `Compare ${text}` : 'Compare',
      status: problem?.status,
      islands: ['highlight', 'lines', 'copy', 'shortcuts'],
      body: (
        <div data-find={`${home}/find/branch/${encodePath(subject.repository.defaultBranch)}`}>
          <h2 class="f3 mb-3">Compare</h2>
          {picker}
          {problem ? <p class="flash flash-error">{problem.message}</p> : null}
          {found ? await result(context, found, home, text) : null}
        </div>
      ),
    });
  };

  const result = async (context: CodePageContext, found: Comparison, home: string, text: string) => {
    const { base, head, start, mergeBase, git } = found;
    const query = { ...(context.query as DiffQuery), page: context.page.page };
    const [log, data, behind] = await Promise.all([
      git.log({ from: [head.commit], not: [base.commit], limit: mostCommits }),
      diffs.read(git, start, head.commit, query),
      git.count(base.commit, [head.commit]),
    ]);
    const acts = await Promise.all(
      compareActions.list().map((slot) =>
        slot.render({
          ...placeOf(context),
          base: { name: base.name, commit: base.commit },
          head: { name: head.name, commit: head.commit, repositoryId: head.repository.id },
          mergeBase,
          commitCount: log.total,
        }),
      ),
    );
    // what only the fork has is shown at its own place
    const there = services.site.path(`/${head.repository.ownerName}/${head.repository.name}`);
    const own = viewOf(services, context, { kind: 'commit', name: head.commit, commit: head.commit });
    const view = { ...own, git, home: there };
    const side = { home, commit: start };
    if (log.total === 0 && data.changes.length === 0)
      return <p class="blankslate">{icon('git-compare', { size: 24 })} There is nothing that only the second has.</p>;
    return (
      <div>
        <div class="d-flex flex-wrap flex-items-center mb-3" style="gap: 12px">
          <span>
            <strong>{log.total}</strong> {log.total === 1 ? 'commit' : 'commits'} ahead, <strong>{behind}</strong>{' '}
            behind
          </span>
          <span class="flex-auto" />
          {acts}
          <a href={`${home}/compare/${encodePath(text)}.diff`}>.diff</a>
          <a href={`${home}/compare/${encodePath(text)}.patch`}>.patch</a>
        </div>
        {mergeBase ? null : <p class="flash flash-warn">The two have no history in common.</p>}
        <details class="mb-3" open={log.total <= 30}>
          <summary class="btn btn-sm mb-2">Commits</summary>
          {await views.list(view, log.commits)}
          {log.total > log.commits.length ? (
            <p class="color-fg-muted mt-2">{log.total - log.commits.length} more commits are not listed.</p>
          ) : null}
        </details>
        {await diffs.render(data, { before: side, after: { home: there, commit: head.commit } }, { viewer: context })}
      </div>
    );
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/compare',
      surface: 'page',
      access: pageAccess,
      request: {
        query: Joi.object({
          base: Joi.string().allow('').max(1000),
          head: Joi.string().allow('').max(1000),
          dots: Joi.string().valid('..', '...').default('...'),
        }).unknown(),
      },
      handler(context) {
        const { base = '', head = '', dots } = context.query;
        if (!base && !head) return show(context, '');
        return reply.redirect(`${homeOf(services.site, context)}/compare/${encodePath(`${base}${dots}${head}`)}`);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/compare/{rest*}',
      surface: 'page',
      access: pageAccess,
      request: { query: diffQuery },
      async handler(context) {
        const [, text = '', format] = /^(.*?)(?:\.(diff|patch))?$/s.exec(context.params.rest ?? '') ?? [];
        // Webhooks compare what is new with nothing.
        const fresh = /^0{40,64}\.\.\.?([0-9a-f]{40,64})$/.exec(text)?.[1];
        if (fresh && !format) return reply.redirect(`${homeOf(services.site, context)}/commit/${fresh}`);
        const git = reader.open(context.subject.repository.id);
        // A branch may itself be called `fix.diff`.
        if (!format || (await git.branch((context.params.rest ?? '').replace(/^.*?\.\.\.?/, ''))))
          return show(context, context.params.rest ?? '');
        const { start, head, git: both } = await comparisons.compare(context.subject, context.actor, text);
        return reply
          .bytes(
            await started(both.patch(start, head.commit, { format: format as 'diff' | 'patch', binary: true })),
            'text/plain; charset=utf-8',
          )
          .header('x-content-type-options', 'nosniff');
      },
    }),
  ];
}
