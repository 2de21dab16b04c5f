import { systemActor, type Text } from '@mortise/plugin-sdk';
import type {
  ActivityResource,
  ActivityEvent,
  ActivityEventKind,
  ActivityModels,
  ActivityEvents,
} from '@mortise/activity-events/api';
import { pathOf, type Issues } from '@mortise/issues/api';
import type { Organizations } from '@mortise/organizations/api';
import type { Repositories } from '@mortise/repositories/api';
import type { Project, ProjectScope } from '../contract/projects.js';
import type { ProjectCardEvent, ProjectColumnEvent, ProjectEvent } from '../contract/events.js';
import type { ProjectServices } from '../services/services.js';
import { t } from '../texts/index.js';

/** Payloads are written as the site sees things; whoever listens was allowed to. */
const siteActor = systemActor('projects');

type AnyEvent = ProjectEvent | ProjectColumnEvent | ProjectCardEvent;

interface Deps {
  readonly activityEvents: ActivityEvents;
}

function resourceOf(event: AnyEvent, id: number, title: string): ActivityResource {
  const { repositoryId, ownerId } = event;
  return { id, title, ...(repositoryId ? { repositoryId, unit: 'projects' } : { ownerId }) };
}

const record = async (kind: string, event: AnyEvent, resource: ActivityResource, { activityEvents }: Deps) => {
  const { action, actorId, at } = event;
  await activityEvents.record([{ kind, action, resource, actorId, at, data: event }]);
};

export const recordProject = (event: ProjectEvent, deps: Deps): Promise<void> =>
  record('project', event, resourceOf(event, event.projectId, event.title), deps);

export const recordColumn = (event: ProjectColumnEvent, deps: Deps): Promise<void> =>
  record('project_column', event, resourceOf(event, event.columnId, event.title), deps);

export const recordCard = (event: ProjectCardEvent, deps: Deps): Promise<void> =>
  record('project_card', event, resourceOf(event, event.cardId, ''), deps);

interface KindDeps {
  readonly models: ActivityModels;
  readonly issues: Issues;
  readonly repositories: Repositories;
  readonly services: ProjectServices;
  /** Undefined: there are no organizations here. */
  readonly organizations: () => Pick<Organizations, 'byId' | 'toApi'> | undefined;
}

interface Found {
  readonly project: Project;
  readonly scope: ProjectScope;
}

async function boardOf({ projectId }: AnyEvent, { services }: KindDeps): Promise<Found | undefined> {
  const project = await services.reader.byId(projectId);
  const scope = project && (await services.scopes.ofProject(siteActor, project));
  return project && scope && { project, scope };
}

/** What all three kinds end with. */
async function frame({ repositoryId, ownerId, actorId }: AnyEvent, deps: KindDeps) {
  const { models, repositories } = deps;
  const repository = repositoryId ? await repositories.byId(repositoryId) : undefined;
  const owner = repository?.ownerId ?? ownerId;
  const organizations = deps.organizations();
  const organization = owner ? await organizations?.byId(owner) : undefined;
  return {
    ...(repository && { repository: await models.repository(repository) }),
    ...(organization && { organization: organizations!.toApi(organization, siteActor) }),
    sender: await models.user(actorId, owner),
  };
}

const changesOf = (before: Readonly<Record<string, string>> = {}) =>
  Object.keys(before).length
    ? { changes: Object.fromEntries(Object.entries(before).map(([name, from]) => [name, { from }])) }
    : {};

const urlOf = (found: Found | undefined, repositoryUrl: string, { services }: KindDeps): string =>
  found ? services.presenter.htmlUrl(found.project, found.scope) : repositoryUrl;

const labels = (key: 'project' | 'project_column' | 'project_card') => ({
  key,
  label: t.later(`event.${key}`),
  description: t.later(`event.${key}.note`),
  group: t.later('event.group'),
  order: 90,
});

/** A board, as receivers know the event `project` of other hosts. */
export const projectKind = (deps: KindDeps): ActivityEventKind<ProjectEvent> => ({
  ...labels('project'),
  async describe(one: ActivityEvent<ProjectEvent>) {
    const { actor, repositoryUrl } = await deps.models.names(one);
    const { action, title: project } = one.data;
    return {
      title: t.later(`event.project.${action}`, { actor, project }),
      url: urlOf(await boardOf(one.data, deps), repositoryUrl, deps),
      tone: action === 'deleted' ? 'negative' : action === 'created' ? 'positive' : 'neutral',
    };
  },
  async payload({ action, data }) {
    const board = await boardOf(data, deps);
    const record =
      data.record ?? (board && (await deps.services.presenter.project(board.project, board.scope, siteActor)));
    return record && { action, project: record, ...changesOf(data.before), ...(await frame(data, deps)) };
  },
});

/** A column of a board. */
export const columnKind = (deps: KindDeps): ActivityEventKind<ProjectColumnEvent> => ({
  ...labels('project_column'),
  async describe(one: ActivityEvent<ProjectColumnEvent>) {
    const { actor, repositoryUrl } = await deps.models.names(one);
    const board = await boardOf(one.data, deps);
    if (!board) return undefined;
    const { action, title: column } = one.data;
    return {
      title: t.later(`event.column.${action}`, { actor, column, project: board.project.title }),
      url: urlOf(board, repositoryUrl, deps),
      tone: 'neutral',
    };
  },
  async payload({ action, data }) {
    const board = await boardOf(data, deps);
    const column = board && (await deps.services.columns.find(data.projectId, data.columnId));
    const record = data.record ?? (column && (await deps.services.presenter.column(column, board.scope, siteActor)));
    return record && { action, project_column: record, ...changesOf(data.before), ...(await frame(data, deps)) };
  },
});

/** An issue or a pull request on a board. */
export const cardKind = (deps: KindDeps): ActivityEventKind<ProjectCardEvent> => ({
  ...labels('project_card'),
  async describe(one: ActivityEvent<ProjectCardEvent>) {
    const { actor, repositoryUrl } = await deps.models.names(one);
    const { action, issueId, columnId, projectId } = one.data;
    const [board, issue, column] = await Promise.all([
      boardOf(one.data, deps),
      deps.issues.byId(issueId),
      deps.services.columns.find(projectId, columnId),
    ]);
    const repository = issue && (await deps.repositories.byId(issue.repositoryId));
    if (!board || !issue || !repository) return undefined;
    const name = `${repository.ownerName}/${repository.name}#${issue.index}`;
    const names = { actor, issue: name, project: board.project.title };
    const title: Text =
      action === 'moved'
        ? t.later('event.card.moved', { ...names, column: column?.title ?? '' })
        : t.later(`event.card.${action}`, names);
    return { title, url: urlOf(board, repositoryUrl, deps), tone: 'neutral' };
  },
  async payload({ action, data }) {
    const board = await boardOf(data, deps);
    const issue = await deps.issues.byId(data.issueId);
    const repository = issue && (await deps.repositories.byId(issue.repositoryId));
    if (!board || !issue || !repository) return undefined;
    const isElsewhere = action === 'moved' && data.fromColumnId !== data.columnId;
    return {
      action,
      project_card: {
        id: data.cardId,
        project_id: data.projectId,
        project_url: urlOf(board, '', deps),
        column_id: data.columnId,
        issue_id: issue.id,
        content_url: `${deps.repositories.htmlUrl(repository)}/${pathOf(issue)}`,
        issue: (await deps.issues.toApi([issue], siteActor))[0],
      },
      ...(isElsewhere && { changes: { column_id: { from: data.fromColumnId } } }),
      ...(await frame(data, deps)),
    };
  },
});
