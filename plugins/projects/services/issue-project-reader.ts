import { apiTime, type Actor, type Cache, type Database, type QueryCache } from '@mortise/plugin-sdk';
import type { Issue, IssueModelFields } from '@mortise/issues/api';
import type { Project, ProjectScope } from '../contract/projects.js';
import { ProjectRow, toProject } from '../models/project.js';
import { showsBoards, type ProjectScopes } from './project-scopes.js';

/** One board that an issue stands on, and where. */
export interface IssueProject {
  readonly project: Project;
  readonly scope: ProjectScope;
  readonly column: { readonly id: number; readonly title: string };
  readonly isArchived: boolean;
}

type Joined = ProjectRow & {
  card_issue_id: number;
  card_is_archived: unknown;
  column_id: number;
  column_title: string;
};

/** Boards that issues stand on, as far as a person may see these boards. */
export class IssueProjectReader {
  readonly #rows: QueryCache<readonly Joined[]>;

  constructor(
    private readonly deps: { readonly cache: Cache; readonly database: Database; readonly scopes: ProjectScopes },
  ) {
    this.#rows = deps.cache.query('projects.of-issues');
  }

  /** By the id of the issue, in the order of the boards; one batch of queries however many. */
  async of(issueIds: readonly number[], actor: Actor): Promise<Map<number, IssueProject[]>> {
    const found = new Map<number, IssueProject[]>();
    if (!issueIds.length) return found;
    const rows = await this.#rows.load(issueIds.join(), () => this.#rowsOf(issueIds));
    if (!rows.length) return found;
    const projects = new Map(rows.map((row) => [row.id, toProject(row)]));
    const scopes = await this.deps.scopes.ofProjects(actor, [...projects.values()]);
    for (const row of rows) {
      const scope = scopes.get(row.id);
      if (!scope || !showsBoards(actor, scope)) continue;
      const boards = found.get(row.card_issue_id) ?? [];
      boards.push({
        project: projects.get(row.id)!,
        scope,
        column: { id: row.column_id, title: row.column_title },
        isArchived: Boolean(row.card_is_archived),
      });
      found.set(row.card_issue_id, boards);
    }
    return found;
  }

  async #rowsOf(issueIds: readonly number[]): Promise<Joined[]> {
    return (await this.deps.database
      .query(ProjectRow)
      .join('project_card', 'project_card.project_id', 'project.id')
      .join('project_column', 'project_column.id', 'project_card.column_id')
      .select(
        'project.*',
        'project_card.issue_id as card_issue_id',
        'project_card.is_archived as card_is_archived',
        'project_column.id as column_id',
        'project_column.title as column_title',
      )
      .whereIn('project_card.issue_id', [...issueIds])
      .orderBy('project.id')) as unknown as Joined[];
  }
}

/**
 * The field `projects` of the model `Issue`: the boards that it stands on, with its column. What the site writes itself
 * (payloads of webhooks) goes to whoever administers the repository, who need not see the boards of its owner.
 */
export const projectsField = ({ boards }: { readonly boards: IssueProjectReader }): IssueModelFields => ({
  key: 'projects',
  async fields(issues: readonly Issue[], actor: Actor) {
    const found = await boards.of(
      issues.map(({ id }) => id),
      actor,
    );
    const isShown = ({ project }: IssueProject) => actor.kind !== 'system' || project.repositoryId > 0;
    return new Map(
      [...found].map(([issueId, on]) => [
        issueId,
        {
          projects: on.filter(isShown).map(({ project, column, isArchived }) => ({
            id: project.id,
            title: project.title,
            description: project.description,
            owner_id: project.ownerId,
            repo_id: project.repositoryId,
            creator_id: project.creatorId,
            is_closed: project.isClosed,
            created_at: apiTime(project.createdAt),
            updated_at: apiTime(project.updatedAt),
            closed_at: project.closedAt ? apiTime(project.closedAt) : null,
            column,
            is_archived: isArchived,
          })),
        },
      ]),
    );
  },
});
