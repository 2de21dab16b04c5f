import { Invalid, type Text } from '@mortise/plugin-sdk';
import { projectLimits } from '../api.js';
import type { FieldKind, ProjectField } from '../contract/fields.js';
import { t } from '../texts/index.js';

const { textValue: maxText, numberValue: maxNumber } = projectLimits;

/** The three columns of which a value fills one. */
interface ValueColumns {
  readonly text_value: string | null;
  readonly number_value: number | null;
  readonly option_id: number | null;
}

/** Characters of a refused value that the error repeats. */
const maxShown = 40;

const ruleOf: Readonly<Record<FieldKind, Text>> = {
  text: t.later('error.value.text', { max: maxText }),
  number: t.later('error.value.number', { max: maxNumber }),
  date: t.later('error.value.date'),
  single_select: t.later('error.value.option'),
  iteration: t.later('error.value.option'),
};

const refused = ({ name, kind }: ProjectField, value: string | number) =>
  Invalid(t.later('error.value', { field: name, value: String(value).slice(0, maxShown), rule: ruleOf[kind] }));

/** A day that the calendar has, as `2026-01-31`. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

type Reader = (value: string | number, field: ProjectField) => Partial<ValueColumns> | undefined;

const option: Reader = (value, { options }) => {
  const found = options.find(({ id, title }) => (typeof value === 'number' ? id === value : title === value));
  return found && { option_id: found.id };
};

const readers: Readonly<Record<FieldKind, Reader>> = {
  text: (value) => {
    const text = String(value).replace(/\s+/g, ' ').trim();
    return text && text.length <= maxText ? { text_value: text } : undefined;
  },
  number: (value) => {
    const number = typeof value === 'number' ? value : value.trim() ? Number(value) : Number.NaN;
    return Math.abs(number) <= maxNumber ? { number_value: number } : undefined;
  },
  date: (value) => (typeof value === 'string' && isDay(value) ? { text_value: value } : undefined),
  single_select: option,
  iteration: option,
};

/** What is stored of a value; an option is named by its id or its title. Invalid for what the field cannot hold. */
export function valueColumns(field: ProjectField, value: string | number): ValueColumns {
  const columns = readers[field.kind](value, field);
  if (!columns) throw refused(field, value);
  return { text_value: null, number_value: null, option_id: null, ...columns };
}
