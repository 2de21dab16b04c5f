import { Fragment, type VNode } from 'preact';
import { Ago, Csrf, icon } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { repositoryPathOf, UserLink, defaultStyle, type PageContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

/** Title, number, state, and what changes the title. */
export function Heading({
  deps,
  context,
  state,
  about,
  poster,
}: {
  deps: PageDeps;
  context: PageContext;
  state?: VNode;
  about?: VNode;
  poster: Account | undefined;
}): VNode {
  const { resource, actor } = context;
  const { issue, repository } = resource;
  const repositoryPath = repositoryPathOf(deps.site, repository);
  const mayEdit =
    actor.kind === 'user' && !repository.isArchived && (resource.may('write') || issue.posterId === actor.id);
  const style = defaultStyle(issue);
  return (
    <div class="mb-3 pb-3 border-bottom color-border-muted">
      <div class="d-flex flex-wrap flex-items-start gap-2 mb-2">
        <h2 class="f2 text-normal flex-auto min-width-0 wb-break-word">
          {deps.emojify(issue.title)} <span class="color-fg-muted">#{issue.index}</span>
        </h2>
        {mayEdit ? (
          <details class="issue-title-edit">
            <summary class="btn btn-sm">{t('title.edit')}</summary>
            <form
              method="post"
              action={`${repositoryPath}/issues/${issue.index}/title`}
              class="d-flex flex-wrap gap-2 mt-2"
            >
              <Csrf />
              <input
                class="form-control flex-auto"
                name="title"
                required
                maxLength={255}
                value={issue.title}
                aria-label={t('title.label')}
              />
              <button class="btn" type="submit">
                {t('title.save')}
              </button>
            </form>
          </details>
        ) : null}
        {issue.isPull ? null : (
          <a class="btn btn-primary btn-sm" href={`${repositoryPath}/issues/new/choose`}>
            {t('list.newIssue')}
          </a>
        )}
      </div>
      <div class="d-flex flex-wrap flex-items-center gap-2 color-fg-muted">
        {state ?? (
          <span class={`State ${issue.isClosed ? 'State--merged' : 'State--open'}`}>
            {icon(style.icon)} {style.label}
          </span>
        )}
        {about ?? (
          <Fragment>
            <span>
              {t.rich('heading.opened', {
                name: <UserLink account={poster} originalAuthor={issue.originalAuthor} path={deps.site.path} />,
                when: <Ago time={issue.createdAt} />,
              })}
            </span>
            <span>{t('heading.comments', { count: issue.commentCount })}</span>
          </Fragment>
        )}
        {issue.isLocked ? (
          <span class="Label Label--attention">
            {icon('lock')} {t('heading.locked')}
          </span>
        ) : null}
      </div>
    </div>
  );
}
