import {
  pageRoute,
  formRoute,
  formText,
  Invalid,
  type Flash,
  type FormValues,
  type Route,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { ColumnChanges } from '../services/columns.js';
import { columnIdIn } from './board-routes.js';
import { ColumnsPage } from './column-page.js';
import { boardPath, pageRoots, projectPage, type BoardRoute, type PageDeps } from './frame.js';
import { writeProject } from './list-routes.js';
import { t } from '../texts/index.js';

const maxLimit = 10_000;

const inputOf = (values: FormValues): ColumnChanges & { readonly title: string } => {
  const cardLimit = Number(formText(values, 'limit', 10) || 0);
  if (!Number.isInteger(cardLimit) || cardLimit < 0 || cardLimit > maxLimit)
    throw Invalid(t.later('error.limit', { max: maxLimit }), {
      inputs: { limit: t.later('error.limit', { max: maxLimit }) },
    });
  return { title: formText(values, 'title', 1000), color: formText(values, 'color', 20), cardLimit };
};

async function columnsPage(deps: PageDeps, context: BoardRoute, flash?: Flash): Promise<WebPage> {
  const { project, scope } = context.resource;
  return projectPage(deps, context, scope, {
    title: t.later('board.columns'),
    ...(flash && { flash, status: 422 }),
    body: (
      <ColumnsPage
        path={boardPath(deps.site, context.resource)}
        title={project.title}
        columns={await deps.services.columns.list(project.id)}
      />
    ),
  });
}

/** One position to the left or to the right. */
async function shift({ services }: PageDeps, projectId: number, columnId: number, by: -1 | 1, actorId: number) {
  const ids = (await services.columns.list(projectId)).map(({ id }) => id);
  const index = ids.indexOf(columnId);
  const other = ids[index + by];
  if (index < 0 || other === undefined) return;
  ids[index + by] = columnId;
  ids[index] = other;
  await services.columns.reorder(projectId, ids, actorId);
}

async function change(deps: PageDeps, context: BoardRoute, values: FormValues): Promise<void> {
  const { columns, presenter } = deps.services;
  const { actor, resource } = context;
  const { project, scope } = resource;
  const column = await columns.of(project.id, columnIdIn(context));
  const action = formText(values, 'action');
  if (action === 'save') await columns.edit(project.id, column.id, inputOf(values), actor.id);
  else if (action === 'left' || action === 'right')
    await shift(deps, project.id, column.id, action === 'left' ? -1 : 1, actor.id);
  else if (action === 'default') await columns.makeDefault(project.id, column.id, actor.id);
  else if (action === 'delete') {
    const record = await presenter.column(column, scope, actor);
    await columns.delete(project.id, column.id, actor.id, { ...record });
  } else throw Invalid(t.later('error.action'));
}

/** Columns of a board by forms. */
export const columnPageRoutes = (deps: PageDeps): Route[] =>
  pageRoots.flatMap((root): Route[] => {
    const done = ({ resource }: BoardRoute) => `${boardPath(deps.site, resource)}/columns`;
    const again = (context: BoardRoute, _values: FormValues, flash: Flash) => columnsPage(deps, context, flash);
    return [
      pageRoute(`${root}/{id}/columns`, writeProject, (context) => columnsPage(deps, context)),
      formRoute(
        `${root}/{id}/columns`,
        writeProject,
        async (context, values) => {
          await deps.services.columns.create(context.resource.project.id, inputOf(values), context.actor.id);
          return done(context);
        },
        again,
      ),
      formRoute(
        `${root}/{id}/columns/{column_id}`,
        writeProject,
        async (context, values) => {
          await change(deps, context, values);
          return done(context);
        },
        again,
      ),
    ];
  });
