// Not by way of the SDK: the process that only minds workers needs nothing else of it.
import { Joi } from '@mortise/plugin-sdk/joi';

export interface WorkerSettings {
  WORKERS: number;
}

export const workerSettings = Joi.object<WorkerSettings, true>({
  WORKERS: Joi.number()
    .integer()
    .min(0)
    .max(256)
    .default(0)
    .description('Processes that share HTTP_PORT; 0: one per processor core'),
});
