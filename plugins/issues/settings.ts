import { Joi } from '@mortise/plugin-sdk';

/** A list of words with commas between them. */
const wordList = (value: string): string[] =>
  value
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

export interface IssueSettings {
  readonly LOCK_REASONS: string;
  readonly MAX_PINNED: number;
}

/** `[repository.issue]` */
export const issueSettings = Joi.object<IssueSettings>({
  LOCK_REASONS: Joi.string()
    .allow('')
    .default('Too heated,Off-topic,Resolved,Spam')
    .description('Reasons that pages offer when a conversation is locked, separated by commas'),
  MAX_PINNED: Joi.number()
    .integer()
    .min(0)
    .max(100)
    .default(3)
    .description('Issues, and pull requests, that can be pinned in a repository'),
});

export interface DependencySettings {
  readonly ALLOW_CROSS_REPOSITORY_DEPENDENCIES: boolean;
}

/** `[service]` */
export const dependencySettings = Joi.object<DependencySettings>({
  ALLOW_CROSS_REPOSITORY_DEPENDENCIES: Joi.boolean()
    .default(true)
    .description('Issues can depend on issues of other repositories'),
});

export interface Limits {
  readonly maxPinned: number;
  readonly lockReasons: readonly string[];
  readonly isAllowedAcross: boolean;
}

export const limitsOf = (issue: IssueSettings, service: DependencySettings): Limits => ({
  maxPinned: issue.MAX_PINNED,
  lockReasons: wordList(issue.LOCK_REASONS),
  isAllowedAcross: service.ALLOW_CROSS_REPOSITORY_DEPENDENCIES,
});
