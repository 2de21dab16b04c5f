import { apiTime, type Actor, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import type { ApiProject, ApiProjectColumn } from '../contract/models.js';
import type { Project, ProjectColumn, ProjectScope } from '../contract/projects.js';
import type { CardCounts, CardReader } from './card-reader.js';

const none: CardCounts = { open: 0, closed: 0 };

/** Makes the models of boards and columns, and addresses. */
export class ProjectPresenter {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly site: Site;
      readonly cards: CardReader;
    },
  ) {}

  /** Path of the page of a board, below the root of the site. */
  path({ id }: Pick<Project, 'id'>, { owner, repository }: Pick<ProjectScope, 'owner' | 'repository'>): string {
    return repository
      ? `/${repository.ownerName}/${repository.name}/projects/${id}`
      : `/${owner.name}/-/projects/${id}`;
  }

  htmlUrl(project: Pick<Project, 'id'>, scope: Pick<ProjectScope, 'owner' | 'repository'>): string {
    return this.deps.site.url(this.path(project, scope));
  }

  /** Of one repository or account, in the same order; counts are those of the actor. */
  async projects(projects: readonly Project[], scope: ProjectScope, actor: Actor): Promise<ApiProject[]> {
    const [counts, creatorOf] = await Promise.all([
      this.deps.cards.counts(
        projects.map(({ id }) => id),
        { actor, scope },
      ),
      this.#users(projects, actor),
    ]);
    return projects.map((project) => {
      const { open, closed } = counts.get(project.id) ?? none;
      return {
        id: project.id,
        title: project.title,
        description: project.description,
        owner_id: project.ownerId,
        repo_id: project.repositoryId,
        creator: creatorOf(project.creatorId),
        state: project.isClosed ? 'closed' : 'open',
        template_type: project.template,
        card_type: project.cardType,
        type: project.type,
        num_open_issues: open,
        num_closed_issues: closed,
        num_issues: open + closed,
        created_at: apiTime(project.createdAt),
        updated_at: apiTime(project.updatedAt),
        closed_at: project.closedAt ? apiTime(project.closedAt) : null,
        html_url: this.htmlUrl(project, scope),
      };
    });
  }

  async project(project: Project, scope: ProjectScope, actor: Actor): Promise<ApiProject> {
    return (await this.projects([project], scope, actor))[0]!;
  }

  /** Of one board, in the same order. */
  async columns(columns: readonly ProjectColumn[], scope: ProjectScope, actor: Actor): Promise<ApiProjectColumn[]> {
    const projectId = columns[0]?.projectId;
    const [counts, creatorOf] = await Promise.all([
      projectId === undefined
        ? new Map<number, CardCounts>()
        : this.deps.cards.columnCounts(projectId, { actor, scope }),
      this.#users(columns, actor),
    ]);
    return columns.map((column) => {
      const { open, closed } = counts.get(column.id) ?? none;
      return {
        id: column.id,
        title: column.title,
        default: column.isDefault,
        sorting: column.sorting,
        color: column.color,
        project_id: column.projectId,
        creator: creatorOf(column.creatorId),
        created_at: apiTime(column.createdAt),
        updated_at: apiTime(column.updatedAt),
        card_limit: column.cardLimit,
        num_issues: open + closed,
      };
    });
  }

  async column(column: ProjectColumn, scope: ProjectScope, actor: Actor): Promise<ApiProjectColumn> {
    return (await this.columns([column], scope, actor))[0]!;
  }

  async #users(made: readonly { readonly creatorId: number }[], actor: Actor) {
    const { accounts } = this.deps;
    const accountsById = await accounts.byIds([...new Set(made.map(({ creatorId }) => creatorId))]);
    return (id: number) => {
      const account = accountsById.get(id);
      return account ? accounts.toApiUser(account, actor) : accounts.ghost();
    };
  }
}
