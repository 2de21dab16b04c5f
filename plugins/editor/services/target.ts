import { Forbidden, NotFound, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { BranchRules } from '@mortise/refs/api';
import { isRefName, type GitReader, type GitRepository, type PathEntry } from '@mortise/git/api';
import type { BranchAccess, RepositoryContext } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** A branch and a path in it that somebody is about to change. */
export interface EditTarget {
  readonly context: RepositoryContext;
  readonly git: GitRepository;
  readonly branch: string;
  /** Head of the branch; undefined while the repository is empty. */
  readonly head: string | undefined;
  /** Without slashes at the ends; empty: the root. */
  readonly path: string;
  /** May the actor commit to the branch itself? Else only to a new one. */
  readonly mayPush: boolean;
  /** May the actor make branches? Those who may write to single branches may not. */
  readonly mayBranch: boolean;
  /** Name to offer for a new branch. */
  readonly proposal: string;
}

const denied = (name: string) => Forbidden(t.later('error.branchDenied', { name }));

/** Longest prefix of branch names that is looked at. */
const deepest = 12;

/** Finds what `main/docs/a.md` behind `/_edit/` means. Only branches can be changed. */
export class EditTargets {
  constructor(
    private readonly git: GitReader,
    private readonly rules: PointReader<BranchRules>,
    private readonly branches: BranchAccess,
  ) {}

  /** Forbidden for a branch that the actor may not write to. */
  async open(context: RepositoryContext, actor: Actor, rest: string): Promise<EditTarget> {
    const { repository } = context;
    const mayBranch = context.may('write', 'code');
    const git = this.git.open(repository.id);
    const segments = rest.split('/').filter(Boolean);
    const proposal = await this.#freeName(git, actor.name);
    for (let count = Math.min(segments.length, deepest); count > 0; count--) {
      const branch = segments.slice(0, count).join('/');
      const ref = isRefName(branch) ? await git.branch(branch) : undefined;
      if (!ref) continue;
      if (!mayBranch && !(await this.branches.branchesOf(actor, repository)).has(branch)) throw denied(branch);
      const mayPush = await this.#mayPush(context, actor, branch);
      const path = segments.slice(count).join('/');
      return { context, git, branch, head: ref.oid, path, mayPush, mayBranch, proposal };
    }
    if (!(await git.isEmpty())) throw NotFound(t.later('error.noBranch', { name: segments[0]?.slice(0, 100) ?? '' }));
    const branch = repository.defaultBranch;
    if (!mayBranch) throw denied(branch);
    const path = rest.startsWith(`${branch}/`) ? rest.slice(branch.length + 1) : '';
    return { context, git, branch, head: undefined, path, mayPush: true, mayBranch, proposal };
  }

  /** The file at the target's path. */
  async file(target: EditTarget): Promise<PathEntry & { readonly size: number }> {
    const entry = await this.entry(target);
    if (entry?.type !== 'blob') throw NotFound('file');
    if (entry.mode === '120000') throw Forbidden(t.later('error.symbolicLink'));
    return { ...entry, size: (await target.git.info(entry.oid))?.size ?? 0 };
  }

  async entry({ git, head, path }: EditTarget): Promise<PathEntry | undefined> {
    const entry = head && path ? await git.entry(head, path) : undefined;
    return entry && { ...entry, path };
  }

  async #mayPush(context: RepositoryContext, actor: Actor, branch: string): Promise<boolean> {
    for (const book of this.rules.list()) {
      const rule = (await book.rules(context, actor, [branch])).get(branch);
      if (rule) return rule.userCanPush;
    }
    return true;
  }

  /** `ada-patch-1`, or the next number that is free. */
  async #freeName(git: GitRepository, actor: string): Promise<string> {
    const taken = new Set((await git.branches()).map((ref) => ref.name));
    for (let number = 1; ; number++) {
      const name = `${actor}-patch-${number}`;
      if (!taken.has(name)) return name;
    }
  }
}
