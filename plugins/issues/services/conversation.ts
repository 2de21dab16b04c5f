import type { Actor } from '@mortise/plugin-sdk';
import type { Attachment } from '@mortise/attachments/api';
import type { Issue, Label, Milestone, TimelineEntry } from '../api.js';
import { IssueRow, toIssue } from '../models/issue.js';
import { MentionRow, SubscriptionRow } from '../models/people.js';
import { DependencyRow, ReactionRow, TextVersionRow } from '../models/timeline.js';
import { commentFiles, issueFiles } from './files.js';
import type { IssueServices } from './services.js';

/** Entries of one page of a conversation. */
export const entriesPerPage = 100;
/** Issues that one depends on, or blocks, that a page names. */
const maxDependencies = 50;

export interface GroupedReaction {
  readonly content: string;
  readonly userIds: readonly number[];
}

/** Everything that the page of one issue shows, read at once. Texts by the id of their comment, 0 for the issue's own. */
export interface ConversationFacts {
  readonly entries: readonly TimelineEntry[];
  readonly total: number;
  readonly reactions: ReadonlyMap<number, readonly GroupedReaction[]>;
  /** Texts that were edited. */
  readonly edited: ReadonlySet<number>;
  readonly files: ReadonlyMap<number, readonly Attachment[]>;
  readonly labels: readonly Label[];
  readonly milestone: Milestone | undefined;
  readonly assignees: readonly number[];
  readonly dependsOn: readonly Issue[];
  readonly blocks: readonly Issue[];
  /** Who takes part, whoever wrote the issue first. */
  readonly participants: readonly number[];
  readonly isSubscribed: boolean;
}

export async function readConversation(
  services: IssueServices,
  issue: Issue,
  actor: Actor,
  page: number,
): Promise<ConversationFacts> {
  const { reader, entries, points, comments, parts } = services;
  const { database, attachments } = parts;
  const kinds = points.kinds.list();
  const aboutIssues = kinds.filter((kind) => kind.isAboutIssue);
  const { items, total } = await entries.list({
    issueId: issue.id,
    subjects: { kinds: aboutIssues.map(({ key }) => key), among: reader.readable(actor) },
    without: kinds.filter((kind) => kind.isHidden).map(({ key }) => key),
    limit: entriesPerPage,
    offset: (page - 1) * entriesPerPage,
  });
  const written = items.filter(comments.isComment).map(({ id }) => id);
  const [reactions, versions, own, others, labels, milestones, assignees, dependencies, said] = await Promise.all([
    database
      .query(ReactionRow)
      .where('issue_id', issue.id)
      .whereIn('entry_id', [0, ...written])
      .orderBy('id'),
    database.query(TextVersionRow).distinct('entry_id').where('issue_id', issue.id),
    attachments.list(issueFiles, [issue.id]),
    attachments.list(commentFiles, written),
    reader.labels([issue.id]),
    reader.milestones([issue.milestoneId]),
    reader.assignees([issue.id]),
    dependenciesOf(services, issue, actor),
    actor.kind === 'user'
      ? database.query(SubscriptionRow).findOne({ issue_id: issue.id, user_id: actor.id })
      : undefined,
  ]);
  const assigned = assignees.get(issue.id) ?? [];
  const writers = items.filter((entry) => entry.kind === 'comment').map((entry) => entry.actorId);
  const participants = [...new Set([issue.posterId, ...writers, ...assigned])];
  return {
    entries: items,
    total,
    reactions: grouped(reactions),
    edited: new Set(versions.map((row) => row.entry_id ?? 0)),
    files: new Map([[0, own.get(issue.id) ?? []], ...others]),
    labels: labels.get(issue.id) ?? [],
    milestone: milestones.get(issue.milestoneId),
    assignees: assigned,
    ...dependencies,
    participants,
    isSubscribed: said
      ? said.is_subscribed
      : actor.kind === 'user' && (participants.includes(actor.id) || (await isToldAnyway(services, issue, actor))),
  };
}

/** Mentioned, or a watcher of the repository. */
async function isToldAnyway({ parts }: IssueServices, issue: Issue, { id }: Actor): Promise<boolean> {
  const watchers = await parts.repositoryMembers.watchers(issue.repositoryId);
  if (watchers.includes(id)) return true;
  return Boolean(await parts.database.query(MentionRow).findOne({ issue_id: issue.id, user_id: id }));
}

function grouped(rows: readonly ReactionRow[]): Map<number, GroupedReaction[]> {
  const all = new Map<number, GroupedReaction[]>();
  for (const { entry_id: text, content, user_id: userId } of rows) {
    const of = all.get(text) ?? [];
    const at = of.findIndex((one) => one.content === content);
    if (at < 0) of.push({ content, userIds: [userId] });
    else of[at] = { content, userIds: [...of[at]!.userIds, userId] };
    all.set(text, of);
  }
  return all;
}

/** Both directions in one query, as far as the actor may read them. */
async function dependenciesOf(services: IssueServices, issue: Issue, actor: Actor) {
  const rows = (await services.parts.database
    .query(IssueRow)
    .join('issue_dependency', (join) => {
      join
        .on((on) => on.on('issue_dependency.depends_on_id', 'issue.id').andOnVal('issue_dependency.issue_id', issue.id))
        .orOn((on) =>
          on.on('issue_dependency.issue_id', 'issue.id').andOnVal('issue_dependency.depends_on_id', issue.id),
        );
    })
    .select('issue.*', 'issue_dependency.depends_on_id')
    .orderBy('issue_dependency.id')
    .limit(2 * maxDependencies)) as unknown as (IssueRow & Pick<DependencyRow, 'depends_on_id'>)[];
  if (rows.length === 0) return { dependsOn: [], blocks: [] };
  const seen = new Map((await services.presenter.readable(rows.map(toIssue), actor)).map((one) => [one.id, one]));
  const dependsOn: Issue[] = [];
  const blocks: Issue[] = [];
  for (const row of rows) {
    const other = seen.get(row.id);
    if (other) (row.depends_on_id === issue.id ? blocks : dependsOn).push(other);
  }
  return { dependsOn, blocks };
}
