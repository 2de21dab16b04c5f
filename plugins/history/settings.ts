import { Joi } from '@mortise/plugin-sdk';

/** `[git]`, the part about lists of commits (LIM-10). */
export interface CommitListSettings {
  readonly COMMITS_RANGE_SIZE: number;
}

export const commitListSettings = Joi.object<CommitListSettings, true>({
  COMMITS_RANGE_SIZE: Joi.number()
    .integer()
    .min(1)
    .default(50)
    .description('Most commits in one answer of the API; `MAX_RESPONSE_ITEMS` bounds them too.'),
});
