import { createRequire } from 'node:module';
import type * as cronParser from 'cron-parser';
import { Joi } from './joi.js';

const require = createRequire(import.meta.url);

const shorthand: Readonly<Record<string, string>> = { '@midnight': '0 0 * * *', '@annually': '0 0 1 1 *' };

const bounds = [59, 23, 31, 12, 7];

/** What is surely a good expression, told without the library. */
function isPlain(cron: string): boolean {
  const fields = cron.split(' ');
  return (
    fields.length === 5 &&
    fields.every((field, at) => {
      const [, value] = /^(?:\*|\*\/[1-9]\d?|(\d{1,2}))$/.exec(field) ?? [undefined, '99'];
      return value === undefined || (Number(value) <= bounds[at]! && (Number(value) > 0 || at < 2 || at === 4));
    })
  );
}

/** Throws for an expression that means nothing. */
export function checkCron(cron: string): void {
  if (!isPlain(shorthand[cron] ?? cron)) nextTime(cron, Date.now());
}

/** The first time of the expression after `after`, in UTC; `@every 10m` counts from `after`. */
export function nextTime(cron: string, after: number): number {
  const every = /^@every\s+(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(cron);
  if (every) {
    const [hours, minutes, seconds] = every.slice(1).map((part) => Number(part ?? 0)) as [number, number, number];
    const span = ((hours * 60 + minutes) * 60 + seconds) * 1000;
    if (span <= 0) throw new Error(`schedule "${cron}" has no length`);
    return after + span;
  }
  // Most starts need no expression, and the library takes 20 ms to load; `require` keeps it after its first use.
  const { CronExpressionParser } = require('cron-parser') as typeof cronParser;
  return CronExpressionParser.parse(shorthand[cron] ?? cron, { currentDate: new Date(after), tz: 'UTC' })
    .next()
    .getTime();
}

/** A setting that says when something is done, as `host.schedule` takes it. */
export const cronSetting = (fallback: string): Joi.StringSchema =>
  Joi.string()
    .custom((value: string, helpers) => {
      try {
        checkCron(value);
        return value;
      } catch {
        return helpers.error('cron.expression');
      }
    })
    .messages({
      'cron.expression': 'must be a cron expression of five fields, @midnight and the like, or for instance @every 6h',
    })
    .default(fallback)
    .description('When: a cron expression of five fields in UTC, @midnight, or for instance @every 6h.');
