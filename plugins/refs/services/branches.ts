import {
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  Problem,
  identityOf,
  type Actor,
  type Events,
  type QueryCache,
} from '@mortise/plugin-sdk';
import { zeroOid, type GitReader, type GitRepository, type GitStore, type Ref } from '@mortise/git/api';
import type { CommitModels } from '@mortise/history/api';
import { refuseMirror, type Repositories, type RepositoryContext } from '@mortise/repositories/api';
import { branchRenamed } from '../api.js';
import type { BranchRuleRegistry } from './branch-rules.js';
import type { DeletedBranches } from './deleted-branches.js';
import type { RenamedBranches } from './renamed-branches.js';
import type { RefUpdater } from './ref-updater.js';
import { checkFree, plainName } from './ref-names.js';
import { t } from '../texts/index.js';

interface BranchDeps {
  readonly git: GitReader;
  readonly store: GitStore;
  readonly repositories: Repositories;
  readonly events: Events;
  readonly commits: CommitModels;
  readonly refUpdater: RefUpdater;
  readonly branchRules: BranchRuleRegistry;
  readonly deleted: DeletedBranches;
  readonly renamed: RenamedBranches;
  readonly fresh: QueryCache<unknown>;
}

export async function branchOf(git: GitRepository, branch: string): Promise<Ref> {
  const branchRef = await git.branch(branch);
  if (!branchRef)
    throw NotFound(`branch ${branch} does not exist`, { text: t.later('error.missing', { name: branch }) });
  return branchRef;
}

/** What people do with branches, from the API and from pages (REP-19, REP-20). */
export class BranchService {
  constructor(private readonly deps: BranchDeps) {}

  /** Model `Branch` of each; kept for one actor. */
  async records(context: RepositoryContext, actor: Actor, refs: readonly Ref[]): Promise<Record<string, unknown>[]> {
    const { repository, owner, mode } = context;
    const key = `branches:${identityOf(repository)}:${identityOf(owner)}:${mode}:${actor.kind}:${actor.id}:${actor.credentialId ?? 0}:${refs.map((ref) => `${ref.name}@${ref.oid}`).join()}`;
    return (await this.deps.fresh.load(key, () => this.#records(context, actor, refs))) as Record<string, unknown>[];
  }

  async #records(context: RepositoryContext, actor: Actor, refs: readonly Ref[]) {
    const { git: reader, commits, branchRules } = this.deps;
    const git = reader.open(context.repository.id);
    const heads = await git.commits(refs.map((ref) => ref.oid));
    const payloads = await commits.payloads(context.repository, heads);
    const byOid = new Map(payloads.map((payload) => [payload.id, payload]));
    const rules = await branchRules.rules(
      context,
      actor,
      refs.map((ref) => ref.name),
    );
    const writes = actor.kind !== 'anonymous' && context.may('write', 'code') && !context.repository.isArchived;
    const administers = actor.kind !== 'anonymous' && context.may('admin');
    return refs.flatMap(({ name, oid }) => {
      const commit = byOid.get(oid);
      const rule = rules.get(name);
      if (!commit) return [];
      return [
        {
          name,
          commit,
          protected: rule !== undefined,
          required_approvals: rule?.requiredApprovals ?? 0,
          enable_status_check: rule?.enableStatusCheck ?? false,
          status_check_contexts: rule ? rule.statusCheckContexts : [],
          user_can_push: rule ? rule.userCanPush && writes : writes,
          user_can_merge: rule ? rule.userCanMerge && actor.kind !== 'anonymous' : writes,
          // Names of rules are told to those who may edit them.
          effective_branch_protection_name: (administers && rule?.ruleName) || '',
        },
      ];
    });
  }

  async create(context: RepositoryContext, actor: Actor, name: string, start: { ref?: string; branch?: string }) {
    refuseMirror(context);
    const { repository } = context;
    const git = this.deps.git.open(repository.id);
    plainName(name);
    if (await git.isEmpty()) throw NotFound(t.later('error.empty'));
    const from = start.ref
      ? (await git.resolve(start.ref))?.commit
      : (await branchOf(git, start.branch || repository.defaultBranch)).oid;
    if (!from)
      throw NotFound(`Reference ${start.ref} does not exist.`, {
        text: t.later('error.missing', { name: start.ref ?? '' }),
      });
    checkFree(await git.branches(), name);
    if (await git.tag(name))
      throw Conflict(`Tag ${name} already exists.`, { text: t.later('error.tagExists', { name }) });
    await this.deps.refUpdater.updateRef(repository, actor, `refs/heads/${name}`, zeroOid, from);
    return branchOf(git, name);
  }

  async rename(context: RepositoryContext, actor: Actor, from: string, to: string): Promise<void> {
    refuseMirror(context);
    const { repository } = context;
    const { refUpdater, events, repositories, store, deleted, renamed } = this.deps;
    const git = this.deps.git.open(repository.id);
    plainName(to);
    if (to === from || (await git.branch(to)))
      throw Invalid(`Branch ${to} already exists.`, { text: t.later('error.exists', { name: to }) });
    const there = await branchOf(git, from);
    const isDefault = from === repository.defaultBranch;
    if (isDefault && !context.may('admin')) throw Forbidden(t.later('error.renameDefault'));
    await refUpdater.updateRefs(
      repository,
      actor,
      [
        { ref: there.ref, old: there.oid, new: zeroOid },
        { ref: `refs/heads/${to}`, old: zeroOid, new: there.oid },
      ],
      async () => {
        if (isDefault) await repositories.setDerived(repository.id, { defaultBranch: to });
        await deleted.renamed(repository.id, from);
        await renamed.record(repository.id, from, to);
        await events.emit(branchRenamed, { repositoryId: repository.id, from, to, actorId: actor.id });
      },
    );
    // The subscriber of the event does this too, should the process end here.
    if (isDefault) await store.setHead(repository.id, to);
  }

  async move(
    context: RepositoryContext,
    actor: Actor,
    name: string,
    to: { commit: string; from?: string; force?: boolean },
  ): Promise<void> {
    refuseMirror(context);
    const git = this.deps.git.open(context.repository.id);
    const there = await branchOf(git, name);
    if (to.from && (await git.resolve(to.from))?.commit !== there.oid)
      throw Invalid('The branch has changed in the meantime.');
    const target = await git.resolve(to.commit);
    if (!target) throw NotFound('commit');
    if (target.commit === there.oid) return;
    if (!to.force && !(await git.isAncestor(there.oid, target.commit)))
      throw Invalid('This update is not a fast-forward. Use force to update the branch anyway.');
    await this.deps.refUpdater.updateRef(context.repository, actor, there.ref, there.oid, target.commit);
  }

  async delete(context: RepositoryContext, actor: Actor, name: string): Promise<void> {
    refuseMirror(context);
    const there = await branchOf(this.deps.git.open(context.repository.id), name);
    if (name === context.repository.defaultBranch) throw Forbidden(t.later('error.deleteDefault'));
    await this.deps.refUpdater.updateRef(context.repository, actor, there.ref, there.oid, zeroOid);
  }

  /** Brings a deleted branch back where it stood; Gone when git has tidied its commits away. */
  async restore(context: RepositoryContext, actor: Actor, id: number): Promise<string> {
    refuseMirror(context);
    const git = this.deps.git.open(context.repository.id);
    const row = await this.deps.deleted.byId(context.repository.id, id);
    if (!row) throw NotFound('deleted branch');
    checkFree(await git.branches(), row.name);
    if ((await git.info(row.oid))?.type !== 'commit')
      throw new Problem('gone', t.later('error.gone', { name: row.name }));
    await this.deps.refUpdater.updateRef(context.repository, actor, `refs/heads/${row.name}`, zeroOid, row.oid);
    return row.name;
  }
}
