import type { VNode } from 'preact';
import { Joi, NotFound, Problem, pageRoute, reply, webPage, type Route } from '@mortise/plugin-sdk';
import { CodeBody } from '../contract/code-body.js';
import type { Comparison } from '../contract/comparisons.js';
import { started } from '../contract/corrupt-object.js';
import { diffIslands, diffQuery, type DiffQuery } from '../contract/diffs.js';
import {
  encodePath,
  repositoryPathOf,
  pageAccess,
  pageContextOf,
  viewOf,
  type CodePageContext,
} from '../contract/pages.js';
import { t } from '../texts/index.js';
import { CompareForm, Compared, Refused } from './compare-parts.js';
import type { PageDeps } from './page-deps.js';

const maxCommits = 100;
interface Side {
  readonly base: string;
  readonly head: string;
  readonly dots: string;
}

interface CompareQuery {
  readonly base?: string;
  readonly head?: string;
  readonly dots: '..' | '...';
}

/** What these routes share. */
function compareContext(services: PageDeps) {
  const { git: reader, pages, diffs, views, comparisons, compareActions } = services;
  const diffOf = async (context: CodePageContext, found: Comparison, repositoryPath: string) => {
    const { head, start, git } = found;
    const piece = await diffs.read(git, start, head.commit, context.query as DiffQuery);
    const view = {
      before: { repositoryPath, commit: start },
      // what only the fork has is shown at its own place
      after: {
        repositoryPath: services.site.path(`/${head.repository.ownerName}/${head.repository.name}`),
        commit: head.commit,
      },
      viewer: context,
    };
    return { piece, body: () => diffs.render(piece, view) };
  };
  const show = async (context: CodePageContext, text: string) => {
    const { resource } = context;
    const { repository } = resource;
    const git = reader.open(repository.id);
    const repositoryPath = repositoryPathOf(services.site, context);
    if (await git.isEmpty()) throw NotFound(t.later('error.empty'));
    let comparison: Comparison | undefined;
    let problem: Problem | undefined;
    try {
      comparison = text ? await comparisons.compare(resource, context.actor, text) : undefined;
    } catch (error) {
      if (!Problem.is(error)) throw error;
      problem = error;
    }
    const title = text ? t.later('compare.titleOf', { text }) : t.later('compare.title');
    if (comparison && (context.query as DiffQuery).piece)
      return webPage({ title, fragment: true, body: await (await diffOf(context, comparison, repositoryPath)).body() });
    const [, left = '', dots = '...', right = ''] = /^(.*?)(\.\.\.?)(.*)$/.exec(text) ?? [];
    const side: Side = { base: left || repository.defaultBranch, head: right, dots };
    const result = comparison ? await resultOf(context, comparison, repositoryPath, text) : null;
    return pages.page(pageContextOf(context), 'code', {
      title,
      status: problem?.status,
      islands: [...diffIslands, 'shortcuts', 'filter'],
      body: (
        <CodeBody find={`${repositoryPath}/find/branch/${encodePath(repository.defaultBranch)}`}>
          <CompareForm repositoryPath={repositoryPath} {...side} />
          {problem ? <Refused text={problem.text} /> : null}
          {result}
        </CodeBody>
      ),
    });
  };
  const resultOf = async (
    context: CodePageContext,
    found: Comparison,
    repositoryPath: string,
    text: string,
  ): Promise<VNode> => {
    const { base, head, mergeBase, git } = found;
    const [log, { piece, body }, behind] = await Promise.all([
      git.log({ from: [head.commit], not: [base.commit], limit: maxCommits }),
      diffOf(context, found, repositoryPath),
      git.count(base.commit, [head.commit]),
    ]);
    const actions = await Promise.all(
      compareActions.list().map((slot) =>
        slot.render({
          ...pageContextOf(context),
          base: { name: base.name, commit: base.commit },
          head: { name: head.name, commit: head.commit, repositoryId: head.repository.id },
          mergeBase,
          commitCount: log.total,
        }),
      ),
    );
    const own = viewOf(services, context, { kind: 'commit', name: head.commit, commit: head.commit });
    const there = services.site.path(`/${head.repository.ownerName}/${head.repository.name}`);
    const isSame = log.total === 0 && piece.total === 0;
    return (
      <Compared
        address={`${repositoryPath}/compare/${encodePath(text)}`}
        total={log.total}
        listed={log.commits.length}
        behind={behind}
        isRelated={mergeBase !== undefined}
        actions={actions.filter((one): one is VNode => Boolean(one))}
        commits={isSame ? null : await views.list({ ...own, git, repositoryPath: there }, log.commits)}
        isOpen={log.total <= 30 && piece.from === 0 && piece.query.file === undefined}
        diff={isSame ? null : await body()}
      />
    );
  };
  return { show, services, reader, comparisons };
}

type ComparePageContext = ReturnType<typeof compareContext>;

const comparePage = ({ show, services }: ComparePageContext) =>
  pageRoute(
    '/{owner}/{repo}/compare',
    pageAccess,
    (context) => {
      const { base = '', head = '', dots } = context.query;
      if (!base && !head) return show(context as CodePageContext, '');
      return reply.redirect(
        `${repositoryPathOf(services.site, context)}/compare/${encodePath(`${base}${dots}${head}`)}`,
      );
    },
    {
      query: Joi.object<CompareQuery>({
        base: Joi.string().allow('').max(1000),
        head: Joi.string().allow('').max(1000),
        dots: Joi.string().valid('..', '...').default('...'),
      }).unknown(),
    },
  );

const comparisonRoute = ({ services, reader, show, comparisons }: ComparePageContext) =>
  pageRoute(
    '/{owner}/{repo}/compare/{rest*}',
    pageAccess,
    async (context) => {
      const [, text = '', format] = /^(.*?)(?:\.(diff|patch))?$/s.exec(context.params.rest ?? '') ?? [];
      // Webhooks compare what is new with nothing.
      const fresh = /^0{40,64}\.\.\.?([0-9a-f]{40,64})$/.exec(text)?.[1];
      if (fresh && !format) return reply.redirect(`${repositoryPathOf(services.site, context)}/commit/${fresh}`);
      const git = reader.open(context.resource.repository.id);
      // A branch may itself be called `fix.diff`.
      if (!format || (await git.branch((context.params.rest ?? '').replace(/^.*?\.\.\.?/, ''))))
        return show(context as CodePageContext, context.params.rest ?? '');
      const { start, head, git: both } = await comparisons.compare(context.resource, context.actor, text);
      return reply
        .bytes(
          await started(both.patch(start, head.commit, { format: format as 'diff' | 'patch', binary: true })),
          'text/plain; charset=utf-8',
        )
        .header('x-content-type-options', 'nosniff');
    },
    { query: diffQuery },
  );

/** Comparison of two points, also across forks: commits and diff, with pickers for both sides. */
export function comparePages(services: PageDeps): Route[] {
  const context = compareContext(services);
  return [comparePage(context), comparisonRoute(context)];
}
