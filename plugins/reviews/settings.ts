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
