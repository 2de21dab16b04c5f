import type { Actor } from '@mortise/plugin-sdk';
import type { TimelineEntry, TimelineKind } from '../api.js';
import type { TimelineView } from '../contract/timeline.js';
import { fields } from '../fields/values.js';
import { LabelRow, toLabel } from '../models/label.js';
import { TimelineRow, toEntry } from '../models/timeline.js';
import { toApiMilestone } from './issue-presenter.js';
import type { IssueServices } from './services.js';

type KindDeps = Pick<IssueServices, 'deps' | 'reader' | 'presenter' | 'timelinePresenter' | 'hiddenComments'>;
type Fields = Map<number, Readonly<Record<string, unknown>> | null>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const idOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const each = (
  entries: readonly TimelineEntry[],
  fields: (entry: TimelineEntry) => Readonly<Record<string, unknown>> | null,
): Fields => new Map(entries.map((entry) => [entry.id, fields(entry)]));

/** Those that carry nothing beyond who, when and a text. */
const plain: readonly string[] = ['close', 'reopen', 'lock', 'unlock', 'pin', 'unpin', 'hide_comment', 'show_comment'];

type Reader = (deps: KindDeps, entries: readonly TimelineEntry[], view: TimelineView) => Promise<Fields>;

const comment: Reader = async ({ hiddenComments }, entries) => {
  const reasons = await hiddenComments.among(entries.map(({ id }) => id));
  return each(entries, ({ id }) => ({ hidden_reason: reasons.get(id) ?? '' }));
};

const title: Reader = async (_parts, entries) =>
  each(entries, ({ data }) => ({ old_title: textOf(data.oldTitle), new_title: textOf(data.newTitle) }));

/** What fields say of their changes, such as names of branches for those who may read code. */
const fieldReaders = fields.flatMap(({ timeline: { kinds, isAboutCode, record } }) =>
  record
    ? kinds.map((kind): [string, Reader] => [
        kind,
        async (deps, entries, view) =>
          isAboutCode && !(await mayReadCode(deps, view)) ? new Map() : each(entries, record),
      ])
    : [],
);

async function mayReadCode({ deps: { repositories, repositoryAccess } }: KindDeps, { issue, actor }: TimelineView) {
  const repository = await repositories.byId(issue.repositoryId);
  const rights = await repositoryAccess.contexts(actor, repository ? [repository] : []);
  return rights.get(issue.repositoryId)?.may('read', 'code') ?? false;
}

const label: Reader = async ({ deps: { database, repositories }, presenter }, entries, { issue }) => {
  const rows = await database.query(LabelRow).whereIn(
    'id',
    entries.map((entry) => entry.subjectId),
  );
  const labels = new Map(rows.map((row) => [row.id, toLabel(row)]));
  const repository = await repositories.byId(issue.repositoryId);
  return each(entries, ({ subjectId }) => {
    const label = labels.get(subjectId);
    // one of an organization that the repository was taken from is not told of
    const isUsable =
      label && repository && (label.repositoryId === repository.id || label.organizationId === repository.ownerId);
    return { label: isUsable ? presenter.labelOf(label, repository) : null };
  });
};

const milestone: Reader = async ({ reader }, entries) => {
  const ids = entries.flatMap(({ subjectId, data }) => [subjectId, idOf(data.oldId)]);
  const milestones = await reader.milestones(ids);
  const of = (id: number) => (milestones.has(id) ? toApiMilestone(milestones.get(id)!) : null);
  return each(entries, ({ subjectId, data }) => ({ milestone: of(subjectId), old_milestone: of(idOf(data.oldId)) }));
};

const assignee: Reader = async ({ deps: { accounts } }, entries, { actor }) => {
  const users = await accounts.byIds(entries.map((entry) => entry.subjectId));
  return each(entries, ({ subjectId, data }) => {
    const account = users.get(subjectId);
    return {
      assignee: account ? accounts.toApiUser(account, actor) : accounts.ghost(),
      removed_assignee: data.removed === true,
    };
  });
};

/** The issues that entries are about, as far as the actor may read them. */
async function subjects({ reader, presenter }: KindDeps, entries: readonly TimelineEntry[], actor: Actor) {
  const issues = await reader.byIds(entries.map((entry) => entry.subjectId));
  const visible = await presenter.readable([...issues.values()], actor);
  return new Map((await presenter.toApi(visible, actor)).map((model) => [model.id, model]));
}

const dependency: Reader = async (deps, entries, { actor }) => {
  const subjectById = await subjects(deps, entries, actor);
  return each(entries, ({ subjectId }) =>
    subjectById.has(subjectId) ? { dependent_issue: subjectById.get(subjectId) } : null,
  );
};

const reference: Reader = async (deps, entries, { actor }) => {
  const subjectById = await subjects(deps, entries, actor);
  const ids = entries.map(({ data }) => idOf(data.commentId)).filter(Boolean);
  const rows = ids.length ? await deps.deps.database.query(TimelineRow).whereIn('id', ids) : [];
  const comments = await deps.timelinePresenter.comments(rows.map(toEntry), actor);
  const byId = new Map(comments.map((comment) => [comment.id, comment]));
  return each(entries, ({ subjectId, data }) =>
    subjectById.has(subjectId)
      ? {
          ref_issue: subjectById.get(subjectId),
          ref_comment: byId.get(idOf(data.commentId)) ?? null,
          ref_action: textOf(data.action) || 'none',
        }
      : null,
  );
};

/** Commits are those of a repository, of another one perhaps: only who may read its code is told of them. */
const commit: Reader = async ({ deps: { repositories, repositoryAccess } }, entries, { actor }) => {
  const repositoriesById = await repositories.byIds([...new Set(entries.map(({ subjectId }) => subjectId))]);
  const rights = await repositoryAccess.contexts(actor, [...repositoriesById.values()]);
  return each(entries, ({ data, subjectId }) =>
    rights.get(subjectId)?.may('read', 'code') ? { ref_commit_sha: textOf(data.sha) } : null,
  );
};

const readers: Readonly<Record<string, Reader>> = {
  comment,
  commit_ref: commit,
  change_title: title,
  ...Object.fromEntries(fieldReaders),
  label,
  milestone,
  assignees: assignee,
  add_dependency: dependency,
  remove_dependency: dependency,
  issue_ref: reference,
  comment_ref: reference,
  pull_ref: reference,
};

/** Keys of the kinds of entries that issues make. */
export const issueKinds: readonly string[] = [
  ...new Set([...plain, ...fields.flatMap(({ timeline }) => timeline.kinds), ...Object.keys(readers)]),
];

export function timelineKind(key: string, deps: KindDeps): TimelineKind {
  const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
  return {
    key,
    isComment: key === 'comment',
    isLiveUpdate: key === 'comment',
    isAboutIssue: read === dependency || read === reference,
    isAboutRepository: read === commit,
    ...(read && { fields: (entries, view) => read(deps, entries, view) }),
  };
}
