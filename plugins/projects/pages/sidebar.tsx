import type { VNode } from 'preact';
import {
  Csrf,
  Forbidden,
  formId,
  formText,
  Joi,
  NotFound,
  PostButton,
  postRoute,
  reply,
  type Actor,
  type FormValues,
  type Route,
  type Slot,
} from '@mortise/plugin-sdk';
import { issueResource, pathOf, type IssueContext, type IssuePageContext } from '@mortise/issues/api';
import { mustBeActive, repositoryHome } from '@mortise/repositories/api';
import type { Project, ProjectColumn } from '../contract/projects.js';
import type { IssueProject } from '../services/issue-project-reader.js';
import { boardPath, mayWriteAt, type PageDeps } from './frame.js';
import { t } from '../texts/index.js';

/** Boards that the actor may put the issue on. */
async function offered({ services }: PageDeps, { context }: IssueContext, actor: Actor): Promise<Project[]> {
  const scopes = actor.kind === 'user' ? await services.scopes.ofIssues(actor, context) : [];
  return services.reader.openIn(scopes.filter(mayWriteAt));
}

interface BoxProps {
  readonly deps: PageDeps;
  readonly action: string;
  readonly on: readonly IssueProject[];
  readonly columns: ReadonlyMap<number, readonly ProjectColumn[]>;
  readonly free: readonly Project[];
}

const OnBoard = ({ deps, action, one, columns }: BoxProps & { one: IssueProject }): VNode => {
  const { project, scope } = one;
  const mayChange = mayWriteAt(scope) && !project.isClosed;
  return (
    <div class="mb-2">
      <a class="d-block Link--primary wb-break-word" href={boardPath(deps.site, { project, scope })} dir="auto">
        {project.title}
      </a>
      {mayChange ? (
        <>
          <form class="d-flex gap-1 mt-1" method="post" action={action}>
            <Csrf />
            <input type="hidden" name="project" value={project.id} />
            <select
              class="form-select select-sm flex-auto min-width-0"
              name="column"
              aria-label={t('side.columnOf', { title: project.title })}
            >
              {(columns.get(project.id) ?? []).map(({ id, title }) => (
                <option key={id} value={id} selected={id === one.column.id}>
                  {title}
                </option>
              ))}
            </select>
            <button class="btn btn-sm" type="submit" aria-label={t('side.moveIn', { title: project.title })}>
              {t('card.move')}
            </button>
          </form>
          <PostButton
            action={action}
            fields={{ project: project.id, remove: 1 }}
            class="btn-link f6"
            label={t('side.removeFrom', { title: project.title })}
          >
            {t('card.remove')}
          </PostButton>
        </>
      ) : (
        <span class="d-block f6 color-fg-muted" dir="auto">
          {one.column.title}
        </span>
      )}
    </div>
  );
};

const Box = (props: BoxProps): VNode => (
  <section class="issue-side" aria-label={t('list.title')}>
    <h3 class="f6 color-fg-muted mb-1">{t('list.title')}</h3>
    {props.on.map((one) => (
      <OnBoard key={one.project.id} {...props} one={one} />
    ))}
    {props.on.length || props.free.length ? null : <span class="f6 color-fg-muted">{t('side.none')}</span>}
    {props.free.length ? (
      <form class="d-flex gap-1" method="post" action={props.action}>
        <Csrf />
        <select class="form-select select-sm flex-auto min-width-0" name="project" aria-label={t('side.choose')}>
          {props.free.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
        <button class="btn btn-sm" type="submit" aria-label={t('side.add')}>
          {t('add.add')}
        </button>
      </form>
    ) : null}
  </section>
);

/** The boards that an issue or a pull request stands on. */
export const projectsBox = (deps: PageDeps): Slot<IssuePageContext> => ({
  key: 'projects',
  order: 45,
  async render({ context, actor, repositoryPath }) {
    const { boards, columns } = deps.services;
    const { issue } = context;
    const [on, all] = await Promise.all([
      boards.of([issue.id], actor).then((found) => found.get(issue.id) ?? []),
      offered(deps, context, actor),
    ]);
    if (!on.length && !all.length) return null;
    const present = new Set(on.map(({ project }) => project.id));
    return (
      <Box
        deps={deps}
        action={`${repositoryPath}/issues/${issue.index}/projects`}
        on={on}
        columns={actor.kind === 'user' ? await columns.ofProjects([...present]) : new Map()}
        free={all.filter(({ id }) => !present.has(id))}
      />
    );
  },
});

/** The form of the box: on a board, to another column, off the board. */
export const sidebarRoutes = (deps: PageDeps): Route[] => [
  postRoute(
    '/{owner}/{repo}/issues/{index}/projects',
    { actor: 'user', resource: issueResource },
    async ({ actor, resource, payload }) => {
      mustBeActive(resource.context);
      const values = payload as FormValues;
      const { cards, scopes, reader } = deps.services;
      const { issue, repository } = resource;
      const project = await reader.byId(formId(values, 'project'));
      const scope = project && (await scopes.ofProject(actor, project));
      if (!project || !scope?.may('read')) throw NotFound('project');
      if (!mayWriteAt(scope)) throw Forbidden(t.later('error.needsWrite'));
      const by = { actorId: actor.id, visibleTo: { actor, scope } };
      if (formText(values, 'remove')) await cards.remove(project, issue, by);
      else await cards.add(project, issue, formId(values, 'column') || undefined, by);
      return reply.redirect(`${repositoryHome(deps.site, repository)}/${pathOf(issue)}`);
    },
    { payload: Joi.object().unknown() },
  ),
];
