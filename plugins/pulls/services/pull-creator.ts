import {
  Conflict,
  Invalid,
  NotFound,
  refuseDuplicate,
  type Actor,
  type Database,
  type Events,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { GitReader, GitStore } from '@mortise/git/api';
import { issueFieldsOfPulls, type Issue, type Issues, type Timeline } from '@mortise/issues/api';
import type { Repository, RepositoryAccess, RepositoryQuota } from '@mortise/repositories/api';
import { pullChanged, type NewPullContext, type PullExtension, type PullRequest } from '../api.js';
import type { NewPullRequest } from '../contract/pulls.js';
import { PullRow, openKeyOf, toPull } from '../models/pull.js';
import { PullVersionRow } from '../models/pull-version.js';
import type { DifferenceFinder } from './difference.js';
import type { DraftTitles } from './draft-titles.js';
import type { PullReader } from './pull-reader.js';
import type { PullRefs } from './pull-refs.js';
import { pushEntry } from './push-entry.js';
import { t } from '../texts/index.js';

/** Makes pull requests. Asks for no rights. */
export class PullCreator {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly store: GitStore;
      readonly gitReader: GitReader;
      readonly issues: Issues;
      readonly repositoryAccess: RepositoryAccess;
      readonly repositoryQuota: RepositoryQuota;
      readonly timeline: Timeline;
      readonly reader: PullReader;
      readonly differences: DifferenceFinder;
      readonly drafts: DraftTitles;
      readonly refs: PullRefs;
      readonly extensions: PointReader<PullExtension>;
    },
  ) {}

  async create(
    repository: Repository,
    input: NewPullRequest,
    actor: Actor,
  ): Promise<{ issue: Issue; pull: PullRequest }> {
    const { head, baseBranch } = input;
    const between = {
      repositoryId: repository.id,
      baseBranch,
      headRepositoryId: head.repository.id,
      headBranch: head.branch,
      flow: head.flow,
      topicOwnerId: head.flow === 'agit' ? actor.id : 0,
    };
    if (head.flow === 'branch' && head.repository.id === repository.id && head.branch === baseBranch)
      throw Invalid(t.later('error.sameBranch'));
    const openKey = openKeyOf(between);
    if (await this.deps.reader.between(openKey)) throw Conflict(t.later('error.exists'));
    if (input.milestoneId) await this.#checkMilestone(repository, input.milestoneId);
    const base = await this.deps.gitReader.open(repository.id).branch(baseBranch);
    if (!base) throw NotFound('branch');
    const { store, differences, drafts, repositoryQuota } = this.deps;
    if (head.repository.id !== repository.id) await repositoryQuota.check(repository.id, 'size:repos', 0);
    await store.fetchObjects(head.repository.id, repository.id, [head.oid]);
    const { paths, ...facts } = await differences.difference(repository.id, base.oid, head.oid);
    const merging = await differences.mergeability(repository.id, base.oid, head.oid);
    const isDraft = drafts.isDraft(input.title);
    const prepared = await this.#prepare(
      input,
      { repository, baseBranch, baseOid: base.oid, headOid: head.oid, mergeBase: facts.mergeBase, isDraft, paths },
      actor,
    );
    const made = await this.#store(repository, input, actor, prepared, {
      repository_id: repository.id,
      base_branch: baseBranch,
      head_repository_id: head.repository.id,
      head_branch: head.branch,
      flow: head.flow,
      topic_owner_id: between.topicOwnerId,
      head_oid: head.oid,
      base_oid: base.oid,
      merge_base: facts.mergeBase,
      commit_count: facts.commitCount,
      changed_files: facts.changedFiles,
      additions: facts.additions,
      deletions: facts.deletions,
      merge_state: merging.mergeState,
      conflicts: [...merging.conflicts],
      version: 1,
      is_open: true,
      open_key: openKey,
      is_draft: isDraft,
      allow_maintainer_edit: input.allowMaintainerEdit === true && (await this.#mayPush(head.repository, actor)),
      is_merged: false,
      merged_at: 0,
      merger_id: 0,
      merge_commit: '',
      merge_style: '',
      deletes_branch: false,
    });
    await this.deps.refs.keep(made.pull);
    return made;
  }

  async #store(
    repository: Repository,
    input: NewPullRequest,
    actor: Actor,
    prepared: readonly (readonly [PullExtension, unknown])[],
    row: Partial<PullRow>,
  ) {
    const { database, events, issues, timeline } = this.deps;
    const commits = await this.#commitIds(repository, row);
    return refuseDuplicate(Conflict(t.later('error.exists')), () =>
      database.write(async () => {
        const issue = await issues.create(
          repository,
          {
            isPull: true,
            title: input.title,
            body: input.body ?? '',
            assignees: input.assignees ?? [],
            labelIds: input.labelIds ?? [],
            ...(input.milestoneId && { milestoneId: input.milestoneId }),
            ...issueFieldsOfPulls.pick(input),
          },
          actor,
        );
        await database.query(PullRow).insert({ ...row, issue_id: issue.id, number: issue.index });
        const pull = toPull((await database.query(PullRow).findById(issue.id))!);
        await database.query(PullVersionRow).insert({
          issue_id: issue.id,
          number: 1,
          head_oid: pull.headOid,
          merge_base: pull.mergeBase,
          pusher_id: actor.id,
          is_forced: false,
          created_at: issue.createdAt,
        });
        await timeline.record(pushEntry(issue, actor.id, { commits, isForced: false, version: 1 }));
        await events.emit(pullChanged, {
          repositoryId: repository.id,
          issueId: issue.id,
          index: issue.index,
          action: 'opened',
          actorId: actor.id,
          at: issue.createdAt,
        });
        // they are told of after it
        for (const [extension, found] of prepared) await extension.apply(found, issue, pull, actor);
        return { issue, pull };
      }),
    );
  }

  async #prepare(input: NewPullRequest, context: NewPullContext, actor: Actor) {
    const prepared: (readonly [PullExtension, unknown])[] = [];
    for (const extension of this.deps.extensions.list())
      prepared.push([extension, await extension.prepare(input.extensions?.[extension.key], context, actor)]);
    return prepared;
  }

  async #commitIds(repository: Repository, row: Partial<PullRow>): Promise<string[]> {
    const { commits } = await this.deps.gitReader
      .open(repository.id)
      .log({ from: [row.head_oid!], not: [row.base_oid!], limit: 250, total: false });
    return commits.map(({ oid }) => oid).reverse();
  }

  /** Only those who may push to the head let others do so. */
  async #mayPush(head: Repository, actor: Actor): Promise<boolean> {
    return (await this.deps.repositoryAccess.context(actor, head)).may('write', 'code');
  }

  async #checkMilestone(repository: Repository, id: number): Promise<void> {
    const milestone = (await this.deps.issues.milestones([id])).get(id);
    if (milestone?.repositoryId !== repository.id) throw NotFound('milestone');
  }
}
