/** Makes repositories that follow another one from the first moment. */
import type { Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { GitStore } from '@mortise/git/api';
import type { Repositories, Repository, RepositoryDefaults, RepositoryCreator } from '@mortise/repositories/api';
import type { MirrorCreationOptions, NewPullMirror } from '../contract/mirrors.js';
import type { PullMirrorService } from './pull-mirrors.js';

interface MirrorCreatorDeps {
  readonly store: GitStore;
  readonly repositories: Repositories;
  readonly defaults: RepositoryDefaults;
  readonly creator: RepositoryCreator;
  readonly mirrors: PullMirrorService;
}

export class MirrorCreator {
  constructor(private readonly deps: MirrorCreatorDeps) {}

  async create(
    input: NewPullMirror,
    owner: Account,
    actor: Actor,
    options: MirrorCreationOptions = {},
  ): Promise<Repository> {
    const { store, repositories, defaults, creator, mirrors } = this.deps;
    repositories.checkName(input.name);
    const plan = mirrors.plan(input, actor);
    let derived: Parameters<Repositories['setDerived']>[1] = {};
    const row = {
      name: input.name,
      description: input.description ?? '',
      isPrivate: defaults.forcePrivate || (input.isPrivate ?? false),
      defaultBranch: defaults.branch,
      // what follows another repository takes no changes that could be asked for
      units: creator.units().map((unit) => (unit.key === 'pulls' ? { ...unit, enabled: false } : unit)),
      originalUrl: plan.address.url,
      mirror: { intervalMs: plan.intervalMs },
    };
    const fill = async ({ id }: Repository) => {
      await store.create(id, { defaultBranch: defaults.branch });
      const { defaultBranch = defaults.branch } = await mirrors.fill(plan, id, actor, options);
      derived = { ...(await creator.derive(id, defaultBranch)), defaultBranch };
    };
    const within = async ({ id }: Repository) => {
      await mirrors.store(plan, id);
      await repositories.setDerived(id, derived);
    };
    return creator.establish(owner, row, actor, fill, within);
  }
}
