import { Joi } from '@mortise/plugin-sdk';

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads `30s`, `1h30m`, `1.5h` or plain seconds; gives whole milliseconds. */
export function parseDuration(text: string | number): number | undefined {
  if (typeof text === 'number') return text * 1000;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)/g))
    total += Number(amount) * units[unit!]!;
  return Math.round(total);
}

/** A span of time in the settings: written `10m`, read as milliseconds. */
export const duration = (fallback: string): Joi.NumberSchema<number> =>
  Joi.any()
    .custom((value: string | number, helpers) => parseDuration(value) ?? helpers.error('any.invalid'))
    .default(parseDuration(fallback))
    .meta({ default: fallback }) as unknown as Joi.NumberSchema<number>;
