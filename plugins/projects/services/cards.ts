import { Invalid, NotFound, type Database, type Events } from '@mortise/plugin-sdk';
import type { Issue, Timeline } from '@mortise/issues/api';
import { mustBeActive, type Repositories } from '@mortise/repositories/api';
import { projectCardChanged, projectLimits } from '../api.js';
import type { Project, ProjectCard, ProjectColumn } from '../contract/projects.js';
import type { ProjectCardEvent } from '../contract/events.js';
import { CardRow, toCard } from '../models/card.js';
import { allows } from '../units/projects.js';
import { t } from '../texts/index.js';
import { lockForCards, lockOpenProject } from './project-lock.js';
import type { CardReader, CardViewer } from './card-reader.js';
import type { ColumnService } from './columns.js';
import type { FieldService, GivenValue } from './fields.js';
import { lastPosition, neighbour, positionGap, spreadCards } from './positions.js';

const maxCards = projectLimits.cards;

/**
 * Where a card is put in its column: after that many of the cards that the actor sees there, after another card (0: before
 * all), or at the end. A card that stands in the column no more is the end.
 */
export type CardSpot = { readonly index: number } | { readonly afterCardId: number } | 'end';

/** Who changes cards, and why. */
export interface CardActor {
  readonly actorId: number;
  /** For whom cards are visible: `index` of a {@link CardSpot} counts these. */
  readonly visibleTo: CardViewer;
  /** Event of the rule that does it. */
  readonly rule?: string;
}

interface CardChanges {
  readonly isArchived?: boolean;
  /** Those that are not named stay. */
  readonly values?: readonly GivenValue[];
}

/** Cards on boards (PRJ-06). Does not check permissions; callers must. */
export class CardService {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly repositories: Pick<Repositories, 'byId' | 'basicsById'>;
      readonly timeline: Pick<Timeline, 'record'>;
      readonly columns: ColumnService;
      readonly fields: Pick<FieldService, 'setValues'>;
      readonly reader: CardReader;
    },
  ) {}

  /** Undefined: the issue is not on the board. */
  async ofIssue(projectId: number, issueId: number): Promise<ProjectCard | undefined> {
    const row = await this.deps.database.rows.findOne(CardRow, { project_id: projectId, issue_id: issueId });
    return row && toCard(row);
  }

  /**
   * Puts an issue on the board, at the end of the column; without one in the default column. One that is on the board
   * moves there; one that is archived comes back.
   */
  add(project: Project, issue: Issue, columnId: number | undefined, by: CardActor): Promise<ProjectCard> {
    const { database, columns } = this.deps;
    return database.write(async () => {
      const board = await lockOpenProject(database, project.id);
      await this.#mustBelong(board, issue);
      const column = columnId ? await columns.of(board.id, columnId) : await columns.defaultOf(board.id, by.actorId);
      const present = await this.ofIssue(board.id, issue.id);
      if (!present) return this.#insert(board, issue, column, by);
      if (columnId === undefined && !present.isArchived) return present;
      if (present.isArchived) await this.#setArchived(board, present, false, by.actorId);
      return this.#putCard(board, issue, present, column, 'end', by);
    });
  }

  /**
   * Moves a card; without a column within its own. NotFound for an issue that is not on the board, Invalid for a column of
   * another board.
   */
  move(
    project: Project,
    issue: Issue,
    to: { readonly columnId?: number; readonly spot: CardSpot },
    by: CardActor,
  ): Promise<ProjectCard> {
    const { database } = this.deps;
    return database.write(async () => {
      const board = await lockForCards(database, project);
      const { card, column, isReadOnly } = await this.#cardAndColumn(board.id, issue.id, to.columnId);
      if (card.isArchived) await this.#setArchived(board, card, false, by.actorId);
      return this.#putCard(board, issue, card, column, to.spot, by, isReadOnly);
    });
  }

  /** Takes an issue off the board; `columnId`: only from that column. NotFound where it is not there. */
  remove(project: Project, issue: Issue, by: Pick<CardActor, 'actorId'>, columnId?: number): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      const board = await lockOpenProject(database, project.id);
      const card = await this.#need(board.id, issue.id);
      if (columnId !== undefined && card.columnId !== columnId) throw NotFound('issue');
      await database.query(CardRow).deleteById(card.id);
      await this.#record(board, {
        issue,
        kind: 'project',
        actorId: by.actorId,
        subjectId: 0,
        data: { oldProjectId: board.id, projectId: 0, title: board.title },
      });
      await this.#emit(board, card, 'deleted', by.actorId);
    });
  }

  /** Values of its own fields; out of its column into the archive, or back to the end of the column. */
  edit(
    project: Project,
    issue: Pick<Issue, 'id'>,
    changes: CardChanges,
    by: Pick<CardActor, 'actorId'>,
  ): Promise<ProjectCard> {
    const { database, fields } = this.deps;
    const { isArchived, values = [] } = changes;
    return database.write(async () => {
      const board = await lockOpenProject(database, project.id);
      const card = await this.#need(board.id, issue.id);
      if (values.length) await fields.setValues(card, values);
      if (isArchived !== undefined && isArchived !== card.isArchived)
        return this.#setArchived(board, card, isArchived, by.actorId);
      if (values.length) await this.#emit(board, card, 'edited', by.actorId);
      return card;
    });
  }

  async #need(projectId: number, issueId: number): Promise<ProjectCard> {
    const card = await this.ofIssue(projectId, issueId);
    if (!card) throw NotFound('card');
    return card;
  }

  /** Boards of a repository hold its own issues, those of an account the issues of its repositories that want it so. */
  async #mustBelong({ repositoryId, ownerId }: Project, issue: Issue): Promise<void> {
    if (repositoryId && repositoryId === issue.repositoryId) return;
    const home = repositoryId ? undefined : await this.deps.repositories.byId(issue.repositoryId);
    if (home?.ownerId !== ownerId || !home || !allows(home, 'owner')) throw Invalid(t.later('error.foreignIssue'));
    mustBeActive({ repository: home });
  }

  /** What boards of its owner do is not written into a repository that is archived; its own boards rest with it. */
  async #record(board: Project, entry: Parameters<Timeline['record']>[0], isReadOnly?: boolean): Promise<void> {
    const { timeline, repositories } = this.deps;
    const { repositoryId } = entry.issue;
    if (
      board.repositoryId !== repositoryId &&
      (isReadOnly ?? (await repositories.basicsById(repositoryId))?.isArchived)
    )
      return;
    await timeline.record(entry);
  }

  /**
   * The card of an issue, the column that it goes to (without one its own), and whether the repository of the issue is
   * archived. NotFound where the issue is not on the board, Invalid for a column of another board (PRJ-06).
   */
  async #cardAndColumn(projectId: number, issueId: number, columnId?: number) {
    const rows = await this.deps.database
      .query(CardRow)
      .leftJoin('project_column as target', (target) => {
        void target.on('target.project_id', 'project_card.project_id');
        if (columnId === undefined) void target.on('target.id', 'project_card.column_id');
        else void target.onVal('target.id', columnId);
      })
      .leftJoin('issue', 'issue.id', 'project_card.issue_id')
      .leftJoin('repository', 'repository.id', 'issue.repository_id')
      .where({ 'project_card.project_id': projectId, 'project_card.issue_id': issueId })
      .select('project_card.*', 'target.id as target_id', 'target.title as target_title')
      .select('repository.is_archived as is_read_only')
      .castTo<(CardRow & { target_id: number | null; target_title: string; is_read_only: number | null })[]>();
    const [row] = rows;
    if (!row) throw NotFound('card');
    if (!row.target_id) throw Invalid(t.later('error.foreignColumn', { id: columnId ?? row.column_id }));
    return {
      card: toCard(row),
      column: { id: row.target_id, title: row.target_title },
      isReadOnly: Boolean(row.is_read_only),
    };
  }

  async #insert(board: Project, issue: Issue, column: ProjectColumn, by: CardActor): Promise<ProjectCard> {
    const { database } = this.deps;
    const count = await database.query(CardRow).where('project_id', board.id).resultSize();
    if (count >= maxCards) throw Invalid(t.later('error.tooManyCards', { max: maxCards }));
    const now = Date.now();
    const row = await database.query(CardRow).insert({
      project_id: board.id,
      column_id: column.id,
      issue_id: issue.id,
      creator_id: by.actorId,
      is_archived: false,
      position: (await lastPosition(database, column.id)) + positionGap,
      created_at: now,
      updated_at: now,
    });
    await this.#record(board, {
      issue,
      kind: 'project',
      actorId: by.actorId,
      subjectId: board.id,
      data: {
        oldProjectId: 0,
        projectId: board.id,
        title: board.title,
        columnId: column.id,
        column: column.title,
        ...(by.rule && { rule: by.rule }),
      },
    });
    const card = toCard(row);
    await this.#emit(board, card, 'created', by.actorId);
    return card;
  }

  async #setArchived(board: Project, card: ProjectCard, isArchived: boolean, actorId: number): Promise<ProjectCard> {
    const { database } = this.deps;
    const position = isArchived ? card.position : (await lastPosition(database, card.columnId)) + positionGap;
    const set = { is_archived: isArchived, position, updated_at: Date.now() };
    await database.rows.update(CardRow, { id: card.id }, { set });
    const after = { ...card, isArchived, position, updatedAt: set.updated_at };
    await this.#emit(board, after, 'edited', actorId);
    return after;
  }

  async #putCard(
    board: Project,
    issue: Issue,
    card: ProjectCard,
    column: Pick<ProjectColumn, 'id' | 'title'>,
    spot: CardSpot,
    by: CardActor,
    isReadOnly?: boolean,
  ): Promise<ProjectCard> {
    const { database } = this.deps;
    const position = await this.#positionAt(board, column.id, card.id, spot, by.visibleTo);
    const set = { column_id: column.id, position, updated_at: Date.now() };
    await database.rows.update(CardRow, { id: card.id }, { set });
    if (column.id !== card.columnId) {
      const data = {
        projectId: board.id,
        title: board.title,
        columnId: column.id,
        column: column.title,
        oldColumnId: card.columnId,
        ...(by.rule && { rule: by.rule }),
      };
      const entry = { issue, kind: 'project_board', actorId: by.actorId, subjectId: board.id, data };
      await this.#record(board, entry, isReadOnly);
    }
    const after = { ...card, columnId: column.id, position, isArchived: false, updatedAt: set.updated_at };
    await this.#emit(board, after, 'moved', by.actorId, { fromColumnId: card.columnId });
    return after;
  }

  /** A position at the spot; the others of the column move apart where there is no room. */
  async #positionAt(
    board: Project,
    columnId: number,
    cardId: number,
    spot: CardSpot,
    visibleTo: CardViewer,
  ): Promise<number> {
    const { database } = this.deps;
    for (const isLast of [false, true]) {
      const anchor = spot === 'end' ? undefined : await this.#anchor(board, columnId, cardId, spot, visibleTo);
      if (!anchor) return (await lastPosition(database, columnId)) + positionGap;
      const { position, isBefore } = anchor;
      const next = await neighbour(database, columnId, { position, cardId, isBefore });
      if (next === undefined) return position + (isBefore ? -positionGap : positionGap);
      const middle = Math.floor((position + next) / 2);
      if (isLast || (middle !== position && middle !== next)) return middle;
      await spreadCards(database, columnId);
    }
    throw new Error('a spread column has room');
  }

  /** The card beside which the spot is; undefined: the end of the column. */
  async #anchor(
    board: Project,
    columnId: number,
    cardId: number,
    spot: Exclude<CardSpot, 'end'>,
    visibleTo: CardViewer,
  ): Promise<{ readonly position: number; readonly isBefore: boolean } | undefined> {
    const { database, reader } = this.deps;
    if ('afterCardId' in spot && spot.afterCardId) {
      const other = await database.rows.findOne(CardRow, { id: spot.afterCardId, column_id: columnId });
      return other && other.id !== cardId ? { position: Number(other.position), isBefore: false } : undefined;
    }
    const index = 'index' in spot ? spot.index : 0;
    const query = reader.inColumn(board, columnId, visibleTo).whereNot('project_card.id', cardId);
    const [row] = await query.limit(1).offset(Math.max(0, index - 1));
    return row && { position: Number(row.position), isBefore: index === 0 };
  }

  #emit(
    { id: projectId, repositoryId, ownerId }: Project,
    { id: cardId, issueId, columnId }: ProjectCard,
    action: ProjectCardEvent['action'],
    actorId: number,
    more: Pick<ProjectCardEvent, 'fromColumnId'> = {},
  ): Promise<void> {
    const at = Date.now();
    return this.deps.events.emit(projectCardChanged, {
      projectId,
      repositoryId,
      ownerId,
      cardId,
      issueId,
      columnId,
      action,
      actorId,
      at,
      ...more,
    });
  }
}
