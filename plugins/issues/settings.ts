import { Joi, type PublicSettings, pageSizeSetting } from '@mortise/plugin-sdk';

interface IssueSettings {
  readonly MAX_PINNED: number;
}

/** `[repository.issue]` */
export const issueSettings = Joi.object<IssueSettings>({
  MAX_PINNED: Joi.number()
    .integer()
    .min(0)
    .max(100)
    .default(3)
    .description('Issues, and pull requests, that can be pinned in a repository'),
});

export interface KeywordSettings {
  readonly CLOSE_KEYWORDS: string;
  readonly REOPEN_KEYWORDS: string;
}

/** `[repository.pull-request]`, the part about words before references; any language has its own. */
export const keywordSettings = Joi.object<KeywordSettings>({
  CLOSE_KEYWORDS: Joi.string()
    .allow('')
    .max(1000)
    .default('close,closes,closed,fix,fixes,fixed,resolve,resolves,resolved')
    .description('Words that, before a reference, close the issue when the change is merged; separated by commas'),
  REOPEN_KEYWORDS: Joi.string()
    .allow('')
    .max(1000)
    .default('reopen,reopens,reopened')
    .description('The same to reopen it'),
});

export interface DependencySettings {
  readonly ALLOW_CROSS_REPOSITORY_DEPENDENCIES: boolean;
  readonly DEFAULT_ENABLE_DEPENDENCIES: boolean;
}

/** `[service]` */
export const dependencySettings = Joi.object<DependencySettings>({
  ALLOW_CROSS_REPOSITORY_DEPENDENCIES: Joi.boolean()
    .default(true)
    .description('Issues can depend on issues of other repositories'),
  DEFAULT_ENABLE_DEPENDENCIES: Joi.boolean()
    .default(true)
    .description('Issues of new repositories can depend on others'),
});

interface ClosingSettings {
  readonly DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH: boolean;
}

/** `[repository]` */
export const closingSettings = Joi.object<ClosingSettings, true>({
  DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH: Joi.boolean()
    .default(false)
    .description(
      'In new repositories, commits on any branch close the issues that they say they close; otherwise those on the default branch alone',
    ),
});

interface ListSettings {
  readonly ISSUE_PAGING_NUM: number;
}

/** `[ui]`, the part about lists. */
export const listSettings = Joi.object<ListSettings, true>({
  ISSUE_PAGING_NUM: pageSizeSetting(25).description(
    'Issues, pull requests or milestones on one page of a list; compatible servers have 20',
  ),
});

interface ReactionSettings {
  readonly REACTIONS: string;
}

/** `[ui]`, the part about reactions. */
export const reactionSettings = Joi.object<ReactionSettings, true>({
  REACTIONS: Joi.string().default('+1,-1,laugh,hooray,confused,heart,rocket,eyes').description('Allowed reactions'),
});

/** What clients learn of them. */
export const publicReactionSettings = (allowed: readonly string[]): PublicSettings => ({
  key: 'reactions',
  page: 'ui',
  schema: { allowed_reactions: Joi.array().items(Joi.string()) },
  values: { allowed_reactions: allowed },
});

export interface Limits {
  readonly maxPinned: number;
  readonly isAllowedAcross: boolean;
  /** Names of emoji that users react with. */
  readonly reactions: readonly string[];
}

export const limitsOf = (
  issue: IssueSettings,
  service: DependencySettings,
  { REACTIONS }: ReactionSettings,
): Limits => ({
  maxPinned: issue.MAX_PINNED,
  isAllowedAcross: service.ALLOW_CROSS_REPOSITORY_DEPENDENCIES,
  reactions: REACTIONS.split(',')
    .map((one) => one.trim())
    .filter(Boolean),
});
