import { Joi } from '@mortise/plugin-sdk';

export interface QueueSettings {
  readonly MAX_ENTRIES: number;
  readonly GROUP_SIZE: number;
  readonly CHECK_TIMEOUT_MINUTES: number;
}

/** `[merge-queue]` */
export const queueSettings = Joi.object<QueueSettings>({
  MAX_ENTRIES: Joi.number()
    .integer()
    .min(1)
    .max(1000)
    .default(100)
    .description('Pull requests that may wait for one branch'),
  GROUP_SIZE: Joi.number()
    .integer()
    .min(1)
    .max(50)
    .default(5)
    .description('Of how many of a queue the checks run at once, where the rule of the branch does not say'),
  CHECK_TIMEOUT_MINUTES: Joi.number()
    .integer()
    .min(1)
    .max(10_080)
    .default(60)
    .description('Minutes after which checks count as failed, where the rule of the branch does not say'),
});
