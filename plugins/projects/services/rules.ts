import { Invalid, NotFound, Problem, type Cache, type Database, type QueryCache } from '@mortise/plugin-sdk';
import type { Issue, Issues } from '@mortise/issues/api';
import type { Repositories } from '@mortise/repositories/api';
import type { ProjectRule, RuleEvent } from '../contract/fields.js';
import { CardRow } from '../models/card.js';
import { ProjectRow, toProject } from '../models/project.js';
import { RuleRow, toRule } from '../models/rule.js';
import { allows } from '../units/projects.js';
import { t } from '../texts/index.js';
import { lockOpenProject } from './project-lock.js';
import type { CardService } from './cards.js';
import type { ColumnService } from './columns.js';

/** Boards that one event moves a card on. */
const maxBoards = 100;

interface Deps {
  readonly cache: Cache;
  readonly database: Database;
  readonly issues: Pick<Issues, 'byId'>;
  readonly repositories: Pick<Repositories, 'byId'>;
  readonly cards: CardService;
  readonly columns: ColumnService;
}

/** Rules by which cards move by themselves. Does not check permissions; callers must. */
export class RuleService {
  readonly #used: QueryCache<boolean>;

  constructor(private readonly deps: Deps) {
    this.#used = deps.cache.query('projects.used-rules');
  }

  async list(projectId: number): Promise<ProjectRule[]> {
    const rows = await this.deps.database.query(RuleRow).where('project_id', projectId).orderBy('id');
    return rows.map(toRule);
  }

  /** In place of the rule that the board has for the event. Invalid for a column of another board. */
  set(projectId: number, event: RuleEvent, columnId: number): Promise<ProjectRule> {
    const { database, columns } = this.deps;
    return database.write(async () => {
      await lockOpenProject(database, projectId);
      if (!(await columns.find(projectId, columnId))) throw Invalid(t.later('error.foreignColumn', { id: columnId }));
      await database.query(RuleRow).delete().where({ project_id: projectId, trigger_event: event });
      const row = { project_id: projectId, column_id: columnId, trigger_event: event, created_at: Date.now() };
      const { id } = await database.query(RuleRow).insert(row);
      return { id, projectId, event, columnId };
    });
  }

  /** NotFound where the board has none for the event. */
  delete(projectId: number, event: RuleEvent): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      await lockOpenProject(database, projectId);
      if (!(await database.query(RuleRow).delete().where({ project_id: projectId, trigger_event: event })))
        throw NotFound('rule');
    });
  }

  /**
   * In the transaction in which it happens to an issue: moves its cards as the boards say that it stands on. What a board
   * cannot take, for instance because it is full, is no reason to refuse what happened.
   */
  async apply(event: RuleEvent, issueId: number, actorId: number): Promise<void> {
    const { database, issues, cards } = this.deps;
    if (!(await this.#isUsed(event))) return;
    const issue = await issues.byId(issueId);
    if (!issue) return;
    const by = { actorId, visibleTo: 'all', rule: event } as const;
    for (const { project, columnId } of await this.#rulesFor(event, issue)) {
      const card = await cards.ofIssue(project.id, issue.id);
      if (card && (card.columnId === columnId || card.isArchived)) continue;
      try {
        await database.write(() => cards.add(project, issue, columnId, by));
      } catch (error) {
        if (!Problem.is(error)) throw error;
      }
    }
  }

  /** Most sites have no rules: nothing is asked there. */
  #isUsed(event: RuleEvent): Promise<boolean> {
    return this.#used.load(
      event,
      async () => (await this.deps.database.query(RuleRow).where('trigger_event', event).limit(1)).length > 0,
    );
  }

  /** In the order of the boards, so that two events take their locks in the same order. */
  async #rulesFor(event: RuleEvent, issue: Issue) {
    const { database, repositories } = this.deps;
    const query = database
      .query(ProjectRow)
      .join('project_rule', 'project_rule.project_id', 'project.id')
      .select('project.*', 'project_rule.column_id as rule_column_id')
      .where({ 'project_rule.trigger_event': event, 'project.is_closed': false })
      .orderBy('project.id')
      .limit(maxBoards);
    if (event === 'opened') {
      const repository = await repositories.byId(issue.repositoryId);
      if (!repository) return [];
      void query.where((either) => {
        if (allows(repository, 'repository')) void either.orWhere('project.repository_id', repository.id);
        if (allows(repository, 'owner')) void either.orWhere('project.owner_id', repository.ownerId);
        void either.orWhereIn('project.id', []);
      });
    } else void query.whereIn('project.id', CardRow.query().select('project_id').where('issue_id', issue.id));
    const rows = (await query) as unknown as (ProjectRow & { rule_column_id: number })[];
    return rows.map((row) => ({ project: toProject(row), columnId: row.rule_column_id }));
  }
}
