import {
  formRoute,
  formText,
  Invalid,
  pageRoute,
  postRoute,
  reply,
  type Flash,
  type FormValues,
  type Route,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { ProfileTab } from '@mortise/accounts/api';
import {
  cardTypes,
  projectScopeResource,
  projectResource,
  projectTemplates,
  type NewProject,
  type Project,
} from '../contract/projects.js';
import { maxDescription } from '../services/project-service.js';
import {
  boardPath,
  listPath,
  mayWriteAt,
  pageRoots,
  projectPage,
  type BoardRoute,
  type PageDeps,
  type PageRoot,
  type ScopeRoute,
} from './frame.js';
import { ProjectForm } from './form.js';
import { ProjectList, projectsPerPage, ProjectTab } from './list.js';
import { t } from '../texts/index.js';

const readPlace = { actor: 'anyone', resource: projectScopeResource } as const;
const writePlace = { actor: 'user', resource: projectScopeResource, mode: 'write' } as const;
export const readProject = { actor: 'anyone', resource: projectResource } as const;
export const writeProject = { actor: 'user', resource: projectResource, mode: 'write' } as const;

/** One value of the address. */
export const queryText = (query: unknown, name: string, max = 255): string => {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value.trim().slice(0, max) : '';
};

/** One of these that a form names; Invalid for something else. */
function choiceOf<T extends string>(values: FormValues, field: string, choices: readonly T[], otherwise: T): T {
  const value = formText(values, field) || otherwise;
  const choice = choices.find((one) => one === value);
  if (!choice) throw Invalid(t.later('error.oneOf', { field, values: choices.join(', ') }));
  return choice;
}

const inputOf = (values: FormValues): NewProject & { readonly description: string } => ({
  title: formText(values, 'title', 1000),
  description: formText(values, 'description', maxDescription).replaceAll('\r\n', '\n'),
  cardType: choiceOf(values, 'card_type', cardTypes, 'text_only'),
});

async function listPage(deps: PageDeps, context: ScopeRoute): Promise<WebPage> {
  const { reader, cardReader } = deps.services;
  const { actor, resource: scope } = context;
  const text = queryText(context.query, 'q');
  const state = queryText(context.query, 'state') === 'closed' ? 'closed' : 'open';
  const { page } = context.page;
  const [{ items }, boards] = await Promise.all([
    reader.list(scope, {
      isClosed: state === 'closed',
      ...(text && { text: text }),
      limit: projectsPerPage,
      offset: (page - 1) * projectsPerPage,
    }),
    reader.counts(scope, text),
  ]);
  const counts = await cardReader.counts(
    items.map(({ id }) => id),
    { actor, scope },
  );
  const mayWrite = actor.kind === 'user' && mayWriteAt(scope);
  return projectPage(deps, context, scope, {
    title: t.later('list.title'),
    islands: ['issues-style', 'projects-style'],
    body: (
      <ProjectList
        path={listPath(deps.site, scope)}
        mayWrite={mayWrite}
        projects={items}
        counts={counts}
        boards={boards}
        state={state}
        text={text}
        page={page}
      />
    ),
  });
}

const newPage = (deps: PageDeps, context: ScopeRoute, sent?: FormValues, flash?: Flash): WebPage =>
  projectPage(deps, context, context.resource, {
    title: t.later('form.new'),
    ...(flash && { flash, status: 422 }),
    body: (
      <ProjectForm
        action={`${listPath(deps.site, context.resource)}/new`}
        back={listPath(deps.site, context.resource)}
        templates={deps.services.deps.templates}
        {...(sent && { sent })}
      />
    ),
  });

const editPage = (deps: PageDeps, context: BoardRoute, sent?: FormValues, flash?: Flash): WebPage => {
  const { project, scope } = context.resource;
  const path = boardPath(deps.site, context.resource);
  return projectPage(deps, context, scope, {
    title: t.later('form.editTitle'),
    ...(flash && { flash, status: 422 }),
    body: (
      <ProjectForm
        action={`${path}/edit`}
        back={path}
        project={project}
        templates={deps.services.deps.templates}
        {...(sent && { sent })}
      />
    ),
  });
};

const rootRoutes = (deps: PageDeps, root: PageRoot): Route[] => {
  const { projects, presenter } = deps.services;
  return [
    pageRoute(root, readPlace, (context) => listPage(deps, context)),
    pageRoute(`${root}/new`, writePlace, (context) => newPage(deps, context)),
    formRoute(
      `${root}/new`,
      writePlace,
      async ({ actor, resource }, values) => {
        const template = choiceOf(values, 'template', projectTemplates, 'none');
        const project = await projects.create(resource, { ...inputOf(values), template }, actor.id);
        return boardPath(deps.site, { project, scope: resource });
      },
      (context, values, flash) => newPage(deps, context, values, flash),
    ),
    pageRoute(`${root}/{id}/edit`, writeProject, (context) => editPage(deps, context)),
    formRoute(
      `${root}/{id}/edit`,
      writeProject,
      async ({ actor, resource }, values) => {
        await projects.edit(resource.project.id, inputOf(values), actor.id);
        return boardPath(deps.site, resource);
      },
      (context, values, flash) => editPage(deps, context, values, flash),
    ),
    postRoute(`${root}/{id}/state`, writeProject, async ({ actor, resource, payload }) => {
      const isClosed = formText(payload as FormValues, 'closed') === '1';
      await projects.edit(resource.project.id, { isClosed }, actor.id);
      return reply.redirect(boardPath(deps.site, resource));
    }),
    postRoute(`${root}/{id}/delete`, writeProject, async ({ actor, resource: { project, scope } }) => {
      const record = await presenter.project(project, scope, actor);
      await projects.delete(project.id, actor.id, { ...record });
      return reply.redirect(listPath(deps.site, scope));
    }),
  ];
};

/** Lists of boards, and the forms that make, change, close and delete them. */
export const projectListRoutes = (deps: PageDeps): Route[] => pageRoots.flatMap((root) => rootRoutes(deps, root));

/** Boards on the page of their account. */
export const projectTab = (deps: PageDeps): ProfileTab => ({
  key: 'projects',
  label: t.later('list.title'),
  icon: 'project',
  order: 55,
  async render({ account, actor }) {
    const { scopes, reader, cardReader } = deps.services;
    const scope = await scopes.ofAccount(actor, account);
    const path = listPath(deps.site, scope);
    const none: readonly Project[] = [];
    const { items, total } = scope.may('read')
      ? await reader.list(scope, { isClosed: false, limit: projectsPerPage, offset: 0 })
      : { items: none, total: 0 };
    const counts = await cardReader.counts(
      items.map(({ id }) => id),
      { actor, scope },
    );
    const mayWrite = actor.kind === 'user' && scope.may('write');
    return (
      <ProjectTab path={path} projects={items} counts={counts} hasMore={total > items.length} mayWrite={mayWrite} />
    );
  },
});
