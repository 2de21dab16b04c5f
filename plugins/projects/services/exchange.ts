import type { Actor, Database } from '@mortise/plugin-sdk';
import type { Issues } from '@mortise/issues/api';
import type { ImportedProject, Project, ProjectPlace, Projects } from '../api.js';
import { CardRow } from '../models/card.js';
import { ProjectRow, toProject } from '../models/project.js';
import type { ColumnService } from './columns.js';
import { positionGap } from './positions.js';
import type { ProjectReader } from './project-reader.js';
import type { ProjectService } from './project-service.js';

/** Cards that one statement inserts. */
const perStatement = 100;

/** Boards as other sites and dumps tell of them. */
export class ProjectExchange implements Projects {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly issues: Pick<Issues, 'byIds'>;
      readonly reader: ProjectReader;
      readonly columns: ColumnService;
      readonly projects: ProjectService;
    },
  ) {}

  byId(id: number): Promise<Project | undefined> {
    return this.deps.reader.byId(id);
  }

  import(
    place: Pick<ProjectPlace, 'type' | 'owner' | 'repository'>,
    { columns: given, ...project }: ImportedProject,
    { id: actorId }: Pick<Actor, 'id'>,
  ): Promise<Project> {
    const { database, columns, projects } = this.deps;
    return database.write(async () => {
      const made = await projects.create(place, project, actorId);
      const inserted = await columns.insert(
        made.id,
        given.map(({ title, color, isDefault }) => ({
          title,
          ...(color && { color }),
          ...(isDefault && { isDefault }),
        })),
        actorId,
      );
      const seen = new Set<number>();
      for (const [index, column] of inserted.entries()) {
        const fresh = given[index]!.issueIds.filter((id) => !seen.has(id) && seen.add(id));
        await this.#insertCards(made, column.id, fresh, actorId);
      }
      return made;
    });
  }

  async export(repositoryId: number): Promise<readonly (ImportedProject & { readonly id: number })[]> {
    const { database, columns } = this.deps;
    const rows = await database.query(ProjectRow).where('repository_id', repositoryId).orderBy('id');
    const projectIds = rows.map(({ id }) => id);
    const byProject = await columns.ofProjects(projectIds);
    const cards = projectIds.length
      ? await database
          .query(CardRow)
          .whereIn('project_id', projectIds)
          .where('is_archived', false)
          .orderBy('position')
          .orderBy('id')
      : [];
    const issueIds = new Map<number, number[]>();
    for (const { column_id: columnId, issue_id: issueId } of cards)
      (issueIds.get(columnId) ?? issueIds.set(columnId, []).get(columnId)!).push(issueId);
    return rows.map(toProject).map(({ id, title, description, cardType, isClosed, createdAt }) => ({
      id,
      title,
      description,
      cardType,
      isClosed,
      createdAt,
      columns: (byProject.get(id) ?? []).map((column) => ({
        title: column.title,
        color: column.color,
        isDefault: column.isDefault,
        issueIds: issueIds.get(column.id) ?? [],
      })),
    }));
  }

  /** Without issues of other repositories than the board is of. */
  async #insertCards(project: Project, columnId: number, ids: readonly number[], actorId: number): Promise<void> {
    const { database, issues } = this.deps;
    const found = await issues.byIds(ids);
    const own = ids.filter((id) => {
      const issue = found.get(id);
      return issue && (!project.repositoryId || issue.repositoryId === project.repositoryId);
    });
    const now = Date.now();
    const rows = own.map((id, index) => ({
      project_id: project.id,
      column_id: columnId,
      issue_id: id,
      creator_id: actorId,
      is_archived: false,
      position: (index + 1) * positionGap,
      created_at: now,
      updated_at: now,
    }));
    for (let first = 0; first < rows.length; first += perStatement)
      await database
        .knex()('project_card')
        .insert(rows.slice(first, first + perStatement));
  }
}
