import { Joi } from '@mortise/plugin-sdk';

interface TimeSettings {
  readonly ENABLE_TIMETRACKING: boolean;
}

/** `[service]` */
export const timeSettings = Joi.object<TimeSettings>({
  ENABLE_TIMETRACKING: Joi.boolean().default(true).description('Time can be tracked on issues'),
});
