import { Conflict, Forbidden, Invalid, NotFound, type Actor, type Locks } from '@mortise/plugin-sdk';
import type { GitReader, GitStore, GitWriter, RefUpdates } from '@mortise/git/api';
import type { BranchAccess, CommitWriter, Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { PullContext, PullRequest } from '../api.js';
import { resolvedFiles, type ConflictResolution } from './conflict-resolution.js';
import { unitOption } from './pull-merger.js';
import type { PullReader } from './pull-reader.js';
import type { PullSyncer } from './pull-syncer.js';
import { t } from '../texts/index.js';

export type UpdateStyle = 'merge' | 'rebase';

/** Brings the head of a pull request up to date with its base. */
export class PullUpdater {
  constructor(
    private readonly deps: {
      readonly locks: Locks;
      readonly store: GitStore;
      readonly gitReader: GitReader;
      readonly gitWriter: GitWriter;
      readonly refUpdates: RefUpdates;
      readonly commitWriter: CommitWriter;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly branchAccess: BranchAccess;
      readonly reader: PullReader;
      readonly syncer: PullSyncer;
    },
  ) {}

  /** May the actor push to the head because of what was given there? */
  async ownsHead({ pull }: Pick<PullContext, 'pull'>, actor: Actor): Promise<boolean> {
    const head = await this.deps.repositories.byId(pull.headRepositoryId);
    return head !== undefined && (await this.deps.repositoryAccess.context(actor, head)).may('write', 'code');
  }

  /** May the actor push to the head: because of what was given there, or because maintainers may edit it? */
  async mayPush({ context, pull }: Pick<PullContext, 'context' | 'pull'>, actor: Actor): Promise<boolean> {
    if (pull.flow === 'agit' || !pull.headRepositoryId) return false;
    const head = await this.deps.repositories.byId(pull.headRepositoryId);
    if (!head || head.isArchived) return false;
    if (await this.ownsHead({ pull }, actor)) return true;
    if (!pull.isOpen || !pull.allowMaintainerEdit || !context.may('write', 'code')) return false;
    return (await this.deps.branchAccess.branchesOf(actor, head)).has(pull.headBranch);
  }

  /** The way that the repository prefers. */
  defaultStyle({ repository }: Pick<PullContext, 'repository'>): UpdateStyle {
    return unitOption(repository, 'default_update_style') === 'rebase' ? 'rebase' : 'merge';
  }

  async update(context: PullContext, style: UpdateStyle, actor: Actor): Promise<PullRequest> {
    const { pull } = context;
    await this.#check(context, style, actor);
    const make = style === 'merge' ? this.#merged : this.#rebased;
    return this.#carryOut(pull, actor, (head, own, base) => make.call(this, pull, head, own, base, actor));
  }

  /**
   * Merges the base into the head as conflicts were resolved. Conflict where one of them is another by now, Invalid where
   * something is left open; nothing is changed then.
   */
  async resolve(context: PullContext, resolution: ConflictResolution, actor: Actor): Promise<PullRequest> {
    const { pull } = context;
    await this.#check(context, 'merge', actor);
    return this.#carryOut(pull, actor, async (head, own, base) => {
      if (own !== resolution.head || own !== pull.headOid) throw Conflict(t.later('error.headMoved'));
      if (base !== resolution.base) throw Conflict(t.later('error.baseMoved'));
      const { gitReader, gitWriter } = this.deps;
      const { marked, conflicts } = await gitWriter.mergeTree(head.id, base, own);
      if (!marked) throw Conflict(t.later('error.resolve.none'));
      const changes = await resolvedFiles(gitReader.open(head.id), marked, conflicts, resolution);
      const tree = await gitWriter.writeTree(head.id, marked, changes);
      return this.#mergeCommit(pull, head, { own, base, tree }, actor);
    });
  }

  async #check(context: PullContext, style: UpdateStyle, actor: Actor): Promise<void> {
    const { pull, issue } = context;
    if (pull.isMerged || issue.isClosed) throw Invalid(t.later('error.updateClosed'));
    if (!(await this.mayPush(context, actor))) throw Forbidden(t.later('error.updateDenied'));
    if (unitOption(context.repository, `allow_${style}_update`) === false)
      throw Forbidden(t.later('error.updateStyle', { style }));
  }

  /** One update of a pull request at a time; `make` gives the commit that the head moves to. */
  #carryOut(
    pull: PullRequest,
    actor: Actor,
    make: (head: Repository, own: string, base: string) => Promise<string>,
  ): Promise<PullRequest> {
    return this.deps.locks.hold(`pulls.update:${pull.issueId}`, async () => {
      const head = await this.deps.repositories.byId(pull.headRepositoryId);
      if (!head) throw NotFound('repository');
      return this.#move(pull, head, actor, make);
    });
  }

  async #move(
    pull: PullRequest,
    head: Repository,
    actor: Actor,
    make: (head: Repository, own: string, base: string) => Promise<string>,
  ): Promise<PullRequest> {
    const { store, gitReader, refUpdates, syncer, reader } = this.deps;
    const git = gitReader.open(head.id);
    const own = await git.branch(pull.headBranch);
    const base = await gitReader.open(pull.repositoryId).branch(pull.baseBranch);
    if (!own || !base) throw NotFound('branch');
    await store.fetchObjects(pull.repositoryId, head.id, [base.oid]);
    if (!(await git.isAncestor(base.oid, own.oid))) {
      const made = await make(head, own.oid, base.oid);
      await refUpdates.apply({
        repositoryId: head.id,
        updates: [{ ref: own.ref, old: own.oid, new: made }],
        pusher: actor,
        source: 'merge',
      });
      await syncer.head(pull.issueId, { oid: made, pusherId: actor.id, at: Date.now() });
    }
    return (await reader.fresh(pull.issueId)) ?? pull;
  }

  async #merged(pull: PullRequest, head: Repository, own: string, base: string, actor: Actor): Promise<string> {
    const { tree, conflicts } = await this.deps.gitWriter.mergeTree(head.id, own, base);
    if (!tree) throw conflicting(conflicts);
    return this.#mergeCommit(pull, head, { own, base, tree }, actor);
  }

  async #mergeCommit(
    pull: PullRequest,
    head: Repository,
    { own, base, tree }: { readonly own: string; readonly base: string; readonly tree: string },
    actor: Actor,
  ): Promise<string> {
    const { commitWriter } = this.deps;
    const signature = await commitWriter.signatureOf(actor);
    return commitWriter.write(
      {
        tree,
        parents: [own, base],
        author: signature,
        committer: signature,
        message: `Merge branch '${pull.baseBranch}' into ${pull.headBranch}\n`,
      },
      { repositoryId: head.id, action: 'merge', actor, parents: [own, base] },
    );
  }

  async #rebased(_pull: PullRequest, head: Repository, own: string, base: string, actor: Actor): Promise<string> {
    const { commitWriter, gitWriter } = this.deps;
    const { head: made, conflicts } = await gitWriter.rebase(head.id, {
      head: own,
      upstream: base,
      onto: base,
      committer: await commitWriter.signatureOf(actor),
      finish: await commitWriter.signing({ repositoryId: head.id, action: 'merge', actor, parents: [base, own] }),
    });
    if (!made) throw conflicting(conflicts);
    return made;
  }
}

const conflicting = (files: readonly string[]) =>
  Conflict(t.later('error.conflicts', { files: files.slice(0, 20).join(', ') }));
