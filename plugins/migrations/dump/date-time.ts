import { Joi } from '@mortise/plugin-sdk';

/** `date-time` of RFC 3339 5.6, which JSON Schema names. */
const pattern =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** A day that the month has, and the form of RFC 3339. */
function isDateTime(text: string): boolean {
  const [, year = '', month = '', day = ''] = pattern.exec(text) ?? [];
  return year !== '' && Number(day) <= new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
}

export const dateTime = Joi.string()
  .custom((value: string, { error }) => (isDateTime(value) ? value : error('string.dateTime')))
  .messages({ 'string.dateTime': '{{#label}} must be a date-time such as 2026-03-01T12:00:00Z' });

/** Without a fraction where it is zero. */
export const toDateTime = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

/** Leap seconds count as the second before them. */
export const toTime = (text: string): number => Date.parse(text.toUpperCase().replace(/(T\d\d:\d\d):60/, '$1:59'));
