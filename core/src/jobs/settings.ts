import { Joi } from '@mortise/plugin-sdk';

export interface QueueSettings {
  MAX_WORKERS: number;
  DRAIN_TIME: number;
  KEEP_DONE: number;
  JOB_TIMEOUT: number;
}

/** `[queue]`: background work. */
export const queueSettings = Joi.object<QueueSettings, true>({
  MAX_WORKERS: Joi.number()
    .integer()
    .min(0)
    .default(0)
    .description('Most jobs at once in one process; 0: ten, 1 runs them one by one'),
  DRAIN_TIME: Joi.number()
    .integer()
    .min(0)
    .default(20_000)
    .description('Milliseconds that running jobs have to end when the process stops'),
  KEEP_DONE: Joi.number()
    .integer()
    .min(0)
    .default(86_400_000)
    .description('Milliseconds that ended jobs are kept; failed ones stay thirty times as long'),
  JOB_TIMEOUT: Joi.number()
    .integer()
    .min(1)
    .default(3_600_000)
    .description('Milliseconds that one attempt of a job may take, where its kind does not say otherwise'),
});
