import { Joi } from '@mortise/plugin-sdk';

interface TimeSettings {
  readonly ENABLE_TIMETRACKING: boolean;
  readonly DEFAULT_ENABLE_TIMETRACKING: boolean;
  readonly DEFAULT_ALLOW_ONLY_CONTRIBUTORS_TO_TRACK_TIME: boolean;
}

/** `[service]` */
export const timeSettings = Joi.object<TimeSettings>({
  ENABLE_TIMETRACKING: Joi.boolean().default(true).description('Time can be tracked on issues'),
  DEFAULT_ENABLE_TIMETRACKING: Joi.boolean().default(true).description('New repositories have their time tracked'),
  DEFAULT_ALLOW_ONLY_CONTRIBUTORS_TO_TRACK_TIME: Joi.boolean()
    .default(true)
    .description('In new repositories only those who may write track time'),
});
