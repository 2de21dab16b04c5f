import {
  actAudited,
  Conflict,
  NotFound,
  type Actor,
  type Database,
  type Events,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Attachments } from '@mortise/attachments/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { SearchIndex } from '@mortise/search/api';
import {
  issueChanged,
  issuesDeleting,
  type CloseCheck,
  type Issue,
  type IssueAction,
  type IssueEvent,
} from '../api.js';
import type { IssueChanges, NewIssue } from '../contract/issues.js';
import type { IssueRecord } from '../contract/points.js';
import { fieldColumns, fields, fieldValue, pickFields, type FieldColumns } from '../fields/values.js';
import { IssueRow, toIssue } from '../models/issue.js';
import { IssueLabelRow } from '../models/issue-label.js';
import { MilestoneRow } from '../models/milestone.js';
import { NumberRow } from '../models/issue-number.js';
import { TimelineRow } from '../models/timeline.js';
import type { AssigneeService } from './assignees.js';
import { updateMilestoneCounts } from './milestone-counts.js';
import { commentFiles, issueFiles } from './attachment-kinds.js';
import { issueDocument } from './text-search.js';
import { addLabels, type IssueLabels, type LabelService } from './labels.js';
import type { IssuePresenter } from './issue-presenter.js';
import { isId } from './search-filters.js';
import { parseTitle } from './titles.js';
import type { TextFollower } from './text-follower.js';
import { newIn, type TimelineService } from './timeline.js';
import { t } from '../texts/index.js';

/** Makes, changes and deletes issues, and what pull requests have in common with them. Asks for no rights. */
export class IssueService {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly attachments: Attachments;
      readonly repositories: Repositories;
      readonly presenter: IssuePresenter;
      readonly records: PointReader<IssueRecord>;
      readonly search: Pick<SearchIndex, 'put'>;
      readonly labels: LabelService;
      readonly issueLabels: IssueLabels;
      readonly assignees: AssigneeService;
      readonly timeline: TimelineService;
      readonly follower: TextFollower;
      readonly closeChecks: PointReader<CloseCheck>;
    },
  ) {}

  async create(repository: Repository, input: NewIssue, actor: Actor): Promise<Issue> {
    const { database, labels, assignees } = this.deps;
    const title = parseTitle(input.title);
    const users = await assignees.accountsOf(
      { repository, isPull: input.isPull ?? false, actor },
      input.assignees ?? [],
    );
    return database.write(async () => {
      const number = await this.#nextNumber(repository.id);
      const now = Date.now();
      const milestoneId = await this.#milestoneIn(repository, input.milestoneId ?? 0);
      const isClosed = input.isClosed ?? false;
      const columns = {
        repository_id: repository.id,
        number,
        is_pull: input.isPull ?? false,
        poster_id: actor.id,
        original_author: '',
        original_author_id: 0,
        title,
        body: input.body ?? '',
        is_closed: isClosed,
        is_locked: false,
        milestone_id: milestoneId || null,
        ...fieldColumns(input),
        comment_count: 0,
        content_version: 0,
        pin_order: 0,
        created_at: now,
        updated_at: now,
        closed_at: isClosed ? now : 0,
      };
      const id = await database.rows.insert(IssueRow, columns);
      const issue = toIssue({ ...columns, id });
      await this.deps.search.put([issueDocument({ ...columns, id })]);
      await updateMilestoneCounts(this.deps, undefined, issue);
      const carried = input.labelIds?.length ? await labels.usableIn(repository, { ids: input.labelIds }) : [];
      if (carried.length) await this.deps.issueLabels.change(issue, () => addLabels([], carried), actor.id);
      if (milestoneId)
        await this.deps.timeline.record({ issue, kind: 'milestone', actorId: actor.id, subjectId: milestoneId });
      const { added } = users.length
        ? await assignees.change(issue, () => users.map((one) => one.id), actor.id)
        : { added: [] };
      if (isClosed) await this.deps.timeline.record({ issue, kind: 'close', actorId: actor.id });
      const mentionedIds = await this.deps.follower.follow({
        repository,
        issue,
        before: '',
        text: `${title}\n\n${issue.body}`,
        actor,
        at: now,
      });
      await this.#emit(issue, 'opened', actor.id, { mentionedIds, assigneeIds: added });
      for (const assigneeId of added) await this.#emit(issue, 'assigned', actor.id, { assigneeId, isOpening: true });
      if (carried.length)
        await this.#emit(issue, 'label_updated', actor.id, { labels: { added: true, removed: false } });
      if (milestoneId) await this.#emit(issue, 'milestoned', actor.id);
      return issue;
    }, newIn(repository));
  }

  async edit(repository: Repository, issue: Issue, input: IssueChanges, actor: Actor): Promise<Issue> {
    const { database, repositories } = this.deps;
    const title = input.title === undefined ? undefined : parseTitle(input.title);
    return database.write(async () => {
      await repositories.hold(repository.id);
      const row = await database.rows.findOne(IssueRow, { id: issue.id });
      if (!row) throw NotFound('issue');
      const now = toIssue(row);
      const { columns: changed, mentionedIds } = await this.#editTexts(repository, now, { ...input, title }, actor);
      const columns = {
        ...changed,
        ...(await this.#editFields(now, input, actor)),
      };
      await this.#editAssignees(repository, now, input.assignees, actor);
      const milestone = await this.#editMilestone(repository, now, input.milestoneId, actor);
      await this.#editLabels(repository, now, input.labelIds, actor);
      const state = await this.#editState(now, input, actor);
      const set = { ...columns, ...milestone, ...state?.columns, updated_at: Date.now() };
      await database.rows.update(IssueRow, { id: now.id }, { set });
      if (state)
        await database.query(IssueLabelRow).patch({ is_closed: state.columns.is_closed }).where('issue_id', now.id);
      const after = toIssue((await database.query(IssueRow).findById(now.id))!);
      await updateMilestoneCounts(this.deps, now, after);
      // receivers are told of one field at a time; both can name the same people
      if (changed.title !== undefined)
        await this.#emit(after, 'edited', actor.id, { mentionedIds, before: { title: now.title } });
      if (changed.body !== undefined)
        await this.#emit(after, 'edited', actor.id, {
          mentionedIds: changed.title === undefined ? mentionedIds : [],
          before: { body: now.body },
        });
      if (milestone) await this.#emit(after, after.milestoneId ? 'milestoned' : 'demilestoned', actor.id);
      if (state)
        await this.#emit(after, after.isClosed ? 'closed' : 'reopened', actor.id, {
          entryId: state.entryId,
          ...(input.closing?.commit && { commit: input.closing.commit }),
        });
      return after;
    });
  }

  /**
   * Labels by what is there: adding, removing, replacing. True when anything changed; `emitsAlways`: what nothing comes
   * of is told of too.
   */
  async changeLabels(
    issue: Issue,
    next: Parameters<IssueLabels['change']>[1],
    actor: Actor,
    action: Extract<IssueAction, 'label_updated' | 'label_cleared'> = 'label_updated',
    emitsAlways = false,
  ): Promise<boolean> {
    const { database, repositories, issueLabels } = this.deps;
    return database.write(async () => {
      await repositories.hold(issue.repositoryId);
      if (!(await database.rows.findOne(IssueRow, { id: issue.id }))) throw NotFound('issue');
      const change = await issueLabels.change(issue, next, actor.id);
      if (change) await this.touch(issue.id);
      if (change || emitsAlways) await this.#emit(issue, action, actor.id, change && { labels: change });
      return change !== undefined;
    });
  }

  /** Assignees by what is there. */
  async changeAssignees(issue: Issue, next: (present: readonly number[]) => readonly number[], actor: Actor) {
    const { database, repositories } = this.deps;
    return database.write(async () => {
      await repositories.hold(issue.repositoryId);
      if (!(await database.rows.findOne(IssueRow, { id: issue.id }))) throw NotFound('issue');
      await this.#changeAssignees(issue, next, actor);
      await this.touch(issue.id);
    });
  }

  /** With its comments and files; its number is not given again. */
  async delete(issue: Issue, actor: Actor): Promise<void> {
    const { database, repositories, attachments, events, presenter, records } = this.deps;
    let record: object = (await presenter.toApi([issue], actor))[0]!;
    for (const one of records.list()) record = (await one.record(issue, actor)) ?? record;
    await database.write(async () => {
      await repositories.hold(issue.repositoryId);
      const row = await database.rows.findOne(IssueRow, { id: issue.id });
      if (!row) throw NotFound('issue');
      const now = toIssue(row);
      await events.emit(issuesDeleting, { repositoryId: issue.repositoryId, issueIds: [issue.id] });
      const comments = await database.query(TimelineRow).select('id').where({ issue_id: issue.id });
      await attachments.removeOf(issueFiles, [issue.id]);
      for (let at = 0; at < comments.length; at += 500)
        await attachments.removeOf(
          commentFiles,
          comments.slice(at, at + 500).map(({ id }) => id),
        );
      if (now.pinOrder)
        await database
          .query(IssueRow)
          .where({ repository_id: now.repositoryId, is_pull: now.isPull })
          .where('pin_order', '>', now.pinOrder)
          .decrement('pin_order', 1);
      await updateMilestoneCounts(this.deps, now, undefined);
      await database.query(IssueRow).deleteById(issue.id);
      await this.#emit(now, 'deleted', actor.id, { record: { ...record } });
      const target = { kind: now.isPull ? 'pull_request' : 'issue', id: now.id, name: `#${now.index}` };
      await events.emit(actAudited, { action: 'issue.delete', target, repositoryId: now.repositoryId });
    });
  }

  /** The text with the addresses of files that came with it; tells nobody, for nothing else was changed. */
  async link(issue: Issue, body: string): Promise<void> {
    const { database } = this.deps;
    await database.write(() => database.query(IssueRow).findById(issue.id).patch({ body }));
  }

  /** In the caller's transaction: what changes with anything that happens to it. */
  async touch(issueId: number, at = Date.now()): Promise<void> {
    await this.deps.database.rows.update(IssueRow, { id: issueId }, { set: { updated_at: at } });
  }

  /** Holds the repository until the commit. */
  async #nextNumber(repositoryId: number): Promise<number> {
    const { database, repositories } = this.deps;
    const key = { repository_id: repositoryId };
    // one message; others who number here are waited for first
    const [, next] = await Promise.all([
      repositories.hold(repositoryId),
      database.rows.increment(NumberRow, key, 'last'),
    ]);
    if (next === undefined) await database.rows.insert(NumberRow, { ...key, last: 1 });
    return next ?? 1;
  }

  /** 0 for one that is not of the repository. */
  async #milestoneIn(repository: Repository, id: number): Promise<number> {
    if (!isId(id)) return 0;
    const row = await this.deps.database.query(MilestoneRow).findById(id).where('repository_id', repository.id);
    return row ? row.id : 0;
  }

  async #editTexts(
    repository: Repository,
    now: Issue,
    { title, body, contentVersion }: Pick<IssueChanges, 'title' | 'body' | 'contentVersion'>,
    actor: Actor,
  ) {
    if (contentVersion !== undefined && contentVersion !== now.contentVersion)
      throw Conflict(t.later('error.editedMeanwhile'));
    const newTitle = title !== undefined && title !== now.title ? title : undefined;
    const newBody = body !== undefined && body !== now.body ? body : undefined;
    if (newTitle === undefined && newBody === undefined) return { columns: {}, mentionedIds: [] };
    const at = Date.now();
    if (newTitle !== undefined)
      await this.deps.timeline.record({
        issue: now,
        kind: 'change_title',
        actorId: actor.id,
        data: { oldTitle: now.title, newTitle },
        at,
      });
    const follower = this.deps.follower;
    const written = { repository, issue: now, actor, at };
    if (newBody !== undefined) await follower.keepVersion({ ...written, before: now.body, text: newBody });
    const mentionedIds = await follower.follow({
      ...written,
      before: `${now.title}\n\n${now.body}`,
      text: `${newTitle ?? now.title}\n\n${newBody ?? now.body}`,
    });
    const columns = {
      ...(newTitle !== undefined && { title: newTitle }),
      ...(newBody !== undefined && { body: newBody, content_version: now.contentVersion + 1 }),
    };
    return { columns, mentionedIds };
  }

  /** The columns of fields that change, each told by its own entry of the timeline. */
  async #editFields(now: Issue, input: IssueChanges, actor: Actor): Promise<Partial<FieldColumns>> {
    const columns: Record<string, number | string> = {};
    for (const field of fields) {
      const before = fieldValue(now, field);
      const after = fieldValue({ ...now, ...pickFields(input) }, field);
      if (after === before) continue;
      await this.deps.timeline.record({ issue: now, actorId: actor.id, ...field.timeline.entry(before, after) });
      columns[field.column] = after;
    }
    return columns as Partial<FieldColumns>;
  }

  async #editAssignees(repository: Repository, now: Issue, names: readonly string[] | undefined, actor: Actor) {
    if (names === undefined) return;
    const { assignees } = this.deps;
    // Who was assigned once may stay without being able to write any more.
    const present = new Set(await assignees.of(now));
    const wanted = (await assignees.accountsOf({ repository, isPull: now.isPull, actor }, names, present)).map(
      ({ id }) => id,
    );
    await this.#changeAssignees(now, () => wanted, actor);
  }

  async #changeAssignees(issue: Issue, next: (present: readonly number[]) => readonly number[], actor: Actor) {
    const { added, removed } = await this.deps.assignees.change(issue, next, actor.id);
    for (const assigneeId of removed) await this.#emit(issue, 'unassigned', actor.id, { assigneeId });
    for (const assigneeId of added) await this.#emit(issue, 'assigned', actor.id, { assigneeId });
  }

  async #editMilestone(repository: Repository, now: Issue, wanted: number | undefined, actor: Actor) {
    if (wanted === undefined || wanted === now.milestoneId) return undefined;
    const milestoneId = await this.#milestoneIn(repository, wanted);
    // One that is not there is passed over.
    if (milestoneId === now.milestoneId || (wanted > 0 && !milestoneId)) return undefined;
    await this.deps.timeline.record({
      issue: now,
      kind: 'milestone',
      actorId: actor.id,
      subjectId: milestoneId,
      data: { oldId: now.milestoneId },
    });
    return { milestone_id: milestoneId || null };
  }

  async #editLabels(repository: Repository, now: Issue, ids: readonly number[] | undefined, actor: Actor) {
    if (ids === undefined) return;
    const wanted = await this.deps.labels.usableIn(repository, { ids });
    const change = await this.deps.issueLabels.change(now, () => addLabels([], wanted), actor.id);
    if (change) await this.#emit(now, 'label_updated', actor.id, { labels: change });
  }

  async #editState(now: Issue, { isClosed, closing }: Pick<IssueChanges, 'isClosed' | 'closing'>, actor: Actor) {
    if (isClosed === undefined || isClosed === now.isClosed) return undefined;
    if (!closing?.isConsequence)
      for (const one of this.deps.closeChecks.list()) await (isClosed ? one.check(now) : one.reopen?.(now));
    const at = Date.now();
    const { kind = isClosed ? 'close' : 'reopen', data } = closing ?? {};
    const entry = await this.deps.timeline.record({ issue: now, kind, ...(data && { data }), actorId: actor.id, at });
    return { columns: { is_closed: isClosed, closed_at: isClosed ? at : 0 }, entryId: entry?.id ?? 0 };
  }

  #emit(
    issue: Issue,
    action: IssueAction,
    actorId: number,
    more: Partial<
      Omit<IssueEvent, 'repositoryId' | 'issueId' | 'index' | 'isPull' | 'title' | 'action' | 'actorId'>
    > = {},
  ): Promise<void> {
    return this.deps.events.emit(issueChanged, {
      repositoryId: issue.repositoryId,
      issueId: issue.id,
      index: issue.index,
      isPull: issue.isPull,
      title: issue.title,
      action,
      actorId,
      at: Date.now(),
      ...more,
    });
  }
}
