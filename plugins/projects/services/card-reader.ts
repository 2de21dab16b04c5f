import type { QueryBuilder } from 'objection';
import { pageOf, type Actor, type Database, type Model } from '@mortise/plugin-sdk';
import type { Issues } from '@mortise/issues/api';
import type { Project, ProjectCard, ProjectScope } from '../contract/projects.js';
import { CardRow, toCard } from '../models/card.js';
import { sortCards, type CardSort } from './card-sort.js';

/** For whom cards are read: the actor, and what they may do where the board belongs. `all`: the site itself. */
export type CardViewer = { readonly actor: Actor; readonly scope: Pick<ProjectScope, 'context'> } | 'all';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

interface CardSearch extends Page {
  readonly columnId?: number;
  readonly isArchived?: boolean;
  /** Only cards of these issues: ids as a subquery of one column. */
  readonly among?: QueryBuilder<Model>;
  /** The first is the strongest: groups of a table come first. */
  readonly sort?: readonly CardSort[];
}

/** Cards of a board that one person sees. */
export interface CardCounts {
  readonly open: number;
  readonly closed: number;
}

/** A board as one person sees it: how many cards each column has, and the first of them. */
export interface BoardCards {
  readonly counts: ReadonlyMap<number, CardCounts>;
  readonly cards: ReadonlyMap<number, readonly ProjectCard[]>;
}

/** Reads cards, of which each person sees those alone whose issues they may read. */
export class CardReader {
  constructor(private readonly deps: { readonly database: Database; readonly issues: Pick<Issues, 'readable'> }) {}

  /** Those of one column in their order, without archived ones. */
  inColumn(project: Pick<Project, 'id'>, columnId: number, visibleTo: CardViewer): QueryBuilder<CardRow> {
    const query = this.deps.database
      .query(CardRow)
      .select('project_card.*')
      .where({ 'project_card.project_id': project.id, column_id: columnId, is_archived: false })
      .orderBy('position')
      .orderBy('project_card.id');
    this.#narrow(query, visibleTo);
    return query;
  }

  async column(project: Pick<Project, 'id'>, columnId: number, visibleTo: CardViewer, page: Page) {
    const { rows, total } = await pageOf(this.inColumn(project, columnId, visibleTo), page);
    return { items: rows.map(toCard), total };
  }

  /** Cards of the whole board, or of one column; without an order as they stand, of the archive the last one first. */
  async list(project: Pick<Project, 'id'>, visibleTo: CardViewer, search: CardSearch) {
    const { columnId, isArchived = false, among, sort = [] } = search;
    const query = this.deps.database
      .query(CardRow)
      .select('project_card.*')
      .where({ 'project_card.project_id': project.id, 'project_card.is_archived': isArchived });
    if (columnId !== undefined) void query.where('project_card.column_id', columnId);
    if (among) void query.whereIn('project_card.issue_id', among);
    this.#narrow(query, visibleTo);
    sortCards(query, sort);
    if (isArchived) void query.orderBy('project_card.updated_at', 'desc').orderBy('project_card.id', 'desc');
    else void query.orderBy('project_card.column_id').orderBy('project_card.position').orderBy('project_card.id');
    const { rows, total } = await pageOf(query, search);
    return { items: rows.map(toCard), total };
  }

  /** How many cards stand before it in its column. */
  async cardsBefore({ id, projectId, columnId, position }: ProjectCard, visibleTo: CardViewer): Promise<number> {
    const query = this.inColumn({ id: projectId }, columnId, visibleTo)
      .where('project_card.position', '<=', position)
      .whereNot('project_card.id', id)
      .where((before) => {
        void before.where('project_card.position', '<', position).orWhere('project_card.id', '<', id);
      });
    return query.resultSize();
  }

  /** By the id of the board, without archived cards; one query for all boards of one owner. */
  async counts(projectIds: readonly number[], visibleTo: CardViewer): Promise<Map<number, CardCounts>> {
    return this.#counted('project_card.project_id', projectIds, visibleTo);
  }

  /** By the id of the column, of one board. */
  async columnCounts(projectId: number, visibleTo: CardViewer): Promise<Map<number, CardCounts>> {
    return this.#counted('project_card.column_id', [projectId], visibleTo);
  }

  /** The whole board by two queries: the first cards of each column, and how many there are. */
  async board(project: Pick<Project, 'id'>, visibleTo: CardViewer, perColumn: number): Promise<BoardCards> {
    const { database } = this.deps;
    const ranked = CardRow.query()
      .select('project_card.*')
      .select(
        database
          .knex()
          .raw('row_number() over (partition by column_id order by position, project_card.id) as place_in_column'),
      )
      .where({ 'project_card.project_id': project.id, is_archived: false });
    this.#narrow(ranked, visibleTo);
    const [counts, rows] = await Promise.all([
      this.columnCounts(project.id, visibleTo),
      database
        .query(CardRow)
        .from(ranked.as('project_card'))
        .where('place_in_column', '<=', perColumn)
        .orderBy('column_id')
        .orderBy('position')
        .orderBy('project_card.id'),
    ]);
    const cards = new Map<number, ProjectCard[]>();
    for (const row of rows) {
      const column = cards.get(row.column_id);
      if (column) column.push(toCard(row));
      else cards.set(row.column_id, [toCard(row)]);
    }
    return { counts, cards };
  }

  async #counted(
    column: string,
    projectIds: readonly number[],
    visibleTo: CardViewer,
  ): Promise<Map<number, CardCounts>> {
    const counts = new Map<number, CardCounts>();
    if (!projectIds.length) return counts;
    const query = this.deps.database
      .query(CardRow)
      .join('issue', 'issue.id', 'project_card.issue_id')
      .select(`${column} as counted_by`, 'issue.is_closed')
      .count('* as total')
      .whereIn('project_card.project_id', [...projectIds])
      .where('is_archived', false)
      .groupBy(column, 'issue.is_closed');
    this.#narrow(query, visibleTo);
    for (const row of (await query) as unknown as { counted_by: number; is_closed: unknown; total: unknown }[]) {
      const { open, closed } = counts.get(row.counted_by) ?? { open: 0, closed: 0 };
      const total = Number(row.total);
      counts.set(
        row.counted_by,
        Number(row.is_closed) ? { open, closed: closed + total } : { open: open + total, closed },
      );
    }
    return counts;
  }

  /** Boards of a repository hold its issues alone, so that the units of the repository say what is seen. */
  #narrow(query: QueryBuilder<CardRow>, visibleTo: CardViewer): void {
    if (visibleTo === 'all') return;
    const { context } = visibleTo.scope;
    if (!context) {
      void query.whereIn('project_card.issue_id', this.deps.issues.readable(visibleTo.actor));
      return;
    }
    const mayRead = { issues: context.may('read', 'issues'), pulls: context.may('read', 'pulls') };
    if (mayRead.issues && mayRead.pulls) return;
    if (!mayRead.issues && !mayRead.pulls) void query.whereIn('project_card.id', []);
    else
      void query.whereExists(
        this.deps.database
          .knex()('issue')
          .where({
            'issue.id': this.deps.database.knex().ref('project_card.issue_id'),
            'issue.is_pull': mayRead.pulls,
          }),
      );
  }
}
