import {
  lastPage,
  viewerKey,
  estimatedSize,
  type Actor,
  type Cache,
  type MemoryCache,
  type QueryCache,
} from '@mortise/plugin-sdk';
import type { Attachment } from '@mortise/attachments/api';
import type { Issue, Label, Milestone, TimelineEntry } from '../api.js';
import { IssueRow, toIssue } from '../models/issue.js';
import { MentionRow } from '../models/mention.js';
import { SubscriptionRow } from '../models/subscription.js';
import { DependencyRow } from '../models/dependency.js';
import { ReactionRow } from '../models/reaction.js';
import { TextVersionRow } from '../models/text-version.js';
import { commentFiles, issueFiles } from './attachment-kinds.js';
import type { AuthorRoles } from './author-roles.js';
import type { Hiding } from './hidden-comments.js';
import type { IssueServices } from './services.js';

/** Entries of one page of a conversation. */
export const entriesPerPage = 100;
/** Issues that one depends on, or blocks, that a page names. */
const maxDependencies = 50;
/** An entry may be stored a moment before one with a smaller id: so many of the last may come between. */
const overlap = 20;

export interface GroupedReaction {
  readonly content: string;
  readonly userIds: readonly number[];
  /** Names of those who reacted where it was imported from, and have no account here. */
  readonly originalAuthors: readonly string[];
}

/** Everything that the page of one issue shows, read at once. Texts by the id of their comment, 0 for the issue's own. */
export interface ConversationData {
  readonly entries: readonly TimelineEntry[];
  readonly total: number;
  readonly reactions: ReadonlyMap<number, readonly GroupedReaction[]>;
  /** Texts that were edited. */
  readonly edited: ReadonlySet<number>;
  /** Comments that are shown folded. */
  readonly hidden: ReadonlyMap<number, Hiding>;
  readonly files: ReadonlyMap<number, readonly Attachment[]>;
  readonly labels: readonly Label[];
  readonly milestone: Milestone | undefined;
  readonly assignees: readonly number[];
  readonly dependsOn: readonly Issue[];
  readonly blocks: readonly Issue[];
  /** Who takes part, whoever wrote the issue first. */
  readonly participants: readonly number[];
  readonly isSubscribed: boolean;
  /** Whoever shows this page has all news up to this entry; those after it may be on it too. */
  readonly knownUntil: number;
}

interface ConversationEntries {
  readonly items: readonly TimelineEntry[];
  readonly total: number;
}
/** Another issue, and whether it is the one that waits. */
interface Dependency {
  readonly other: Issue;
  readonly isBlocked: boolean;
}
type ConversationMarks = Pick<ConversationData, 'reactions' | 'edited' | 'hidden'>;
type ConversationFiles = ConversationData['files'];
type ConversationMetadata = Pick<ConversationData, 'labels' | 'milestone'> & { readonly assigned: readonly number[] };

/** What conversations show, while nobody changes it. */
export interface ConversationCaches {
  /** By the visitor, the issue and the page: not everybody sees every entry. */
  readonly entries: QueryCache<ConversationEntries>;
  readonly dependencies: QueryCache<readonly Dependency[]>;
  readonly marks: QueryCache<ConversationMarks>;
  readonly files: QueryCache<ConversationFiles>;
  readonly metadata: QueryCache<ConversationMetadata>;
  readonly subscription: QueryCache<boolean | undefined>;
  /** Of accounts in a repository. */
  readonly roles: QueryCache<AuthorRoles['roles']>;
  /** Whether issues are the first of who opened them. */
  readonly firsts: MemoryCache<boolean>;
}

export const createConversationCaches = (cache: Cache): ConversationCaches => ({
  entries: cache.query('issues.conversationEntries'),
  dependencies: cache.query('issues.conversationDependencies'),
  marks: cache.query('issues.conversationMarks'),
  files: cache.query('issues.conversationFiles'),
  metadata: cache.query('issues.conversationSorting'),
  subscription: cache.query('issues.conversationSaid'),
  roles: cache.query('issues.conversationRoles'),
  firsts: cache.memory('issues.conversationFirsts'),
});

export async function readConversation(
  services: IssueServices,
  issue: Issue,
  actor: Actor,
  page: number,
): Promise<ConversationData> {
  const { comments } = services;
  const { items, total } = await entriesOf(services, issue, actor, page);
  const isLast = page >= lastPage(total, entriesPerPage);
  const [knownUntil = 0] = isLast ? [(items.at(-overlap)?.id ?? 1) - 1] : await entriesAfter(services, issue, 0, 1);
  const written = items.filter(comments.isComment).map(({ id }) => id);
  const [{ reactions, edited, hidden }, files, { labels, milestone, assigned }, dependencies, subscription] =
    await Promise.all([
      marksOf(services, issue, written),
      filesOf(services, issue, written),
      metadataOf(services, issue),
      dependenciesOf(services, issue, actor),
      actor.kind === 'user' ? readSubscription(services, issue, actor) : undefined,
    ]);
  const takesPart = ({ kind }: TimelineEntry) => {
    const { isComment, isContribution } = services.points.kinds.get(kind) ?? {};
    return isComment || isContribution;
  };
  const writers = items.filter(takesPart).map((entry) => entry.actorId);
  const participants = [...new Set([issue.posterId, ...writers, ...assigned])];
  return {
    entries: items,
    total,
    reactions,
    edited,
    hidden,
    files,
    labels,
    milestone,
    assignees: assigned,
    ...dependencies,
    participants,
    knownUntil,
    isSubscribed:
      subscription ??
      (actor.kind === 'user' &&
        (participants.includes(actor.id) || (await isNotifiedByDefault(services, issue, actor)))),
  };
}

/** Those of one page that the actor may see. */
function entriesOf(
  { reader, entries, points, conversationCaches: caches }: IssueServices,
  { id: issueId }: Issue,
  actor: Actor,
  page: number,
): Promise<ConversationEntries> {
  const load = () => {
    const kinds = points.kinds.list();
    return entries.list({
      issueId,
      subjects: reader.filters.visibleSubjects(kinds, actor),
      without: kinds.filter((kind) => kind.isHidden).map(({ key }) => key),
      limit: entriesPerPage,
      offset: (page - 1) * entriesPerPage,
    });
  };
  return caches.entries.load(`${issueId} ${page} ${viewerKey(actor)}`, load, { size: estimatedSize });
}

/** Ids of what pages of the conversation are told of. */
export function entriesAfter(
  { entries, points }: IssueServices,
  { id }: Issue,
  after: number,
  limit = entriesPerPage,
): Promise<number[]> {
  const kinds = points.kinds.list().filter((kind) => kind.isLiveUpdate);
  return entries.newer({ issueId: id, kinds: kinds.map(({ key }) => key), after, limit });
}

/** What people think of the texts, which of them were edited, and which are hidden. */
function marksOf(
  { deps, hiddenComments, conversationCaches: caches }: IssueServices,
  issue: Issue,
  written: readonly number[],
): Promise<ConversationMarks> {
  const { database } = deps;
  return caches.marks.load(`${issue.id}:${written.join(',')}`, async () => {
    const [reactions, versions, hidden] = await Promise.all([
      database
        .query(ReactionRow)
        .where('issue_id', issue.id)
        .whereIn('entry_id', [0, ...written])
        .orderBy('id'),
      database.query(TextVersionRow).distinct('entry_id').where('issue_id', issue.id),
      hiddenComments.of(issue),
    ]);
    return { reactions: grouped(reactions), edited: new Set(versions.map((row) => row.entry_id ?? 0)), hidden };
  });
}

/** The same of comments that stand elsewhere, with their files. */
export async function readMarks(
  services: IssueServices,
  issue: Issue,
  ids: readonly number[],
): Promise<Pick<ConversationData, 'reactions' | 'hidden' | 'files'>> {
  const [{ reactions, hidden }, files] = await Promise.all([
    marksOf(services, issue, ids),
    filesOf(services, issue, ids),
  ]);
  return { reactions, hidden, files };
}

function filesOf(
  { deps, conversationCaches: caches }: IssueServices,
  issue: Issue,
  written: readonly number[],
): Promise<ConversationFiles> {
  const { attachments } = deps;
  return caches.files.load(`${issue.id}:${written.join(',')}`, async () => {
    const [own, others] = await Promise.all([
      attachments.list(issueFiles, [issue.id]),
      attachments.list(commentFiles, written),
    ]);
    return new Map([[0, own.get(issue.id) ?? []], ...others]);
  });
}

function metadataOf(
  { reader, conversationCaches: caches }: IssueServices,
  { id, milestoneId }: Issue,
): Promise<ConversationMetadata> {
  return caches.metadata.load(`${id}:${milestoneId}`, async () => {
    const [labels, milestones, assignees] = await Promise.all([
      reader.labels([id]),
      reader.milestones([milestoneId]),
      reader.assignees([id]),
    ]);
    return {
      labels: labels.get(id) ?? [],
      milestone: milestones.get(milestoneId),
      assigned: assignees.get(id) ?? [],
    };
  });
}

/** Whether a person wants to hear of it; undefined: they did not say. */
function readSubscription(
  { deps, conversationCaches: caches }: IssueServices,
  issue: Issue,
  { id }: Actor,
): Promise<boolean | undefined> {
  return caches.subscription.load(`${issue.id}:${id}`, async () => {
    const row = await deps.database.query(SubscriptionRow).findOne({ issue_id: issue.id, user_id: id });
    return row?.is_subscribed;
  });
}

/** Mentioned, or a watcher of the repository. */
async function isNotifiedByDefault({ deps }: IssueServices, issue: Issue, { id }: Actor): Promise<boolean> {
  const watchers = await deps.repositoryMembers.watchers(issue.repositoryId);
  if (watchers.includes(id)) return true;
  return Boolean(await deps.database.query(MentionRow).findOne({ issue_id: issue.id, user_id: id }));
}

function grouped(rows: readonly ReactionRow[]): Map<number, GroupedReaction[]> {
  const all = new Map<number, GroupedReaction[]>();
  for (const { entry_id: text, content, user_id: userId, original_author: originalAuthor } of rows) {
    const of = all.get(text) ?? [];
    const at = of.findIndex((one) => one.content === content);
    const { userIds, originalAuthors } = of[at] ?? { userIds: [], originalAuthors: [] };
    const one = originalAuthor
      ? { content, userIds, originalAuthors: [...originalAuthors, originalAuthor] }
      : { content, userIds: [...userIds, userId], originalAuthors };
    if (at < 0) of.push(one);
    else of[at] = one;
    all.set(text, of);
  }
  return all;
}

/** What it depends on and what it blocks, as far as the actor may read them. */
async function dependenciesOf(services: IssueServices, issue: Issue, actor: Actor) {
  const all = await services.conversationCaches.dependencies.load(String(issue.id), () =>
    readDependencies(services, issue),
  );
  if (all.length === 0) return { dependsOn: [], blocks: [] };
  const others = all.map(({ other }) => other);
  const visible = new Map((await services.presenter.readable(others, actor)).map((one) => [one.id, one]));
  const dependsOn: Issue[] = [];
  const blocks: Issue[] = [];
  for (const { other, isBlocked } of all) if (visible.has(other.id)) (isBlocked ? blocks : dependsOn).push(other);
  return { dependsOn, blocks };
}

/** Both directions in one query. */
async function readDependencies({ deps }: IssueServices, { id }: Issue): Promise<Dependency[]> {
  const rows = (await deps.database
    .query(IssueRow)
    .join('issue_dependency', (join) => {
      join
        .on((on) => on.on('issue_dependency.depends_on_id', 'issue.id').andOnVal('issue_dependency.issue_id', id))
        .orOn((on) => on.on('issue_dependency.issue_id', 'issue.id').andOnVal('issue_dependency.depends_on_id', id));
    })
    .select('issue.*', 'issue_dependency.depends_on_id')
    .orderBy('issue_dependency.id')
    .limit(2 * maxDependencies)) as unknown as (IssueRow & Pick<DependencyRow, 'depends_on_id'>)[];
  return rows.map((row) => ({ other: toIssue(row), isBlocked: row.depends_on_id === id }));
}
