import type { ComponentChildren, VNode } from 'preact';
import {
  Ago,
  Blankslate,
  formatNumber,
  icon,
  lastPage,
  listHref,
  Pager,
  PostButton,
  SearchBox,
} from '@mortise/plugin-sdk';
import type { Project } from '../contract/projects.js';
import type { CardCounts } from '../services/card-reader.js';
import { t } from '../texts/index.js';

export const projectsPerPage = 20;

const shareOf = ({ open, closed }: CardCounts): number =>
  open + closed ? Math.floor((100 * closed) / (open + closed)) : 0;

/** How many of the cards that the visitor sees are closed. */
export const Progress = ({ counts }: { counts: CardCounts }): VNode => (
  <div class="project-progress">
    <div class="Progress mb-1" aria-hidden="true">
      <span class="Progress-item" style={`width:${shareOf(counts)}%`} />
    </div>
    <p class="f6 color-fg-muted mb-0">
      {t('list.progress', {
        percent: shareOf(counts),
        open: formatNumber(counts.open),
        closed: formatNumber(counts.closed),
      })}
    </p>
  </div>
);

interface ActionsProps {
  /** Path of the board. */
  readonly path: string;
  readonly project: Project;
  readonly children?: ComponentChildren;
}

/** Edit, close or reopen, and delete a board. */
export const ProjectActions = ({ path, project, children }: ActionsProps): VNode => (
  <div class="d-flex flex-wrap gap-2">
    {children}
    <a class="btn btn-sm" href={`${path}/edit`} aria-label={t('list.editOf', { title: project.title })}>
      {t('form.edit')}
    </a>
    <PostButton
      action={`${path}/state`}
      fields={{ closed: project.isClosed ? 0 : 1 }}
      label={
        project.isClosed ? t('list.reopenOf', { title: project.title }) : t('list.closeOf', { title: project.title })
      }
    >
      {project.isClosed ? t('form.reopen') : t('form.close')}
    </PostButton>
    <PostButton
      action={`${path}/delete`}
      danger
      label={t('list.deleteOf', { title: project.title })}
      confirm={t('list.deleteConfirm', { title: project.title })}
    >
      {t('form.delete')}
    </PostButton>
  </div>
);

const none: CardCounts = { open: 0, closed: 0 };

interface ListProps {
  /** Path of the list. */
  readonly path: string;
  readonly mayWrite: boolean;
  readonly projects: readonly Project[];
  readonly counts: ReadonlyMap<number, CardCounts>;
  readonly boards: CardCounts;
  readonly state: 'open' | 'closed';
  readonly text: string;
  readonly page: number;
}

export function ProjectList(props: ListProps): VNode {
  const { path, mayWrite, projects, boards, state, text: words, page } = props;
  const stateParameter = state === 'open' ? undefined : state;
  const tab = (of: 'open' | 'closed', count: number, name: string) => (
    <a
      class={`issue-state${state === of ? ' text-bold color-fg-default' : ' Link--muted'}`}
      href={listHref(path, { q: words, state: of === 'open' ? '' : of })}
      aria-current={state === of ? 'true' : undefined}
    >
      {icon(of === 'open' ? 'project' : 'check')} {t('list.state', { count: formatNumber(count), state: name })}
    </a>
  );
  return (
    <div>
      <div class="d-flex flex-wrap gap-2 mb-3">
        <h2 class="f3 flex-auto">{t('list.title')}</h2>
        {mayWrite ? (
          <a class="btn btn-primary" href={`${path}/new`}>
            {t('form.new')}
          </a>
        ) : null}
      </div>
      <SearchBox action={path} value={words} label={t('list.search')} keep={{ state: stateParameter }} />
      <div class="Box">
        <div class="Box-header">
          <div class="d-flex gap-3">
            {tab('open', boards.open, t('state.open'))}
            {tab('closed', boards.closed, t('state.closed'))}
          </div>
        </div>
        {projects.length ? null : <Blankslate plain level={3} icon="project" title={t('list.none')} />}
        <ul class="list-style-none">
          {projects.map((project) => (
            <Row key={project.id} {...props} project={project} />
          ))}
        </ul>
      </div>
      <Pager
        page={page}
        last={lastPage(boards[state], projectsPerPage)}
        href={(to) => listHref(path, { q: words, state: stateParameter, page: to })}
      />
    </div>
  );
}

const Row = ({ path, mayWrite, counts, project }: ListProps & { project: Project }): VNode => (
  <li class="Box-row d-md-flex gap-3">
    <div class="flex-1 min-width-0 mb-2">
      <a class="f4 text-bold Link--primary wb-break-word" href={`${path}/${project.id}`} dir="auto">
        {project.title}
      </a>
      <p class="f6 color-fg-muted mb-0">{t.rich('list.updated', { when: <Ago time={project.updatedAt} /> })}</p>
    </div>
    <div class="flex-1 min-width-0">
      <Progress counts={counts.get(project.id) ?? none} />
      {mayWrite ? (
        <div class="mt-2">
          <ProjectActions path={`${path}/${project.id}`} project={project} />
        </div>
      ) : null}
    </div>
  </li>
);

/** On the page of an account: its boards, without what changes them. */
export const ProjectTab = ({
  path,
  projects,
  counts,
  hasMore,
  mayWrite,
}: Pick<ListProps, 'path' | 'projects' | 'counts' | 'mayWrite'> & { hasMore: boolean }): VNode => (
  <div>
    <div class="d-flex flex-wrap gap-2 mb-3">
      <h2 class="f3 flex-auto">{t('list.title')}</h2>
      {mayWrite ? (
        <a class="btn btn-primary" href={`${path}/new`}>
          {t('form.new')}
        </a>
      ) : null}
    </div>
    {projects.length ? (
      <ul class="list-style-none Box mb-2">
        {projects.map((project) => (
          <li class="Box-row" key={project.id}>
            <a class="text-bold Link--primary wb-break-word" href={`${path}/${project.id}`} dir="auto">
              {project.title}
            </a>
            <Progress counts={counts.get(project.id) ?? none} />
          </li>
        ))}
      </ul>
    ) : (
      <Blankslate level={3} icon="project" title={t('list.none')} />
    )}
    <a href={path}>{hasMore ? t('list.all') : t('list.open')}</a>
  </div>
);
