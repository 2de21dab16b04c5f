import { Forbidden, Invalid, type PointReader } from '@mortise/plugin-sdk';
import {
  isZeroOid,
  type GitReader,
  type GitRepository,
  type RefChange,
  type RefCheck,
  type RefUpdate,
} from '@mortise/git/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { MergeVerdict, ProtectionRule } from '../contract/branch-protection.js';
import type { BranchRuleService } from './branch-rules.js';
import type { SignatureRule } from './signature-rule.js';
import type { TagRuleService } from './tag-rules.js';
import { t } from '../texts/index.js';

interface GateDeps {
  readonly branchRules: BranchRuleService;
  readonly tagRules: TagRuleService;
  readonly signatures: SignatureRule;
  readonly gitReader: GitReader;
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
  readonly verdicts: PointReader<MergeVerdict>;
}

const branchOf = (ref: string) => (ref.startsWith('refs/heads/') ? ref.slice(11) : undefined);
const tagOf = (ref: string) => (ref.startsWith('refs/tags/') ? ref.slice(10) : undefined);

/** Refuses what rules forbid, wherever it comes from: pushes, the API, the web editor, merges. */
export class ProtectionGate implements RefCheck {
  readonly key = 'protection';
  readonly order = 50;

  constructor(private readonly deps: GateDeps) {}

  async check(change: RefChange): Promise<void> {
    // Changes by the server itself (first commit, copies, mirrors) are not subject to the rules.
    if (change.kind !== 'code' || change.source === 'mirror' || change.source === 'internal') return;
    for (const update of change.updates) {
      const tag = tagOf(update.ref);
      if (tag !== undefined) await this.#checkTag(change, tag);
    }
    const branches = change.updates.flatMap(({ ref }) => branchOf(ref) ?? []);
    const rules = await this.deps.branchRules.rulesFor(change.repositoryId, branches);
    if (rules.size === 0) return;
    const git = this.#git(change);
    for (const update of change.updates) {
      const branch = branchOf(update.ref);
      const rule = branch === undefined ? undefined : rules.get(branch);
      if (branch !== undefined && rule) await new BranchCheck(this.deps, change, git, update, branch, rule).check();
    }
  }

  #git({ repositoryId, kind, quarantine }: RefChange): GitRepository {
    const { gitReader } = this.deps;
    return quarantine ? gitReader.quarantined(repositoryId, kind, quarantine) : gitReader.open(repositoryId, kind);
  }

  async #checkTag(change: RefChange, tag: string): Promise<void> {
    if (await this.deps.tagRules.mayControl(change.repositoryId, tag, change.pusher)) return;
    throw Invalid(t.later('error.tagProtected', { tag }));
  }
}

/** They are arguments of git; beyond this many, commits of further branches are checked again. */
const maxTips = 1000;

/** One branch under its rule. */
class BranchCheck {
  constructor(
    private readonly deps: GateDeps,
    private readonly change: RefChange,
    private readonly git: GitRepository,
    private readonly update: RefUpdate,
    private readonly branch: string,
    private readonly rule: ProtectionRule,
  ) {}

  async check(): Promise<void> {
    if (isZeroOid(this.update.new)) return this.#checkDeletion();
    if (await this.#isMerge()) {
      if (!(await this.rule.canMerge(this.change.pusher)))
        throw Forbidden(t.later('error.mergeDenied', { branch: this.branch }));
    } else await this.#checkPush();
    if (!this.rule.requireSignedCommits) return;
    const trusted = isZeroOid(this.update.old) ? await this.#signedBranches() : [];
    await this.deps.signatures.check(this.git, this.branch, this.update, trusted);
  }

  /** Tips of the default branch, from which all others come, and of branches under such a rule. */
  async #signedBranches(): Promise<string[]> {
    const { branchRules, repositories } = this.deps;
    const { repositoryId } = this.change;
    const branches = await this.git.branches();
    const trunk = (await repositories.byId(repositoryId))?.defaultBranch;
    const names = branches.map(({ name }) => name);
    const rules = await branchRules.rulesFor(repositoryId, names);
    const tips = branches.filter(({ name }) => name === trunk || rules.get(name)?.requireSignedCommits);
    return [...new Set(tips.map(({ oid }) => oid))].slice(0, maxTips);
  }

  /** Merges of pull requests, whose requirements the merge itself checks. */
  async #isMerge(): Promise<boolean> {
    for (const one of this.deps.verdicts.list())
      if (await one.verdict(this.change, this.update, this.rule)) return true;
    return false;
  }

  async #checkDeletion(): Promise<void> {
    if (!this.#renamed()) throw Forbidden(t.later('error.deleteDenied', { branch: this.branch }));
    const { access, repositories } = this.deps;
    const repository = await repositories.byId(this.change.repositoryId);
    const context = repository && (await access.context(this.change.pusher, repository));
    if (this.rule.ruleName !== this.branch || !context?.may('admin'))
      throw Forbidden(t.later('error.renameDenied', { branch: this.branch }));
  }

  /** The same change makes another branch at the same commit. A push can look the same, but is no rename. */
  #renamed(): boolean {
    const { source, updates } = this.change;
    if (source !== 'api' && source !== 'web') return false;
    return updates.length === 2 && updates.some(({ ref, new: oid }) => branchOf(ref) && oid === this.update.old);
  }

  async #checkPush(): Promise<void> {
    const { rule, branch } = this;
    const { pusher } = this.change;
    const isNew = isZeroOid(this.update.old);
    const forced = !isNew && !(await this.git.isAncestor(this.update.old, this.update.new));
    // who may force may push, so nothing forced comes past the list of those below
    if (forced && !(await rule.canForcePush(pusher))) throw Forbidden(t.later('error.forceDenied', { branch }));
    const asksForFiles = rule.protectedFilePatterns.trim() !== '' || rule.unprotectedFilePatterns.trim() !== '';
    const paths = asksForFiles ? await this.#changedPaths() : [];
    if (!(await rule.canPush(pusher)) && (isNew || !rule.onlyUnprotectedFiles(paths)))
      throw Forbidden(t.later(rule.enablePush ? 'error.pushDenied' : 'error.pullOnly', { branch }));
    const refused = rule.protectedFiles(paths);
    if (refused.length > 0) {
      const files = refused.slice(0, 5).join(', ') + (refused.length > 5 ? ', …' : '');
      throw Forbidden(t.later('error.filesDenied', { branch, files }));
    }
  }

  /** Paths that differ from before; for a new branch, from where it leaves the default branch. */
  async #changedPaths(): Promise<string[]> {
    const { update, git } = this;
    const from = isZeroOid(update.old) ? await this.#branchingPoint() : update.old;
    const changes = await git.changes(from, update.new, { renames: false, stats: false });
    return changes.map(({ path }) => path);
  }

  async #branchingPoint(): Promise<string | undefined> {
    const repository = await this.deps.repositories.byId(this.change.repositoryId);
    const trunk = repository && (await this.git.branch(repository.defaultBranch));
    return trunk && this.git.mergeBase(trunk.oid, this.update.new);
  }
}
