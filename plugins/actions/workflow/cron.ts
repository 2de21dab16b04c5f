import { createRequire } from 'node:module';
import type * as cronParser from 'cron-parser';

const names: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/**
 * The first time of a schedule after `from`, both in milliseconds since 1970 UTC. Five fields, `@daily` and its like, or
 * `@every 1h30m`; `TZ=Europe/Berlin ` or `CRON_TZ=…` in front, or the time zone beside it; else UTC. Undefined when the text
 * is no schedule, or one that never comes.
 */
export function nextTime(cron: string, from: number, timezone?: string): number | undefined {
  const [, zone = timezone ?? 'UTC', rest = ''] = /^\s*(?:(?:CRON_)?TZ=(\S+)\s+)?(.{1,200}?)\s*$/s.exec(cron) ?? [];
  const every = /^@every\s+(?=\d)(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,8})s)?$/.exec(rest);
  if (every) {
    const [hours = 0, minutes = 0, seconds = 0] = every.slice(1).map((part) => Number(part ?? 0));
    return from + Math.max((hours * 60 + minutes) * 60 + seconds, 1) * 1000;
  }
  const fields = names[rest.toLowerCase()] ?? rest;
  if (fields.split(/\s+/).length !== 5) return undefined;
  try {
    const { CronExpressionParser } = createRequire(import.meta.url)('cron-parser') as typeof cronParser;
    return CronExpressionParser.parse(fields, { currentDate: new Date(from), tz: zone })
      .next()
      .getTime();
  } catch {
    return undefined;
  }
}
