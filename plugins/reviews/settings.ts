import { Joi } from '@mortise/plugin-sdk';

export interface ReviewSettings {
  readonly CODE_COMMENT_LINES: number;
}

/** `[ui]` */
export const reviewSettings = Joi.object<ReviewSettings>({
  CODE_COMMENT_LINES: Joi.number()
    .integer()
    .min(0)
    .max(100)
    .default(4)
    .description('Lines that are shown above the one that a comment is on'),
});

export interface ApproverSettings {
  readonly DEFAULT_MERGE_MESSAGE_MAX_APPROVERS: number;
  readonly DEFAULT_MERGE_MESSAGE_OFFICIAL_APPROVERS_ONLY: boolean;
}

/** `[repository.pull-request]` */
export const approverSettings = Joi.object<ApproverSettings, true>({
  DEFAULT_MERGE_MESSAGE_MAX_APPROVERS: Joi.number()
    .integer()
    .min(-1)
    .max(1000)
    .default(10)
    .description('People that `ReviewedBy` of templates of merge messages names; -1: all of them, 0: nobody'),
  DEFAULT_MERGE_MESSAGE_OFFICIAL_APPROVERS_ONLY: Joi.boolean()
    .default(true)
    .description('`ReviewedBy` names those alone whose approval counts by the rule of the branch'),
});
