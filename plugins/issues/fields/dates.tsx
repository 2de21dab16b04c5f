import type { VNode } from 'preact';
import { Invalid, Joi, apiTime, formText, parseDateTime, type FormValues } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** The day of a moment (UTC), as `input type="date"` and the timeline write it; empty for none. */
export const dayOf = (milliseconds: number): string =>
  milliseconds ? new Date(milliseconds).toISOString().slice(0, 10) : '';

/** A time that may be missing, as the REST surface writes it. */
export const timeOrNull = (milliseconds: number): string | null => (milliseconds ? apiTime(milliseconds) : null);

/** In records over the API. */
export const dateRecord = { schema: Joi.string().isoDate().allow(null).required(), of: timeOrNull };

export const dateOption = () => Joi.string().allow('', null).description('RFC 3339');
/** What a validated body names there, for functions that read times. */
export const textOption = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const DateInput = ({
  name,
  label,
  id,
  value,
}: {
  name: string;
  label: string;
  id?: string;
  value: string;
}): VNode => (
  <input
    class="form-control width-full"
    type="date"
    name={name}
    value={value}
    {...(id ? { id } : { 'aria-label': label })}
  />
);

/** The beginning of the day that a form names; 0: it names none. */
export function dayIn(values: FormValues, name: string): number {
  const given = formText(values, name, 20);
  const time = given ? parseDateTime(`${given}T00:00:00Z`) : 0;
  if (Number.isNaN(time)) throw Invalid(t.later('due.wrong'), { inputs: { [name]: t.later('due.wrong') } });
  return time;
}
