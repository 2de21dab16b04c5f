import {
  pageRoute,
  formRoute,
  formText,
  Invalid,
  toId,
  type Flash,
  type FormValues,
  type Route,
  type WebPage,
} from '@mortise/plugin-sdk';
import { viewLayouts } from '../api.js';
import type { ViewChanges } from '../services/views.js';
import { readLayout, savedHref } from './board-layout.js';
import { addressQuery, filterQuery, keptQuery, queryIn, readFilter } from './board-address.js';
import { boardPath, pageRoots, projectPage, type BoardRoute, type PageDeps } from './frame.js';
import { writeProject } from './list-routes.js';
import { SavedViewsPage } from './saved-views.js';
import { t } from '../texts/index.js';

const maxQuery = 2000;

async function viewsPage(deps: PageDeps, context: BoardRoute, query: string, flash?: Flash): Promise<WebPage> {
  const { project, scope } = context.resource;
  return projectPage(deps, context, scope, {
    title: t.later('saved.title'),
    ...(flash && { flash, status: 422 }),
    body: (
      <SavedViewsPage
        path={boardPath(deps.site, context.resource)}
        title={project.title}
        query={query}
        views={await deps.services.views.list(project.id)}
      />
    ),
  });
}

/** The board as an address shows it, without what the board does not have. */
async function changesIn(deps: PageDeps, projectId: number, query: string): Promise<ViewChanges> {
  const parameters = queryIn(query);
  const { view, sort, order, group } = readLayout(parameters, await deps.services.fields.list(projectId));
  return {
    layout: view,
    filter: filterQuery(readFilter(parameters)),
    options: { ...(sort && { sort }), ...(order === 'desc' && { order }), ...(group && { group }) },
  };
}

async function createView(deps: PageDeps, { actor, resource }: BoardRoute, values: FormValues): Promise<string> {
  const { project } = resource;
  const changes = await changesIn(deps, project.id, formText(values, 'query', maxQuery));
  const title = formText(values, 'title', 1000);
  const view = await deps.services.views.create(project.id, { ...changes, title }, actor.id);
  return savedHref(boardPath(deps.site, resource), view);
}

async function changeView(deps: PageDeps, { params, resource }: BoardRoute, values: FormValues): Promise<string> {
  const { views } = deps.services;
  const { project } = resource;
  const path = boardPath(deps.site, resource);
  const { id } = await views.of(project.id, toId((params as { readonly view_id?: string }).view_id));
  const action = formText(values, 'action');
  if (action === 'replace') {
    const changes = await changesIn(deps, project.id, formText(values, 'query', maxQuery));
    return savedHref(path, await views.edit(project.id, id, changes));
  }
  if (action === 'save') {
    const layout = viewLayouts.find((one) => one === formText(values, 'layout'));
    await views.edit(project.id, id, { title: formText(values, 'title', 1000), ...(layout && { layout }) });
  } else if (action === 'up' || action === 'down') await views.shift(project.id, id, action === 'up' ? -1 : 1);
  else if (action === 'default' || action === 'noDefault')
    await views.edit(project.id, id, { isDefault: action === 'default' });
  else if (action === 'delete') await views.delete(project.id, id);
  else throw Invalid(t.later('error.action'));
  return `${path}/views`;
}

/** Saved views of a board by forms. */
export const savedViewRoutes = (deps: PageDeps): Route[] =>
  pageRoots.flatMap((root): Route[] => {
    const again = (context: BoardRoute, values: FormValues, flash: Flash) =>
      viewsPage(deps, context, keptQuery(formText(values, 'query', maxQuery)), flash);
    return [
      pageRoute(`${root}/{id}/views`, writeProject, (context) => viewsPage(deps, context, addressQuery(context.query))),
      formRoute(`${root}/{id}/views`, writeProject, (context, values) => createView(deps, context, values), again),
      formRoute(
        `${root}/{id}/views/{view_id}`,
        writeProject,
        (context, values) => changeView(deps, context, values),
        again,
      ),
    ];
  });
