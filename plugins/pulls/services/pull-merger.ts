import { createHash } from 'node:crypto';
import {
  Conflict,
  Forbidden,
  NotFound,
  Problem,
  anonymous,
  type Actor,
  type Database,
  type Locks,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import {
  defineFact,
  type GitReader,
  type GitStore,
  type GitWriter,
  type RefChange,
  type RefUpdates,
} from '@mortise/git/api';
import type { Issue, Issues } from '@mortise/issues/api';
import {
  accessRank,
  mustBeActive,
  type CommitWriter,
  type Repositories,
  type Repository,
  type RepositoryAccess,
  type SigningBasis,
} from '@mortise/repositories/api';
import type { MergeOptions, MergeStyle, PullContext, PullRequest } from '../api.js';
import type { PullSettings } from '../settings.js';
import { mergeMessage, withTrailers, type MergeMessages } from './merge-messages.js';
import type { MergeabilityChecker } from './mergeability.js';
import type { PullReader } from './pull-reader.js';
import type { MergeRecorder } from './merge-recorder.js';
import type { PullSyncer } from './pull-syncer.js';
import { t } from '../texts/index.js';

/** What a change of references says when it merges a pull request; with it the row follows, also after a kill. */
export interface MergedFact {
  readonly issueId: number;
  readonly style: MergeStyle;
  readonly headOid: string;
  readonly mergerId: number;
  readonly deletesBranch: boolean;
}
export const mergedFact = defineFact<MergedFact>('pulls.merged');

/** 405, as clients of the REST surface know it. */
export const NotAllowed = (message: ConstructorParameters<typeof Problem>[1]) =>
  new Problem('method_not_allowed', message);

const options: Readonly<Record<MergeStyle, string>> = {
  merge: 'allow_merge_commits',
  rebase: 'allow_rebase',
  'rebase-merge': 'allow_rebase_explicit',
  squash: 'allow_squash_merge',
  'fast-forward-only': 'allow_fast_forward_only_merge',
  'manually-merged': 'allow_manual_merge',
};

export const unitOption = ({ units }: Repository, key: string): unknown =>
  units.find((unit) => unit.key === 'pulls')?.config[key];

export const allowsStyle = (repository: Repository, style: MergeStyle): boolean =>
  (unitOption(repository, options[style]) ?? style !== 'manually-merged') === true;

/** Names of branches are longer than names of locks. */
export const mergeLock = ({ repositoryId, baseBranch }: Pick<PullRequest, 'repositoryId' | 'baseBranch'>): string =>
  `pulls.merge:${repositoryId}:${createHash('sha256').update(baseBranch).digest('hex').slice(0, 32)}`;

interface MergerDeps {
  readonly database: Database;
  readonly locks: Locks;
  readonly accounts: Accounts;
  readonly store: GitStore;
  readonly gitReader: GitReader;
  readonly gitWriter: GitWriter;
  readonly refUpdates: RefUpdates;
  readonly commitWriter: CommitWriter;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly issues: Issues;
  readonly reader: PullReader;
  readonly syncer: PullSyncer;
  readonly mergeability: MergeabilityChecker;
  readonly mergeRecorder: MergeRecorder;
  readonly messages: MergeMessages;
  readonly settings: PullSettings;
}

interface Work {
  readonly repository: Repository;
  readonly issue: Issue;
  readonly pull: PullRequest;
  readonly base: string;
  readonly actor: Actor;
}

/** Merges pull requests: one at a time into each branch. */
export class PullMerger {
  /** Of those that this process carries out at the moment, by the commit that the branch gets. */
  readonly #running = new Set<string>();

  constructor(private readonly deps: MergerDeps) {}

  /** Whether the change of references is a merge that is carried out here. */
  isCarryingOut(change: RefChange): boolean {
    const fact = mergedFact.of(change);
    return fact !== undefined && change.updates.some((update) => this.#running.has(`${fact.issueId}:${update.new}`));
  }

  async merge(context: PullContext, options: MergeOptions, actor: Actor): Promise<PullRequest> {
    const { locks, reader } = this.deps;
    const { repositoryId, baseBranch } = context.pull;
    return locks.hold(mergeLock({ repositoryId, baseBranch }), async () => {
      const now = await this.#current(context, actor);
      await this.#check(now, options, actor);
      await this.#carryOut(now, options, actor);
      return (await reader.fresh(now.pull.issueId)) ?? now.pull;
    });
  }

  /** What merging it onto a commit gives; moves nothing. */
  async build({ repository, issue, pull }: PullContext, options: MergeOptions, actor: Actor, onto: string) {
    if (!allowsStyle(repository, options.style)) throw NotAllowed(t.later('error.style', { style: options.style }));
    const work = { repository, issue, pull, base: onto, actor };
    await this.#shareContent(work);
    return this.#make(work, options);
  }

  /** The head's repository may have got content for its commits after they came here. */
  async #shareContent({ repository, pull, base }: Work): Promise<void> {
    const { id: to } = repository;
    const { headRepositoryId: from, headOid } = pull;
    if (from) await this.deps.store.shareExternalContent({ from, to, commits: [headOid], not: [base] });
  }

  /** As everything is once nobody else merges into the branch: waiting may have taken long, rights among it. */
  async #current(context: PullContext, actor: Actor): Promise<PullContext> {
    const { database, accounts, reader, issues, repositories, repositoryAccess, syncer } = this.deps;
    await database.syncVersions();
    const account = actor.kind === 'user' ? await accounts.byId(actor.id) : undefined;
    if (actor.kind === 'user' && (!account || accounts.refusal(account)))
      throw Forbidden(t.later('obstacle.permission'));
    const issue = await issues.byId(context.issue.id);
    const repository = await repositories.byId(context.repository.id);
    if (!repository) throw NotFound('repository');
    const rights = await repositoryAccess.context(actor, repository);
    if (!rights.may('read', 'pulls')) throw NotFound('pull request');
    mustBeActive({ repository });
    let pull = await reader.fresh(context.pull.issueId);
    if (!issue || !pull) throw NotFound('pull request');
    if (pull.baseBranch !== context.pull.baseBranch) throw Conflict(t.later('error.retargeted'));
    if (pull.isOpen) {
      const tip = await syncer.tip(pull);
      if (tip === undefined) throw NotFound(t.later('error.headGone'));
      if (tip !== pull.headOid) pull = (await syncer.head(pull.issueId, { oid: tip, pusherId: 0, at: Date.now() }))!;
      if (pull.mergeState === 'checking') {
        await syncer.check(pull.issueId);
        pull = (await reader.fresh(pull.issueId))!;
      }
    }
    const mode = rights.modeOf('pulls');
    const may: PullContext['may'] = (needed) => accessRank[mode] >= accessRank[needed];
    return { ...context, context: rights, repository, issue, pull, mode, may };
  }

  async #check(context: PullContext, options: MergeOptions, actor: Actor): Promise<void> {
    const blockers = await this.deps.mergeability.blockers(context, actor);
    const has = (code: string) => blockers.some((one) => one.code === code);
    if (has('closed') && !has('permission')) throw NotFound(t.later('obstacle.closed'));
    const { mayForce } = await this.deps.mergeability.rights(context, actor);
    const isPassed = options.force === true && mayForce;
    // what was merged elsewhere has conflicts no more
    const isManual = options.style === 'manually-merged';
    const left = blockers.filter(
      (one) =>
        !(one.isRequirement && (isPassed || options.allowedBlockers?.includes(one.code))) &&
        !(isManual && ['conflicts', 'draft', 'empty'].includes(one.code)),
    );
    if (left.length) throw NotAllowed(left[0]!.message);
    if (!allowsStyle(context.repository, options.style))
      throw NotAllowed(t.later('error.style', { style: options.style }));
    if (options.headOid && options.headOid !== context.pull.headOid) throw Conflict(t.later('error.headMoved'));
  }

  async #carryOut(context: PullContext, options: MergeOptions, actor: Actor): Promise<void> {
    const { gitReader, refUpdates } = this.deps;
    const { repository, issue, pull } = context;
    const git = gitReader.open(repository.id);
    const base = await git.branch(pull.baseBranch);
    if (!base) throw NotFound('branch');
    const work: Work = { repository, issue, pull, base: base.oid, actor };
    const fact: MergedFact = {
      issueId: issue.id,
      style: options.style,
      headOid: pull.headOid,
      mergerId: actor.id,
      deletesBranch: options.deleteBranch ?? unitOption(repository, 'default_delete_branch_after_merge') === true,
    };
    if (options.style === 'manually-merged') return this.#recordManualMerge(work, options, fact);
    if (options.prepared && options.prepared.onto !== base.oid) throw Conflict(t.later('error.baseMoved'));
    await this.#shareContent(work);
    const made = options.prepared?.commit ?? (await this.#make(work, options));
    const key = `${issue.id}:${made}`;
    this.#running.add(key);
    try {
      await refUpdates.apply({
        repositoryId: repository.id,
        updates: [{ ref: base.ref, old: base.oid, new: made }],
        pusher: actor,
        source: 'merge',
        facts: mergedFact.with(fact),
      });
    } finally {
      this.#running.delete(key);
    }
  }

  /** The commit that the base branch gets. */
  async #make(work: Work, options: MergeOptions): Promise<string> {
    switch (options.style) {
      case 'merge':
        return this.#mergeCommit(work, options);
      case 'squash':
        return this.#squash(work, options);
      case 'rebase':
        return this.#rebased(work);
      case 'rebase-merge':
        return this.#rebasedAndMerged(work, options);
      case 'fast-forward-only':
        return this.#forward(work);
      case 'manually-merged':
        throw new Error('nothing is made for what was merged elsewhere');
    }
  }

  async #mergeCommit(work: Work, options: MergeOptions): Promise<string> {
    const tree = await this.#mergedTree(work);
    return this.#commit(work, options, tree, [work.base, work.pull.headOid]);
  }

  async #squash(work: Work, options: MergeOptions): Promise<string> {
    const tree = await this.#mergedTree(work);
    const poster = await this.deps.accounts.byId(work.issue.posterId);
    return this.#commit(work, options, tree, [work.base], poster);
  }

  async #rebased(work: Work): Promise<string> {
    const { commitWriter, gitWriter } = this.deps;
    const { repository, pull, base } = work;
    const { head, conflicts } = await gitWriter.rebase(repository.id, {
      head: pull.headOid,
      upstream: base,
      onto: base,
      committer: await commitWriter.signatureOf(work.actor),
      finish: await commitWriter.signing(defaultBasis(work)),
    });
    if (!head) throw conflicting(conflicts);
    return head;
  }

  async #rebasedAndMerged(work: Work, options: MergeOptions): Promise<string> {
    const head = await this.#rebased(work);
    const { tree } = await this.deps.gitReader.open(work.repository.id).commit(head);
    return this.#commit(work, options, tree, [work.base, head]);
  }

  async #forward({ repository, pull, base }: Work): Promise<string> {
    if (!(await this.deps.gitReader.open(repository.id).isAncestor(base, pull.headOid)))
      throw Conflict(t.later('error.notForward'));
    return pull.headOid;
  }

  async #mergedTree({ repository, pull, base }: Work): Promise<string> {
    const { tree, conflicts } = await this.deps.gitWriter.mergeTree(repository.id, base, pull.headOid);
    if (!tree) throw conflicting(conflicts);
    return tree;
  }

  async #commit(work: Work, options: MergeOptions, tree: string, parents: readonly string[], author?: Account) {
    const { accounts, commitWriter, repositories, settings } = this.deps;
    const { repository, issue, pull, actor } = work;
    const headRepository =
      pull.headRepositoryId === repository.id ? undefined : await repositories.byId(pull.headRepositoryId);
    // the message is for everybody who reads the base
    const isOpen =
      headRepository && (await this.deps.repositoryAccess.context(anonymous, headRepository)).may('read', 'code');
    const headName = isOpen ? `${headRepository.ownerName}/${headRepository.name}:${pull.headBranch}` : pull.headBranch;
    const usual = await this.deps.messages.usual(options.style, { repository, issue, pull, headName });
    const committer = await commitWriter.signatureOf(actor);
    const writer = author ? await commitWriter.signatureOf(accounts.actorOf(author, '')) : committer;
    const isOther = writer.name !== committer.name || writer.email !== committer.email;
    const named = `${writer.name} <${writer.email}>`;
    const trailers =
      isOther && settings.ADD_CO_COMMITTER_TRAILERS ? [`Co-authored-by: ${named}`, `Co-committed-by: ${named}`] : [];
    return commitWriter.write(
      { tree, parents, author: writer, committer, message: withTrailers(mergeMessage(options, usual), trailers) },
      defaultBasis(work),
    );
  }

  /** Somebody merged it by hand: the commit is on the base branch, and leads to the head. */
  async #recordManualMerge({ repository, base }: Work, options: MergeOptions, fact: MergedFact): Promise<void> {
    const git = this.deps.gitReader.open(repository.id);
    const named = options.mergeCommit ?? '';
    const oid = /^[0-9a-f]{7,64}$/.test(named) ? await git.expand(named) : undefined;
    if (!oid || !(await git.isAncestor(oid, base))) throw Conflict(t.later('error.mergeCommit'));
    await this.deps.mergeRecorder.record(fact, oid);
  }
}

const defaultBasis = ({ repository, actor, base, pull }: Work): SigningBasis => ({
  repositoryId: repository.id,
  action: 'merge',
  actor,
  parents: [base, pull.headOid],
});

const conflicting = (files: readonly string[]) =>
  Conflict(t.later('error.conflicts', { files: files.slice(0, 20).join(', ') }));
