import {
  containing,
  type Cache,
  type Database,
  type FreshCache,
  type Model,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Actor } from '@mortise/plugin-sdk';
import type { QueryBuilder } from 'objection';
import type { RepositoryAccess, RepositoryRelation } from '@mortise/repositories/api';
import {
  unitOf,
  type Issue,
  type IssueFilter,
  type IssueSearch,
  type IssueSort,
  type Label,
  type Milestone,
} from '../api.js';
import { IssueRow, toIssue } from '../models/issue.js';
import { IssueLabelRow, LabelRow, toLabel } from '../models/label.js';
import { MilestoneRow, toMilestone } from '../models/milestone.js';
import { RepositoryIdRow } from '../models/others.js';
import { AssigneeRow, MentionRow } from '../models/people.js';
import { TimelineRow } from '../models/timeline.js';

type Order = readonly { readonly column: string; readonly order: 'asc' | 'desc' }[];

/** Names that one search may ask for. */
const maxNames = 50;

const orders: Readonly<Record<IssueSort, Order>> = {
  newest: [{ column: 'issue.created_at', order: 'desc' }],
  oldest: [{ column: 'issue.created_at', order: 'asc' }],
  recentupdate: [{ column: 'issue.updated_at', order: 'desc' }],
  leastupdate: [{ column: 'issue.updated_at', order: 'asc' }],
  mostcomment: [{ column: 'issue.comment_count', order: 'desc' }],
  leastcomment: [{ column: 'issue.comment_count', order: 'asc' }],
  duedate: [{ column: 'issue.due_at', order: 'asc' }],
};

/** A number that fits into a column of ids. */
export const isId = (value: number): boolean => Number.isSafeInteger(value) && value > 0 && value < 2 ** 31;

function grouped<R, V>(rows: readonly R[], keyOf: (row: R) => number, valueOf: (row: R) => V): Map<number, V[]> {
  const groups = new Map<number, V[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(valueOf(row));
    else groups.set(keyOf(row), [valueOf(row)]);
  }
  return groups;
}

/** Everything that is read of issues, their labels, milestones and assignees. */
export class IssueReader {
  readonly #rows: FreshCache<Issue | undefined>;

  constructor(
    private readonly parts: {
      readonly database: Database;
      readonly cache: Cache;
      readonly repositoryAccess: RepositoryAccess;
      readonly filters: PointReader<IssueFilter>;
      readonly relations: PointReader<RepositoryRelation>;
    },
  ) {
    this.#rows = parts.cache.fresh('issues.rows', { max: 500 });
  }

  async byIndex(repositoryId: number, index: number): Promise<Issue | undefined> {
    if (!isId(index)) return undefined;
    return this.#rows.load(`${repositoryId}/${index}`, async () => {
      const row = await this.parts.database.query(IssueRow).findOne({ repository_id: repositoryId, number: index });
      return row && toIssue(row);
    });
  }

  async byId(id: number): Promise<Issue | undefined> {
    return (await this.byIds([id])).get(id);
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Issue>> {
    const wanted = [...new Set(ids)].filter(isId);
    const rows = wanted.length ? await this.parts.database.query(IssueRow).whereIn('id', wanted) : [];
    return new Map(rows.map((row) => [row.id, toIssue(row)]));
  }

  /** By name within each issue. */
  async labels(issueIds: readonly number[]): Promise<Map<number, Label[]>> {
    if (issueIds.length === 0) return new Map();
    const rows = (await this.parts.database
      .query(LabelRow)
      .join('issue_label', 'issue_label.label_id', 'label.id')
      .select('label.*', 'issue_label.issue_id')
      .whereIn('issue_label.issue_id', [...issueIds])
      .orderBy('label.lower_name')
      .orderBy('label.id')) as unknown as (LabelRow & { issue_id: number })[];
    return grouped(rows, (row) => row.issue_id, toLabel);
  }

  /** Ids of accounts by issue, in the order in which they were assigned. */
  async assignees(issueIds: readonly number[]): Promise<Map<number, number[]>> {
    if (issueIds.length === 0) return new Map();
    const rows = await this.parts.database
      .query(AssigneeRow)
      .whereIn('issue_id', [...issueIds])
      .orderBy('id');
    return grouped(
      rows,
      (row) => row.issue_id,
      (row) => row.user_id,
    );
  }

  async milestones(ids: readonly number[]): Promise<Map<number, Milestone>> {
    const wanted = [...new Set(ids)].filter(isId);
    const rows = wanted.length ? await this.parts.database.query(MilestoneRow).whereIn('id', wanted) : [];
    return new Map(rows.map((row) => [row.id, toMilestone(row)]));
  }

  async search(search: IssueSearch, actor: Actor): Promise<{ items: Issue[]; total: number }> {
    const query = this.parts.database.query(IssueRow).select('issue.*');
    if (!this.#narrow(query as unknown as QueryBuilder<Model>, search, actor)) return { items: [], total: 0 };
    const total = await query.clone().resultSize();
    if (total <= search.offset) return { items: [], total };
    const { sort = 'newest' } = search;
    // Those without a due date come last.
    if (sort === 'duedate') void query.orderByRaw('case when issue.due_at = 0 then 1 else 0 end');
    for (const { column, order } of orders[sort]) void query.orderBy(column, order);
    const rows = await query.orderBy('issue.id', orders[sort][0]!.order).limit(search.limit).offset(search.offset);
    return { items: rows.map(toIssue), total };
  }

  /** Ids of those that the actor may read, as a subquery of one column. */
  readable(actor: Actor): QueryBuilder<Model> {
    const query = IssueRow.query().select('issue.id') as unknown as QueryBuilder<Model>;
    this.#narrowRepositories(query, {}, actor);
    return query;
  }

  /** False: nothing can match. */
  #narrow(query: QueryBuilder<Model>, search: IssueSearch, actor: Actor): boolean {
    if (search.repositoryId !== undefined) void query.where('issue.repository_id', search.repositoryId);
    else if (!this.#narrowRepositories(query, search, actor)) return false;
    if (search.isClosed !== undefined) void query.where('issue.is_closed', search.isClosed);
    if (search.isPull !== undefined) void query.where('issue.is_pull', search.isPull);
    if (search.posterId !== undefined) void query.where('issue.poster_id', search.posterId);
    const ofPerson = (row: typeof AssigneeRow | typeof MentionRow, userId: number) =>
      void query.whereIn('issue.id', row.query().select('issue_id').where('user_id', userId));
    if (search.assigneeId !== undefined) ofPerson(AssigneeRow, search.assigneeId);
    if (search.mentionedId !== undefined) ofPerson(MentionRow, search.mentionedId);
    if (search.since !== undefined) void query.where('issue.updated_at', '>=', search.since);
    if (search.before !== undefined) void query.where('issue.updated_at', '<=', search.before);
    if (search.labels?.length) this.#narrowLabels(query, search);
    if (search.milestones?.length) this.#narrowMilestones(query, search);
    for (const [key, value] of Object.entries(search.filters ?? {})) {
      const filter = this.parts.filters.get(key);
      if (!filter) return false;
      filter.where(value, query);
    }
    const text = search.text?.trim();
    if (text) this.#narrowText(query, text, search.repositoryId);
    return true;
  }

  #narrowRepositories(
    query: QueryBuilder<Model>,
    { isPull, ownerId, related }: Pick<IssueSearch, 'isPull' | 'ownerId' | 'related'>,
    actor: Actor,
  ): boolean {
    const relation = related && this.parts.relations.get(related.relation);
    if (related && !relation) return false;
    const kinds = isPull === undefined ? [false, true] : [isPull];
    void query.where((either) => {
      for (const pull of kinds) {
        const seen = RepositoryIdRow.query()
          .select('repository.id')
          .where(this.parts.repositoryAccess.visibleTo(actor, [unitOf({ isPull: pull })]));
        if (ownerId !== undefined) void seen.where('repository.owner_id', ownerId);
        if (relation) void seen.whereIn('repository.id', relation.repositories(related!.id));
        void either.orWhere((kind) => void kind.where('issue.is_pull', pull).whereIn('issue.repository_id', seen));
      }
    });
    return true;
  }

  #narrowLabels(query: QueryBuilder<Model>, { labels = [], labelsMatch = 'all', repositoryId }: IssueSearch): void {
    const names = [...new Set(labels)].slice(0, maxNames);
    const carrying = IssueLabelRow.query()
      .join('label', 'label.id', 'issue_label.label_id')
      .select('issue_label.issue_id')
      .whereIn('label.name', names);
    if (repositoryId !== undefined) void carrying.where('label.repository_id', repositoryId);
    if (labelsMatch === 'all' && names.length > 1)
      void carrying.groupBy('issue_label.issue_id').havingRaw('count(distinct label.name) = ?', [names.length]);
    void query.whereIn('issue.id', carrying);
  }

  #narrowMilestones(query: QueryBuilder<Model>, { milestones = [], repositoryId }: IssueSearch): void {
    const found = MilestoneRow.query()
      .select('id')
      .where((either) => {
        void either.whereIn(
          'lower_title',
          milestones.slice(0, maxNames).map((title) => title.toLowerCase()),
        );
        const ids = milestones
          .filter((one) => /^\d+$/.test(one))
          .map(Number)
          .filter(isId);
        if (ids.length) void either.orWhereIn('id', ids);
      });
    if (repositoryId !== undefined) void found.where('repository_id', repositoryId);
    void query.whereIn('issue.milestone_id', found);
  }

  #narrowText(query: QueryBuilder<Model>, text: string, repositoryId: number | undefined): void {
    // SQLite lowers ASCII alone, so that other letters are found as they were typed.
    const like = (column: string) => (either: QueryBuilder<Model>) => {
      const knex = this.parts.database.knex();
      void either
        .where(knex.raw(`lower(??) like ? escape '!'`, [column, containing(text)]))
        .orWhere(knex.raw(`?? like ? escape '!'`, [column, `%${text.replace(/[!%_]/g, '!$&')}%`]));
    };
    const said = TimelineRow.query().select('issue_id').where('kind', 'comment').where(like('timeline_entry.body'));
    if (repositoryId !== undefined) void said.where('repository_id', repositoryId);
    const number = Number(/^#?(\d+)$/.exec(text)?.[1] ?? 0);
    void query.where((either) => {
      void either.where(like('issue.title')).orWhere(like('issue.body')).orWhereIn('issue.id', said);
      if (isId(number)) void either.orWhere('issue.number', number);
    });
  }
}
