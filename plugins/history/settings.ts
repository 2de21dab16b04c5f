import { Joi, type PublicSettings } from '@mortise/plugin-sdk';

/** `[api]`, the part about objects of git. */
interface GitDataSettings {
  readonly DEFAULT_GIT_TREES_PER_PAGE: number;
  readonly DEFAULT_MAX_BLOB_SIZE: number;
}

export const gitDataSettings = Joi.object<GitDataSettings, true>({
  DEFAULT_GIT_TREES_PER_PAGE: Joi.number()
    .integer()
    .min(1)
    .default(1000)
    .description('Entries in one page of a git tree'),
  DEFAULT_MAX_BLOB_SIZE: Joi.number()
    .integer()
    .min(0)
    .default(10 * 1024 * 1024)
    .description('Largest blob that is given as JSON, in bytes'),
});

/** What clients learn of them. */
export function publicGitDataSettings(settings: Readonly<GitDataSettings>): PublicSettings {
  return {
    key: 'git-data',
    page: 'api',
    schema: { default_git_trees_per_page: Joi.number().required(), default_max_blob_size: Joi.number().required() },
    values: {
      default_git_trees_per_page: settings.DEFAULT_GIT_TREES_PER_PAGE,
      default_max_blob_size: settings.DEFAULT_MAX_BLOB_SIZE,
    },
  };
}

/** `[git]`, the part about lists of commits (LIM-10). */
interface CommitListSettings {
  readonly COMMITS_RANGE_SIZE: number;
}

export const commitListSettings = Joi.object<CommitListSettings, true>({
  COMMITS_RANGE_SIZE: Joi.number()
    .integer()
    .min(1)
    .default(50)
    .description('Most commits in one answer of the API; `MAX_RESPONSE_ITEMS` bounds them too.'),
});

/** `[ui]` */
interface GraphSettings {
  readonly GRAPH_MAX_COMMIT_NUM: number;
}

export const graphSettings = Joi.object<GraphSettings, true>({
  GRAPH_MAX_COMMIT_NUM: Joi.number()
    .integer()
    .min(1)
    .max(500)
    .default(100)
    .description('Commits on one page of the graph'),
});
