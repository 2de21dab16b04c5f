import type { VNode } from 'preact';
import { CopyButton, Csrf, formatNumber, Tabs, type Flash, type WebPage } from '@mortise/plugin-sdk';
import { conversationIslands } from '@mortise/issues/api';
import { markupIslands } from '@mortise/markup/api';
import type { PullRequest } from '../api.js';
import type { PullPageOptions } from '../contract/pages.js';
import {
  branchHref,
  headLocation,
  pageContextOf,
  pathOf,
  repositoryContextOf,
  StateBadge,
  type HeadLocation,
  type PageDeps,
  type PullRoute,
} from './page-context.js';
import { t } from '../texts/index.js';

interface AboutProps {
  readonly pull: PullRequest;
  readonly repositoryPath: string;
  readonly head: Omit<HeadLocation, 'label'> & { readonly label: () => string };
  readonly isBaseGone: boolean;
  readonly poster: VNode;
  /** Where the form for another base is sent; undefined: the reader may not choose one. */
  readonly baseAction: string | undefined;
}

const Branch = ({ name, href }: { name: string; href: string | undefined }): VNode => (
  <span class="pull-branch">
    {href ? (
      <a class="text-mono f6" href={href}>
        {name}
      </a>
    ) : (
      <span class="text-mono f6">{name}</span>
    )}
    <CopyButton text={name.replace(/^[^:]*:/, '')} label={t('head.copy', { name })} plain />
  </span>
);

/** Who wants to merge what into what; who may change the base finds the field for it here. */
function About({ pull, repositoryPath, head, isBaseGone, poster, baseAction }: AboutProps): VNode {
  const places = {
    name: poster,
    count: pull.commitCount,
    base: <Branch name={pull.baseBranch} href={isBaseGone ? undefined : branchHref(repositoryPath, pull.baseBranch)} />,
    head: <Branch name={head.label()} href={head.href} />,
  };
  return (
    <div class="flex-auto min-width-0 wb-break-word">
      {pull.isMerged ? t.rich('about.merged', places) : t.rich('about.wants', places)}
      {isBaseGone ? <p class="f6 mb-0">{t('about.baseGone', { base: pull.baseBranch })}</p> : null}
      {baseAction ? (
        <details class="mt-1">
          <summary class="btn-link f6">{t('about.retarget')}</summary>
          <form method="post" action={baseAction} class="d-flex flex-wrap flex-items-center gap-2 mt-1">
            <Csrf />
            <input
              class="form-control input-sm text-mono"
              name="base"
              required
              maxLength={255}
              value={pull.baseBranch}
              aria-label={t('about.base')}
              spellcheck={false}
            />
            <button class="btn btn-sm" type="submit">
              {t('about.retargetDo')}
            </button>
          </form>
        </details>
      ) : null}
    </div>
  );
}

/** A page of a pull request: header and tabs around a body. */
export async function pullPage(
  deps: PageDeps,
  context: PullRoute,
  tab: string,
  options: PullPageOptions,
): Promise<WebPage> {
  const { issuePages, accounts, pages, site, markup } = deps;
  const { resource, actor } = context;
  const { pull, issue, repository } = resource;
  const { repositoryPath } = pageContextOf(deps, context);
  const own = pathOf(deps, repository, pull.index);
  const [head, base, poster, ...counts] = await Promise.all([
    headOf(deps, context),
    deps.git.open(repository.id).branch(pull.baseBranch),
    accounts.byId(issue.posterId),
    ...deps.counters.list().map((counter) => counter.count(issue.id)),
  ]);
  const contributions = counts.reduce((sum, count) => sum + count, issue.commentCount);
  const mayEdit =
    actor.kind === 'user' &&
    !repository.isArchived &&
    pull.isOpen &&
    (resource.may('write') || issue.posterId === actor.id);
  const heading = await issuePages.heading(context, {
    state: <StateBadge pull={pull} />,
    about: (
      <About
        pull={pull}
        repositoryPath={repositoryPath}
        head={head}
        isBaseGone={!base}
        poster={<Poster name={poster?.name} href={poster && site.path(`/${poster.name}`)} />}
        baseAction={mayEdit ? `${own}/base` : undefined}
      />
    ),
  });
  const hasCode = resource.context.may('read', 'code');
  const { flash } = options;
  return pages.page(repositoryContextOf(context), 'pulls', {
    title: options.title ?? `${markup.emojify(issue.title)} · #${issue.index}`,
    islands: [
      ...new Set([
        ...conversationIslands,
        'pulls-style',
        ...deps.diffExtensions.list().flatMap((one) => one.islands ?? []),
        ...(options.islands ?? []),
      ]),
    ],
    ...(flash && { flash, status: flash.kind === 'error' ? 422 : 200 }),
    body: (
      <div>
        {heading}
        <PullTabs own={own} tab={tab} pull={pull} comments={contributions} hasCode={hasCode} />
        {options.body}
      </div>
    ),
  });
}

async function headOf(deps: PageDeps, { resource, actor }: PullRoute): Promise<AboutProps['head']> {
  const { label, ...head } = await headLocation(deps, resource, actor);
  return { ...head, label: () => label || t('head.gone') };
}

const Poster = ({ name, href }: { name: string | undefined; href: string | undefined }): VNode =>
  name && href ? (
    <a class="text-bold Link--primary" href={href}>
      {name}
    </a>
  ) : (
    <span class="text-bold">{t('person.gone')}</span>
  );

interface TabsProps {
  readonly own: string;
  readonly tab: string;
  readonly pull: PullRequest;
  readonly comments: number;
  readonly hasCode: boolean;
}

const PullTabs = ({ own, tab, pull, comments, hasCode }: TabsProps): VNode => (
  <Tabs
    label={t('tabs.label')}
    active={tab}
    entries={[
      {
        key: 'conversation',
        label: t('tabs.conversation'),
        href: own,
        icon: 'comment-discussion',
        count: formatNumber(comments),
      },
      ...(hasCode
        ? [
            {
              key: 'commits',
              label: t('tabs.commits'),
              href: `${own}/commits`,
              icon: 'git-commit',
              count: formatNumber(pull.commitCount),
            },
            { key: 'checks', label: t('tabs.checks'), href: `${own}/checks`, icon: 'checklist' },
            {
              key: 'files',
              label: t('tabs.files'),
              href: `${own}/files`,
              icon: 'file-diff',
              count: formatNumber(pull.changedFiles),
            },
          ]
        : []),
    ]}
  />
);

/** The conversation with the merge box, which stands at its end. */
export const conversationPage = async (deps: PageDeps, context: PullRoute, flash?: Flash): Promise<WebPage> =>
  pullPage(deps, context, 'conversation', {
    body: await deps.issuePages.conversation(context),
    islands: markupIslands,
    ...(flash && { flash }),
  });
