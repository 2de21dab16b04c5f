import {
  viewerKey,
  type Actor,
  type Cache,
  type Database,
  type QueryCache,
  type Model,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { QueryBuilder } from 'objection';
import type { RepositoryAccess, RepositoryRelation } from '@mortise/repositories/api';
import type { SearchIndex } from '@mortise/search/api';
import type { Issue, IssueSearch, IssueSort, Label, Milestone } from '../api.js';
import type { IssueFilter } from '../contract/points.js';
import { IssueRow, toIssue } from '../models/issue.js';
import { IssueLabelRow } from '../models/issue-label.js';
import { LabelRow, toLabel } from '../models/label.js';
import { MilestoneRow, toMilestone } from '../models/milestone.js';
import { AssigneeRow } from '../models/assignee.js';
import { IssueTextSearch, type SortColumn } from './text-search.js';
import { isId, SearchFilters, type LabelledSearch } from './search-filters.js';
import { findIssues, type IssueRef } from './issue-refs.js';

const orders: Readonly<Record<IssueSort, SortColumn>> = {
  newest: { by: 'issue.created_at', isDescending: true },
  oldest: { by: 'issue.created_at', isDescending: false },
  recentupdate: { by: 'issue.updated_at', isDescending: true },
  leastupdate: { by: 'issue.updated_at', isDescending: false },
  recentclose: { by: 'issue.closed_at', isDescending: true },
  mostcomment: { by: 'issue.comment_count', isDescending: true },
  leastcomment: { by: 'issue.comment_count', isDescending: false },
  duedate: { by: 'issue.due_at', isDescending: false },
};

function grouped<R, V>(rows: readonly R[], keyOf: (row: R) => number, valueOf: (row: R) => V): Map<number, V[]> {
  const groups = new Map<number, V[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(valueOf(row));
    else groups.set(keyOf(row), [valueOf(row)]);
  }
  return groups;
}

const countedByLabel: ReadonlySet<string> = new Set<keyof LabelledSearch>([
  'repositoryId',
  'label',
  'isClosed',
  'isPull',
  'limit',
  'offset',
  'sort',
]);

/** Nothing is asked of them but a label of their repository, kind and state, so the indexes of the label count them. */
const isOnlyByLabel = (search: LabelledSearch): boolean =>
  search.label?.repositoryId === search.repositoryId &&
  Object.entries(search).every(([key, value]) => value === undefined || countedByLabel.has(key));

interface IssueCounts {
  readonly open: number;
  readonly closed: number;
}

const nothing = { items: [] as Issue[], counts: { open: 0, closed: 0 } };

/** Everything that is read of issues, their labels, milestones and assignees. */
export class IssueReader {
  readonly #rows: QueryCache<Issue | undefined>;
  readonly #milestones: QueryCache<readonly Milestone[]>;
  readonly #labels: QueryCache<readonly Label[]>;
  readonly #totals: QueryCache<IssueCounts>;
  readonly #texts: IssueTextSearch;
  readonly filters: SearchFilters;

  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly cache: Cache;
      readonly repositoryAccess: RepositoryAccess;
      readonly filters: PointReader<IssueFilter>;
      readonly relations: PointReader<RepositoryRelation>;
      readonly search: SearchIndex;
    },
  ) {
    this.#rows = deps.cache.query('issues.rows');
    this.#milestones = deps.cache.query('issues.milestones');
    this.#labels = deps.cache.query('issues.labels');
    this.#totals = deps.cache.query('issues.totals');
    this.#texts = new IssueTextSearch(deps);
    this.filters = new SearchFilters(deps);
  }

  async byIndex(repositoryId: number, index: number): Promise<Issue | undefined> {
    if (!isId(index)) return undefined;
    const where = { repository_id: repositoryId, number: index };
    return this.#rows.load(
      `${repositoryId}/${index}`,
      async () => (await this.deps.database.rows.find(IssueRow, where)).map(toIssue)[0],
      { size: (issue) => 1000 + 2 * (issue?.body.length ?? 0) },
    );
  }

  /** By their numbers within the repository; without those that there are not. */
  async byIndexes(repositoryId: number, indexes: readonly number[]): Promise<Map<number, Issue>> {
    const issues = await this.byRefs(indexes.map((index) => ({ repositoryId, index })));
    return new Map(issues.map((issue) => [issue.index, issue]));
  }

  /** The same of many repositories, by one statement. */
  byRefs(refs: readonly IssueRef[]): Promise<Issue[]> {
    return findIssues(
      this.deps.database,
      refs.filter(({ index }) => isId(index)),
    );
  }

  async byId(id: number): Promise<Issue | undefined> {
    return (await this.byIds([id])).get(id);
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Issue>> {
    const wanted = [...new Set(ids)].filter(isId);
    const rows = await this.deps.database.rows.findByIds(IssueRow, wanted);
    return new Map(rows.map((row) => [row.id, toIssue(row)]));
  }

  /** By name within each issue. */
  async labels(issueIds: readonly number[]): Promise<Map<number, Label[]>> {
    if (issueIds.length === 0) return new Map();
    const rows = (await this.deps.database
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
    const rows = await this.deps.database
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
    const wanted = [...new Set(ids)].filter(isId).sort((a, b) => a - b);
    if (wanted.length === 0) return new Map();
    const loaded = await this.#milestones.load(wanted.join(), async () =>
      (await this.deps.database.query(MilestoneRow).whereIn('id', wanted)).map(toMilestone),
    );
    return new Map(loaded.map((one) => [one.id, one]));
  }

  /** Labels by their numbers, whoever has them. */
  async labelsByIds(ids: readonly number[]): Promise<readonly Label[]> {
    const wanted = [...new Set(ids)].filter(isId).sort((a, b) => a - b);
    if (wanted.length === 0) return [];
    return this.#labels.load(wanted.join(), async () =>
      (await this.deps.database.query(LabelRow).whereIn('id', wanted)).map(toLabel),
    );
  }

  async search(search: IssueSearch, actor: Actor): Promise<{ items: Issue[]; total: number }> {
    const page = () => this.#page(search, search.isClosed, actor);
    const { items, counts } = await this.deps.database.readOnReplica(page);
    return { items, total: counts.open + counts.closed };
  }

  /** One page of them, and how many there are in each state, whatever state was asked for. */
  async page(search: IssueSearch, actor: Actor): Promise<{ items: Issue[] } & IssueCounts> {
    const page = () => this.#page(search, undefined, actor);
    const { items, counts } = await this.deps.database.readOnReplica(page);
    return { items, ...counts };
  }

  /** `isClosed` of those that are counted. */
  async #page(given: IssueSearch, isClosed: boolean | undefined, actor: Actor) {
    const search = await this.#bySingleLabel(given);
    if (search.text?.trim()) return this.#pageOfText(search, isClosed, actor);
    const query = this.deps.database.query(IssueRow).select('issue.*');
    if (!this.filters.apply(query as unknown as QueryBuilder<Model>, search, actor)) return nothing;
    const counts = await this.#counts({ ...search, isClosed }, actor);
    const total = (search.isClosed === true ? 0 : counts.open) + (search.isClosed === false ? 0 : counts.closed);
    return { items: total > search.offset ? await this.#ordered(query, search) : [], counts };
  }

  async #pageOfText(search: LabelledSearch, isClosed: boolean | undefined, actor: Actor) {
    const found = await this.#texts.ids(search, {
      key: viewerKey(actor),
      texts: this.filters.textsReadable(actor),
      codeReadable: () => this.filters.codeReadable(actor),
    });
    const number = Number(/^#?(\d+)$/.exec(search.text!.trim())?.[1] ?? 0);
    if (search.repositoryId !== undefined && isId(number))
      for (const issue of (await this.byIndexes(search.repositoryId, [number])).values()) found.add(issue.id);
    const query = this.deps.database.query(IssueRow);
    if (!this.filters.apply(query as unknown as QueryBuilder<Model>, { ...search, isClosed }, actor)) return nothing;
    this.#texts.filter(query as unknown as QueryBuilder<Model>, found);
    const { ids, ...counts } = await this.#texts.page(query, search, orders[search.sort ?? 'newest']);
    const issues = await this.byIds(ids);
    return { items: ids.flatMap((id) => issues.get(id) ?? []), counts };
  }

  /** Counting is what takes long where there are very many: within a repository it is kept while nothing changes. */
  #counts(search: LabelledSearch, actor: Actor): Promise<IssueCounts> {
    const count = async (): Promise<IssueCounts> => {
      const isByLabel = isOnlyByLabel(search);
      const query = this.deps.database.query<Model>(isByLabel ? IssueLabelRow : IssueRow);
      if (isByLabel) this.filters.applyLabel(query, search);
      else this.filters.apply(query, search, actor);
      const state = search.label ? 'issue_label.is_closed' : 'issue.is_closed';
      const rows = (await query.select(state).count({ count: '*' }).groupBy(state)) as unknown as {
        is_closed: unknown;
        count: unknown;
      }[];
      const of = (state: boolean) => Number(rows.find((row) => Boolean(row.is_closed) === state)?.count ?? 0);
      return { open: of(false), closed: of(true) };
    };
    const key = { ...search, limit: 0, offset: 0, sort: '' };
    const isSame = search.repositoryId !== undefined && !search.among;
    if (!isSame) return count();
    // what is searched for is as long as whoever asks wants it to be
    const text = JSON.stringify(key);
    return this.#totals.load(text, count, { size: () => 200 + 2 * text.length });
  }

  async #ordered(query: QueryBuilder<IssueRow>, search: LabelledSearch): Promise<Issue[]> {
    const { sort = 'newest' } = search;
    const { by, isDescending } = orders[sort];
    // Those without a due date come last.
    if (sort === 'duedate') void query.orderByRaw('case when issue.due_at = 0 then 1 else 0 end');
    const isByLabel = search.label !== undefined && (sort === 'newest' || sort === 'oldest');
    void query
      .orderBy(isByLabel ? 'issue_label.issue_created_at' : by, isDescending ? 'desc' : 'asc')
      .orderBy(
        isByLabel ? 'issue_label.issue_id' : 'issue.id',
        isDescending || sort === 'leastcomment' ? 'desc' : 'asc',
      )
      .limit(search.limit)
      .offset(search.offset);
    return (await query).map(toIssue);
  }

  /** The same search, by its label where it asks for a single one within a repository. */
  async #bySingleLabel(search: IssueSearch): Promise<LabelledSearch> {
    const { labels = [], labelIds = [], ...others } = search;
    const { repositoryId } = search;
    if (repositoryId === undefined || labels.length + labelIds.length !== 1) return search;
    const found = labelIds.length
      ? await this.labelsByIds(labelIds)
      : await this.#labels.load(`${repositoryId} ${labels[0]}`, async () =>
          (
            await this.deps.database.query(LabelRow).where({ repository_id: repositoryId, name: labels[0] }).limit(2)
          ).map(toLabel),
        );
    return found.length === 1 ? { ...others, label: found[0]! } : search;
  }
}
