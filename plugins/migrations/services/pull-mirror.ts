/** Repositories that follow their source from the first moment, for imports that ask for it. */
import type { Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { GitStore } from '@mortise/git/api';
import type { PullMirrors } from '@mortise/mirrors/api';
import type { Repositories, Repository, RepositoryDefaults, RepositoryMaking } from '@mortise/repositories/api';

export interface MirrorRequest {
  readonly address: string;
  readonly username: string;
  readonly password: string;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  readonly interval: string;
  readonly wiki: boolean;
  readonly lfs: boolean;
}

export interface MirrorCreatorDeps {
  readonly store: GitStore;
  readonly repositories: Repositories;
  readonly defaults: RepositoryDefaults;
  readonly making: RepositoryMaking;
  readonly pullMirrors: PullMirrors;
}

export class MirrorCreator {
  constructor(private readonly deps: MirrorCreatorDeps) {}

  /** Ends when everything has come; nothing is left when it fails. */
  async create(request: MirrorRequest, owner: Account, actor: Actor): Promise<Repository> {
    const { store, repositories, defaults, making, pullMirrors } = this.deps;
    repositories.checkName(request.name);
    const plan = pullMirrors.plan(request, actor);
    let derived: Parameters<Repositories['setDerived']>[1] = {};
    const row = {
      name: request.name,
      description: request.description,
      isPrivate: defaults.forcePrivate || request.isPrivate,
      defaultBranch: defaults.branch,
      // what follows another repository takes no changes that could be asked for
      units: making.units().map((unit) => (unit.key === 'pulls' ? { ...unit, enabled: false } : unit)),
      ...pullMirrors.rowOf(plan),
    };
    const fill = async ({ id }: Repository) => {
      await store.create(id, { defaultBranch: defaults.branch });
      const { defaultBranch = defaults.branch } = await pullMirrors.fill(plan, id, actor);
      derived = { ...(await making.derive(id, defaultBranch)), defaultBranch };
    };
    const within = async ({ id }: Repository) => {
      await pullMirrors.store(plan, id);
      await repositories.setDerived(id, derived);
    };
    return making.establish(owner, row, actor, fill, within);
  }
}
