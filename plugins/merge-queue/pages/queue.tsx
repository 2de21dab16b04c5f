import type { VNode } from 'preact';
import {
  Ago,
  NotFound,
  PostButton,
  pageRoute,
  formRoute,
  formText,
  icon,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import type { Issues } from '@mortise/issues/api';
import { pullResource, type PullContext, type PullPages } from '@mortise/pulls/api';
import {
  repositoryHome,
  repositoryPageContext,
  repositoryResource,
  type RepositoryContext,
  type RepositoryPages,
} from '@mortise/repositories/api';
import { showEntries, type Shown } from '../routes/merge-queue.js';
import type { QueueService } from '../services/queue-service.js';
import type { QueueRunner } from '../services/queue-runner.js';
import { t } from '../texts/index.js';

interface QueuePageDeps {
  readonly accounts: Accounts;
  readonly gitReader: GitReader;
  readonly issues: Issues;
  readonly pages: RepositoryPages;
  readonly pullPages: PullPages;
  readonly site: Site;
  readonly queue: QueueService;
  readonly runner: QueueRunner;
}

export const branchPath = (branch: string): string => branch.split('/').map(encodeURIComponent).join('/');

const stateLabels = {
  waiting: ['clock', 'color-fg-muted'],
  testing: ['dot-fill', 'color-fg-attention'],
  passed: ['check', 'color-fg-success'],
  failed: ['x', 'color-fg-danger'],
} as const;

interface ListProps {
  readonly branch: string;
  readonly home: string;
  readonly shown: readonly Shown[];
  readonly users: ReadonlyMap<number, Account>;
  /** May take it out. */
  readonly mayRemove: (one: Shown) => boolean;
}

const QueueList = ({ branch, home, shown, users, mayRemove }: ListProps): VNode => (
  <div>
    <h2 class="f2 text-normal mb-2 wb-break-word">
      {t.rich('page.title', {
        branch: (
          <a class="text-mono" href={`${home}/src/branch/${branchPath(branch)}`}>
            {branch}
          </a>
        ),
      })}
    </h2>
    <p class="color-fg-muted">{t('page.note')}</p>
    {shown.length ? (
      <ol class="Box list-style-none">
        {shown.map((one) => (
          <li class="Box-row d-flex flex-wrap flex-items-center gap-2">
            <span class="color-fg-muted text-mono">{one.position}</span>
            <span class={stateLabels[one.state][1]}>{icon(stateLabels[one.state][0])}</span>
            <div class="flex-auto min-width-0">
              <a class="Link--primary text-bold wb-break-word" href={`${home}/pulls/${one.issue.index}`}>
                {one.issue.title}
              </a>{' '}
              <span class="color-fg-muted">#{one.issue.index}</span>
              <p class="mb-0 f6 color-fg-muted">
                {t(`state.${one.state}`)}
                {' · '}
                {t.rich('page.by', {
                  name: <strong>{users.get(one.entry.userId)?.name ?? t('page.gone')}</strong>,
                  when: <Ago time={one.entry.createdAt} />,
                })}
                {one.entry.mergeGroup ? (
                  <>
                    {' · '}
                    <a class="text-mono" href={`${home}/commit/${one.entry.mergeGroup.oid}`}>
                      {one.entry.mergeGroup.oid.slice(0, 10)}
                    </a>
                  </>
                ) : null}
              </p>
            </div>
            {mayRemove(one) ? (
              <PostButton
                action={`${home}/pulls/${one.issue.index}/merge-queue/remove`}
                fields={{ to: 'queue' }}
                label={t('page.removeOne', { index: String(one.issue.index) })}
              >
                {t('box.remove')}
              </PostButton>
            ) : null}
          </li>
        ))}
      </ol>
    ) : (
      <div class="blankslate Box">
        <p class="mb-0">{t('page.empty')}</p>
      </div>
    )}
  </div>
);

/** The queue of a branch, and the buttons of the merge box. */
export function queuePages(deps: QueuePageDeps): Route[] {
  const { accounts, gitReader, pages, queue, site } = deps;

  const show = async (context: RouteContext<RepositoryContext>, branch: string) => {
    const { resource, actor } = context;
    const { repository } = resource;
    if (!resource.may('read', 'code')) throw NotFound('repository');
    const entries = await queue.list(repository.id, branch);
    const isThere = entries.length > 0 || (await gitReader.open(repository.id).branch(branch)) !== undefined;
    if (!isThere) throw NotFound('branch');
    const shown = await showEntries(deps, entries);
    const users = await accounts.byIds(entries.map(({ userId }) => userId));
    const mayWrite = actor.kind === 'user' && !repository.isArchived && resource.may('write', 'code');
    return pages.page(repositoryPageContext(context), 'pulls', {
      title: t.later('page.head', { branch }),
      body: (
        <QueueList
          branch={branch}
          home={repositoryHome(site, repository)}
          shown={shown}
          users={users}
          mayRemove={({ entry }) => mayWrite || (actor.kind === 'user' && entry.userId === actor.id)}
        />
      ),
    });
  };

  const access = { actor: 'user', resource: pullResource } as const;
  const base = '/{owner}/{repo}/pulls/{index}/merge-queue' as const;
  const own = ({ resource }: RouteContext<PullContext>) => `${deps.pullPages.path(resource)}#merge-box`;
  return [
    pageRoute(
      '/{owner}/{repo}/queue/{branch*}',
      { actor: 'anyone', resource: repositoryResource, unit: 'pulls' },
      (context) => show(context, context.params.branch ?? ''),
    ),
    formRoute(
      `${base}/remove`,
      access,
      async (context, values) => {
        const { resource, actor } = context;
        await queue.remove(resource, actor);
        return formText(values, 'to') === 'queue'
          ? `${repositoryHome(site, resource.repository)}/queue/${branchPath(resource.pull.baseBranch)}`
          : own(context);
      },
      (context, _values, flash) => deps.pullPages.conversation(context, flash),
    ),
  ];
}
