import { isZeroOid, subjectOf, type Commit } from '@mortise/git/api';
import type { ActivityEvent, PushData } from '@mortise/activity-events/api';
import type { Issue } from '@mortise/issues/api';
import type { PullRequest } from '@mortise/pulls/api';
import type { Repository, RepositoryBasics } from '@mortise/repositories/api';
import type { RunData } from '../../events/kinds.js';
import { RunRow } from '../../models/run.js';
import type { RunDeps } from './run-deps.js';

/** An event that can trigger workflows. */
export interface TriggerEvent {
  readonly repository: Repository;
  /** As hooks call it. */
  readonly event: string;
  readonly action: string;
  readonly actorId: number;
  /** Of the run. */
  readonly ref: string;
  readonly sha: string;
  /** Where workflows are read; the same as `sha` but for those of the base. */
  readonly workflowSha: string;
  /** Of a pull request: tip of its base. */
  readonly base?: { readonly branch: string; readonly sha: string };
  readonly pull?: PullRequest;
  /** Who wrote the pull request; absent without one. */
  readonly pullAuthorId?: number;
  /** Title of the pull request. */
  readonly pullTitle?: string;
  /** Of `workflow_run`: the run that it is about. `depth`: how many led to that one. */
  readonly reported?: { readonly name: string; readonly headBranch: string; readonly depth: number };
  /** The pull request got another base branch. */
  readonly isRetargeted?: boolean;
  /** Of labels: whether some were put on, or taken off. */
  readonly labels?: { readonly added: boolean; readonly removed: boolean };
  readonly statusSha: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Distinguishes it from every other. */
  readonly id: string;
  /** What it changed; asked for when a filter needs it. */
  changedFiles(): Promise<readonly string[]>;
}

const noFiles = async (): Promise<readonly string[]> => [];
const pullEvents = /^pull_request(?:_|$)/;
/** Of these the workflows of the default branch run, whatever they are about. */
const defaultBranchEvents = new Set([
  'delete',
  'fork',
  'issues',
  'issue_assign',
  'issue_label',
  'issue_milestone',
  'issue_comment',
  'pull_request_comment',
  'package',
  'wiki',
]);
const workflowEvents = /^(push|create|release)$/;

/** Converts activity events to trigger events. Reads git: not inside a transaction. */
export class TriggerEvents {
  constructor(private readonly deps: RunDeps) {}

  static concerns({ kind, resource }: ActivityEvent): boolean {
    return (
      Boolean(resource.repositoryId) &&
      (defaultBranchEvents.has(kind) || workflowEvents.test(kind) || pullEvents.test(kind))
    );
  }

  /** Workflows come from nowhere but the default branch, and from where all repositories have theirs. */
  static isOfDefaultBranch({ kind }: ActivityEvent): boolean {
    return defaultBranchEvents.has(kind);
  }

  async fromActivityEvent(
    activityEvent: ActivityEvent,
    repository: Repository,
    payload: Readonly<Record<string, unknown>>,
  ): Promise<TriggerEvent | undefined> {
    const { kind, action, actorId, id } = activityEvent;
    const { labels } = activityEvent.data as Pick<TriggerEvent, 'labels'>;
    const eventFields = { event: kind, action, actorId, payload, id, ...(labels && { labels }) };
    const common = { ...eventFields, repository, statusSha: '', changedFiles: noFiles };
    if (kind === 'push' || kind === 'create') return this.#reference(activityEvent as ActivityEvent<PushData>, common);
    if (kind === 'release') return this.#release(activityEvent, common);
    if (pullEvents.test(kind) && !defaultBranchEvents.has(kind)) return this.#pull(activityEvent, common);
    const place = await this.defaultBranch(repository);
    if (!place) return undefined;
    if (kind === 'workflow_run') {
      const run = await this.deps.database.query(RunRow).findById((activityEvent.data as RunData).runId);
      if (!run) return undefined;
      const reported = { name: run.workflow_name, headBranch: run.head_branch, depth: run.depth };
      return { ...common, ...place, action: String(payload.action), reported };
    }
    if (kind === 'delete') {
      const { ref } = activityEvent.data as PushData;
      return { ...common, ...place, payload: { ...payload, ref } };
    }
    const pull = kind === 'pull_request_comment' ? await this.#pullOf(activityEvent.resource.id) : undefined;
    return { ...common, ...place, ...(pull && { pull: pull.pull, pullAuthorId: pull.issue.posterId }) };
  }

  /** Ref and commit of the default branch; undefined: it has none. */
  async defaultBranch(
    repository: RepositoryBasics,
  ): Promise<{ ref: string; sha: string; workflowSha: string } | undefined> {
    const branchRef = await this.deps.gitReader.open(repository.id).branch(repository.defaultBranch);
    return branchRef && { ref: branchRef.ref, sha: branchRef.oid, workflowSha: branchRef.oid };
  }

  async #reference(
    { data }: ActivityEvent<PushData>,
    common: Pick<
      TriggerEvent,
      'repository' | 'event' | 'action' | 'actorId' | 'payload' | 'id' | 'statusSha' | 'changedFiles'
    >,
  ): Promise<TriggerEvent | undefined> {
    if (isZeroOid(data.new)) return undefined;
    const git = this.deps.gitReader.open(common.repository.id);
    const peeled = await git.peel(data.new);
    if (peeled?.type !== 'commit') return undefined;
    const sha = peeled.oid;
    const isPush = common.event === 'push';
    return {
      ...common,
      ref: data.ref,
      sha,
      workflowSha: sha,
      statusSha: isPush ? sha : '',
      payload: isPush ? common.payload : { ...common.payload, ref: data.ref },
      changedFiles: () => this.#changed(common.repository, data, sha),
    };
  }

  /** Of a new branch: what it has beyond where it left the default branch, or what its newest commit did. */
  async #changed(repository: Repository, { ref, old }: PushData, sha: string): Promise<readonly string[]> {
    if (ref.startsWith('refs/tags/')) return [];
    const git = this.deps.gitReader.open(repository.id);
    let from: string | undefined = isZeroOid(old) ? undefined : old;
    if (!from && ref !== `refs/heads/${repository.defaultBranch}`) {
      const main = await git.branch(repository.defaultBranch);
      from = main && (await git.mergeBase(main.oid, sha));
    }
    if (from && !(await git.info(from))) from = undefined;
    const options = { stats: false, renames: false };
    if (from === sha) return pathsOf(await git.commitChanges(sha, options));
    return pathsOf(await git.changes(from, sha, options));
  }

  async #release(
    { resource }: ActivityEvent,
    common: Omit<TriggerEvent, 'ref' | 'sha' | 'workflowSha'>,
  ): Promise<TriggerEvent | undefined> {
    const git = this.deps.gitReader.open(common.repository.id);
    const tag = resource.ref ? await git.ref(resource.ref) : undefined;
    const peeled = tag && (await git.peel(tag.oid));
    if (peeled?.type === 'commit')
      return { ...common, ref: tag!.ref, sha: peeled.oid, workflowSha: peeled.oid, statusSha: peeled.oid };
    // the tag went with it
    const place = await this.defaultBranch(common.repository);
    return place && { ...common, ...place };
  }

  async #pull(
    { resource, action }: ActivityEvent,
    common: Omit<TriggerEvent, 'ref' | 'sha' | 'workflowSha'>,
  ): Promise<TriggerEvent | undefined> {
    const found = await this.#pullOf(resource.id);
    if (!found) return undefined;
    const { pull, issue } = found;
    const git = this.deps.gitReader.open(common.repository.id);
    const isMerged = action === 'closed' && pull.isMerged && pull.mergeCommit !== '';
    const sha = isMerged ? pull.mergeCommit : this.#headOf(common.payload) || pull.headOid;
    if ((await git.info(sha))?.type !== 'commit') return undefined;
    const base = await git.branch(pull.baseBranch);
    return {
      ...common,
      pull,
      pullAuthorId: issue.posterId,
      pullTitle: issue.title,
      ref: `refs/pull/${pull.index}/head`,
      sha,
      workflowSha: sha,
      statusSha: isMerged ? '' : sha,
      ...(base && { base: { branch: pull.baseBranch, sha: base.oid } }),
      ...(gotOtherBase(common.payload) && { isRetargeted: true }),
      changedFiles: async () =>
        pathsOf(await git.changes(pull.mergeBase || undefined, pull.headOid, { stats: false, renames: false })),
    };
  }

  async #pullOf(issueId: number): Promise<{ pull: PullRequest; issue: Issue } | undefined> {
    const pull = await this.deps.pulls.byIssueId(issueId);
    const issue = pull && (await this.deps.issues.byId(issueId));
    return issue && { pull, issue };
  }

  /** The head as the event tells it: another push may have come since. */
  #headOf(payload: Readonly<Record<string, unknown>>): string {
    const { after } = payload as { readonly after?: string };
    return typeof after === 'string' ? after : '';
  }
}

const gotOtherBase = (payload: Readonly<Record<string, unknown>>): boolean =>
  (payload as { readonly changes?: { readonly ref?: unknown } }).changes?.ref !== undefined;

const pathsOf = (changes: readonly { readonly path: string; readonly oldPath?: string }[]): string[] => [
  ...new Set(changes.flatMap(({ path, oldPath }) => (oldPath ? [path, oldPath] : [path]))),
];

/** First line of a commit's message. */
export const summaryOf = ({ message }: Pick<Commit, 'message'>): string => subjectOf(message);
