import { Joi } from '@mortise/plugin-sdk';

export interface ForkSettings {
  readonly DEFAULT_FORK_REPO_UNITS: string;
  readonly ALLOW_FORK_WITHOUT_MAXIMUM_LIMIT: boolean;
  readonly ALLOW_FORK_INTO_SAME_OWNER: boolean;
}

/** `[repository]`, the part about forks. */
export const forkSettings = Joi.object<ForkSettings, true>({
  DEFAULT_FORK_REPO_UNITS: Joi.string().default('repo.code,repo.pulls').description('Units that a new fork has'),
  ALLOW_FORK_WITHOUT_MAXIMUM_LIMIT: Joi.boolean()
    .default(true)
    .description('Forks may be made beyond the limit of repositories'),
  ALLOW_FORK_INTO_SAME_OWNER: Joi.boolean()
    .default(false)
    .description('The page for forks offers the account that owns the original too'),
});
