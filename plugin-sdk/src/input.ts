import type Joi from 'joi';
import { Invalid, type Problem } from './errors.js';
import { formatList } from './formats.js';
import { textOf, type Text } from './language.js';
import { t } from './texts/index.js';

type Detail = Joi.ValidationErrorItem;

/** What the form calls a field, by its name: `{ user_name: t.later('username') }`. */
export type FieldNames = Readonly<Record<string, Text>>;

/** 422 for what a schema refused: Joi's words for the API, whole sentences in the visitor's language for pages. */
export function invalidInput(error: Joi.ValidationError, names: FieldNames = {}): Problem {
  return Invalid(error.message, {
    text: () => error.details.map((detail) => sentence(detail, names)).join(' '),
    inputs: Object.fromEntries(
      error.details
        .filter(({ path }) => path.length > 0)
        .map((detail) => [detail.path.join('.'), () => sentence(detail, names)]),
    ),
  });
}

function fieldOf({ path, context }: Detail, names: FieldNames): string {
  const name = path.length > 0 ? path.join('.') : String(context?.label ?? '');
  const known = Object.hasOwn(names, name) ? names[name] : undefined;
  if (known !== undefined) return textOf(known);
  const words = name.replace(/[_.]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function sentence(detail: Detail, names: FieldNames): string {
  const field = fieldOf(detail, names);
  const limit = Number(detail.context?.limit);
  switch (detail.type) {
    case 'any.required':
    case 'string.empty':
      return t('input.required', { field });
    case 'string.max':
      return t('input.maxLength', { field, limit });
    case 'string.min':
      return t('input.minLength', { field, limit });
    case 'string.email':
      return t('input.email', { field });
    case 'string.uri':
    case 'string.uriCustomScheme':
      return t('input.url', { field });
    case 'number.base':
      return t('input.number', { field });
    case 'number.integer':
      return t('input.integer', { field });
    case 'number.min':
      return t('input.min', { field, limit });
    case 'number.max':
      return t('input.max', { field, limit });
    case 'array.max':
      return t('input.maxItems', { field, limit });
    case 'array.min':
      return t('input.minItems', { field, limit });
    case 'any.only':
      return t('input.oneOf', { field, values: allowed(detail) });
    default:
      return t('input.invalid', { field });
  }
}

function allowed({ context }: Detail): string {
  const values = (context?.valids as readonly unknown[] | undefined) ?? [];
  return formatList(
    values.filter((value) => value !== '' && value !== null).map((value) => String(value)),
    'disjunction',
  );
}
