import { Joi } from '@mortise/plugin-sdk';

export interface RepositorySettings {
  readonly DEFAULT_BRANCH: string;
  readonly DEFAULT_REPO_UNITS: string;
  readonly DISABLED_REPO_UNITS: string;
  readonly MAX_CREATION_LIMIT: number;
  readonly FORCE_PRIVATE: boolean;
  readonly DEFAULT_PRIVATE: 'last' | 'private' | 'public';
  readonly DISABLE_STARS: boolean;
}

const units = 'repo.code,repo.releases,repo.issues,repo.pulls,repo.wiki,repo.projects,repo.packages,repo.actions';

export const repositorySettings = Joi.object<RepositorySettings>({
  DEFAULT_BRANCH: Joi.string().default('main').description('Default branch of new repositories'),
  DEFAULT_REPO_UNITS: Joi.string().default(units).description('Units that a new repository has, separated by commas'),
  DISABLED_REPO_UNITS: Joi.string().allow('').default('').description('Units that no repository has'),
  MAX_CREATION_LIMIT: Joi.number()
    .integer()
    .default(-1)
    .description('Repositories that one account may own; -1: no limit'),
  FORCE_PRIVATE: Joi.boolean().default(false).description('New repositories are private whatever was asked'),
  DEFAULT_PRIVATE: Joi.string()
    .valid('last', 'private', 'public')
    .default('last')
    .description('What the form for a new repository proposes'),
  DISABLE_STARS: Joi.boolean().default(false).description('No stars'),
});

/** `repo.code,repo.issues` → `code`, `issues`. */
export const unitSet = (text: string): Set<string> =>
  new Set(
    text
      .split(',')
      .map((word) => word.trim().replace(/^repo\./, ''))
      .filter(Boolean),
  );
