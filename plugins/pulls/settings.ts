import { Joi } from '@mortise/plugin-sdk';
import { mergeStyles, type MergeStyle } from './contract/pulls.js';

export interface PullSettings {
  readonly WORK_IN_PROGRESS_PREFIXES: string;
  readonly DELAY_CHECK_FOR_INACTIVE_DAYS: number;
  readonly RETARGET_CHILDREN_ON_MERGE: boolean;
  readonly DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT: number;
  readonly DEFAULT_MERGE_MESSAGE_SIZE: number;
  readonly DEFAULT_MERGE_MESSAGE_ALL_AUTHORS: boolean;
  readonly POPULATE_SQUASH_COMMENT_WITH_COMMIT_MESSAGES: boolean;
  readonly ADD_CO_COMMITTER_TRAILERS: boolean;
  readonly DEFAULT_MERGE_STYLE: MergeStyle;
  readonly DEFAULT_DELETE_BRANCH_AFTER_MERGE: boolean;
  readonly DEFAULT_TITLE_SOURCE: 'auto' | 'first-commit';
}

/** `[repository.pull-request]` */
export const pullSettings = Joi.object<PullSettings>({
  WORK_IN_PROGRESS_PREFIXES: Joi.string()
    .allow('')
    .default('WIP:,[WIP]')
    .description('Beginnings of titles that mark a pull request as a draft, separated by commas'),
  DELAY_CHECK_FOR_INACTIVE_DAYS: Joi.number()
    .integer()
    .min(-1)
    .max(36_500)
    .default(7)
    .description(
      'When a base branch moves, pull requests that nothing happened to for so many days are checked for conflicts only when somebody looks; 0: all of them, -1: none',
    ),
  DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT: Joi.number()
    .integer()
    .min(-1)
    .max(1000)
    .default(50)
    .description('Commits that the proposed message of a squash is made of; -1: all of them, 0: none'),
  DEFAULT_MERGE_MESSAGE_SIZE: Joi.number()
    .integer()
    .min(-1)
    .max(100_000)
    .default(5120)
    .description('Characters of their messages; -1: all of them'),
  DEFAULT_MERGE_MESSAGE_ALL_AUTHORS: Joi.boolean()
    .default(false)
    .description('The proposed message of a squash names everybody who wrote its commits, also where fewer make it'),
  POPULATE_SQUASH_COMMENT_WITH_COMMIT_MESSAGES: Joi.boolean()
    .default(false)
    .description(
      'The proposed message of a squash holds the messages of its commits, not the text of the pull request',
    ),
  ADD_CO_COMMITTER_TRAILERS: Joi.boolean()
    .default(true)
    .description(
      'Squashes name the author below the message too (Co-authored-by, Co-committed-by) where somebody else merges',
    ),
  DEFAULT_MERGE_STYLE: Joi.string()
    .valid(...mergeStyles.filter((style) => style !== 'manually-merged'))
    .default('merge')
    .description('Merge method that new repositories propose')
    .meta({ compatible: [{ from: /^manually-merged$/i, to: 'merge' }] }),
  DEFAULT_DELETE_BRANCH_AFTER_MERGE: Joi.boolean()
    .default(false)
    .description('New repositories propose to delete the branch of a merged pull request'),
  DEFAULT_TITLE_SOURCE: Joi.string()
    .valid('auto', 'first-commit')
    .default('auto')
    .description(
      'Title of a new pull request: first-commit: of its oldest commit; auto: of its commit where it has one, else the branch',
    ),
  RETARGET_CHILDREN_ON_MERGE: Joi.boolean()
    .default(true)
    .description(
      'Pull requests into the branch of a merged one follow it to its base branch when the branch is deleted',
    ),
});

interface PushSettings {
  readonly PULL_REQUEST_PUSH_MESSAGE: boolean;
}

/** `[git]` */
export const pushSettings = Joi.object<PushSettings>({
  PULL_REQUEST_PUSH_MESSAGE: Joi.boolean()
    .default(true)
    .description('After a push, say in the terminal where the pull request of the branch is or can be made'),
});
