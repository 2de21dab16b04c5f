import type { Actor, Model, PointReader } from '@mortise/plugin-sdk';
import type { QueryBuilder } from 'objection';
import type { RepositoryAccess, RepositoryRelation } from '@mortise/repositories/api';
import type { DocumentColumns } from '@mortise/search/api';
import { unitOf, type IssueSearch, type Label, type TimelineKind } from '../api.js';
import type { IssueFilter } from '../contract/points.js';
import { IssueRow } from '../models/issue.js';
import { IssueLabelRow } from '../models/issue-label.js';
import { MilestoneRow } from '../models/milestone.js';
import { RepositoryIdRow } from '../models/repository-id.js';
import { AssigneeRow } from '../models/assignee.js';
import { MentionRow } from '../models/mention.js';
import { issueCodeSubject } from './text-search.js';

/** Names that one search may ask for. */
const maxNames = 50;

/** A number that fits into a column of ids. */
export const isId = (value: number): boolean => Number.isSafeInteger(value) && value > 0 && value < 2 ** 31;

/** With the only label that those who are looked for carry: lists of it are read in their order from an index. */
export interface LabelledSearch extends IssueSearch {
  readonly label?: Label;
}

/** Entries of these kinds are seen only where their subject is among the ids of the subquery. */
export interface VisibleSubjects {
  readonly kinds: readonly string[];
  readonly among: QueryBuilder<Model>;
}

/** What a search asks for, as conditions of its query. Asks the database nothing itself. */
export class SearchFilters {
  constructor(
    private readonly deps: {
      readonly repositoryAccess: RepositoryAccess;
      readonly filters: PointReader<IssueFilter>;
      readonly relations: PointReader<RepositoryRelation>;
    },
  ) {}

  /** Ids of those that the actor may read, as a subquery of one column. */
  readable(actor: Actor): QueryBuilder<Model> {
    const query = IssueRow.query().select('issue.id') as unknown as QueryBuilder<Model>;
    this.#applyRepositories(query, {}, actor);
    return query;
  }

  /** False: nothing can match. */
  apply(query: QueryBuilder<Model>, search: LabelledSearch, actor: Actor): boolean {
    if (search.repositoryId !== undefined) void query.where('issue.repository_id', search.repositoryId);
    else if (!this.#applyRepositories(query, search, actor)) return false;
    if (search.label) {
      void query.join('issue_label', 'issue_label.issue_id', 'issue.id');
      this.applyLabel(query, search);
    } else {
      if (search.isClosed !== undefined) void query.where('issue.is_closed', search.isClosed);
      if (search.isPull !== undefined) void query.where('issue.is_pull', search.isPull);
    }
    if (search.posterId !== undefined) void query.where('issue.poster_id', search.posterId);
    const ofPerson = (row: typeof AssigneeRow | typeof MentionRow, userId: number) =>
      void query.whereIn('issue.id', row.query().select('issue_id').where('user_id', userId));
    if (search.assigneeId === 0) void query.whereNotIn('issue.id', AssigneeRow.query().select('issue_id'));
    else if (search.assigneeId !== undefined) ofPerson(AssigneeRow, search.assigneeId);
    if (search.mentionedId !== undefined) ofPerson(MentionRow, search.mentionedId);
    if (search.since !== undefined) void query.where('issue.updated_at', '>=', search.since);
    if (search.before !== undefined) void query.where('issue.updated_at', '<=', search.before);
    if (search.among) void query.whereIn('issue.id', search.among);
    for (const id of [...new Set(search.labelIds ?? [])].slice(0, maxNames))
      void query.whereIn('issue.id', IssueLabelRow.query().select('issue_id').where('label_id', id));
    if (search.isUnlabelled) void query.whereNotIn('issue.id', IssueLabelRow.query().select('issue_id'));
    if (search.milestoneId !== undefined)
      void (search.milestoneId
        ? query.where('issue.milestone_id', search.milestoneId)
        : query.whereNull('issue.milestone_id'));
    if (search.labels?.length) this.#applyLabels(query, search);
    if (search.milestones?.length) this.#applyMilestones(query, search);
    for (const [key, value] of Object.entries(search.filters ?? {})) {
      const filter = this.deps.filters.get(key);
      if (!filter) return false;
      filter.where(value, query);
    }
    return true;
  }

  #applyRepositories(
    query: QueryBuilder<Model>,
    { isPull, ownerId, related }: Pick<IssueSearch, 'isPull' | 'ownerId' | 'related'>,
    actor: Actor,
  ): boolean {
    const relation = related && this.deps.relations.get(related.relation);
    if (related && !relation) return false;
    const kinds = isPull === undefined ? [false, true] : [isPull];
    void query.where((either) => {
      for (const pull of kinds) {
        const visible = RepositoryIdRow.query()
          .select('repository.id')
          .where(this.deps.repositoryAccess.visibleTo(actor, [unitOf({ isPull: pull })]));
        if (ownerId !== undefined) void visible.where('repository.owner_id', ownerId);
        if (relation) void visible.whereIn('repository.id', relation.repositories(related!.id));
        void either.orWhere((kind) => void kind.where('issue.is_pull', pull).whereIn('issue.repository_id', visible));
      }
    });
    return true;
  }

  /** What the actor sees of a timeline. */
  visibleSubjects(kinds: readonly TimelineKind[], actor: Actor): VisibleSubjects[] {
    const keysOf = (is: (kind: TimelineKind) => boolean | undefined) => kinds.filter(is).map(({ key }) => key);
    return [
      { kinds: keysOf(({ isAboutIssue }) => isAboutIssue), among: this.readable(actor) },
      { kinds: keysOf(({ isAboutRepository }) => isAboutRepository), among: this.codeReadable(actor) },
    ];
  }

  /** Ids of repositories whose code the actor may read, as a subquery. */
  codeReadable(actor: Actor): QueryBuilder<Model> {
    return RepositoryIdRow.query()
      .select('repository.id')
      .where(this.deps.repositoryAccess.visibleTo(actor, ['code'])) as unknown as QueryBuilder<Model>;
  }

  /** The same for what search finds: the texts of these issues, and those about code only where the actor may read it. */
  textsReadable(actor: Actor): (document: DocumentColumns) => QueryBuilder<Model> {
    return (document) =>
      this.readable(actor)
        .whereColumn('issue.id', document.subject)
        .where((either) => {
          void either
            .whereNot(document.family, issueCodeSubject)
            .orWhereIn('issue.repository_id', this.codeReadable(actor));
        });
  }

  /** By the one label that they are to carry, and by what stands beside it in its indexes. */
  applyLabel(query: QueryBuilder<Model>, { label, isClosed, isPull }: LabelledSearch): void {
    void query.where('issue_label.label_id', label!.id);
    if (isClosed !== undefined) void query.where('issue_label.is_closed', isClosed);
    if (isPull !== undefined) void query.where('issue_label.is_pull', isPull);
  }

  #applyLabels(query: QueryBuilder<Model>, { labels = [], labelsMatch = 'all', repositoryId }: IssueSearch): void {
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

  #applyMilestones(query: QueryBuilder<Model>, { milestones = [], repositoryId }: IssueSearch): void {
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
}
