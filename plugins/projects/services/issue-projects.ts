import type { QueryBuilder } from 'objection';
import { Forbidden, NotFound, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Issue, IssueProjects } from '@mortise/issues/api';
import type { RepositoryAccess, RepositoryContext } from '@mortise/repositories/api';
import type { Project } from '../contract/projects.js';
import { CardRow } from '../models/card.js';
import { ProjectRow } from '../models/project.js';
import { t } from '../texts/index.js';
import type { CardService } from './cards.js';
import type { IssueProjectReader } from './issue-project-reader.js';
import { coversProject, mustHoldScope, repositoryScope, showsBoards, type ProjectScopes } from './project-scopes.js';
import type { ProjectReader } from './project-reader.js';

interface Deps {
  readonly accounts: Pick<Accounts, 'byIds'>;
  readonly boards: IssueProjectReader;
  readonly cards: CardService;
  readonly database: Database;
  readonly scopes: ProjectScopes;
  readonly reader: ProjectReader;
  readonly repositoryAccess: Pick<RepositoryAccess, 'visibleTo'>;
}

type BoardCondition = (query: QueryBuilder<ProjectRow>) => void;

/** Accounts with boards that one list without boards looks at. */
const maxOwners = 1000;

/** What lists and bodies of issues say of boards: filters by board, and the boards that an issue is put on. */
export class ProjectsOfIssues implements IssueProjects {
  constructor(private readonly deps: Deps) {}

  async filter(id: number | 'none', actor: Actor, context?: RepositoryContext) {
    if (id !== 'none') {
      const { project } = await this.#readable(id, actor);
      return { among: CardRow.query().select('issue_id').where('project_id', project.id) };
    }
    const isVisible = context ? await this.#visibleAround(context, actor) : await this.#visibleAnywhere(actor);
    const onBoard = CardRow.query()
      .select('issue_id')
      .whereIn('project_id', ProjectRow.query().select('id').where(isVisible));
    return { among: CardRow.query().from('issue').select('issue.id').whereNotIn('issue.id', onBoard) };
  }

  async replace(issue: Issue, projectIds: readonly number[], actor: Actor): Promise<void> {
    const { boards, cards } = this.deps;
    const wanted = new Set(projectIds);
    const present = (await boards.of([issue.id], actor)).get(issue.id) ?? [];
    const by = { actorId: actor.id };
    const changes = new Map<number, () => Promise<unknown>>();
    for (const { project, scope, isArchived } of present) {
      if (wanted.has(project.id) && !isArchived) wanted.delete(project.id);
      else if (
        !wanted.has(project.id) &&
        scope.may('write') &&
        !project.isClosed &&
        coversProject(actor, project, 'write')
      )
        changes.set(project.id, () => cards.remove(project, issue, by));
    }
    for (const id of wanted) {
      const { project, scope } = await this.#readable(id, actor);
      if (!scope.may('write')) throw Forbidden(t.later('error.needsWrite'));
      mustHoldScope(actor, project, 'write');
      changes.set(id, () => cards.add(project, issue, undefined, { ...by, visibleTo: { actor, scope } }));
    }
    // in the order of their ids, so that two requests take their locks in the same order
    for (const [, change] of [...changes].sort(([one], [other]) => one - other)) await change();
  }

  async choices(context: RepositoryContext, actor: Actor): Promise<readonly Project[]> {
    const { scopes, reader } = this.deps;
    const around = await scopes.ofIssues(actor, context);
    return reader.openIn(around.filter((scope) => showsBoards(actor, scope)));
  }

  async #readable(id: number, actor: Actor) {
    const { scopes, reader } = this.deps;
    const project = await reader.byId(id);
    const scope = project && (await scopes.ofProject(actor, project));
    if (!project || !scope || !showsBoards(actor, scope)) throw NotFound('project');
    return { project, scope };
  }

  /** Narrows a query of boards. */
  async #visibleAround(context: RepositoryContext, actor: Actor): Promise<BoardCondition> {
    const scopes = [repositoryScope(context), await this.deps.scopes.ofAccount(actor, context.owner)];
    const visible = scopes.filter((scope) => showsBoards(actor, scope));
    return (query) => {
      void query.whereIn('repository_id', []);
      for (const { repository, owner } of visible)
        void (repository ? query.orWhere('repository_id', repository.id) : query.orWhere('owner_id', owner.id));
    };
  }

  /** The same across repositories: boards of repositories whose unit the actor reads, and of accounts that they may see. */
  async #visibleAnywhere(actor: Actor): Promise<BoardCondition> {
    const { accounts, database, scopes, repositoryAccess } = this.deps;
    const rows = await database
      .query(ProjectRow)
      .distinct('owner_id')
      .where('owner_id', '>', 0)
      .orderBy('owner_id')
      .limit(maxOwners);
    const owners = await accounts.byIds(rows.map(({ owner_id: ownerId }) => ownerId));
    const byOwner = await scopes.ofAccounts(actor, [...owners.values()]);
    const visible = [...byOwner].filter(([, scope]) => showsBoards(actor, scope)).map(([id]) => id);
    const repositoryIds = CardRow.query()
      .from('repository')
      .select('repository.id')
      .where(repositoryAccess.visibleTo(actor, ['projects']));
    return (query) => void query.whereIn('repository_id', repositoryIds).orWhereIn('owner_id', visible);
  }
}
