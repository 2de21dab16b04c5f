import { parseDuration } from '@mortise/plugin-sdk';
import type Joi from 'joi';

/**
 * What the schema of a setting may say in `meta({ compatible: [...] })`: values that compatible servers know and this
 * one doesn't, and what is taken in their place.
 */
interface CompatibleValue {
  readonly from: RegExp;
  readonly to: string;
}

interface DescribedSchema {
  readonly $_terms: { readonly metas?: readonly { readonly compatible?: readonly CompatibleValue[] }[] | null };
}

interface ReadValue {
  readonly value: string;
  /** Not another spelling: something else holds than what was written. */
  readonly isReplaced?: boolean;
}

/** As compatible servers read flags; Joi knows `true` and `false` alone. */
const flags: readonly (readonly [RegExp, string])[] = [
  [/^(1|t|true|y|yes|on)$/i, 'true'],
  [/^(0|f|false|n|no|off)$/i, 'false'],
];

/** The value in a spelling that the schema takes, where compatible servers take the written one too. */
export function readCompatible(schema: Joi.Schema, written: string): ReadValue {
  if (!schema.validate(written).error) return { value: written };
  const accepted = [...spellings(schema, written)].find((value) => !schema.validate(value).error);
  if (accepted !== undefined) return { value: accepted };
  // `describe()` makes texts of patterns
  const { metas } = (schema as unknown as DescribedSchema).$_terms;
  const other = (metas ?? []).flatMap(({ compatible = [] }) => compatible).find(({ from }) => from.test(written));
  return other ? { value: other.to, isReplaced: true } : { value: written };
}

function* spellings(schema: Joi.Schema, written: string): Iterable<string> {
  const { type, allow = [] } = schema.describe() as { type?: string; allow?: readonly unknown[] };
  if (type === 'boolean') for (const [pattern, value] of flags) if (pattern.test(written)) yield value;
  if (type === 'number' && /^[+-]?(0x[\da-f_]+|0o[0-7_]+|0b[01_]+|[\d_]+)$/i.test(written)) {
    const [, sign, digits] = /^([+-]?)(.*)$/.exec(written.replaceAll('_', ''))!;
    yield `${sign === '-' ? '-' : ''}${Number(digits)}`;
  }
  for (const one of allow) if (typeof one === 'string' && one.toLowerCase() === written.toLowerCase()) yield one;
  const span = /[a-zµ]$|^0$/.test(written) ? parseDuration(written) : undefined;
  if (span === undefined) return;
  for (const [unit, length] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
    ['ms', 1],
  ] as const)
    if (span % length === 0) yield `${span / length}${unit}`;
}

/**
 * What holds in place of a number that lies outside of the bounds: the nearest above; below is where compatible servers
 * say "none" or "as usual", so the default. Undefined: the value is no number.
 */
export function withinBounds(
  { type, context }: Joi.ValidationErrorItem,
  written: string,
): { readonly value: number | undefined } | undefined {
  if (type === 'number.max') return { value: Number(context?.limit) };
  if (type === 'number.min' || type === 'number.positive' || /^-\d+(\.\d+)?[a-zµ]*$/i.test(written))
    return { value: undefined };
  return undefined;
}
