import { NotFound, type Database, type Events } from '@mortise/plugin-sdk';
import { projectChanged, projectLimits } from '../api.js';
import type { ProjectOwner, NewProject, Project, ProjectTemplate } from '../contract/projects.js';
import type { ProjectEvent } from '../contract/events.js';
import { ProjectRow, toProject } from '../models/project.js';
import { lockProject } from './project-lock.js';
import type { ColumnService } from './columns.js';
import { titleOf } from './titles.js';

export const { title: maxTitle, description: maxDescription } = projectLimits;

type InsertedProject = NewProject & { readonly createdAt?: number };

interface ProjectChanges {
  readonly title?: string;
  readonly description?: string;
  readonly cardType?: Project['cardType'];
  readonly isClosed?: boolean;
}

interface ProjectDeps {
  readonly database: Database;
  readonly events: Events;
  readonly columns: Pick<ColumnService, 'insert'>;
  /** Titles of the columns that boards of a template begin with. */
  readonly templates: Readonly<Record<ProjectTemplate, readonly string[]>>;
}

/** Makes, changes and deletes boards (PRJ-04). Does not check permissions; callers must. */
export class ProjectService {
  constructor(private readonly deps: ProjectDeps) {}

  create(owner: ProjectOwner, given: NewProject, actorId: number): Promise<Project> {
    const { database, columns, templates } = this.deps;
    return database.write(async () => {
      const project = await this.insert(owner, given, actorId);
      await columns.insert(
        project.id,
        templates[project.template].map((one) => ({ title: one })),
        actorId,
      );
      await this.#emit(project, 'created', actorId);
      return project;
    });
  }

  /** In the caller's transaction: a board without columns, of which nobody is told. */
  async insert({ type, owner, repository }: ProjectOwner, given: InsertedProject, actorId: number): Promise<Project> {
    const now = Date.now();
    const row = await this.deps.database.query(ProjectRow).insert({
      type,
      repository_id: repository?.id ?? null,
      owner_id: repository ? 0 : owner.id,
      title: titleOf(given.title, maxTitle),
      description: given.description ?? '',
      creator_id: actorId,
      is_closed: given.isClosed ?? false,
      template: given.template ?? ('none' as const),
      card_type: given.cardType ?? ('text_only' as const),
      revision: 0,
      created_at: given.createdAt ?? now,
      updated_at: now,
      closed_at: given.isClosed ? now : 0,
    });
    return toProject(row);
  }

  edit(id: number, changes: ProjectChanges, actorId: number): Promise<Project> {
    const { database } = this.deps;
    const title = changes.title === undefined ? undefined : titleOf(changes.title, maxTitle);
    return database.write(async () => {
      const before = await lockProject(database, id);
      const isSwitched = changes.isClosed !== undefined && changes.isClosed !== before.isClosed;
      const after: Project = {
        ...before,
        title: title ?? before.title,
        description: changes.description ?? before.description,
        cardType: changes.cardType ?? before.cardType,
        ...(isSwitched && { isClosed: !before.isClosed, closedAt: before.isClosed ? 0 : Date.now() }),
      };
      await database.query(ProjectRow).findById(id).patch({
        title: after.title,
        description: after.description,
        card_type: after.cardType,
        is_closed: after.isClosed,
        closed_at: after.closedAt,
      });
      const was = {
        ...(after.title !== before.title && { title: before.title }),
        ...(after.description !== before.description && { description: before.description }),
      };
      if (Object.keys(was).length || after.cardType !== before.cardType)
        await this.#emit(after, 'edited', actorId, { before: was });
      if (isSwitched) await this.#emit(after, after.isClosed ? 'closed' : 'reopened', actorId);
      return after;
    });
  }

  /** With its columns, cards, fields, rules and views; the issues stay. `record`: as it was, for those who tell of it. */
  delete(id: number, actorId: number, record?: Readonly<Record<string, unknown>>): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      const project = await lockProject(database, id);
      if (!(await database.query(ProjectRow).deleteById(id))) throw NotFound('project');
      await this.#emit(project, 'deleted', actorId, record ? { record } : {});
    });
  }

  /** In the transaction in which an account goes. */
  async deleteOfOwner(ownerId: number): Promise<void> {
    await this.deps.database.query(ProjectRow).delete().where('owner_id', ownerId);
  }

  #emit(
    { id, repositoryId, ownerId, title }: Project,
    action: ProjectEvent['action'],
    actorId: number,
    more: Pick<ProjectEvent, 'before' | 'record'> = {},
  ): Promise<void> {
    const at = Date.now();
    return this.deps.events.emit(projectChanged, {
      projectId: id,
      repositoryId,
      ownerId,
      title,
      action,
      actorId,
      at,
      ...more,
    });
  }
}
