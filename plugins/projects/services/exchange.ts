import { Invalid, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Issues } from '@mortise/issues/api';
import { projectLimits, type ImportedProject, type Projects } from '../api.js';
import type { FieldValue, ProjectField } from '../contract/fields.js';
import type { Project, ProjectCard, ProjectColumn, ProjectOwner } from '../contract/projects.js';
import { CardRow, toCard } from '../models/card.js';
import { ProjectRow, toProject } from '../models/project.js';
import { t } from '../texts/index.js';
import type { ColumnService } from './columns.js';
import { exportedFields, exportedViews, importedOptions } from './exchange-fields.js';
import type { FieldService } from './fields.js';
import { valueColumns } from './field-values.js';
import { positionGap } from './positions.js';
import type { ProjectReader } from './project-reader.js';
import type { ProjectService } from './project-service.js';
import type { RuleService } from './rules.js';
import type { ViewService } from './views.js';

/** Rows that one statement inserts. */
const perStatement = 100;

interface Deps {
  readonly database: Database;
  readonly issues: Pick<Issues, 'byIds'>;
  readonly reader: ProjectReader;
  readonly columns: ColumnService;
  readonly fields: FieldService;
  readonly projects: ProjectService;
  readonly rules: RuleService;
  readonly views: ViewService;
}

type ExportedProject = ImportedProject & { readonly id: number };

/** Boards as other sites and dumps tell of them. */
export class ProjectExchange implements Projects {
  constructor(private readonly deps: Deps) {}

  byId(id: number): Promise<Project | undefined> {
    return this.deps.reader.byId(id);
  }

  import(owner: ProjectOwner, given: ImportedProject, { id: actorId }: Pick<Actor, 'id'>): Promise<Project> {
    const { database, columns, projects, reader } = this.deps;
    const { columns: givenColumns, fields = [], rules = [], views = [], isClosed, ...project } = given;
    checkSize(given);
    return database.write(async () => {
      // closed at last: closed boards take no cards, fields or rules
      const board = await projects.insert(owner, project, actorId);
      const inserted = await columns.insert(board.id, givenColumns.map(toNewColumn), actorId);
      const present = new Set<number>();
      for (const [index, column] of inserted.entries()) {
        const { issueIds, archivedIssueIds = [] } = givenColumns[index]!;
        await this.#insertCards(board, column.id, firstTimes(issueIds, present), actorId, false);
        await this.#insertCards(board, column.id, firstTimes(archivedIssueIds, present), actorId, true);
      }
      await this.#importFields(board.id, fields);
      await this.#importViews(board.id, views, actorId);
      await this.#importRules(board.id, rules, inserted);
      const updatedAt = given.updatedAt ?? Date.now();
      const closed = isClosed && { is_closed: true, closed_at: given.closedAt || updatedAt };
      await database
        .query(ProjectRow)
        .findById(board.id)
        .patch({ updated_at: updatedAt, ...closed });
      return (await reader.byId(board.id)) ?? board;
    });
  }

  async export(repositoryId: number): Promise<readonly ExportedProject[]> {
    const rows = await this.deps.database.query(ProjectRow).where('repository_id', repositoryId).orderBy('id');
    const byProject = await this.deps.columns.ofProjects(rows.map(({ id }) => id));
    const exported: ExportedProject[] = [];
    // one board at a time: each may have thousands of cards
    for (const row of rows) exported.push(await this.#exportOne(toProject(row), byProject.get(row.id) ?? []));
    return exported;
  }

  async #exportOne(project: Project, columns: readonly ProjectColumn[]): Promise<ExportedProject> {
    const { database, fields: fieldService, rules, views } = this.deps;
    const { id, title, description, template, cardType, isClosed, createdAt, updatedAt, closedAt } = project;
    const rows = await database.query(CardRow).where('project_id', id).orderBy('position').orderBy('id');
    const cards = rows.map(toCard);
    const fields = await fieldService.list(id);
    const idsIn = (columnId: number, isArchived: boolean) =>
      cards.filter((card) => card.columnId === columnId && card.isArchived === isArchived).map((card) => card.issueId);
    return {
      id,
      title,
      description,
      template,
      cardType,
      isClosed,
      createdAt,
      updatedAt,
      closedAt,
      columns: columns.map((column) => ({
        title: column.title,
        color: column.color,
        isDefault: column.isDefault,
        cardLimit: column.cardLimit,
        issueIds: idsIn(column.id, false),
        archivedIssueIds: idsIn(column.id, true),
      })),
      fields: exportedFields(fields, cards, await this.#valuesOf(fields, cards)),
      views: exportedViews(await views.list(id), fields),
      rules: (await rules.list(id)).map(({ event, columnId }) => ({
        event,
        column: columns.findIndex((column) => column.id === columnId),
      })),
    };
  }

  /** Some cards at a time: one statement takes only so many values. */
  async #valuesOf(fields: readonly ProjectField[], cards: readonly ProjectCard[]): Promise<Map<number, FieldValue[]>> {
    const all = new Map<number, FieldValue[]>();
    for (let first = 0; first < cards.length; first += perStatement) {
      const ids = cards.slice(first, first + perStatement).map(({ id }) => id);
      for (const [id, values] of await this.deps.fields.values(fields, ids)) all.set(id, values);
    }
    return all;
  }

  /** Without issues of other repositories than the board is of. */
  async #insertCards(
    project: Project,
    columnId: number,
    ids: readonly number[],
    actorId: number,
    isArchived: boolean,
  ): Promise<void> {
    const issuesById = await this.deps.issues.byIds(ids);
    const own = ids.filter((id) => {
      const issue = issuesById.get(id);
      return issue && (!project.repositoryId || issue.repositoryId === project.repositoryId);
    });
    const now = Date.now();
    await this.#insert(
      'project_card',
      own.map((id, index) => ({
        project_id: project.id,
        column_id: columnId,
        issue_id: id,
        creator_id: actorId,
        is_archived: isArchived,
        position: (index + 1) * positionGap,
        created_at: now,
        updated_at: now,
      })),
    );
  }

  async #importFields(projectId: number, given: NonNullable<ImportedProject['fields']>): Promise<void> {
    if (!given.length) return;
    const { database, fields } = this.deps;
    const cards = await database.query(CardRow).where('project_id', projectId);
    const cardIds = new Map(cards.map((card) => [card.issue_id, card.id]));
    for (const { name, kind, options = [], values } of given) {
      const field = await fields.create(projectId, { name, kind, options });
      const byCard = new Map(values.map(({ issueId, value }) => [cardIds.get(issueId), value]));
      await this.#insert(
        'project_field_value',
        [...byCard].flatMap(([cardId, value]) =>
          cardId ? [{ card_id: cardId, field_id: field.id, ...valueColumns(field, value) }] : [],
        ),
      );
    }
  }

  async #importViews(projectId: number, given: NonNullable<ImportedProject['views']>, actorId: number): Promise<void> {
    const { fields, views } = this.deps;
    const known = given.length ? await fields.list(projectId) : [];
    for (const view of given)
      await views.create(projectId, { ...view, options: importedOptions(view.options, known) }, actorId);
  }

  async #importRules(
    projectId: number,
    given: NonNullable<ImportedProject['rules']>,
    columns: readonly ProjectColumn[],
  ): Promise<void> {
    for (const { event, column } of given) {
      const to = columns[column];
      if (to) await this.deps.rules.set(projectId, event, to.id);
    }
  }

  async #insert(table: string, rows: readonly object[]): Promise<void> {
    const { database } = this.deps;
    for (let first = 0; first < rows.length; first += perStatement)
      await database
        .knex()(table)
        .insert(rows.slice(first, first + perStatement));
  }
}

/** Cards are inserted without a look at each: their number is checked before. */
function checkSize({ columns }: ImportedProject): void {
  const cards = columns.reduce((sum, one) => sum + one.issueIds.length + (one.archivedIssueIds?.length ?? 0), 0);
  if (cards > projectLimits.cards) throw Invalid(t.later('error.tooManyCards', { max: projectLimits.cards }));
}

const toNewColumn = ({ title, color, isDefault, cardLimit }: ImportedProject['columns'][number]) => ({
  title,
  ...(color && { color }),
  ...(isDefault && { isDefault }),
  ...(cardLimit && { cardLimit }),
});

/** Those that are in no column yet. */
const firstTimes = (ids: readonly number[], present: Set<number>): number[] =>
  ids.filter((id) => !present.has(id) && present.add(id));
