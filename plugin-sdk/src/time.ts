import { Invalid } from './errors.js';
import { t } from './texts/index.js';

/** RFC 3339 with seconds, in UTC, as the REST surface writes times (GEN-10); 0 is "never". */
export function apiTime(milliseconds: number): string {
  return milliseconds ? `${new Date(milliseconds).toISOString().slice(0, 19)}Z` : '0001-01-01T00:00:00Z';
}

/**
 * The same in the zone that git keeps beside a time (`+0200`); in UTC where RFC 3339 knows no such zone (`+9999`), and for
 * times that have no year of four digits, "never".
 */
export function zonedTime({ time, zone }: { readonly time: number; readonly zone: string }): string {
  const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])([01]\d|2[0-3])([0-5]\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const date = new Date(time + offset * 60_000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return '0001-01-01T00:00:00Z';
  const local = date.toISOString().slice(0, 19);
  return offset === 0 ? `${local}Z` : `${local}${sign}${hours}:${minutes}`;
}

/** A whole date-time of RFC 3339, as everywhere in the REST surface; a date alone does not match. */
export const dateTimePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Milliseconds since 1970 UTC of such a text; NaN for anything else, also for days that no month has. */
export function parseDateTime(text: string): number {
  const time = dateTimePattern.test(text) ? Date.parse(text) : NaN;
  // engines take the 30th of February as a day of March
  const day = text.slice(0, 10);
  return Number.isNaN(time) || new Date(Date.parse(day)).toISOString().slice(0, 10) === day ? time : NaN;
}

/**
 * The milliseconds since 1970 UTC that a field of a request names; undefined for nothing. Invalid, at the field, for what
 * is no whole date-time.
 */
export function timeOf(text: string | null | undefined, field: string): number | undefined {
  if (!text) return undefined;
  const time = parseDateTime(text);
  if (!Number.isNaN(time)) return time;
  const message = t.later('input.time', { field });
  throw Invalid(message, { inputs: { [field]: message } });
}

/**
 * When something is due whose date a field of a request names. A date that is written with an offset stays on the day
 * that was written, though that moment may lie on another day in UTC.
 */
export function dueDateOf(text: string | null | undefined, field: string): number | undefined {
  const time = timeOf(text, field);
  if (!time || !text) return time;
  const day = Date.parse(text.slice(0, 10));
  return endOfDay(time) === endOfDay(day) ? time : endOfDay(day);
}

/** Due dates hold to the end of their day (UTC). */
export const endOfDay = (time: number): number => {
  const day = 86_400_000;
  return (Math.floor(time / day) + 1) * day - 1000;
};
