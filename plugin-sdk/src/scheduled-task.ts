import { Joi } from './joi.js';
import type { PluginHost } from './plugin.js';
import type { JobRef } from './references.js';
import { jobs } from './services.js';

/** `[cron.NAME]` of a task that people may switch off or give other times. */
export interface TaskTimes {
  readonly ENABLED: boolean;
  readonly RUN_AT_START: boolean;
  readonly SCHEDULE: string;
}

export interface ScheduledWork {
  /** Of the schedule, in this plugin. */
  readonly id: string;
  /** For administrators, see `ScheduleOptions.taskName`; its settings stand in `[cron.NAME]`. */
  readonly taskName: string;
  /** A cron expression (UTC), where the section says nothing else. */
  readonly schedule: string;
  /** What it does, for the setting that switches it off: `Ends tasks without a sign of life`. */
  readonly does: string;
}

/** Schedules a job at the times that its section of the settings says. */
export function scheduleTask<P>(host: PluginHost, task: ScheduledWork, job: JobRef<P>, payload: NoInfer<P>): void {
  const { id, taskName, schedule, does } = task;
  const times = host.settings(
    `cron.${taskName}`,
    Joi.object<TaskTimes, true>({
      ENABLED: Joi.boolean().default(true).description(`${does}, at the times of SCHEDULE.`),
      // what was due while the site was down is made up for anyway
      RUN_AT_START: Joi.boolean().default(false).description('Also at each start of the site.'),
      SCHEDULE: Joi.string()
        .default(schedule)
        .description('When: a cron expression of five fields in UTC, @midnight, or for instance @every 6h.'),
    }),
  );
  if (!times.ENABLED) return;
  host.schedule(id, times.SCHEDULE, job, payload, { taskName });
  if (times.RUN_AT_START)
    host.onStart({ jobs }, async (services) => {
      await services.jobs.enqueue(job, payload, { uniqueKey: `start ${taskName}` });
    });
}
